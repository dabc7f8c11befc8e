#include "api/write/budget_status.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "api/codec/decode_budget.h"
#include "api/codec/decode_common.h"
#include "api/codec/field.h"
#include "api/codec/json.h"
#include "api/codec/ledger_entries.h"
#include "api/codec/timestamp.h"
#include "api/write/debit.h"
#include "api/write/pod_status.h"
#include "policy/ledger/budget_keeping.h"

namespace elbowroom::api {
namespace {

// In a merge patch null takes the field away.
Value time_or_null(const std::optional<policy::Time>& time) {
  if (!time) return Value{};
  return json_text(format_timestamp(std::chrono::floor<std::chrono::seconds>(*time)));
}

Value status_of(const policy::BudgetStatus& status, const policy::Ledger& ledger,
                std::vector<Value> conditions) {
  return json_map({{"expectedPods", json_number(status.expected_pods)},
                   {"currentHealthy", json_number(status.current_healthy)},
                   {"desiredHealthy", json_number(status.desired_healthy)},
                   {"disruptionsAllowed", json_number(status.disruptions_allowed)},
                   {"nextAllowedTime", time_or_null(status.next_allowed_time)},
                   {"observedTime", time_or_null(status.observed_time)},
                   {"observedGeneration", json_number(status.observed_generation)},
                   {"recentDisruptions", encode_ledger(ledger)},
                   {"conditions", json_list(std::move(conditions))}});
}

// As far as they can be read.
policy::Conditions conditions_in(const Value& budget) {
  const auto status = Field(budget, Source::Server).get("status");
  if (!status) return {};
  return decode_conditions(*status, Conditioned::Group).value_or(policy::Conditions{});
}

policy::Condition not_understood(std::string_view type, const std::string& why,
                                 std::int64_t generation) {
  return {.type = std::string(type),
          .status = "False",
          .reason = std::string(policy::kReasonNotUnderstood),
          .message = why,
          .observed_generation = generation,
          .last_transition = std::nullopt};
}

}  // namespace

Result<std::optional<Request>> odd_budget_request(const std::string& object, policy::Time now) {
  ASSIGN_OR_RETURN(const Value budget, parse_json(object));
  const auto understood = decode_disruption_budget(budget);
  if (understood) return std::nullopt;
  const ObjectRef ref = ref_of(budget);
  const Value* metadata = budget.find("metadata");
  if (metadata == nullptr || ref.name.empty() || ref.uid.empty()) {
    return failure(Code::Invalid, "it has no metadata");
  }
  const std::int64_t generation = integer_at(*metadata, "generation");
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const std::string& why = understood.error().message;
  const policy::Conditions before = policy::updated_conditions(conditions_in(budget), {}, seconds);
  const policy::Conditions conditions =
      policy::updated_conditions(before,
                                 {not_understood(policy::kBudgetObserved, why, generation),
                                  not_understood(policy::kDisruptionAllowed, why, generation)},
                                 seconds);
  if (conditions == before) return std::nullopt;
  std::vector<Value> encoded;
  for (const policy::Condition& each : conditions) encoded.push_back(encode_condition(each));
  Request request;
  request.method = Method::Patch;
  request.path = budget_path(ref) + "/status";
  request.content_type = kMergePatch;
  const std::string version(text_at(*metadata, "resourceVersion"));
  request.body = to_json(
      json_map({{"metadata",
                 json_map({{"uid", json_text(ref.uid)}, {"resourceVersion", json_text(version)}})},
                {"status", json_map({{"disruptionsAllowed", json_number(0)},
                                     {"nextAllowedTime", Value{}},
                                     {"observedGeneration", json_number(generation)},
                                     {"observedTime", time_or_null(now)},
                                     {"conditions", json_list(std::move(encoded))}})}}));
  return request;
}

Result<Request> budget_status_request(const ObjectRef& budget, const std::string& version,
                                      const policy::BudgetStatus& status,
                                      const policy::Ledger& ledger) {
  if (budget.ns.empty() || budget.name.empty() || budget.uid.empty() || version.empty()) {
    return failure(Code::Internal,
                   "a budget's status needs its namespace, name, uid and version to be written");
  }
  std::vector<Value> conditions;
  for (const policy::Condition& each : status.conditions) {
    if (each.reason.empty() || !each.last_transition) {
      return failure(Code::Internal,
                     "condition " + each.type + " needs a reason and a lastTransitionTime");
    }
    conditions.push_back(encode_condition(each));
  }
  Request request;
  request.method = Method::Patch;
  request.path = budget_path(budget) + "/status";
  request.content_type = kMergePatch;
  request.body =
      api::to_json(json_map({{"metadata", json_map({{"uid", json_text(budget.uid)},
                                                    {"resourceVersion", json_text(version)}})},
                             {"status", status_of(status, ledger, std::move(conditions))}}));
  return request;
}

}  // namespace elbowroom::api
