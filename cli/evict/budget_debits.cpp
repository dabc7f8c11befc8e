#include "cli/evict/budget_debits.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "api/codec/decode_budget.h"
#include "api/codec/json.h"
#include "api/codec/ledger_entries.h"
#include "api/transport/status_error.h"
#include "api/write/debit.h"
#include "policy/preemption/budget_coverage.h"

namespace elbowroom::cli {
namespace {

constexpr int kMostConflicts = 10;
constexpr std::string_view kProgram = "elbowroom";

api::ObjectRef ref_of(const policy::DisruptionBudget& budget) {
  return {.ns = budget.ns, .name = budget.name, .uid = budget.uid};
}

Result<policy::DisruptionBudget> read_budget(ClusterWriter& writer, const api::ObjectRef& ref) {
  ASSIGN_OR_RETURN(const Value object, writer.read(api::budget_path(ref)));
  return api::decode_disruption_budget(object);
}

Result<void> store(ClusterWriter& writer, const policy::DisruptionBudget& read,
                   const policy::Ledger& ledger) {
  ASSIGN_OR_RETURN(api::Request request, api::debit_request(ref_of(read), read.version, ledger));
  ASSIGN_OR_RETURN(const api::Response answer, writer.send(std::move(request)));
  if (!api::is_success(answer)) {
    return std::unexpected(api::error_from(answer, api::Method::Patch));
  }
  return {};
}

}  // namespace

Result<std::vector<BudgetRefusal>> BudgetDebits::ask(
    std::span<const policy::DisruptionBudget> budgets) {
  std::vector<BudgetRefusal> refusals;
  for (const policy::DisruptionBudget& each : budgets) {
    if (!policy::is_covered(each, victim_)) continue;
    ASSIGN_OR_RETURN(auto refusal, one(each, Wish::Ask));
    if (refusal) refusals.push_back(*std::move(refusal));
  }
  return refusals;
}

Result<std::optional<BudgetRefusal>> BudgetDebits::write(
    std::span<const policy::DisruptionBudget> budgets) {
  auto refusal = written(budgets);
  if (!refusal || *refusal) take_back();
  return refusal;
}

Result<std::optional<BudgetRefusal>> BudgetDebits::written(
    std::span<const policy::DisruptionBudget> budgets) {
  for (const policy::DisruptionBudget& each : budgets) {
    if (!policy::is_covered(each, victim_)) continue;
    ASSIGN_OR_RETURN(auto refusal, one(each, Wish::Write));
    if (refusal) return refusal;
  }
  return std::nullopt;
}

Result<std::optional<BudgetRefusal>> BudgetDebits::one(const policy::DisruptionBudget& known,
                                                       Wish wish) {
  const std::string name = known.ns + "/" + known.name;
  for (int attempt = 0; attempt < kMostConflicts; ++attempt) {
    const auto read = read_budget(writer_, ref_of(known));
    if (!read && read.error().code == Code::NotFound) {
      return failure(Code::Conflict, "disruption budget " + name + " has gone meanwhile");
    }
    if (!read) return std::unexpected(read.error().with("disruption budget " + name));
    if (!policy::is_covered(*read, victim_)) return std::nullopt;
    ASSIGN_OR_RETURN(const policy::Time server, writer_.server_time());
    const auto now = std::chrono::floor<std::chrono::seconds>(server);
    const policy::Debit made =
        policy::debit(policy::ledger_state(*read, pods_, now), {&victim_, 1}, kProgram);
    if (!made.is_allowed) return BudgetRefusal{name, made.allowed, made.next};
    if (wish == Wish::Ask) return std::nullopt;
    // A Pod that is not Ready, and that the budget spares, is not entered.
    const bool is_entered =
        std::ranges::find(made.ledger, victim_.uid, &policy::LedgerEntry::uid) != made.ledger.end();
    if (!is_entered) return std::nullopt;
    // An entry of another program, which may remove the pod by now, is not ours to take back. One
    // whose write was not answered may be there.
    const bool was_there = std::ranges::find(read->recent, victim_.uid,
                                             &policy::LedgerEntry::uid) != read->recent.end();
    const auto stored = store(writer_, *read, made.ledger);
    const bool may_be_there = stored || stored.error().code == Code::Unavailable;
    if (may_be_there && !was_there) written_.push_back(ref_of(*read));
    if (stored) return std::nullopt;
    if (stored.error().code == Code::Conflict) continue;
    const Error error = stored.error().with("debit disruption budget " + name);
    if (read->hard) return std::unexpected(error);
    tell_(error.message + "; the budget is not hard, so the eviction goes on");
    return std::nullopt;
  }
  return failure(Code::Conflict, "disruption budget " + name +
                                     " is written by others all the time: try again later");
}

Result<void> BudgetDebits::refund(const api::ObjectRef& budget) {
  Result<void> stored;
  for (int attempt = 0; attempt < kMostConflicts; ++attempt) {
    ASSIGN_OR_RETURN(const policy::DisruptionBudget read, read_budget(writer_, budget));
    stored = store(writer_, read, policy::refunded(read.recent, victim_.uid, kProgram));
    if (stored || stored.error().code != Code::Conflict) break;
  }
  return stored;
}

void BudgetDebits::take_back() {
  for (const api::ObjectRef& each : written_) {
    const auto refunded = refund(each);
    if (refunded || refunded.error().code == Code::NotFound) continue;
    tell_("refund disruption budget " + api::to_string(each) + ": " + refunded.error().message +
          "; the next program that writes it does that, after two minutes");
  }
  written_.clear();
}

}  // namespace elbowroom::cli
