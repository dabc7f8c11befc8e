// A small API server for tests of the rescheduler's reactor: pods, DisruptionBudgets, the
// ConfigMaps of moves and the Lease, with versions as preconditions. Its replicas share one clock,
// in virtual time; what is written and what is shown arrives at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/match.h"
#include "cluster/packed_pod.h"
#include "rescheduler/reactor.h"
#include "test/node_world.h"

namespace elbowroom::test {

class ReschedulerWorld {
 public:
  using Time = std::chrono::milliseconds;

  struct Replica {
    std::unique_ptr<rescheduler::Reactor> reactor{};
    int budget_writes = 0;    // that were sent
    bool is_cut_off = false;  // it sees and writes nothing
    bool is_deaf = false;     // the watch shows it nothing
  };

  // A write of a budget's status, as it arrived.
  struct Write {
    Time at{0};
    std::string budget{};
    bool is_stored = false;
  };

  explicit ReschedulerWorld(int replicas = 1, bool dry_run = false) {
    for (int i = 0; i < replicas; ++i) {
      rescheduler::ReactorOptions options{.dry_run = dry_run};
      options.elector.identity = "replica-" + std::to_string(i);
      replicas_.push_back({.reactor = std::make_unique<rescheduler::Reactor>(options)});
    }
  }

  // ---- objects ----

  void put(const policy::Pod& pod) {
    pods_[policy::key_of(pod)] = pod;
    tell_all(rescheduler::PodSeen{cluster::PackedPod::packed(pod)});
  }
  void remove(const policy::Pod& pod) {
    pods_.erase(policy::key_of(pod));
    tell_all(rescheduler::PodGone{policy::key_of(pod), pod.uid});
  }
  void put(policy::DisruptionBudget budget) {
    budget.version = std::to_string(++version_);
    budget.uid = "uid-of-" + budget.name;
    budgets_[budget.name] = budget;
    tell_all(rescheduler::BudgetSeen{budget});
  }
  [[nodiscard]] const policy::DisruptionBudget& budget(const std::string& name) const {
    return budgets_.at(name);
  }

  void put(const policy::Node& node) {
    nodes_[node.name] = node;
    tell_all(rescheduler::NodeSeen{node});
  }

  void put(const policy::PodDisruptionBudget& budget) {
    pod_budgets_.push_back(budget);
    tell_all(rescheduler::PodBudgetSeen{budget});
  }
  void put_owner(policy::MoveOwner owner) {
    owners_.push_back({owner});
    tell_all(control::Seen<rescheduler::ReplicaSetOwner>{{std::move(owner)}});
  }
  // The configuration of moves.
  void configure(const std::string& text) {
    settings_ = rescheduler::ConfigText{.uid = "uid-of-settings",
                                        .version = std::to_string(++version_),
                                        .data = {{"config.yaml", text}}};
    tell_all(control::Seen<rescheduler::SettingsMap>{{*settings_}});
  }
  // Without `is_seen` the watch does not show it yet.
  void put_rests(const std::string& text, bool is_seen = true) {
    rests_ = rescheduler::ConfigText{.uid = "uid-of-rests",
                                     .version = std::to_string(++version_),
                                     .data = {{"rests.json", text}}};
    if (is_seen) show_rests();
  }
  void show_rests() { tell_all(control::Seen<rescheduler::RestsMap>{{*rests_}}); }
  [[nodiscard]] std::string rests() const {
    return rests_ ? rests_->data.at("rests.json") : std::string();
  }

  // ---- moves ----

  // Where an evicted pod's successor comes up; "": nowhere. Without it there is no successor.
  std::function<std::string(const policy::Pod&)> successor_on{};
  // Evictions are answered with that error; nothing: they succeed. A dry run is an eviction too.
  std::optional<Error> eviction_error{};
  // So much later is it answered that a pod was evicted.
  Time eviction_answered_after{0};
  std::optional<Error> rests_error{};
  std::function<void()> before_rests_are_answered{};
  // What was asked for, in its order: "try POD", "avoid NODE", "allow NODE", "evict POD".
  [[nodiscard]] const std::vector<std::string>& steps() const { return steps_; }
  [[nodiscard]] const std::vector<control::EmitEvent>& events() const { return events_; }
  [[nodiscard]] const std::map<std::string, policy::Pod>& pods() const { return pods_; }

  // ---- reviews ----

