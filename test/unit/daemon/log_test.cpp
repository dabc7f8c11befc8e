#include "daemon/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <regex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/document.h"
#include "daemon/log_folding.h"
#include "daemon/log_line.h"

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
  for (const LogFormat format : {LogFormat::Text, LogFormat::Json}) {
    const std::string line =
        with_repeats(format, format_line(format, LogLevel::Error, quotes, many), 1'000'000);
    EXPECT_LE(line.size() + 40, kMaxLogLineBytes);  // 40: the time and the braces
    EXPECT_NE(line.find("truncated"), std::string::npos);
  }
  const std::vector<Field> one = {{"err", quotes}};
  const std::string json = format_line(LogFormat::Json, LogLevel::Error, "m", one);
  ASSERT_TRUE(parse_json("{" + json + "}"));
  EXPECT_GT(json.size(), kMaxLogLineBytes / 2);
  EXPECT_TRUE(parse_json("{" + json + "}")->find("err")->text.ends_with("..."));
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

TEST(Log, WithoutAJournalItWritesText) {
  if (::access("/run/systemd/journal/socket", W_OK) == 0) GTEST_SKIP() << "there is a journal";
  const std::string lines =
      captured(LogFormat::Journal, LogLevel::Info, [](Log& log) { log.info("here"); });
  EXPECT_NE(lines.find("there is no journal"), std::string::npos);
  EXPECT_NE(lines.find("info msg=here\n"), std::string::npos);
}

}  // namespace
}  // namespace elbowroom::daemon
