#include "daemon/log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <regex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/document.h"
#include "base/fd.h"
#include "daemon/log/log_folding.h"
#include "daemon/log/log_line.h"

namespace elbowroom::daemon {
namespace {

using namespace std::chrono_literals;
using Line = LogFolding::Line;

std::string text(std::string_view message, std::vector<Field> fields) {
  return format_line(LogFormat::Text, LogLevel::Info, message, fields);
}

TEST(LogLine, TextQuotesWhatIsNotOneWord) {
  EXPECT_EQ(text("resized", {{"pod", "default/web"}, {"uid", ""}, {"err", "no room"}}),
            "info msg=resized pod=default/web uid=\"\" err=\"no room\"");
  EXPECT_EQ(text("a b", {{"reason", "x=y"}, {"err", "say \"no\""}}),
            "info msg=\"a b\" reason=\"x=y\" err=\"say \\\"no\\\"\"");
}

TEST(LogLine, ValuesFromOutsideCannotForgeALine) {
  const std::string line = text("m\nerror msg=forged", {{"pod", "a\x1b[31m\n\xff"}});
  EXPECT_EQ(line, "info msg=\"m\\\\x0aerror msg=forged\" pod=\"a\\\\x1b[31m\\\\x0a\\\\xff\"");
}

TEST(LogLine, JsonIsJsonWhateverTheValues) {
  std::string every;
  for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
  const std::vector<Field> fields = {{"pod", every}, {"err", "quote \" back \\ slash"}};
  const std::string line = format_line(LogFormat::Json, LogLevel::Warn, "m", fields);
  const auto parsed = parse_json("{" + with_repeats(LogFormat::Json, line, 812) + "}");
  ASSERT_TRUE(parsed) << parsed.error().message << line;
  EXPECT_EQ(parsed->find("level")->text, "warn");
  EXPECT_EQ(parsed->find("msg")->text, "m");
  EXPECT_EQ(parsed->find("err")->text, "quote \" back \\ slash");
  EXPECT_EQ(parsed->find("repeated")->text, "812");
}

TEST(LogLine, IsBoundedAndStillWhole) {
  const std::string quotes(100'000, '"');
  const std::vector<Field> many(400, Field{"err", quotes});
  for (const LogFormat format : {LogFormat::Text, LogFormat::Json, LogFormat::Journal}) {
    const std::string line =
        with_repeats(format, format_line(format, LogLevel::Error, quotes, many), 1'000'000);
    EXPECT_LE(line.size() + 40, kMaxLogLineBytes);  // 40: the time and the braces
    EXPECT_NE(line.find("truncated"), std::string::npos);
    if (format == LogFormat::Journal) {
      EXPECT_NE(line.find("\nTRUNCATED="), std::string::npos);
    }
  }
  const std::vector<Field> one = {{"err", quotes}};
  const std::string json = format_line(LogFormat::Json, LogLevel::Error, "m", one);
  ASSERT_TRUE(parse_json("{" + json + "}"));
  EXPECT_GT(json.size(), kMaxLogLineBytes / 2);
  EXPECT_TRUE(parse_json("{" + json + "}")->find("err")->text.ends_with("..."));
}

TEST(LogLine, AJournalEntryHasALineForEachKeyAndOneToLookAt) {
  const std::vector<Field> fields = {{"pod", "default/web"}, {"err", "no room"}};
  const std::string entry = format_line(LogFormat::Journal, LogLevel::Warn, "not resized", fields);
  EXPECT_EQ(entry,
            "PRIORITY=4\nMSG=not resized\nPOD=default/web\nERR=no room\n"
            "MESSAGE=not resized pod=default/web err=\"no room\"");
  EXPECT_EQ(with_repeats(LogFormat::Journal, entry, 7), entry + " repeated=7\nREPEATED=7");
  EXPECT_EQ(with_repeats(LogFormat::Journal, entry, 0), entry);
  for (const auto& [level, priority] :
       {std::pair{LogLevel::Debug, "7"}, {LogLevel::Info, "6"}, {LogLevel::Error, "3"}}) {
    EXPECT_TRUE(format_line(LogFormat::Journal, level, "m", {})
                    .starts_with("PRIORITY=" + std::string(priority) + "\n"));
  }
}

TEST(LogLine, NoValueForgesAFieldOfTheJournal) {
  const std::vector<Field> fields = {{"pod", "a\nPRIORITY=0\n_UID=0"}};
  EXPECT_EQ(format_line(LogFormat::Journal, LogLevel::Info, "m\nERR=x", fields),
            "PRIORITY=6\nMSG=m\\x0aERR=x\nPOD=a\\x0aPRIORITY=0\\x0a_UID=0\n"
            "MESSAGE=m\\x0aERR=x pod=\"a\\\\x0aPRIORITY=0\\\\x0a_UID=0\"");
}

TEST(LogLine, LevelsAndFormatsAsTheConfigurationSpellsThem) {
  for (const auto* word : {"debug", "info", "warn", "error"}) {
    EXPECT_EQ(to_string(log_level_from(word)), word);
  }
  EXPECT_EQ(log_format_from("json"), LogFormat::Json);
  EXPECT_EQ(log_format_from("journal"), LogFormat::Journal);
  EXPECT_EQ(log_format_from("text"), LogFormat::Text);
}

constexpr LogFolding::Time kStart{};

TEST(LogFolding, RepeatsAreCountedAndToldWhenTheirMinuteIsOver) {
  LogFolding folding;
  EXPECT_EQ(folding.add(LogLevel::Info, "a", kStart), (std::vector<Line>{{LogLevel::Info, "a"}}));
  EXPECT_EQ(folding.add(LogLevel::Info, "b", kStart + 1s).size(), 1U);
  for (int i = 0; i < 812; ++i) {
    EXPECT_TRUE(folding.add(LogLevel::Info, "a", kStart + 2s).empty());
  }
  EXPECT_EQ(folding.add(LogLevel::Warn, "a", kStart + 3s).size(), 1U) << "another level";
  EXPECT_TRUE(folding.due(kStart + 59s).empty());
  EXPECT_EQ(folding.due(kStart + 60s), (std::vector<Line>{{LogLevel::Info, "a", 812}}));
  EXPECT_EQ(folding.add(LogLevel::Info, "a", kStart + 61s),
            (std::vector<Line>{{LogLevel::Info, "a"}}));
}

TEST(LogFolding, ACountThatIsDueComesBeforeTheNextLine) {
  LogFolding folding;
  EXPECT_EQ(folding.add(LogLevel::Info, "a", kStart).size(), 1U);
  EXPECT_EQ(folding.add(LogLevel::Info, "a", kStart).size(), 0U);
  EXPECT_EQ(folding.add(LogLevel::Info, "b", kStart + 61s),
            (std::vector<Line>{{LogLevel::Info, "a", 1}, {LogLevel::Info, "b"}}));
}

TEST(LogFolding, RemembersABoundedNumberAndLosesNoCount) {
  LogFolding folding;
  std::size_t written = 0;
  std::size_t counted = 0;
  const auto note = [&](const std::vector<Line>& lines) {
    for (const Line& line : lines) line.repeats == 0 ? ++written : counted += line.repeats;
  };
  for (int i = 0; i < 1000; ++i) {
    note(folding.add(LogLevel::Info, std::to_string(i), kStart));
    note(folding.add(LogLevel::Info, std::to_string(i), kStart));
  }
  note(folding.due(LogFolding::Time::max()));
  EXPECT_EQ(written, 1000U);
  EXPECT_EQ(counted, 1000U);
}

std::string captured(LogFormat format, LogLevel least, const auto& write) {
  testing::internal::CaptureStderr();
  {
    Log log("elbowroomd", format, least);
    write(log);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Log, TextAndJsonLinesCarryAUtcTime) {
  const auto write = [](Log& log) { log.info("resized", {{"pod", "default/web"}}); };
  const std::string in_text = captured(LogFormat::Text, LogLevel::Info, write);
  EXPECT_TRUE(std::regex_match(
      in_text,
      std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info msg=resized pod=default/web\n)")))
      << in_text;
  const std::string in_json = captured(LogFormat::Json, LogLevel::Info, write);
  const auto parsed = parse_json(in_json);
  ASSERT_TRUE(parsed) << in_json;
  EXPECT_EQ(parsed->find("pod")->text, "default/web");
  EXPECT_EQ(parsed->find("ts")->text.size(), std::string("2026-01-01T00:00:00.000Z").size());
}

TEST(Log, LinesBelowTheLevelAreNotWritten) {
  const std::string lines = captured(LogFormat::Text, LogLevel::Warn, [](Log& log) {
    log.debug("one");
    log.info("two");
    log.warn("three");
    log.error("four {} %s");
  });
  EXPECT_EQ(lines.find("one"), std::string::npos);
  EXPECT_EQ(lines.find("two"), std::string::npos);
  EXPECT_NE(lines.find("warn msg=three"), std::string::npos);
  EXPECT_NE(lines.find("error msg=\"four {} %s\""), std::string::npos);
}

TEST(Log, FoldsAndTellsTheCountAtTheEnd) {
  const std::string lines = captured(LogFormat::Text, LogLevel::Info, [](Log& log) {
    for (int i = 0; i < 5; ++i) log.warn("again");
    log.flush();
  });
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2);
  EXPECT_NE(lines.find("warn msg=again repeated=4\n"), std::string::npos) << lines;
}

TEST(Log, ManyThreadsWriteWholeLines) {
  const std::string lines = captured(LogFormat::Text, LogLevel::Info, [](Log& log) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&log, t] {
        for (int i = 0; i < 100; ++i) {
          log.info("line", {{"uid", std::to_string(t * 100 + i)}});
        }
      });
    }
  });
  EXPECT_EQ(std::ranges::count(lines, '\n'), 400);
  const std::regex whole(R"(\S+Z info msg=line uid=\d+)");
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    EXPECT_TRUE(std::regex_match(lines.substr(at, end - at), whole));
    at = end + 1;
  }
}

