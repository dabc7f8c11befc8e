// A cluster of values around the scheduler's reactor, for tests. Every effect is performed at once
// and shown by the watch at once, unless the test refuses it; time passes only when the test
// advances it.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/reactor.h"
#include "test/pods.h"

namespace elbowroom::test {

class SchedulerWorld {
 public:
  using Time = std::chrono::milliseconds;

  explicit SchedulerWorld(scheduler::ReactorOptions options = usual())
      : options_(std::move(options)) {
    restart();
  }

  static scheduler::ReactorOptions usual() {
    scheduler::ReactorOptions options;
    options.leader_elect = false;
    options.yield_to.emplace();
    return options;
  }

  // Adds the object; the reactor sees it after its start.
  void put(const policy::Node& node) {
    nodes_[node.name] = node;
    if (started_) tell(scheduler::NodeSeen{node});
  }
  void put(const policy::Pod& pod) {
    pods_[policy::key_of(pod)] = pod;
    if (started_) show(scheduler::PodSeen{cluster::PackedPod::packed(pod)});
  }
  void put(const policy::PodDisruptionBudget& budget) {
    budgets_[budget.name] = budget;
    if (started_) tell(scheduler::BudgetSeen{budget});
  }
  void put(const policy::DisruptionBudget& budget) {
    own_budgets_[budget.name] = budget;
    if (started_) tell(scheduler::OwnBudgetSeen{budget});
  }
  [[nodiscard]] const policy::DisruptionBudget& own_budget(const std::string& name) const {
    return own_budgets_.at(name);
  }
  // Another program writes the budget; the watch shows it only where `shows`.
  void written_by_another(policy::DisruptionBudget budget, bool shows = true) {
    budget.version = "v" + std::to_string(++version_);
    own_budgets_[budget.name] = budget;
    if (shows) tell(scheduler::OwnBudgetSeen{budget});
  }
  void remove_own_budget(const std::string& name) {
    const policy::DisruptionBudget budget = own_budgets_.at(name);
    own_budgets_.erase(name);
    tell(scheduler::OwnBudgetGone{budget.ns + "/" + budget.name, budget.uid});
  }
  void put(const policy::PodGroup& group) {
    groups_[policy::key_of(group)] = group;
    if (started_) tell(scheduler::PodGroupSeen{group});
  }
  void remove_group(const std::string& key) {
    const std::string uid = groups_.at(key).standing.uid;
    groups_.erase(key);
    tell(scheduler::PodGroupGone{key, uid});
  }
  void remove(const std::string& key) {
    const std::string uid = pods_.at(key).uid;
    pods_.erase(key);
    show(scheduler::PodGone{key, uid});
  }

  // Lists everything.
  void start() {
    started_ = true;
    scheduler::NodesListed nodes;
    for (const auto& [name, node] : nodes_) nodes.objects.push_back(node);
    tell(std::move(nodes));
    scheduler::PodsListed pods;
    for (const auto& [key, pod] : pods_) {
      pods.objects.push_back(cluster::PackedPod::packed(pod));
    }
    tell(std::move(pods));
    scheduler::BudgetsListed budgets;
    for (const auto& [name, budget] : budgets_) budgets.objects.push_back(budget);
    tell(std::move(budgets));
    scheduler::OwnBudgetsListed own;
    for (const auto& [name, budget] : own_budgets_) own.objects.push_back(budget);
    tell(std::move(own));
    if (!options_.places_for.empty()) list_what_places();
    scheduler::PodGroupsListed groups;
    for (const auto& [key, group] : groups_) groups.objects.push_back(group);
    tell(std::move(groups));
    tell(scheduler::PolicyFieldProbed{false});
  }

