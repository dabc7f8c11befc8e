#include "test/simulation/budget_invariants.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "api/codec/timestamp.h"

namespace elbowroom::test {
namespace {

using lab::Json;
using std::chrono::seconds;

// A watch may lag for three minutes.
constexpr seconds kSeenWithin{240};
// Times in the ledger have whole seconds, and the debit comes before the delete.
constexpr seconds kDebitBefore{25};
constexpr seconds kRefundedWithin{130};

const lab::Kind& pod_kind() { return *lab::find_kind("", "v1", "pods"); }
const lab::Kind& budget_kind() {
  return *lab::find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets");
}

std::string uid_of(const Json& object) { return lab::text_at(object, {"metadata", "uid"}); }

bool is_hard(const Json& budget) { return budget.at("spec").value("hard", false); }

// Our own histories select by one label.
bool covers(const Json& budget, const Json& pod) {
  const Json labels = lab::map_at(pod, {"metadata", "labels"});
  const Json wanted = lab::map_at(budget, {"spec", "selector", "matchLabels"});
  const std::string phase = lab::text_at(pod, {"status", "phase"});
  if (lab::text_at(pod, {"spec", "nodeName"}).empty()) return false;
  if (phase == "Succeeded" || phase == "Failed") return false;
  return std::ranges::all_of(wanted.items(), [&](const auto& each) {
    return labels.contains(each.key()) && labels.at(each.key()) == each.value();
  });
}

bool is_terminating(const Json& pod) { return pod.at("metadata").contains("deletionTimestamp"); }

bool is_marked(const Json& pod) {
  const Json conditions = lab::list_at(pod, {"status", "conditions"});
  return std::ranges::any_of(conditions, [](const Json& each) {
    return each.value("type", "") == "DisruptionTarget" && each.value("status", "") == "True";
  });
}

bool is_healthy(const Json& pod) {
  const Json conditions = lab::list_at(pod, {"status", "conditions"});
  return !is_terminating(pod) && std::ranges::any_of(conditions, [](const Json& each) {
    return each.value("type", "") == "Ready" && each.value("status", "") == "True";
  });
}

bool is_starting(const Json& pod) { return lab::text_at(pod, {"status", "phase"}) == "Pending"; }

}  // namespace

// A budget that desires healthy pods lets those that run and are not Ready go without a charge. A
// program may see late that a pod has become Ready.
bool BudgetInvariants::may_be_spared(const Json& budget, const Json& pod) const {
  if (budget.at("spec").value("minAvailable", std::int64_t{0}) < 1 || is_starting(pod))
    return false;
  if (!is_healthy(pod)) return true;
  const auto at = unhealthy_at_.find(uid_of(pod));
  return at != unhealthy_at_.end() && simulation_.elapsed() - at->second <= kSeenWithin;
}

bool BudgetInvariants::is_known_to_all(const Account& account) const {
  return !upstream_ && simulation_.elapsed() - account.since > kSeenWithin;
}

void BudgetInvariants::asked_to_remove(const std::string& uid) {
  const auto pod = pods_.find(uid);
  if (pod == pods_.end() || is_terminating(pod->second) || !asked_.insert(uid).second) return;
  for (const auto& [name, budget] : budgets_) {
    const auto account = accounts_.find(name);
    const bool counts = account != accounts_.end() && is_known_to_all(account->second);
    if (!counts || !is_hard(budget) || !covers(budget, pod->second)) continue;
    const Json ledger = lab::list_at(budget, {"status", "recentDisruptions"});
    const bool is_there =
        std::ranges::any_of(ledger, [&](const Json& each) { return each.value("uid", "") == uid; });
    if (!is_there && !may_be_spared(budget, pod->second))
      broken_("pod " + uid + " goes and is not in the ledger of " + name);
  }
}

void BudgetInvariants::world_changed() {
  const lab::World& world = simulation_.world();
  if (world.version() == version_) return;
  const std::uint64_t since = std::exchange(version_, world.version());
  for (const lab::ChangedObject& each : changed_since(budget_kind(), since)) {
    look_at_budget(each.name, world.peek(budget_kind(), each.ns, each.name));
  }
  for (const lab::ChangedObject& each : changed_since(pod_kind(), since)) {
    look_at_pod(each.name, world.peek(pod_kind(), each.ns, each.name));
  }
}

std::vector<lab::ChangedObject> BudgetInvariants::changed_since(const lab::Kind& kind,
                                                                std::uint64_t since) const {
  const auto changed = simulation_.world().changed_after(kind, since);
  if (changed) return *changed;
  std::vector<lab::ChangedObject> all;
  for (const Json* each : simulation_.world().all_stored_objects(kind)) {
    all.push_back({.ns = lab::text_at(*each, {"metadata", "namespace"}),
                   .name = lab::text_at(*each, {"metadata", "name"})});
  }
  return all;
}

void BudgetInvariants::look_at_budget(const std::string& name, const Json* budget) {
  if (budget == nullptr) {
    budgets_.erase(name);
    return;
  }
  budgets_[name] = *budget;
  Account& account = accounts_[name];
  const std::string spec = budget->at("spec").dump();
  if (account.uid != uid_of(*budget) || account.spec != spec) {
    const Span now = simulation_.elapsed();
    // What is there from the beginning is in the first list of each program.
    account = {.uid = uid_of(*budget),
               .spec = spec,
               .since = now == Span(0) ? -2 * Span(kSeenWithin) : now};
  }
  check_ledger(*budget, account);
}

// What went stays in the ledger as long as the rate counts it.
void BudgetInvariants::check_ledger(const Json& budget, const Account& account) {
  const std::string name = lab::text_at(budget, {"metadata", "name"});
  std::set<std::string> uids;
  for (const Json& each : lab::list_at(budget, {"status", "recentDisruptions"})) {
    if (!uids.insert(each.value("uid", "")).second) {
      broken_("the ledger of " + name + " has one uid twice");
    }
  }
  const Json rate = lab::map_at(budget, {"spec", "rate"});
  if (upstream_ || rate.empty() || !is_hard(budget)) return;
  const seconds per(std::stoll(rate.at("per").get<std::string>()));
  for (const auto& [uid, at] : account.went) {
    const bool counts =
        at > account.since + kSeenWithin && simulation_.elapsed() - at < per - kDebitBefore;
    if (counts && !uids.contains(uid)) broken_("the ledger of " + name + " has lost " + uid);
  }
}

void BudgetInvariants::check_refunds() {
  for (const auto& [name, budget] : budgets_) {
    for (const Json& each : lab::list_at(budget, {"status", "recentDisruptions"})) {
      const auto pod = pods_.find(each.value("uid", ""));
      if (pod == pods_.end() || is_terminating(pod->second) || is_marked(pod->second)) continue;
      const auto since = api::parse_timestamp(each.value("time", ""));
      if (since && simulation_.world().time() - *since <= kRefundedWithin) continue;
      broken_("the ledger of " + name + " still has " + pod->first + ", which lives on");
    }
  }
}

void BudgetInvariants::look_at_pod(const std::string& name, const Json* pod) {
  const std::string uid = pod == nullptr ? "" : uid_of(*pod);
  const std::string was = std::exchange(uids_[name], uid);
  const auto known = pods_.find(was);
  if (known != pods_.end()) {
    const Json before = was == uid ? std::exchange(known->second, *pod) : known->second;
    if (was != uid) pods_.erase(known);
    const bool goes_now = !is_terminating(before) && (was != uid || is_terminating(*pod));
    if (!is_starting(before) && !is_healthy(before)) unhealthy_at_[was] = simulation_.elapsed();
    const bool is_lost = is_healthy(before) && (was != uid || !is_healthy(*pod));
    if (asked_.contains(was)) {
      if (goes_now) goes(before);
    } else if (is_lost) {
      last_loss_ = simulation_.elapsed();
    }
    if (was != uid) asked_.erase(was);
  }
  if (pod != nullptr && was != uid) pods_[uid] = *pod;
}

void BudgetInvariants::goes(const Json& pod) {
  for (const auto& [name, budget] : budgets_) {
    if (!is_hard(budget) || !covers(budget, pod)) continue;
    const Json ledger = lab::list_at(budget, {"status", "recentDisruptions"});
    const bool is_entered = std::ranges::any_of(
        ledger, [&](const Json& each) { return each.value("uid", "") == uid_of(pod); });
    if (!is_entered && may_be_spared(budget, pod)) continue;
    Account& account = accounts_[name];
    account.went.emplace(uid_of(pod), simulation_.elapsed());
    if (is_known_to_all(account)) check_going(budget, account, uid_of(pod));
  }
}

void BudgetInvariants::check_going(const Json& budget, Account& account, const std::string& uid) {
  const std::string name = lab::text_at(budget, {"metadata", "name"});
  const Json rate = lab::map_at(budget, {"spec", "rate"});
  if (!rate.empty()) {
    const seconds per(std::stoll(rate.at("per").get<std::string>()));
    const auto lately = std::ranges::count_if(account.went, [&](const auto& each) {
      return each.second > account.since + kSeenWithin &&
             simulation_.elapsed() - each.second < per - kDebitBefore;
    });
    if (lately > rate.at("disruptions").get<std::int64_t>()) {
      broken_("budget " + name + " lost " + std::to_string(lately) + " pods within " +
              std::to_string(per.count()) + "s, the last one is " + uid);
    }
  }
  if (!last_loss_ || simulation_.elapsed() - *last_loss_ > kSeenWithin) check_strength(budget, uid);
}

void BudgetInvariants::check_strength(const Json& budget, const std::string& uid) {
  const auto left = std::ranges::count_if(pods_, [&](const auto& each) {
    return covers(budget, each.second) && is_healthy(each.second);
  });
  if (left < budget.at("spec").value("minAvailable", std::int64_t{0})) {
    broken_("budget " + lab::text_at(budget, {"metadata", "name"}) + " has " +
            std::to_string(left) + " healthy pods left without " + uid);
  }
}

}  // namespace elbowroom::test