// A journal of the test's own.
class Journal {
 public:
  Journal() {
    std::string name = testing::TempDir() + "/journal-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    listen();
  }
  ~Journal() {
    stop();
    ::rmdir(folder_.c_str());
  }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void listen() {
    socket_ = Fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  void stop() {
    socket_ = Fd();
    ::unlink(path().c_str());
  }

  [[nodiscard]] std::string path() const { return folder_ + "/socket"; }

  // The entries so far.
  [[nodiscard]] std::vector<std::string> entries() const {
    std::vector<std::string> all;
    std::string bytes(65'536, ' ');
    for (;;) {
      const ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
      if (size < 0) return all;
      all.emplace_back(bytes, 0, static_cast<std::size_t>(size));
    }
  }

 private:
  std::string folder_;
  Fd socket_;
};

TEST(Log, TheJournalGetsAnEntryWithItsFieldsForEachLine) {
  const Journal journal;
  testing::internal::CaptureStderr();
  {
    Log log("elbowroomd", LogFormat::Journal, LogLevel::Info, journal.path());
    log.debug("not this");
    log.info("resized", {{"pod", "default/web"}, {"uid", "u-1"}});
    for (int i = 0; i < 4; ++i) log.error("again", {{"node", "n\n1"}});
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(journal.entries(),
              testing::ElementsAre(
                  "SYSLOG_IDENTIFIER=elbowroomd\nPRIORITY=6\nMSG=resized\nPOD=default/web\n"
                  "UID=u-1\nMESSAGE=resized pod=default/web uid=u-1\n",
                  "SYSLOG_IDENTIFIER=elbowroomd\nPRIORITY=3\nMSG=again\nNODE=n\\x0a1\n"
                  "MESSAGE=again node=\"n\\\\x0a1\"\n",
                  "SYSLOG_IDENTIFIER=elbowroomd\nPRIORITY=3\nMSG=again\nNODE=n\\x0a1\n"
                  "MESSAGE=again node=\"n\\\\x0a1\" repeated=3\nREPEATED=3\n"));
}

TEST(Log, AJournalThatTakesNothingHoldsNobodyUpAndIsFoundAgain) {
  Journal journal;
  Log log("elbowroomd", LogFormat::Journal, LogLevel::Info, journal.path());
  for (int i = 0; i < 5000; ++i) log.info(std::to_string(i));  // more than a socket holds
  EXPECT_FALSE(journal.entries().empty());
  journal.stop();
  log.info("nobody hears this");
  journal.listen();
  log.info("but this");
  EXPECT_THAT(journal.entries(), testing::ElementsAre(testing::HasSubstr("\nMSG=but this\n")));
}

TEST(Log, WithoutAJournalItWritesText) {
  const Journal journal;
  for (const std::string& path :
       {journal.path() + "-other", journal.path() + std::string(200, 'x'), std::string()}) {
    testing::internal::CaptureStderr();
    Log("elbowroomd", LogFormat::Journal, LogLevel::Info, path).info("here");
    const std::string lines = testing::internal::GetCapturedStderr();
    EXPECT_NE(lines.find("there is no journal: logging text to standard error\" err=\"reach "),
              std::string::npos)
        << lines;
    EXPECT_NE(lines.find("info msg=here\n"), std::string::npos);
  }
  EXPECT_TRUE(journal.entries().empty());
}

}  // namespace
}  // namespace elbowroom::daemon
