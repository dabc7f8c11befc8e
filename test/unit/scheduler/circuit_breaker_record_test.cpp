#include "scheduler/breaker/circuit_breaker_record.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace elbowroom::scheduler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

policy::Time at(std::int64_t second) { return policy::Time{seconds(second)}; }

CountedSet counted(std::int64_t second, const std::string& preemptor, const std::string& victim) {
  return {.at = at(second),
          .preemptor = short_name(preemptor),
          .node = short_name("node-1"),
          .victims = {short_name(victim)}};
}

TEST(CircuitBreakerRecord, IsReadAsItWasWritten) {
  CircuitBreakerRecord record{.whole_since = at(1'780'000'000)};
  EXPECT_EQ(parse_record(record_text(record)), record);
  record.sets = {counted(1'780'000'001, "u", "a"), counted(1'780'000'002, "v", "b")};
  record.sets[1].victims.push_back(short_name("c"));
  EXPECT_EQ(parse_record(record_text(record)), record);
  EXPECT_EQ(parse_record(record_text({})), CircuitBreakerRecord{});
}

TEST(CircuitBreakerRecord, NamesAreShortAndAlwaysTheSame) {
  EXPECT_EQ(short_name("node-1"), short_name("node-1"));
  std::set<std::string> names;
  for (int i = 0; i < 100'000; ++i) names.insert(short_name("uid-" + std::to_string(i)));
  EXPECT_EQ(names.size(), 100'000U);
}

// A set never counts for less long because its time was written down.
TEST(CircuitBreakerRecord, TimesAreRoundedUp) {
  CircuitBreakerRecord record{.sets = {counted(7, "u", "a")}};
  record.sets[0].at += milliseconds(1);
  const auto read = parse_record(record_text(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sets[0].at, at(8));
}

TEST(CircuitBreakerRecord, WhatIsNotOursIsRefused) {
  const std::string name = short_name("u");
  const std::string line = "7 " + name + " " + name + " " + name + "\n";
  ASSERT_TRUE(parse_record("v1 0\n" + line));
  for (const std::string& text :
       {std::string(), std::string("v1 0"), std::string("v2 0\n"), std::string("v1\n"),
        std::string("v1 -1\n"), std::string("v1 1x\n"), line, "v1 0\n\n" + line,
        "v1 0\n" + line + "7 " + name + "\n", "v1 0\n7 " + name + " " + name + "\n",
        "v1 0\nx " + name + " " + name + " " + name + "\n",
        "v1 0\n7 " + name + " " + name + " short\n",
        "v1 0\n999999999999 " + name + " " + name + " " + name + "\n",
        "v1 0\n" + std::string(kMostRecordBytes, 'x')}) {
    EXPECT_FALSE(parse_record(text)) << text;
  }
}

// The oldest are left out, and the record says from when on it is whole.
TEST(CircuitBreakerRecord, HoldsNoMoreThanItMay) {
  CircuitBreakerRecord record;
  for (int i = 0; i < 5000; ++i) record.sets.push_back(counted(i, "u" + std::to_string(i), "a"));
  const std::string text = record_text(record);
  EXPECT_LE(text.size(), kMostRecordBytes);
  const auto read = parse_record(text);
  ASSERT_TRUE(read);
  EXPECT_GT(read->sets.size(), 1000U);
  EXPECT_EQ(read->sets.back(), record.sets.back());
  EXPECT_EQ(read->whole_since, at(4999 - static_cast<std::int64_t>(read->sets.size())));
  EXPECT_EQ(read->sets.front().at, read->whole_since + seconds(1));
}

}  // namespace
}  // namespace elbowroom::scheduler