  // What is answered at once; nothing: it is not answered yet, see answer().
  std::optional<api::ReviewAnswer> ask(api::AdmissionReview review, std::size_t at = 0) {
    const std::uint64_t number = ++last_review_;
    tell(replicas_.at(at), rescheduler::ReviewAsked{number, std::move(review)});
    return answer(number);
  }
  [[nodiscard]] bool is_answered(std::uint64_t number) const { return answers_.contains(number); }
  [[nodiscard]] std::optional<api::ReviewAnswer> answer(std::uint64_t number) const {
    const auto at = answers_.find(number);
    return at == answers_.end() ? std::nullopt : at->second;
  }
  [[nodiscard]] std::uint64_t last_review() const { return last_review_; }
  int debit_writes = 0;                // that were sent
  std::size_t prompt_debits = 0;       // of these, the ones that wait for no rate
  bool swallows_debits = false;        // they are not answered
  std::optional<Error> debit_error{};  // they are answered with it
  // The watch shows the replica nothing of what is written.
  void deafen(std::size_t at, bool is_deaf) { replicas_.at(at).is_deaf = is_deaf; }

  // ---- replicas ----

  void start() {
    for (Replica& each : replicas_) {
      tell(each, control::LeaseSeen{lease_});
      list_to(each);
    }
  }
  void list_to(Replica& replica) {
    rescheduler::PodsListed pods;
    for (const auto& [key, pod] : pods_) pods.objects.push_back(cluster::PackedPod::packed(pod));
    rescheduler::BudgetsListed budgets;
    for (const auto& [name, budget] : budgets_) budgets.objects.push_back(budget);
    rescheduler::NodesListed nodes;
    for (const auto& [name, node] : nodes_) nodes.objects.push_back(node);
    tell(replica, std::move(nodes));
    tell(replica, std::move(pods));
    tell(replica, std::move(budgets));
    tell(replica, rescheduler::PodBudgetsListed{.objects = pod_budgets_, .unreadable = {}});
    tell(replica, rescheduler::NamespacesListed{});
    tell(replica, control::Listed<rescheduler::DeploymentOwner>{});
    tell(replica,
         control::Listed<rescheduler::ReplicaSetOwner>{.objects = owners_, .unreadable = {}});
    tell(replica, control::Listed<rescheduler::StatefulSetOwner>{});
    control::Listed<rescheduler::SettingsMap> settings;
    if (settings_) settings.objects.push_back({*settings_});
    tell(replica, std::move(settings));
    control::Listed<rescheduler::RestsMap> rests;
    if (rests_) rests.objects.push_back({*rests_});
    tell(replica, std::move(rests));
  }
  [[nodiscard]] Replica& replica(std::size_t at) { return replicas_.at(at); }
  [[nodiscard]] rescheduler::Reactor& reactor(std::size_t at = 0) {
    return *replicas_.at(at).reactor;
  }

  // ---- time ----

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] policy::Time wall() const { return kNoon + now_; }
  void pass(Time time) {
    for (const Time until = now_ + time; now_ < until;) {
      now_ += Time(100);
      while (!late_.empty() && late_.front().at <= now_) {
        const Late due = late_.front();
        late_.pop_front();
        tell(*due.replica, rescheduler::Done{.effect = due.effect});
      }
      for (Replica& each : replicas_) {
        const auto wake = each.reactor->next_wake();
        if (wake && *wake <= now_) tell(each, control::TimePassed{});
      }
    }
  }

  // ---- faults ----

  // The next so many writes of a status are answered with that error.
  void fail_writes(int count, Error error) {
    failures_ = count;
    error_ = std::move(error);
  }
  // Entries of pods to avoid cannot be written; nothing: they can.
  void fail_drops(std::optional<Error> error) { drop_error_ = std::move(error); }
  [[nodiscard]] const std::vector<rescheduler::DropAvoided>& drops() const { return drops_; }
  [[nodiscard]] const std::vector<rescheduler::ReportOdd>& reports() const { return reports_; }
  // Writes are stored; the watch shows nothing until it is held no more.
  void hold_watch(bool held) {
    is_held_ = held;
    if (held) return;
    for (auto& seen : std::exchange(held_back_, {})) tell_all(std::move(seen));
  }

  [[nodiscard]] const std::vector<Write>& writes() const { return writes_; }
  [[nodiscard]] std::size_t stored() const {
    return static_cast<std::size_t>(std::ranges::count_if(writes_, &Write::is_stored));
  }

