// The status of a DisruptionBudget as it is written, and as its kind has it: the CRD, the decoder
// and the writer agree.
#include "api/write/budget_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "api/codec/decode_budget.h"
#include "api/codec/json.h"
#include "base/document.h"
#include "policy/ledger/budget_keeping.h"
#include "test/checkout.h"

namespace elbowroom::api {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr policy::Time kNow{std::chrono::hours{490'000}};
const ObjectRef kBudget{.ns = "default", .name = "db", .uid = "b-1"};

policy::BudgetStatus status() {
  return {.expected_pods = 3,
          .current_healthy = 2,
          .desired_healthy = 1,
          .disruptions_allowed = 1,
          .next_allowed_time = kNow + 5min,
          .observed_time = kNow,
          .observed_generation = 4,
          .conditions = {{.type = "Observed",
                          .status = "True",
                          .reason = "Understood",
                          .observed_generation = 4,
                          .last_transition = kNow}}};
}
const policy::Ledger kLedger = {{"a", "u-a", kNow - 1min, "evict"}};

Value body_of(const policy::BudgetStatus& of) {
  const auto request = budget_status_request(kBudget, "7", of, kLedger);
  EXPECT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->path,
            "/apis/elbowroom.dev/v1alpha1/namespaces/default/disruptionbudgets/db/status");
  EXPECT_EQ(request->content_type, kMergePatch);
  const auto body = parse_json(request->body);
  EXPECT_TRUE(body);
  return *body;
}

const Value& crd_schema() {
  static const Value kSchema = [] {
    const auto root = std::filesystem::path(test::kData).parent_path();
    std::ifstream file(root / "packaging/kustomize/crd/disruptionbudget.yaml");
    std::ostringstream text;
    text << file.rdbuf();
    auto documents = parse_yaml(text.str());
    EXPECT_TRUE(documents) << documents.error().message;
    const Value& version = documents->at(0).find("spec")->find("versions")->items.at(0);
    return *value_at(version, {"schema", "openAPIV3Schema"});
  }();
  return kSchema;
}

// Every member of the value has its place in the schema.
void is_in(const Value& schema, const Value& value, const std::string& where) {
  for (const Value& each : value.items) is_in(*schema.find("items"), each, where + "[]");
  for (const Member& each : value.members) {
    const Value* inner = value_at(schema, {"properties", each.key});
    ASSERT_NE(inner, nullptr) << where << "." << each.key;
    is_in(*inner, each.value, where + "." + each.key);
  }
}

TEST(BudgetStatusRequest, HasTheVersionAndTheUidAsPreconditions) {
  const Value body = body_of(status());
  EXPECT_EQ(text_at(*body.find("metadata"), "resourceVersion"), "7");
  EXPECT_EQ(text_at(*body.find("metadata"), "uid"), "b-1");
  for (const char* lacks : {"ns", "name", "uid", "version"}) {
    ObjectRef ref = kBudget;
    std::string version = "7";
    if (std::string(lacks) == "ns") ref.ns.clear();
    if (std::string(lacks) == "name") ref.name.clear();
    if (std::string(lacks) == "uid") ref.uid.clear();
    if (std::string(lacks) == "version") version.clear();
    EXPECT_FALSE(budget_status_request(ref, version, status(), {})) << lacks;
  }
  policy::BudgetStatus bare = status();
  bare.conditions[0].last_transition.reset();
  EXPECT_FALSE(budget_status_request(kBudget, "7", bare, {}));
}

TEST(BudgetStatusRequest, IsReadAsItWasWritten) {
  Value object = body_of(status());
  set_member(*const_cast<Value*>(object.find("metadata")), "name", json_text("db"));
  const auto read = decode_disruption_budget(object);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->status, status());
  EXPECT_EQ(read->recent, kLedger);
}

TEST(BudgetStatusRequest, WhatIsNotThereIsTakenAway) {
  policy::BudgetStatus of = status();
  of.next_allowed_time.reset();
  const Value body = body_of(of);
  const Value* next = value_at(body, {"status", "nextAllowedTime"});
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(next->kind, Value::Kind::Null);
}

Value odd_budget() {
  return *parse_json(R"({"metadata": {"namespace": "default", "name": "db", "uid": "b-1",
    "resourceVersion": "7", "generation": 3}, "spec": {"minAvailable": "some"},
    "status": {"disruptionsAllowed": 2, "recentDisruptions": [{"uid": "u-a"}], "conditions": [
      {"type": "Synced", "status": "True", "reason": "Applied",
       "lastTransitionTime": "2026-01-01T00:00:00Z"}]}})");
}

TEST(OddBudgetRequest, SaysWhyItIsNotUnderstoodOnce) {
  Value odd = odd_budget();
  const auto request = odd_budget_request(to_json(odd), kNow);
  ASSERT_TRUE(request) << request.error().message;
  ASSERT_TRUE(*request);
  EXPECT_EQ((*request)->path,
            "/apis/elbowroom.dev/v1alpha1/namespaces/default/disruptionbudgets/db/status");
  const Value body = *parse_json((*request)->body);
  EXPECT_EQ(text_at(*value_at(body, {"metadata"}), "uid"), "b-1");
  EXPECT_EQ(text_at(*value_at(body, {"metadata"}), "resourceVersion"), "7");
  const Value& status = *value_at(body, {"status"});
  EXPECT_EQ(integer_at(status, "disruptionsAllowed", 1), 0);
  EXPECT_EQ(status.find("recentDisruptions"), nullptr) << "the ledger stays";
  const auto& conditions = status.find("conditions")->items;
  EXPECT_EQ(text_at(conditions.at(0), "type"), "Synced") << "a stranger's stays";
  const Value& observed = conditions.at(1);
  EXPECT_EQ(text_at(observed, "type"), "Observed");
  EXPECT_EQ(text_at(observed, "status"), "False");
  EXPECT_EQ(text_at(observed, "reason"), "NotUnderstood");
  EXPECT_THAT(std::string(text_at(observed, "message")), HasSubstr("spec.minAvailable"));
  set_member(odd, "status", status);
  const auto again = odd_budget_request(to_json(odd), kNow + 1h);
  ASSERT_TRUE(again);
  EXPECT_FALSE(*again) << "it says so already";
}

