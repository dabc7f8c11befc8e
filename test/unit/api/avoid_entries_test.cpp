// The annotation preferAvoidPods of a Node as a value to edit.
#include "api/codec/avoid_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "api/codec/json.h"
#include "api/codec/timestamp.h"

namespace elbowroom::api {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

policy::Time at(const std::string& clock) {
  const auto time = parse_timestamp("2027-01-01T" + clock + "Z");
  EXPECT_TRUE(time);
  return *time;
}

AvoidEntry ours(const std::string& uid, policy::Time evicted, hours lasts = hours(1)) {
  return {.controller = {.api_version = "apps/v1", .kind = "ReplicaSet", .name = "web", .uid = uid},
          .pod_uid = "p-" + uid,
          .by = "elbowroom",
          .evicted = evicted,
          .until = evicted + lasts};
}

// An entry that a person or another program has written.
std::string theirs(const std::string& uid) {
  return R"({"podSignature":{"podController":{"kind":"ReplicaSet","uid":")" + uid +
         R"J(","controller":true},"odd":[1.50]},"message":"Anna (until 2020-01-01T00:00:00Z)"})J";
}

std::string list_of(const std::string& entries) {
  return R"({"preferAvoidPods":[)" + entries + "]}";
}

std::string many_of_theirs(int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += (i == 0 ? "" : ",") + theirs("t-" + std::to_string(i));
  }
  return list_of(all);
}

AvoidEntries parsed(const std::optional<std::string>& text) {
  auto entries = AvoidEntries::parse(text);
  EXPECT_TRUE(entries) << (entries ? "" : entries.error().message);
  return entries ? *std::move(entries) : AvoidEntries{};
}

TEST(AvoidEntries, AnEntryIsAsUpstreamHasIt) {
  AvoidEntries entries = parsed({});
  ASSERT_TRUE(entries.put(ours("u-1", at("10:00:00"))));
  EXPECT_EQ(entries.text(),
            R"({"preferAvoidPods":[{"podSignature":{"podController":{"apiVersion":"apps/v1",)"
            R"("kind":"ReplicaSet","name":"web","uid":"u-1","controller":true}},)"
            R"("evictionTime":"2027-01-01T10:00:00Z","reason":"ElbowroomEviction",)"
            R"J("message":"elbowroom evicts pod p-u-1 (until 2027-01-01T11:00:00Z)"}]})J");
  EXPECT_EQ(avoided_controllers(*entries.text()),
            (std::vector<policy::AvoidedController>{{"u-1", at("11:00:00")}}));
}

TEST(AvoidEntries, WhatOthersWroteStaysAsItIs) {
  const std::string before =
      R"({"v":1e2,"preferAvoidPods":[)" + theirs("u-1") + R"(],"w":{"x":null}})";
  AvoidEntries entries = parsed(before);
  const auto change = entries.put(ours("u-1", at("10:00:00")));
  ASSERT_TRUE(change);
  EXPECT_THAT(*entries.text(), HasSubstr(theirs("u-1") + R"(,{"podSignature")"));
  EXPECT_THAT(*entries.text(), HasSubstr(R"("w":{"x":null})"));
  EXPECT_EQ(entries.drop_expired(at("12:00:00")), 1U) << "theirs does not end by our rule";
  EXPECT_EQ(entries.text(), before);
}

TEST(AvoidEntries, NothingIsLeftOfAnAnnotationOfOursAlone) {
  AvoidEntries entries = parsed({});
  EXPECT_EQ(entries.text(), std::nullopt);
  const auto change = entries.put(ours("u-1", at("10:00:00")));
  ASSERT_TRUE(change);
  EXPECT_TRUE(entries.take_back(*change, at("10:00:01")));
  EXPECT_EQ(entries.text(), std::nullopt);
  EXPECT_FALSE(entries.take_back(*change, at("10:00:01")));
}

TEST(AvoidEntries, AControllerHasOneEntryOfOursWhoseTimeIsNeverShortened) {
  AvoidEntries entries = parsed({});
  ASSERT_TRUE(entries.put(ours("u-1", at("10:00:00"), hours(5))));
  const std::string first = *entries.text();
  AvoidEntry later = ours("u-1", at("10:30:00"), hours(1));
  later.pod_uid = "p-2";
  const auto change = entries.put(later);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->written.until, at("15:00:00"));
  EXPECT_THAT(*entries.text(), HasSubstr("pod p-2 (until 2027-01-01T15:00:00Z)"));
  EXPECT_THAT(*entries.text(), Not(HasSubstr("10:00:00Z")));
  EXPECT_TRUE(entries.take_back(*change, at("10:30:01")));
  EXPECT_EQ(entries.text(), first) << "what it replaced is back";
}

TEST(AvoidEntries, AnEntryThatSomebodyChangedIsNotTakenBack) {
  AvoidEntries entries = parsed({});
  const auto mine = entries.put(ours("u-1", at("10:00:00")));
  AvoidEntry other = ours("u-1", at("10:00:00"));
  other.pod_uid = "p-other";
  ASSERT_TRUE(mine);
  ASSERT_TRUE(entries.put(other));
  EXPECT_FALSE(entries.take_back(*mine, at("10:00:01")));
  EXPECT_THAT(*entries.text(), HasSubstr("p-other"));
}

TEST(AvoidEntries, WhatItReplacedAndHasEndedStaysAway) {
  AvoidEntries entries = parsed({});
  ASSERT_TRUE(entries.put(ours("u-1", at("10:00:00"), hours(1))));
  const auto change = entries.put(ours("u-1", at("10:59:59"), hours(1)));
  ASSERT_TRUE(change);
  EXPECT_TRUE(entries.take_back(*change, at("11:00:00")));
  EXPECT_EQ(entries.text(), std::nullopt);
}

