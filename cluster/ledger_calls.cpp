#include "cluster/ledger_calls.h"

#include <utility>

#include "api/codec/decode_budget.h"
#include "api/write/debit.h"
#include "base/document.h"

namespace elbowroom::cluster {
namespace {

api::ObjectRef ref_of(const BudgetName& budget) {
  return {.ns = budget.ns, .name = budget.name, .uid = budget.uid};
}

}  // namespace

void send(api::Client& writes, const DebitQueue::Read& read, api::Client::Raw done) {
  writes.request(api::Method::Get, api::budget_path(ref_of(read.budget)), {}, "", "",
                 std::move(done));
}

void send(api::Client& writes, const DebitQueue::Write& write, api::Client::Raw done) {
  auto request = api::debit_request(ref_of(write.budget), write.version, write.ledger);
  if (!request) return done(std::unexpected(std::move(request).error()));
  writes.request(request->method, std::move(request->path), {}, std::string(request->content_type),
                 std::move(request->body), std::move(done));
}

Result<policy::DisruptionBudget> budget_in(const Result<api::Response>& answer) {
  if (!answer) return std::unexpected(answer.error());
  ASSIGN_OR_RETURN(const Value object, parse_json(answer->body));
  return api::decode_disruption_budget(object);
}

}  // namespace elbowroom::cluster
