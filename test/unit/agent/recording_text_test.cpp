#include "agent/recording/recording_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/pods.h"
#include "test/random_values.h"

namespace elbowroom::agent {
namespace {

using test::RandomValues;
using ::testing::HasSubstr;

template <class T>
void expect_back(const T& value) {
  const std::string text = recording::to_text(value);
  for (const char c : text) ASSERT_GE(static_cast<unsigned char>(c), 0x20) << text;
  const auto parsed = parse_json(text);
  ASSERT_TRUE(parsed) << parsed.error().message << "\n" << text;
  const auto again = recording::from_value<T>(*parsed);
  ASSERT_TRUE(again) << again.error().message << "\n" << text;
  ASSERT_TRUE(*again == value) << text;
  ASSERT_EQ(recording::to_text(*again), text);
}

TEST(RecordingText, EveryValueComesBackAsItWas) {
  RandomValues random(1);
  for (int i = 0; i < 300; ++i) {
    expect_back(random.make<Seen>());
    expect_back(random.make<Effect>());
    expect_back(random.make<ReactorOptions>());
    if (i % 10 == 0) expect_back(random.make<ReactorState>());
  }
}

// Of a runtime that is seen again and again only what changed is written.
TEST(RecordingText, WhatWasSeenComesBackInItsOrder) {
  RandomValues random(2);
  SeenLines writer;
  SeenLines reader;
  RuntimeSeen runtime;
  for (int i = 0; i < 200; ++i) {
    Observation seen{.at = random.make<Moment>(), .what = random.make<Seen>(), .more = i % 3 == 0};
    if (i % 2 == 0) {
      if (random.below(3) == 0) runtime = random.make<RuntimeSeen>();
      runtime.pods["u-" + std::to_string(random.below(5))] = random.make<PodReport>();
      if (random.below(3) == 0) runtime.pods.erase("u-" + std::to_string(random.below(5)));
      seen.what = runtime;
    }
    const std::string line = writer.line(seen);
    const auto read = read_line(line);
    ASSERT_TRUE(read) << read.error().message << "\n" << line;
    const auto again = reader.read(std::get<recording::SeenValue>(*read).value);
    ASSERT_TRUE(again) << again.error().message << "\n" << line;
    ASSERT_TRUE(*again == seen) << line;
  }
}

TEST(RecordingText, ARuntimeThatDidNotChangeTakesNoSpace) {
  SeenLines lines;
  RuntimeSeen runtime;
  for (int i = 0; i < 110; ++i) runtime.pods["u-" + std::to_string(i)].containers["app"] = {};
  EXPECT_GT(lines.line({{}, runtime}).size(), 2000U);
  EXPECT_LT(lines.line({{}, runtime}).size(), 150U);
}

TEST(RecordingText, TheTextIsFixed) {
  SeenLines lines;
  EXPECT_EQ(lines.line({.at = {.since_start = std::chrono::milliseconds(1500),
                               .wall = policy::Time(std::chrono::seconds(1'800'000'000))},
                        .what = Failed{7, {Code::Conflict, "stale", std::chrono::seconds(1)}}}),
            R"({"seen":{"at":{"ms":1500,"wall":"2027-01-15T08:00:00Z"},"what":{"failed":)"
            R"({"effect":7,"error":{"code":"Conflict","message":"stale","retryAfterMs":1000}}}}})");
  EXPECT_EQ(did_line({{8, DeleteVictim{{.uid = "u", .ns = "default", .name = "x"}, true}}}),
            R"({"did":[{"id":8,"what":{"deleteVictim":{"victim":{"uid":"u","namespace":"default",)"
            R"("name":"x"},"dryRun":true}}}]})");
  EXPECT_EQ(did_line({}), R"({"did":[]})");
  EXPECT_EQ(header_line({.version = "0.1.0",
                         .options = {.node_name = "node-1", .authority = true},
                         .state = ReactorState{.runtime_trouble = ""}}),
            R"({"recording":"elbowroomd","format":1,"version":"0.1.0","options":)"
            R"({"nodeName":"node-1","authority":true,"criticalPreemption":false,)"
            R"("managePodCgroups":true},"state":{"now":{"wall":"1970-01-01T00:00:00Z"}}})");
}

std::string why(const std::string& line) {
  const auto read = read_line(line);
  return read ? "" : read.error().message;
}

std::string header(const std::string& state) {
  return R"({"recording":"elbowroomd","format":1,"state":)" + state + "}";
}

TEST(RecordingText, AHeaderOfALaterFormatIsRefusedAsSuch) {
  EXPECT_THAT(why(R"({"recording":"elbowroomd","format":2,"novelty":true})"),
              HasSubstr("format 2, and this version reads up to 1"));
  EXPECT_THAT(why(R"({"recording":"elbowroom-scheduler","format":1})"),
              HasSubstr("no recording of elbowroomd"));
  EXPECT_THAT(why(R"({"recording":"elbowroomd"})"), HasSubstr("format"));
  EXPECT_THAT(why(R"({"recording":"elbowroomd","format":-1})"), HasSubstr("format"));
}

TEST(RecordingText, AStateThatContradictsItselfIsRefused) {
  EXPECT_EQ(why(header("{}")), "");
  EXPECT_THAT(why(header(R"({"inFlight":{"1":{"doing":"Save"}},"lastEffect":1})")),
              HasSubstr("saving"));
  EXPECT_THAT(why(header(R"({"inFlight":{"2":{"doing":"Write"}},"lastEffect":1})")),
              HasSubstr("effect 2, which was never made"));
  EXPECT_THAT(why(header(R"({"removal":{"stage":"Deleting"}})")), HasSubstr("removal"));
  EXPECT_THAT(why(header(R"({"removal":{"outstanding":1}})")), HasSubstr("removal"));
  EXPECT_THAT(why(header(R"({"lastEffect":18446744073709551615})")), HasSubstr("lastEffect"));
}

TEST(RecordingText, NonsenseIsRefused) {
  for (const char* line : {"", "x", "{}", "[]", "null", R"({"seen":1,"did":2})", R"({"did":{}})",
                           R"({"did":[{"id":1}]})", R"({"saw":{}})"}) {
    EXPECT_NE(why(line), "") << line;
  }
  const auto read = [](const std::string& seen) {
    const auto value = parse_json(seen);
    return SeenLines().read(*value).has_value();
  };
  EXPECT_FALSE(read("{}")) << "an observation of nothing";
  EXPECT_FALSE(read(R"({"what":{"runtimeChanged":{}}})")) << "changed from what?";
  EXPECT_TRUE(read(R"({"what":{"timePassed":{}}})"));
}

}  // namespace
}  // namespace elbowroom::agent