TEST(AvoidEntries, Of64TheOldestOfOursGoesFirst) {
  AvoidEntries entries = parsed(many_of_theirs(62));
  ASSERT_TRUE(entries.put(ours("u-new", at("10:00:02"), hours(9))));
  ASSERT_TRUE(entries.put(ours("u-old", at("10:00:01"), hours(9))));
  ASSERT_TRUE(entries.put(ours("u-3", at("10:00:03"), hours(9))));
  EXPECT_THAT(*entries.text(), Not(HasSubstr("u-old")));
  EXPECT_THAT(*entries.text(), HasSubstr("u-new"));
  EXPECT_THAT(*entries.text(), HasSubstr("\"t-61\""));
  EXPECT_EQ(avoided_controllers(*entries.text()).size(), 64U);
}

TEST(AvoidEntries, WhereOthersHaveAllTheRoomNothingIsWritten) {
  for (const int count : {64, 70}) {
    AvoidEntries entries = parsed(many_of_theirs(count));
    const auto refused = entries.put(ours("u-1", at("10:00:00")));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::Exhausted);
    EXPECT_THAT(refused.error().message, HasSubstr("the entries of others leave no room"));
    EXPECT_EQ(entries.text(), many_of_theirs(count));
  }
}

TEST(AvoidEntries, AnAnnotationGrowsToItsLimitAndNotBeyond) {
  std::string large = theirs("u-1");
  large.insert(large.find("Anna"), std::string(kMostAnnotationBytes - 800, 'x'));
  AvoidEntries entries = parsed(list_of(large));
  ASSERT_TRUE(entries.put(ours("u-2", at("10:00:00"), hours(9))));
  ASSERT_TRUE(entries.put(ours("u-3", at("10:00:01"), hours(9))));
  ASSERT_TRUE(entries.put(ours("u-4", at("10:00:02"), hours(9))));
  EXPECT_LE(entries.text()->size(), kMostAnnotationBytes);
  EXPECT_THAT(*entries.text(), Not(HasSubstr("u-2")));
  large.insert(large.find("Anna"), std::string(600, 'x'));
  EXPECT_FALSE(parsed(list_of(large)).put(ours("u-2", at("10:00:00"))));
}

TEST(AvoidEntries, EntriesOfOursThatHaveEndedGoOnTheWay) {
  AvoidEntries entries = parsed({});
  ASSERT_TRUE(entries.put(ours("u-1", at("10:00:00"))));
  ASSERT_TRUE(entries.put(ours("u-2", at("11:00:00"))));
  EXPECT_THAT(*entries.text(), Not(HasSubstr("u-1")));
}

// A clock that jumped ahead has left an entry for a thousand years.
TEST(AvoidEntries, AnEntryOfOursFromAWrongClockHasEnded) {
  AvoidEntries entries = parsed({});
  ASSERT_TRUE(entries.put(ours("u-1", at("10:00:00") + hours(24 * 365 * 1'000))));
  EXPECT_EQ(entries.drop_expired(at("10:00:00")), 1U);
}

TEST(AvoidEntries, WhatCannotBeReadIsAnErrorWithItsField) {
  const auto why = [](const std::string& text) {
    const auto entries = AvoidEntries::parse(text);
    EXPECT_FALSE(entries) << text;
    return entries ? std::string() : entries.error().message;
  };
  EXPECT_NE(why("garbage"), "");
  EXPECT_NE(why("[]"), "");
  EXPECT_NE(why(R"({"a":1,"a":2})"), "");
  EXPECT_THAT(why(R"({"preferAvoidPods": {}})"), HasSubstr("preferAvoidPods: "));
  EXPECT_THAT(why(list_of("7")), HasSubstr("preferAvoidPods[0]"));
  EXPECT_THAT(why(list_of("null")), HasSubstr("preferAvoidPods[0]"));
  EXPECT_THAT(why(list_of(theirs("u") + R"(,{"podSignature":7})")),
              HasSubstr("preferAvoidPods[1].podSignature"));
  EXPECT_THAT(why(list_of(R"({"podSignature":{"podController":[]}})")),
              HasSubstr("preferAvoidPods[0].podSignature.podController"));
  EXPECT_THAT(why(list_of(R"({"podSignature":{"podController":{"uid":7}}})")),
              HasSubstr("podController.uid"));
  EXPECT_THAT(why(list_of(R"({"evictionTime":7})")), HasSubstr("[0].evictionTime"));
  EXPECT_NE(why(std::string(kMostAnnotationBytes + 1, ' ')), "");
  for (const char* empty : {"", "{}", "null", R"({"preferAvoidPods":null})"}) {
    EXPECT_EQ(parsed(empty).text(), std::nullopt) << empty;
  }
}

TEST(ControllerOf, IsTheOwnerThatControls) {
  const auto pod = parse_json(
      R"({"metadata":{"ownerReferences":[{"kind":"X","uid":"x"},)"
      R"({"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u","controller":true}]}})");
  const auto found = controller_of(*pod);
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ(**found, (ControllerReference{"apps/v1", "ReplicaSet", "web", "u"}));
  const auto none = controller_of(*parse_json("{}"));
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
  EXPECT_FALSE(
      controller_of(*parse_json(R"({"metadata":{"ownerReferences":[{"controller":true}]}})")));
}

}  // namespace
}  // namespace elbowroom::api