  using Seen = decltype(rescheduler::Observation::what);
  void tell_all(Seen seen) {
    for (Replica& each : replicas_) {
      if (!each.is_deaf) tell(each, seen);
    }
  }
  // What follows from it is told before this returns, in its order.
  void tell(Replica& replica, Seen seen) {
    told_.emplace_back(&replica, std::move(seen));
    if (std::exchange(is_telling_, true)) return;
    while (!told_.empty()) {
      auto [to, next] = std::move(told_.front());
      told_.pop_front();
      if (!to->is_cut_off) perform(*to, to->reactor->handle({{now_, wall()}, std::move(next)}));
    }
    is_telling_ = false;
  }

 private:
  void perform(Replica& replica, const rescheduler::Effects& effects) {
    for (const rescheduler::Effect& effect : effects) {
      std::visit(
          Match{[&](const control::WriteLease& write) { store(replica, effect.id, write); },
                [&](const control::GiveUpWrites&) {
                  tell(replica, rescheduler::Done{.effect = effect.id, .lease = {}});
                },
                [&](const rescheduler::DropAvoided& drop) {
                  drops_.push_back(drop);
                  if (drop_error_) {
                    return tell(replica, control::Failed{effect.id, *drop_error_});
                  }
                  policy::Node node = nodes_.at(drop.node);
                  std::erase_if(node.avoided_controllers, [&](const auto& each) {
                    return each.until && *each.until <= drop.now && each.uid != "other";
                  });
                  tell(replica, rescheduler::Done{.effect = effect.id, .lease = {}});
                  if (node != nodes_.at(drop.node)) put(node);
                },
                [&](const rescheduler::ReportOdd& odd) {
                  reports_.push_back(odd);
                  if (failures_ > 0 && failures_-- > 0) {
                    return tell(replica, control::Failed{effect.id, error_});
                  }
                  tell(replica, rescheduler::Done{.effect = effect.id, .lease = {}});
                },
                [&](const rescheduler::WriteBudget& write) {
                  ++replica.budget_writes;
                  store(replica, effect.id, write);
                },
                [&](const control::EmitEvent& event) { events_.push_back(event); },
                [&](const rescheduler::AvoidNode& avoid) {
                  steps_.push_back("avoid " + avoid.node);
                  tell(replica, rescheduler::Done{.effect = effect.id});
                },
                [&](const rescheduler::AllowNode& allow) {
                  steps_.push_back("allow " + allow.node);
                  tell(replica, rescheduler::Done{.effect = effect.id});
                },
                [&](const rescheduler::EvictPod& evict) { this->evict(replica, effect.id, evict); },
                [&](const rescheduler::ReadLedger& read) {
                  if (swallows_debits) return;
                  tell(replica, rescheduler::Done{.effect = effect.id,
                                                  .lease = {},
                                                  .budget = budgets_.at(read.budget.name)});
                },
                [&](const rescheduler::WriteLedger& write) {
                  ++debit_writes;
                  if (write.at_once) ++prompt_debits;
                  if (swallows_debits) return;
                  if (debit_error) {
                    return tell(replica, control::Failed{effect.id, *debit_error});
                  }
                  store(replica, effect.id, write);
                },
                [&](const rescheduler::WriteRests& write) { store(replica, effect.id, write); },
                [&](const rescheduler::AnswerReview& answer) {
                  answers_[answer.number] = answer.answer;
                }},
          effect.what);
    }
  }
  void evict(Replica& replica, control::EffectId id, const rescheduler::EvictPod& evict) {
    const std::string key = control::name_of(evict.pod);
    steps_.push_back((evict.dry_run ? "try " : "evict ") + key);
    const auto pod = pods_.find(key);
    if (pod == pods_.end() || pod->second.uid != evict.pod.uid) {
      return tell(replica, control::Failed{id, {.code = Code::NotFound, .message = "gone"}});
    }
    if (eviction_error) return tell(replica, control::Failed{id, *eviction_error});
    if (evict.dry_run || eviction_answered_after == Time(0)) {
      tell(replica, rescheduler::Done{.effect = id});
    } else {
      late_.push_back({now_ + eviction_answered_after, &replica, id});
    }
    if (evict.dry_run) return;
    policy::Pod next = pod->second;
    remove(policy::Pod(pod->second));
    if (!successor_on) return;
    next.name += "-n";
    next.uid += "-n";
    next.created = wall();
    next.started = wall();
    next.node = successor_on(next);
    if (next.node.empty()) next.phase = policy::Phase::Pending;
    put(next);
  }
  void store(Replica& replica, control::EffectId id, const rescheduler::WriteLedger& write) {
    policy::DisruptionBudget& budget = budgets_.at(write.budget.name);
    if (write.version != budget.version) {
      return tell(replica, control::Failed{id, {.code = Code::Conflict, .message = "changed"}});
    }
    budget.recent = write.ledger;
    budget.version = std::to_string(++version_);
    tell(replica, rescheduler::Done{.effect = id, .lease = {}, .budget = budget});
    tell_all(rescheduler::BudgetSeen{budget});
  }
  void store(Replica& replica, control::EffectId id, const rescheduler::WriteRests& write) {
    if (rests_error) return tell(replica, control::Failed{id, *rests_error});
    if (write.version != (rests_ ? rests_->version : "")) {
      return tell(replica, control::Failed{id, {.code = Code::Conflict, .message = "changed"}});
    }
    rests_ = rescheduler::ConfigText{.uid = "uid-of-rests",
                                     .version = std::to_string(++version_),
                                     .data = {{"rests.json", write.text}}};
    steps_.emplace_back("rests");
    if (before_rests_are_answered) before_rests_are_answered();
    tell(replica,
         rescheduler::Done{.effect = id, .lease = {}, .budget = {}, .version = rests_->version});
    tell_all(control::Seen<rescheduler::RestsMap>{{*rests_}});
  }
  void store(Replica& replica, control::EffectId id, const control::WriteLease& write) {
    const std::string has = lease_ ? lease_->resource_version : "";
    if (write.lease.resource_version != has) {
      return tell(replica, control::Failed{id, {.code = Code::Conflict, .message = "changed"}});
    }
    lease_ = write.lease;
    lease_->resource_version = std::to_string(++version_);
    tell(replica, rescheduler::Done{.effect = id, .lease = lease_});
    tell_all(control::LeaseSeen{lease_});
  }
  void store(Replica& replica, control::EffectId id, const rescheduler::WriteBudget& write) {
    policy::DisruptionBudget& budget = budgets_.at(write.budget.name);
    const bool fails = failures_ > 0 && failures_-- > 0;
    const bool fits = write.version == budget.version && write.budget.uid == budget.uid;
    writes_.push_back({now_, budget.name, !fails && fits});
    if (fails) return tell(replica, control::Failed{id, error_});
    if (!fits) {
      return tell(replica, control::Failed{id, {.code = Code::Conflict, .message = "changed"}});
    }
    budget.status = write.status;
    budget.recent = write.ledger;
    budget.version = std::to_string(++version_);
    const rescheduler::BudgetSeen seen{budget};
    tell(replica, rescheduler::Done{.effect = id, .lease = {}});
    if (is_held_) {
      held_back_.emplace_back(seen);
    } else {
      tell_all(seen);
    }
  }