  // What pods with claims depend on.
  void list_volumes() {
    scheduler::ClaimsListed all_claims;
    for (const auto& [key, claim] : claims) all_claims.objects.push_back(claim);
    tell(std::move(all_claims));
    scheduler::VolumesListed all_volumes;
    for (const auto& [name, volume] : volumes) all_volumes.objects.push_back(volume);
    tell(std::move(all_volumes));
    tell(scheduler::StorageClassesListed{storage_classes, {}});
    tell(scheduler::CsiNodesListed{csi_nodes, {}});
    tell(scheduler::CsiDriversListed{});
    tell(scheduler::StorageCapacitiesListed{});
  }
  // The API server's, by key; put() shows one.
  std::map<std::string, policy::VolumeClaim, std::less<>> claims{};
  std::map<std::string, policy::PersistentVolume, std::less<>> volumes{};
  std::vector<policy::StorageClass> storage_classes{};
  std::vector<policy::CsiNode> csi_nodes{};
  void put(policy::VolumeClaim claim) {
    claim.resource_version = "v" + std::to_string(++version_);
    claims[policy::key_of(claim)] = claim;
    if (started_) show(scheduler::ClaimSeen{std::move(claim)});
  }
  void put(policy::PersistentVolume volume) {
    volume.resource_version = "v" + std::to_string(++version_);
    volumes[volume.name] = volume;
    if (started_) show(scheduler::VolumeSeen{std::move(volume)});
  }
  // What is followed only where pending pods are placed.
  void list_what_places() {
    tell(scheduler::NamespacesListed{});
    tell(control::Listed<scheduler::ServiceOf>{});
    tell(control::Listed<scheduler::ReplicationControllerOf>{});
    tell(control::Listed<scheduler::ReplicaSetOf>{});
    tell(control::Listed<scheduler::StatefulSetOf>{});
    list_volumes();
  }
  [[nodiscard]] const std::map<std::string, policy::Pod>& pods() const { return pods_; }

  // A new process, which knows only what the API has.
  void restart() {
    waiting_.clear();
    reactor_.emplace(options_);
    started_ = false;
  }

  void tell(decltype(scheduler::Observation::what) what) {
    take(handle(std::move(what)));
    settle();
  }

  // Lets time pass, with every wake of the reactor in between.
  void pass(Time span) {
    const Time until = now_ + span;
    while (reactor_->next_wake() && *reactor_->next_wake() <= until) {
      now_ = std::max(now_, *reactor_->next_wake());
      tell(scheduler::TimePassed{});
    }
    now_ = until;
    tell(scheduler::TimePassed{});
  }

  [[nodiscard]] const policy::Pod& pod(const std::string& key) const { return pods_.at(key); }
  [[nodiscard]] scheduler::Reactor& reactor() { return *reactor_; }
  [[nodiscard]] const scheduler::Waiting& waiting(const std::string& key) const {
    return reactor_->waiting().at(key);
  }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] policy::Time wall() const { return policy::Time{kStart} + now_; }
  // The offset of our own wall clock.
  Time wall_off{0};

  // What was done, in order: "mark default/a", "clear default/a", "check default/a",
  // "bind default/a to node1", "nominate default/a to node1", "tell default/a",
  // "delete default/a", "confirm default/a", "event default/a: ...".
  [[nodiscard]] std::vector<std::string> done() { return std::exchange(done_, {}); }
  // The same without events and reads.
  [[nodiscard]] std::vector<std::string> writes() {
    std::vector<std::string> writes;
    for (const std::string& each : done()) {
      const bool is_told = each.starts_with("event ") || each.starts_with("log ");
      if (is_told || each.starts_with("confirm ")) continue;
      writes.push_back(each);
    }
    return writes;
  }

  // An error for an effect that is to fail; nothing for one that is to be performed.
  using Refusal = std::function<std::optional<Error>(const std::string& effect)>;
  Refusal refuse{};
  // Called with each observation before the reactor handles it, and with its effects.
  std::function<void(const scheduler::Observation&)> seen{};
  std::function<void(const scheduler::Effects&)> did{};
  // Before each observation another reactor continues from a copy of this one's state.
  bool continues_from_copies = false;
  // The circuit breaker's record in the API server; none: it does not exist. Its reads and writes
  // are not in done(), and are answered at once even when other effects wait.
  std::optional<scheduler::StoredBreaker> breaker{};
  // The watch shows no changes; reads still return them.
  bool lags = false;
  void catch_up() {
    while (!hidden_.empty()) {
      auto next = std::move(hidden_.front());
      hidden_.pop_front();
      tell(std::move(next));
    }
    lags = false;
  }
  // Effects whose description begins with this wait until release() is called; "": none.
  std::string keeps_back{};
  void release() {
    keeps_back.clear();
    for (scheduler::Effect& effect : std::exchange(kept_, {}))
      waiting_.push_back(std::move(effect));
    settle();
  }
  // Effects wait until answer() is called.
  bool holds_back = false;
  void answer() {
    holds_back = false;
    settle();
  }

