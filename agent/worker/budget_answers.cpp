#include "agent/worker/budget_answers.h"

#include <chrono>
#include <utility>

#include "api/codec/decode_budget.h"
#include "api/codec/object_ref.h"
#include "api/transport/http_date.h"
#include "api/write/debit.h"
#include "base/document.h"
#include "policy/ledger/ledger.h"
#include "policy/ledger/strictest_budget.h"
#include "policy/model/condition.h"

namespace elbowroom::agent {
namespace {

using policy::DisruptionBudget;

Result<policy::Time> date_of(const api::Response& response) {
  const auto date = api::parse_http_date(response.date);
  if (!date) return failure(Code::Invalid, "the API server does not say what time it is");
  return *date;
}

}  // namespace

Result<BudgetsRead> budgets_of(const Result<api::Response>& response, const std::string& ns) {
  if (!response) return std::unexpected(response.error());
  BudgetsRead read;
  ASSIGN_OR_RETURN(read.server, date_of(*response));
  ASSIGN_OR_RETURN(const Value list, parse_json(response->body));
  const Value* items = list.find("items");
  if (items == nullptr || items->kind != Value::Kind::List) {
    return failure(Code::Invalid,
                   "the list of DisruptionBudgets in namespace " + ns + " has no items");
  }
  const Value* metadata = list.find("metadata");
  const Value* more = metadata == nullptr ? nullptr : metadata->find("continue");
  if (items->items.size() > kMostBudgets || (more != nullptr && !more->text.empty())) {
    return failure(Code::Exhausted, "namespace " + ns + " has more than " +
                                        std::to_string(kMostBudgets) + " DisruptionBudgets");
  }
  for (const Value& each : items->items) {
    auto budget = api::decode_disruption_budget(each);
    const bool is_here = budget && budget->ns == ns;
    read.budgets.push_back(is_here ? *std::move(budget)
                                   : policy::strictest_budget(ns, api::ref_of(each).name));
  }
  return read;
}

Result<api::Request> debit_of(const Result<api::Response>& response, const EnterVictim& what) {
  if (!response) return std::unexpected(response.error());
  ASSIGN_OR_RETURN(const policy::Time now, date_of(*response));
  ASSIGN_OR_RETURN(const Value object, parse_json(response->body));
  ASSIGN_OR_RETURN(const DisruptionBudget budget, api::decode_disruption_budget(object));
  if (budget.uid != what.budget.uid) {
    return failure(Code::NotFound,
                   "DisruptionBudget " + budget.ns + "/" + budget.name + " is another one by now");
  }
  const policy::LedgerEntry entry{
      .pod = what.victim.name, .uid = what.victim.uid, .time = now, .by = "elbowroomd"};
  return api::debit_request({budget.ns, budget.name, budget.uid}, budget.version,
                            policy::entered(budget.recent, {&entry, 1}));
}

}  // namespace elbowroom::agent
