// An Overview document as a value: what a daemon serves, and what a hostile one does.
#include "api/codec/decode_overview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "api/codec/encode_overview.h"
#include "base/document.h"

namespace elbowroom::api {
namespace {

using policy::Overview;
using testing::HasSubstr;

constexpr policy::Time kNow{std::chrono::sys_days{std::chrono::year(2026) / 11 / 28} +
                            std::chrono::hours(12)};
constexpr std::int64_t kGi = std::int64_t{1} << 30U;

constexpr const char* kDocument = R"({
  "apiVersion": "elbowroom.dev/v1alpha1", "kind": "Overview", "now": "2026-11-28T12:00:00Z",
  "nodes": [
    {"node": "node1", "ready": "True", "unschedulable": true, "policyOwners": ["example.com/db"],
     "pods": 12, "allocatable": {"cpu": "4", "memory": "8Gi", "example.com/gpu": "2"},
     "held": {"cpu": "2500m"}, "promised": {"cpu": "500m"}, "free": {"cpu": "1500m"}}],
  "waiting": [
    {"pod": "default/web", "uid": "u-web", "node": "node1", "wait": "Deferred",
     "since": "2026-11-28T11:59:00Z", "lacking": {"memory": "1Gi"}, "by": "scheduler",
     "outcome": "Preempt", "victims": ["batch/a", "batch/b"], "why": "Why.", "next": "Next.",
     "expected": "2026-11-28T12:00:30Z"},
    {"pod": "default/api", "uid": "u-api", "node": "node1", "wait": "InProgress", "since": null,
     "lacking": {}, "by": "nobody", "outcome": "", "victims": [], "why": "", "next": "",
     "expected": null}],
  "leaving": [
    {"pod": "batch/c", "uid": "u-c", "node": "node1", "deadline": "2026-11-28T12:00:10Z",
     "overdue": true, "for": "default/web", "frees": {"cpu": "1"}}],
  "budgets": [
    {"budget": "DisruptionBudget batch/all", "hard": true, "pods": 3, "allowed": 0,
     "next": "2026-11-28T12:10:00Z"},
    {"budget": "PodDisruptionBudget batch/pdb", "hard": false, "pods": 0, "allowed": null,
     "next": null}],
  "removals": [
    {"pod": "batch/d", "uid": "u-d", "time": "2026-11-28T11:30:00Z", "by": "elbowroom-scheduler",
     "budget": "batch/all"}]
})";

// What kDocument says, by hand.
Overview said() {
  using std::chrono::seconds;
  Overview all{.now = kNow};
  all.nodes = {
      {.node = "node1",
       .ready = policy::NodeReady::True,
       .unschedulable = true,
       .policy_owners = {"example.com/db"},
       .pods = 12,
       .allocatable = {.cpu = {4000}, .memory = {8 * kGi}, .others = {{"example.com/gpu", 2}}},
       .held = {.cpu = {2500}},
       .promised = {.cpu = {500}},
       .free = {.cpu = {1500}}}};
  all.waiting = {{.pod = "default/web",
                  .uid = "u-web",
                  .node = "node1",
                  .wait = policy::ResizeWait::Deferred,
                  .since = kNow - seconds(60),
                  .lacking = {.memory = {kGi}},
                  .by = policy::RoomMaker::Scheduler,
                  .outcome = "Preempt",
                  .victims = {"batch/a", "batch/b"},
                  .why = "Why.",
                  .next = "Next.",
                  .expected = kNow + seconds(30)},
                 {.pod = "default/api",
                  .uid = "u-api",
                  .node = "node1",
                  .wait = policy::ResizeWait::InProgress}};
  all.leaving = {{.pod = "batch/c",
                  .uid = "u-c",
                  .node = "node1",
                  .deadline = kNow + seconds(10),
                  .overdue = true,
                  .for_pod = "default/web",
                  .frees = {.cpu = {1000}}}};
  all.budgets = {{.budget = "DisruptionBudget batch/all",
                  .hard = true,
                  .pods = 3,
                  .allowed = 0,
                  .next = kNow + seconds(600)},
                 {.budget = "PodDisruptionBudget batch/pdb"}};
  all.removals = {{.pod = "batch/d",
                   .uid = "u-d",
                   .time = kNow - seconds(1800),
                   .by = "elbowroom-scheduler",
                   .budget = "batch/all"}};
  return all;
}

Result<Overview> decoded(const std::string& text) {
  const Result<Value> document = parse_json(text);
  if (!document) return std::unexpected(document.error());
  return decode_overview(*document);
}

// The error for the document with `part` replaced.
std::string refusal(const std::string& part, const std::string& by) {
  std::string text = kDocument;
  const std::size_t at = text.find(part);
  if (at == std::string::npos) return "no such part";
  const auto all = decoded(text.replace(at, part.size(), by));
  if (all) return "accepted";
  EXPECT_EQ(all.error().code, Code::Invalid);
  return all.error().message;
}