  struct Late {
    Time at{0};
    Replica* replica = nullptr;
    control::EffectId effect = 0;
  };

  std::vector<Replica> replicas_{};
  std::deque<Late> late_{};
  std::deque<std::pair<Replica*, Seen>> told_{};
  bool is_telling_ = false;
  Time now_{0};
  std::uint64_t version_ = 0;
  std::map<std::string, policy::Pod> pods_{};
  std::map<std::string, policy::DisruptionBudget> budgets_{};
  std::vector<policy::PodDisruptionBudget> pod_budgets_{};
  std::vector<rescheduler::ReplicaSetOwner> owners_{};
  std::optional<rescheduler::ConfigText> settings_{};
  std::optional<rescheduler::ConfigText> rests_{};
  std::vector<std::string> steps_{};
  std::vector<control::EmitEvent> events_{};
  std::optional<api::Lease> lease_{};
  std::map<std::string, policy::Node> nodes_{};
  std::vector<rescheduler::DropAvoided> drops_{};
  std::vector<rescheduler::ReportOdd> reports_{};
  std::optional<Error> drop_error_{};
  int failures_ = 0;
  Error error_{};
  bool is_held_ = false;
  std::vector<Seen> held_back_{};
  std::vector<Write> writes_{};
  std::map<std::uint64_t, std::optional<api::ReviewAnswer>> answers_{};
  std::uint64_t last_review_ = 0;
};

}  // namespace elbowroom::test