TEST(OddBudgetRequest, ABudgetThatIsUnderstoodByNowIsLeftAlone) {
  Value budget = odd_budget();
  set_member(budget, "spec", *parse_json(R"({"minAvailable": 1})"));
  drop_member(budget, "status");
  const auto request = odd_budget_request(to_json(budget), kNow);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_FALSE(*request);
}

TEST(OddBudgetRequest, WhatIsNoObjectIsRefused) {
  EXPECT_FALSE(odd_budget_request("[]", kNow));
  EXPECT_FALSE(odd_budget_request("{", kNow));
}

TEST(DisruptionBudgetKind, HasEveryFieldThatIsWritten) {
  const Value body = body_of(status());
  is_in(*value_at(crd_schema(), {"properties", "status"}), *body.find("status"), "status");
}

TEST(DisruptionBudgetKind, HasTheDecodersLimits) {
  struct Row {
    const char* what;
    std::string spec;
    const char* field;  // that is refused; "": none
  };
  const Row rows[] = {
      {"as many as there may be", R"("rate": {"disruptions": 1000, "per": "720h"})", ""},
      {"one more", R"("rate": {"disruptions": 1001, "per": "1h"})", "rate.disruptions"},
      {"below none", R"("rate": {"disruptions": -1, "per": "1h"})", "rate.disruptions"},
      {"a second", R"("rate": {"disruptions": 1, "per": "1s"})", ""},
      {"no time", R"("rate": {"disruptions": 1, "per": "0s"})", "rate.per"},
      {"a second too long", R"("rate": {"disruptions": 1, "per": "720h1s"})", "rate.per"},
      {"in milliseconds", R"("rate": {"disruptions": 1, "per": "1000ms"})", "rate.per"},
      {"with a sign", R"("rate": {"disruptions": 1, "per": "-1h"})", "rate.per"},
      {"a sign inside", R"("rate": {"disruptions": 1, "per": "1h-0m"})", "rate.per"},
      {"without per", R"("rate": {"disruptions": 1})", "rate.per"},
      {"without disruptions", R"("rate": {"per": "1h"})", "rate.disruptions"},
      {"a text of zeros",
       R"("rate": {"disruptions": 1, "per": "000000000000000000000000000000001h"})", "rate.per"},
      {"both", R"("minAvailable": 1, "maxUnavailable": 1)", "maxUnavailable"},
      {"all", R"("minAvailable": "100%")", ""},
      {"more than all", R"("minAvailable": "101%")", "minAvailable"},
      {"zeros before it", R"("minAvailable": "007%")", "minAvailable"},
      {"below zero percent", R"("maxUnavailable": "-0%")", "maxUnavailable"},
      {"a negative count", R"("maxUnavailable": -1)", "maxUnavailable"},
      {"beyond 32 bits", R"("minAvailable": 2147483648)", "minAvailable"},
      {"a count in words", R"("minAvailable": "two")", "minAvailable"},
      {"unhealthy pods at once", R"("unhealthyPodEvictionPolicy": "AlwaysAllow")", ""},
      {"by default", R"("unhealthyPodEvictionPolicy": "IfHealthyBudget")", ""},
      {"another policy", R"("unhealthyPodEvictionPolicy": "Never")", "unhealthyPodEvictionPolicy"},
      {"hard as text", R"("hard": "yes")", "hard"},
      {"In without values", R"("selector": {"matchExpressions": [{"key": "a", "operator": "In"}]})",
       "values"},
      {"Exists with values",
       R"("selector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]})",
       "values"},
      {"an operator that is none",
       R"("selector": {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]})",
       "operator"},
      {"without a key", R"("selector": {"matchExpressions": [{"operator": "Exists"}]})", "key"},
  };
  for (const Row& row : rows) {
    const auto object = parse_json(R"({"metadata": {"name": "db"}, "spec": {)" + row.spec + "}}");
    ASSERT_TRUE(object) << row.what;
    const auto read = decode_disruption_budget(*object);
    EXPECT_EQ(read.has_value(), std::string(row.field).empty()) << row.what;
    if (!read) {
      EXPECT_THAT(read.error().message, HasSubstr(row.field)) << row.what;
    }
  }
  const Value& spec = *value_at(crd_schema(), {"properties", "spec"});
  const Value& rate = *value_at(spec, {"properties", "rate"});
  EXPECT_EQ(integer_at(*value_at(rate, {"properties", "disruptions"}), "maximum"), 1000);
  const Value& per = *value_at(rate, {"properties", "per"});
  EXPECT_EQ(integer_at(per, "maxLength"), 32);
  EXPECT_THAT(std::string(text_at(per.find("x-kubernetes-validations")->items.at(0), "rule")),
              ::testing::AllOf(HasSubstr("duration('1s')"), HasSubstr("duration('720h')")));
  const Value& entries =
      *value_at(crd_schema(), {"properties", "status", "properties", "recentDisruptions"});
  EXPECT_EQ(integer_at(entries, "maxItems"), static_cast<std::int64_t>(policy::kMostLedgerEntries));
}

}  // namespace
}  // namespace elbowroom::api