 private:
  static constexpr std::chrono::seconds kStart{1'780'000'000};

  [[nodiscard]] scheduler::Moment moment() const { return {now_, wall() + wall_off}; }

  scheduler::Effects handle(decltype(scheduler::Observation::what) what) {
    const scheduler::Observation observation{.at = moment(), .what = std::move(what)};
    if (seen) seen(observation);
    if (continues_from_copies) {
      scheduler::ReactorState copy = reactor_->state();
      reactor_.emplace(options_, std::move(copy));
    }
    scheduler::Effects effects = reactor_->handle(observation);
    if (did) did(effects);
    return effects;
  }

  void take(scheduler::Effects effects) {
    for (scheduler::Effect& effect : effects) {
      if (is_of_breaker(effect)) {
        perform(effect);
      } else {
        waiting_.push_back(std::move(effect));
      }
    }
  }
  static bool is_of_breaker(const scheduler::Effect& effect) {
    return std::holds_alternative<scheduler::ReadBreaker>(effect.what) ||
           std::holds_alternative<scheduler::WriteBreaker>(effect.what);
  }

  void show(decltype(scheduler::Observation::what) what) {
    if (!lags) return tell(std::move(what));
    hidden_.push_back(std::move(what));
  }

  [[nodiscard]] decltype(scheduler::Observation::what) looked_up(
      scheduler::EffectId id, const scheduler::ConfirmResize& confirm) const {
    const auto at = pods_.find(key_of(confirm.preemptor));
    if (at == pods_.end()) {
      return scheduler::Failed{
          id, {Code::NotFound, "pods \"" + confirm.preemptor.name + "\" not found", {}}};
    }
    return scheduler::Done{
        .effect = id, .lease = {}, .pod = cluster::PackedPod::packed(at->second)};
  }

  void settle() {
    while (!holds_back) {
      if (!waiting_.empty()) {
        const scheduler::Effect effect = std::move(waiting_.front());
        waiting_.pop_front();
        if (is_kept_back(effect)) {
          kept_.push_back(effect);
        } else {
          perform(effect);
        }
      } else if (reactor_->next_wake() && *reactor_->next_wake() <= now_) {
        take(handle(scheduler::TimePassed{}));
      } else {
        return;
      }
    }
  }

  [[nodiscard]] bool is_kept_back(const scheduler::Effect& effect) const {
    if (keeps_back.empty()) return false;
    return std::visit([this](const auto& of) { return described(of); }, effect.what)
        .starts_with(keeps_back);
  }

  void perform(const scheduler::Effect& effect) {
    const std::string what =
        std::visit([this](const auto& of) { return described(of); }, effect.what);
    if (!is_of_breaker(effect)) done_.push_back(what);
    if (what.starts_with("event ") || what.starts_with("log ")) return;
    if (refuse) {
      if (auto error = refuse(what)) {
        take(handle(scheduler::Failed{effect.id, *std::move(error)}));
        return;
      }
    }
    if (const auto* confirm = std::get_if<scheduler::ConfirmResize>(&effect.what)) {
      take(handle(looked_up(effect.id, *confirm)));
      return;
    }
    if (const auto* confirm = std::get_if<scheduler::ConfirmGroup>(&effect.what)) {
      const auto at = groups_.find(key_of(confirm->group));
      if (at == groups_.end()) {
        take(handle(scheduler::Failed{effect.id, {Code::NotFound, "not found", {}}}));
      } else {
        scheduler::Done answer{.effect = effect.id};
        answer.group = at->second;
        take(handle(std::move(answer)));
      }
      return;
    }
    if (const auto* read = std::get_if<scheduler::ReadLedger>(&effect.what)) {
      return take(handle(ledger_answer(effect.id, read->budget, nullptr)));
    }
    if (const auto* write = std::get_if<scheduler::WriteLedger>(&effect.what)) {
      return take(handle(ledger_answer(effect.id, write->budget, write)));
    }
    if (std::holds_alternative<scheduler::ReadBreaker>(effect.what) && !breaker) {
      take(handle(scheduler::Failed{effect.id, {Code::NotFound, "not found", {}}}));
      return;
    }
    if (is_outdated(effect)) {
      take(handle(scheduler::Failed{effect.id, {Code::Conflict, "it was changed", {}}}));
      return;
    }
    const auto* bind = std::get_if<scheduler::BindPod>(&effect.what);
    if (bind != nullptr && is_bound(*bind)) {
      take(handle(scheduler::Failed{effect.id, {Code::Conflict, "already assigned", {}}}));
      return;
    }
    std::visit([this](const auto& of) { change(of); }, effect.what);
    scheduler::Done answer{.effect = effect.id};
    if (std::holds_alternative<scheduler::WriteLease>(effect.what)) answer.lease = lease_;
    if (is_of_breaker(effect)) answer.breaker = breaker;
    take(handle(std::move(answer)));
  }

  [[nodiscard]] decltype(scheduler::Observation::what) ledger_answer(
      scheduler::EffectId id, const cluster::BudgetName& name,
      const scheduler::WriteLedger* write) {
    const auto at = own_budgets_.find(name.name);
    if (at == own_budgets_.end() || at->second.uid != name.uid) {
      return scheduler::Failed{id, {Code::NotFound, "not found", {}}};
    }
    policy::DisruptionBudget& budget = at->second;
    scheduler::Done answer{.effect = id};
    if (write != nullptr) {
      if (write->version != budget.version) {
        return scheduler::Failed{id, {Code::Conflict, "written since", {}}};
      }
      budget.recent = write->ledger;
      budget.version = "v" + std::to_string(++version_);
      show(scheduler::OwnBudgetSeen{budget});
    }
    answer.budget = budget;
    return answer;
  }

  // Under the version that the decision saw.
  [[nodiscard]] bool is_outdated(const scheduler::Effect& effect) const {
    if (const auto* bind = std::get_if<scheduler::BindVolume>(&effect.what)) {
      const auto at = volumes.find(bind->volume);
      return at == volumes.end() || at->second.resource_version != bind->resource_version;
    }
    if (const auto* select = std::get_if<scheduler::SelectNode>(&effect.what)) {
      const auto at = claims.find(select->ns + "/" + select->name);
      return at == claims.end() || at->second.resource_version != select->resource_version;
    }
    return false;
  }

  [[nodiscard]] bool is_bound(const scheduler::BindPod& of) const {
    const auto at = pods_.find(key_of(of.pod));
    return at != pods_.end() && at->second.uid == of.pod.uid && !at->second.node.empty();
  }

  static std::string key_of(const scheduler::Victim& victim) {
    return victim.ns + "/" + victim.name;
  }
  std::string described(const scheduler::MarkVictim& of) const {
    return (of.clear ? "clear " : "mark ") + key_of(of.victim);
  }
  std::string described(const scheduler::DeleteVictim& of) const {
    return (of.dry_run ? "check " : "delete ") + key_of(of.victim);
  }
  std::string described(const scheduler::ConfirmResize& of) const {
    return "confirm " + key_of(of.preemptor);
  }
  std::string described(const scheduler::EmitEvent& of) const {
    return (of.log_only ? "log " : "event ") + key_of(of.regarding) + ": " + of.reason + ": " +
           of.note;
  }
  std::string described(const scheduler::BindPod& of) const {
    return "bind " + key_of(of.pod) + " to " + of.node;
  }
  std::string described(const scheduler::BindVolume& of) const {
    return "reserve " + of.volume + " for " + of.claim.ns + "/" + of.claim.name;
  }
  std::string described(const scheduler::SelectNode& of) const {
    return "select " + of.node + " for " + of.ns + "/" + of.name;
  }
  std::string described(const scheduler::WritePending& of) const {
    const std::string nominated = !of.nominated           ? ""
                                  : of.nominated->empty() ? " to nowhere"
                                                          : " to " + *of.nominated;
    return (of.nominated ? "nominate " : "tell ") + key_of(of.pod) + nominated;
  }
  std::string described(const scheduler::GiveUpWrites& /*all*/) const { return "give up"; }
  std::string described(const scheduler::ReadBreaker& /*read*/) const { return "breaker read"; }
  std::string described(const scheduler::WriteBreaker& /*write*/) const { return "breaker write"; }
  std::string described(const scheduler::ConfirmGroup& of) const {
    return "confirm group " + key_of(of.group);
  }
  std::string described(const scheduler::WriteGroupStatus& of) const {
    std::string what = "tell group " + key_of(of.group);
    for (const policy::Condition& each : of.set) what += " " + each.type + "=" + each.status;
    return what;
  }
  std::string described(const scheduler::ReadLedger& of) const {
    return "read " + to_string(of.budget);
  }
  std::string described(const scheduler::WriteLedger& of) const {
    std::string what = "debit " + to_string(of.budget) + ":";
    for (const policy::LedgerEntry& each : of.ledger) what += " " + each.pod;
    return what;
  }
  std::string described(const scheduler::WriteLease& of) const {
    return "lease " + of.lease.holder;
  }

  void change(const scheduler::MarkVictim& of) {
    const auto at = pods_.find(key_of(of.victim));
    if (at == pods_.end() || at->second.uid != of.victim.uid) return;
    std::erase_if(at->second.conditions,
                  [](const auto& each) { return each.type == policy::kDisruptionTarget; });
    if (!of.clear) at->second.conditions.push_back(of.condition);
    put(policy::Pod(at->second));
  }
  void change(const scheduler::DeleteVictim& of) {
    const auto at = pods_.find(key_of(of.victim));
    if (of.dry_run || at == pods_.end() || at->second.uid != of.victim.uid) return;
    at->second.deletion = wall() + std::chrono::seconds(at->second.termination_grace_seconds);
    at->second.deletion_grace_seconds = at->second.termination_grace_seconds;
    put(policy::Pod(at->second));
  }
  void change(const scheduler::BindPod& of) {
    const auto at = pods_.find(key_of(of.pod));
    if (at == pods_.end() || at->second.uid != of.pod.uid) return;
    at->second.node = of.node;
    at->second.nominated_node.clear();
    put(policy::Pod(at->second));
  }
  // Nothing binds claims here: a test does.
  void change(const scheduler::BindVolume& of) {
    policy::PersistentVolume& volume = volumes.at(of.volume);
    volume.claim = of.claim;
    volume.resource_version = "v" + std::to_string(++version_);
    show(scheduler::VolumeSeen{volume});
  }
  void change(const scheduler::SelectNode& of) {
    policy::VolumeClaim& claim = claims.at(of.ns + "/" + of.name);
    claim.selected_node = of.node;
    claim.resource_version = "v" + std::to_string(++version_);
    show(scheduler::ClaimSeen{claim});
  }
  void change(const scheduler::WritePending& of) {
    const auto at = pods_.find(key_of(of.pod));
    if (at == pods_.end() || at->second.uid != of.pod.uid) return;
    // A write that changes nothing sends no event.
    if (!of.scheduled && of.nominated == at->second.nominated_node) return;
    if (of.nominated) at->second.nominated_node = *of.nominated;
    put(policy::Pod(at->second));
  }
  void change(const scheduler::ConfirmResize& /*of*/) {}
  void change(const scheduler::EmitEvent& /*of*/) {}
  // Effects that are held back are never answered.
  void change(const scheduler::GiveUpWrites& /*all*/) {
    for (const scheduler::Effect& effect : std::exchange(kept_, {})) {
      take(handle(scheduler::Failed{effect.id, {Code::Unavailable, "given up", {}}}));
    }
  }
  void change(const scheduler::ReadBreaker& /*read*/) {}
  void change(const scheduler::ConfirmGroup& /*of*/) {}
  void change(const scheduler::ReadLedger& /*of*/) {}
  void change(const scheduler::WriteLedger& /*of*/) {}
  void change(const scheduler::WriteGroupStatus& of) {
    const auto at = groups_.find(key_of(of.group));
    if (at == groups_.end() || at->second.standing.uid != of.group.uid) return;
    for (const policy::Condition& each : of.set) {
      std::erase_if(at->second.conditions, [&](const auto& is) { return is.type == each.type; });
      at->second.conditions.push_back(each);
    }
    put(policy::PodGroup(at->second));
  }
  void change(const scheduler::WriteBreaker& of) {
    breaker = of.stored;
    breaker->resource_version = std::to_string(++version_);
  }
  void change(const scheduler::WriteLease& of) {
    lease_ = of.lease;
    lease_->resource_version = std::to_string(++version_);
  }

  const scheduler::ReactorOptions options_;
  std::optional<scheduler::Reactor> reactor_{};
  bool started_ = false;
  Time now_{0};
  std::map<std::string, policy::Node> nodes_{};
  std::map<std::string, policy::Pod> pods_{};
  std::map<std::string, policy::PodGroup> groups_{};
  std::map<std::string, policy::PodDisruptionBudget> budgets_{};
  std::map<std::string, policy::DisruptionBudget> own_budgets_{};
  std::optional<api::Lease> lease_{};
  int version_ = 0;
  std::deque<decltype(scheduler::Observation::what)> hidden_{};
  std::deque<scheduler::Effect> waiting_{};
  std::vector<scheduler::Effect> kept_{};
  std::vector<std::string> done_{};
};

// The pod with its node's verdict: the resize is Deferred.
inline policy::Pod deferred(policy::Pod pod, std::int64_t cpu_m, std::int64_t memory = 0) {
  pod = resized(std::move(pod), cpu_m, memory);
  pod.conditions.push_back({.type = std::string(policy::kPodResizePending),
                            .status = "True",
                            .reason = std::string(policy::kReasonDeferred),
                            .message = "Node didn't have enough resource: cpu",
                            .observed_generation = pod.generation});
  return pod;
}

}  // namespace elbowroom::test
