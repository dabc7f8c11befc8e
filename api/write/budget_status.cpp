#include "api/write/budget_status.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/ledger_entries.h"
#include "api/codec/timestamp.h"
#include "api/write/debit.h"
#include "api/write/pod_status.h"

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

}  // namespace

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