TEST(DecodeOverview, ReadsEveryField) {
  const auto all = decoded(kDocument);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(*all, said());
}

TEST(DecodeOverview, GivesBackWhatWasEncoded) {
  const auto all = decode_overview(encode_overview(said()));
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(*all, said());
}

TEST(DecodeOverview, AnEmptyOneHasATime) {
  const auto all = decoded(
      R"({"apiVersion": "elbowroom.dev/v1alpha1", "kind": "Overview", "now": "2026-11-28T12:00:00Z"})");
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(*all, Overview{.now = kNow});
}

TEST(DecodeOverview, AnErrorNamesTheField) {
  struct Case {
    std::string part{}, by{}, says{};
  };
  const std::vector<Case> cases = {
      {"\"Overview\"", "\"Status\"", "kind: must be Overview"},
      {"v1alpha1", "v9", "apiVersion: must be elbowroom.dev/v1alpha1"},
      {"\"now\"", "\"then\"", "now: is required"},
      {"\"node\": \"node1\", \"ready\"", "\"node\": \"\", \"ready\"", "nodes[0].node: is required"},
      {"\"True\"", "\"Often\"", "nodes[0].ready: must be one of True, False, Unknown"},
      {"12,", "-1,", "nodes[0].pods: -1 is outside 0.."},
      {"[\"example.com/db\"]", "\"db\"", "nodes[0].policyOwners: expected a list, found a string"},
      {"\"2500m\"", "\"-1\"", "nodes[0].held.cpu: "},
      {"\"Deferred\"", "\"Never\"", "waiting[0].wait: must be one of Unjudged, Deferred"},
      {"\"nobody\"", "\"somebody\"", "waiting[1].by: must be one of nobody, scheduler, node"},
      {"\"batch/b\"", "7", "waiting[0].victims[1]: expected a string, found a number"},
      {"11:59:00Z", "11:59", "waiting[0].since: "},
      {"\"overdue\": true", "\"overdue\": 1", "leaving[0].overdue: expected true or false"},
      {"\"allowed\": 0", "\"allowed\": 0.5", "budgets[0].allowed: 0.5 is no 64-bit integer"},
      {"\"2026-11-28T11:30:00Z\"", "null", "removals[0].time: is required"},
      {"[\n    {\"pod\": \"batch/d\"", "[3, {\"pod\": \"batch/d\"",
       "removals[0]: expected a mapping, found a number"},
  };
  for (const Case& each : cases) {
    EXPECT_THAT(refusal(each.part, each.by), HasSubstr(each.says)) << each.part;
  }
}

TEST(DecodeOverview, EveryListAndTextIsBounded) {
  const std::string longest(std::size_t{64} << 10, 'x');
  EXPECT_EQ(refusal("\"Why.\"", "\"" + longest + "\""), "accepted");
  EXPECT_THAT(refusal("\"Why.\"", "\"" + longest + "x\""),
              HasSubstr("waiting[0].why: must have at most 65536 bytes"));
  EXPECT_THAT(refusal("\"batch/b\"", "\"" + longest + "x\""),
              HasSubstr("waiting[0].victims[1]: must have at most 65536 bytes"));
  std::string victims = "\"v\"";
  for (std::size_t i = 0; i < kMostOverviewTexts; ++i) victims += ",\"v\"";
  EXPECT_THAT(refusal("\"batch/a\", \"batch/b\"", victims),
              HasSubstr("waiting[0].victims: has more than 10000 entries"));
  std::string nulls = "null";
  for (std::size_t i = 0; i < kMostOverviewEntries; ++i) nulls += ",null";
  EXPECT_THAT(refusal("\"budgets\": [", "\"budgets\": [" + nulls + ","),
              HasSubstr("budgets: has more than 200000 entries"));
  std::string removals;
  for (std::size_t i = 0; i < policy::kMostRecentRemovals; ++i) {
    removals += R"({"pod": "a/b", "time": "2026-11-28T11:30:00Z"},)";
  }
  EXPECT_THAT(refusal("\"removals\": [", "\"removals\": [" + removals),
              HasSubstr("removals: has more than 1000 entries"));
}

TEST(DecodeOverview, AnAmountBeyond64BitsIsTheLargest) {
  std::string text = kDocument;
  const std::string part = "\"8Gi\"";
  text.replace(text.find(part), part.size(), "\"99999999999999999999\"");
  const auto all = decoded(text);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->nodes[0].allocatable.memory.value, policy::kMaxAmount);
}

TEST(DecodeOverview, WhatIsNoDocumentIsRefused) {
  for (const char* each : {"null", "[]", "7", "\"Overview\"", "{}"}) {
    EXPECT_FALSE(decoded(each)) << each;
  }
}

}  // namespace
}  // namespace elbowroom::api
