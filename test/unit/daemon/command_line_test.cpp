#include "daemon/config/command_line.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"

namespace elbowroom::daemon {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Parsed {
  std::optional<int> status{};
  std::string out{};
  std::string err{};
  CommandLine line{};
};

Parsed parsed(std::vector<std::string> words) {
  Schema schema{.kind = "AgentConfiguration", .keys = common_keys("127.0.0.1:1")};
  schema.keys.push_back({.name = "dryRun", .kind = Key::Kind::Bool, .fallback = "false"});
  words.insert(words.begin(), "elbowroomd");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  Parsed result;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  result.status = parse_command_line(static_cast<int>(argv.size()), argv.data(), "elbowroomd",
                                     "Judges", schema, result.line);
  result.out = ::testing::internal::GetCapturedStdout();
  result.err = ::testing::internal::GetCapturedStderr();
  return result;
}

TEST(CommandLine, TheSelftestIsAVerbWithTheFlagsBeforeOrBehindIt) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"selftest", "--sandbox", "-o", "json", "--config=x.yaml"},
        std::vector<std::string>{"--config", "x.yaml", "selftest", "--sandbox", "-o", "json"}}) {
    const Parsed good = parsed(words);
    EXPECT_EQ(good.status, std::nullopt) << good.err;
    EXPECT_TRUE(good.line.selftest);
    EXPECT_EQ(good.line.output, "json");
    EXPECT_EQ(good.line.config_file, "x.yaml");
  }
  EXPECT_FALSE(parsed({"--dry-run"}).line.selftest);
  EXPECT_EQ(parsed({"selftest"}).status, 2) << "of what?";
  EXPECT_EQ(parsed({"selftest", "--sandbox", "-o", "xml"}).status, 2);
  const Parsed help = parsed({"selftest", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("ExecStartPre=/usr/sbin/elbowroomd selftest --sandbox"));
}

TEST(CommandLine, FlagsAreKept) {
  const Parsed good = parsed({"--log-level", "debug", "--dry-run", "--config=x.yaml"});
  EXPECT_EQ(good.status, std::nullopt) << good.err;
  EXPECT_EQ(good.line.flags.at("log-level"), "debug");
  EXPECT_EQ(good.line.flags.at("dry-run"), "true");
  EXPECT_EQ(good.line.config_file, "x.yaml");
}

// What was typed went to the terminal unchanged, and the message did not name its program.
TEST(CommandLine, AMistakeIsToldByNameAndFitForATerminal) {
  for (const auto* word : {"\x1b[31mred", "--\x1b[31mred", "--no-such-flag"}) {
    const Parsed wrong = parsed({word});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_EQ(wrong.out, "");
    EXPECT_THAT(wrong.err, StartsWith("elbowroomd: "));
    EXPECT_THAT(wrong.err, Not(HasSubstr("\x1b")));
    EXPECT_THAT(wrong.err, HasSubstr("run elbowroomd --help"));
  }
}

TEST(CommandLine, HelpNamesValuesAnExampleAndExitCodes) {
  const Parsed help = parsed({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.err, "");
  for (const auto* part : {"debug|info|warn|error", "text|json|journal", "true|false",
                           "example:\n  elbowroomd --config", "exit status: 0 ", "78 "}) {
    EXPECT_THAT(help.out, HasSubstr(part));
  }
}

TEST(CommandLine, AStandardOutputThatIsFullIsNoticed) {
  std::fflush(stdout);
  const Fd before(::dup(STDOUT_FILENO));
  const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(before.is_open() && full.is_open());
  ASSERT_GE(::dup2(full.get(), STDOUT_FILENO), 0);
  const bool fits = print("kind: AgentConfiguration\n");
  ASSERT_GE(::dup2(before.get(), STDOUT_FILENO), 0);
  EXPECT_FALSE(fits);
  EXPECT_TRUE(print(""));
}

}  // namespace
}  // namespace elbowroom::daemon
