#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "api/codec/decode_budget.h"
#include "api/codec/decode_pod.h"
#include "api/write/debit.h"
#include "lab/virtual/fault_text.h"
#include "policy/ledger/ledger.h"
#include "policy/preemption/budget_coverage.h"
#include "test/simulation/moves/move_facts.h"
#include "test/simulation/moves/move_history.h"
#include "test/simulation/moves/move_invariants.h"
#include "test/simulation/moves/move_objects.h"
#include "test/simulation/moves/virtual_rescheduler.h"

namespace elbowroom::test {
namespace {

using lab::Json;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using Kind = MoveHistoryStep::Kind;
using Span = lab::Simulation::Span;

constexpr seconds kBoundAfter{3};  // so often the foreign scheduler looks for pods
constexpr seconds kCalm{245};      // after the last fault: another one leads, and cleans up
constexpr std::size_t kMostPasses = 25;
constexpr hours kDay{24};

class MovePlayer {
 public:
  MovePlayer(const MoveHistory& history, bool with_log)
      : history_(history),
        with_log_(with_log),
        simulation_({.seed = history.seed,
                     .world = {.history = 2048},
                     .latency = lab::Latency::None,
                     .controllers = true},
                    {.world_changed = [this] { invariants_.world_changed(); }}),
        invariants_(simulation_, history, outcome_.did) {}

  MoveOutcome play() {
    for (const MoveHistoryStep& step : history_.steps) {
      last_ = std::max<Span>(last_, step.at);
      simulation_.at(step.at, [this, &step] { apply(step); });
    }
    simulation_.start_scheduler("scheduler",
                                {.leader_elect = false, .places_for = {kOurScheduler}});
    start(kFirstRescheduler);
    if (!history_.is_quiet) start(kSecondRescheduler);
    if (!history_.is_quiet) look_for_foreign();
    history_.is_quiet ? come_to_rest() : play_all();
    if (with_log_) {
      note_pods();
      note_reschedulers();
    }
    outcome_.broken = invariants_.broken();
    outcome_.lasted = std::chrono::floor<seconds>(simulation_.elapsed());
    return std::move(outcome_);
  }

 private:
  // The place of a rescheduler, running or not.
  struct Seat {
    VirtualRescheduler* runs = nullptr;  // owned by the simulation
    std::chrono::microseconds wall_off{0};
    std::uint64_t starts = 0;
    lab::StopOptions how{};
    Span down{0};
    bool is_down = false;
  };

  // ---- time ----

  void run(Span until) {
    while (invariants_.broken().empty()) {
      const auto next = simulation_.next_due();
      if (!next || *next > until) return;
      simulation_.step();
      end_those_that_are_over();
    }
  }

  void play_all() {
    run(last_);
    if (!invariants_.broken().empty()) return;
    for (auto& [name, seat] : seats_) seat.runs->disarm();
    run(simulation_.elapsed() + kCalm);
    if (invariants_.broken().empty()) invariants_.check_at_end();
  }

  // Nothing is moved for longer than anything makes a move wait.
  void come_to_rest() {
    const bool is_limited = history_.wishes.per_hour < 60 || history_.wishes.per_node_per_hour < 60;
    const Span quiet = is_limited ? minutes(70) : minutes(25);
    const bool has_both = history_.wishes.by_load && history_.wishes.by_preference;
    Span until = last_ + quiet;
    while (invariants_.broken().empty() && simulation_.elapsed() < until) {
      run(until);
      if (!invariants_.broken().empty()) break;
      simulation_.run_until(until);
      until = std::max(last_, invariants_.last_move().value_or(Span(0))) + quiet;
      if (has_both && until > kDay + quiet) return broken("it does not come to rest in a day");
    }
    if (!invariants_.broken().empty()) return;
    if (!has_both && invariants_.passes() > kMostPasses) {
      broken("it comes to rest only after " + std::to_string(invariants_.passes()) + " passes");
    }
    invariants_.check_at_end();
  }

  void broken(const std::string& what) { invariants_.fail(what); }

  // ---- reschedulers ----

  [[nodiscard]] VirtualReschedulerReports reports(const std::string& identity) {
    return {.observed =
                [this, identity](const rescheduler::Observation& seen) {
                  ++outcome_.observations;
                  if (with_log_) note_seen(identity, seen);
                  invariants_.observed(identity, seen);
                },
            .decided =
                [this, identity](const rescheduler::Effect& effect) {
                  if (with_log_) note_effect(identity, effect);
                  invariants_.decided(identity, effect);
                },
            .asked =
                [this, identity](const api::Request& request) {
                  const bool is_news =
                      request.method != api::Method::Get && !request.path.contains("/leases");
                  if (with_log_ && is_news) {
                    note(identity + " asks " + std::string(api::to_string(request.method)) + " " +
                         request.path + " " + request.body);
                  }
                  invariants_.asked(identity, request);
                },
            .fault =
                [this, identity](const lab::ApiFault& fault) {
                  met(lab::to_string(fault), false);
                  if (with_log_) note(identity + " meets " + lab::to_string(fault));
                }};
  }

  void met(const std::string& fault, bool lags) {
    ++outcome_.faults[fault];
    invariants_.disturbed(lags);
  }

  void start(const std::string& name) {
    Seat& seat = seats_[name];
    seat.is_down = false;
    const std::string identity = name + "-" + std::to_string(++seat.starts);
    rescheduler::ReactorOptions options{.leader_elect = !history_.is_quiet};
    options.elector.identity = identity;
    auto made = std::make_unique<VirtualRescheduler>(
        simulation_, seat.wall_off, options, reports(identity), history_.seed * 31 + seat.starts);
    seat.runs = made.get();
    simulation_.start_program(name, std::move(made));
    if (with_log_) note(identity + " begins");
  }

  void end_those_that_are_over() {
    for (auto& [name, seat] : seats_) {
      const bool is_over = seat.runs->has_crashed() || seat.runs->is_over();
      if (!is_over || std::exchange(seat.is_down, true)) continue;
      if (seat.runs->has_crashed()) met("Crash", false);
      invariants_.ended(seat.runs->identity());
      seat.runs->abandon(seat.how.writes_arrive);
      simulation_.at(simulation_.elapsed() + seat.down, [this, who = name] { start(who); });
    }
  }

  void of_rescheduler(const MoveHistoryStep& step) {
    Seat& seat = seats_[step.name];
    switch (step.kind) {
      case Kind::Api:
        return seat.runs->arm(step.api);
      case Kind::Partition:
        met("Partition", true);
        for (int watch = 0; watch < 12; ++watch) {
          seat.runs->arm({.kind = lab::ApiFault::Kind::WatchSilent});
        }
        return seat.runs->arm({.kind = lab::ApiFault::Kind::Hang, .lasts = seconds(step.a)});
      case Kind::Crash:
        seat.how = step.how;
        seat.down = step.down;
        return seat.runs->crash_at(step.crash);
      case Kind::End:
        met("End", false);
        seat.how = {};
        seat.down = step.down;
        return seat.runs->ask_to_stop();
      default:
        met("Jump", false);
        seat.wall_off += seconds(step.a);
    }
  }

  // ---- for people ----

  void note(std::string what) {
    const auto at = std::chrono::floor<std::chrono::milliseconds>(simulation_.elapsed());
    outcome_.log.push_back(std::to_string(at.count()) + "ms " + std::move(what));
  }

  void note_seen(const std::string& who, const rescheduler::Observation& seen) {
    const auto* failed = std::get_if<control::Failed>(&seen.what);
    if (failed != nullptr) note(who + " is refused: " + failed->error.message);
  }

  // The pods at the end.
  void note_pods() {
    for (const Json* each : world().all_stored_objects(pod_kind())) {
      const Amounts asks = requests_of(*each);
      note("pod " + name_of(*each) + " on " + node_of(*each) + ", " + std::to_string(asks.cpu) +
           "m " + std::to_string(asks.memory) + "Mi" + (is_leaving(*each) ? ", leaves" : "") +
           (is_ready(*each) ? "" : ", not Ready"));
    }
  }

  void note_reschedulers() {
    for (const auto& [name, seat] : seats_) {
      if (seat.is_down) continue;
      const std::string idle = seat.runs->reactor().idle_because();
      note(seat.runs->identity() + (idle.empty() ? " acts" : " is idle: " + idle));
    }
  }

  void note_effect(const std::string& who, const rescheduler::Effect& effect) {
    const auto* event = std::get_if<control::EmitEvent>(&effect.what);
    if (event != nullptr) note(who + " tells " + event->regarding.name + ": " + event->note);
  }

  // ---- the cluster ----

  lab::World& world() { return simulation_.world(); }

  // What users may not do is refused, and nothing happens.
  void merge(const lab::Target& target, const Json& patch) {
    (void)world().patch(target, lab::PatchType::Merge, patch);
  }

  void apply(const MoveHistoryStep& step) {
    if (with_log_) note("-- " + to_text(step));
    switch (step.kind) {
      case Kind::Node:
        simulation_.add_node(step.name);
        (void)world().load(moved_node_object(step));
        return;
      case Kind::Workload:
        (void)world().create(workload_kind(step.text), "default", workload_object(step));
        return;
      case Kind::BarePod:
        (void)world().create(pod_kind(), "default", bare_pod_object(step));
        return;
      case Kind::PodBudget:
        return put_spec(*lab::find_kind("policy", "v1", "poddisruptionbudgets"),
                        pod_budget_object(step));
      case Kind::OwnBudget:
        return put_spec(own_budget_kind(), disruption_budget_object(step));
      case Kind::Settings:
        return settings(step);
      case Kind::LoseRests:
        return lose_rests(step);
      default:
        return apply_change(step);
    }
  }

  void put_spec(const lab::Kind& kind, Json object) {
    const std::string name = name_of(object);
    if (world().peek(kind, "default", name) == nullptr) {
      (void)world().create(kind, "default", std::move(object));
    } else {
      merge({.kind = &kind, .ns = "default", .name = name}, {{"spec", object.at("spec")}});
    }
  }

  void apply_change(const MoveHistoryStep& step) {
    switch (step.kind) {
      case Kind::Scale:
        return merge(owner_of(step.name), {{"spec", {{"replicas", step.a}}}});
      case Kind::Rollout:
        return merge(
            owner_of(step.name),
            {{"spec",
              {{"template",
                {{"metadata", {{"annotations", {{"turn", std::to_string(step.at.count())}}}}}}}}}});
      case Kind::DeletePod:
        return delete_pod(step);
      case Kind::Cordon:
        return merge({.kind = &node_kind(), .name = step.name},
                     {{"spec", {{"unschedulable", step.a == 1 ? Json(true) : Json()}}}});
      case Kind::Ready:
        return merge(
            {.kind = &node_kind(), .name = step.name, .subresource = lab::Subresource::Status},
            {{"status", {{"conditions", ready_condition(step.a != 0)}}}});
      case Kind::Rezone:
        return merge({.kind = &node_kind(), .name = step.name},
                     {{"metadata", {{"labels", {{"zone", step.text}}}}}});
      case Kind::Drain:
        return drain(step);
      default:
        return of_rescheduler(step);
    }
  }

  [[nodiscard]] lab::Target owner_of(const std::string& name) {
    for (const char* kind : {"StatefulSet", "Deployment"}) {
      if (world().peek(workload_kind(kind), "default", name) == nullptr) continue;
      return {.kind = &workload_kind(kind), .ns = "default", .name = name};
    }
    return {.kind = &workload_kind("Deployment"), .ns = "default", .name = name};
  }

  // Its name; "": there are fewer.
  [[nodiscard]] std::string pod_of(const std::string& app, std::int64_t number) {
    for (const Json* each : world().all_stored_objects(pod_kind())) {
      const bool is_one = lab::text_at(*each, {"metadata", "labels", "app"}) == app;
      if (is_one && !is_leaving(*each) && number-- == 0) return name_of(*each);
    }
    return "";
  }

  void delete_pod(const MoveHistoryStep& step) {
    const std::string pod = pod_of(step.name, step.a);
    lab::DeleteOptions how;
    if (step.b == 1) how.grace_seconds = 0;
    (void)world().remove({.kind = &pod_kind(), .ns = "default", .name = pod}, how);
  }

  void settings(const MoveHistoryStep& step) {
    invariants_.configured(step.a != 1);
    if (step.a == 1) {
      (void)world().remove(
          {.kind = &config_kind(), .ns = "kube-system", .name = "elbowroom-rescheduler"}, {});
      return;
    }
    const std::string text = step.a == 0 ? to_config(history_.wishes) : "interval: never\n";
    (void)world().load(config_map("elbowroom-rescheduler", "config.yaml", text));
  }

  void lose_rests(const MoveHistoryStep& step) {
    const std::string name = "elbowroom-rescheduler-rests";
    if (world().peek(config_kind(), "kube-system", name) == nullptr) return;
    invariants_.rests_lost();
    if (step.a == 1) {
      (void)world().load(config_map(name, "rests.json", "{\"owners\": 7}"));
    } else {
      (void)world().remove({.kind = &config_kind(), .ns = "kube-system", .name = name}, {});
    }
  }

  // ---- another program that evicts ----

  // As `elbowroom evict` does, without its waiting.
  void drain(const MoveHistoryStep& step) {
    const std::string name = pod_of(step.name, step.a);
    const Json* object = world().peek(pod_kind(), "default", name);
    if (object == nullptr) return;
    const auto victim = api::decode_pod(lab::to_value(*object));
    if (!victim || !debited(*victim)) return;
    ++outcome_.did["debit by another"];
    simulation_.at(simulation_.elapsed() + step.down, [this, name, uid = victim->uid] {
      const Json* now = world().peek(pod_kind(), "default", name);
      if (now == nullptr || uid_of(*now) != uid || is_leaving(*now)) return;
      const Json asked = {{"apiVersion", "policy/v1"},
                          {"kind", "Eviction"},
                          {"metadata", {{"name", name}, {"namespace", "default"}}}};
      if (!world().evict("default", name, asked, true)) return;
      invariants_.evicted_by_other(uid);
      ++outcome_.did["eviction by another"];
      (void)world().evict("default", name, asked);
    });
  }

  // What was entered before one refuses is refunded by others.
  bool debited(const policy::Pod& victim) {
    std::vector<policy::Pod> all;
    for (const Json* each : world().all_stored_objects(pod_kind())) {
      if (auto pod = api::decode_pod(lab::to_value(*each))) all.push_back(*std::move(pod));
    }
    const auto now = std::chrono::floor<seconds>(world().time());
    std::vector<policy::DisruptionBudget> budgets;
    for (const Json* each : world().all_stored_objects(own_budget_kind())) {
      if (auto budget = api::decode_disruption_budget(lab::to_value(*each))) {
        budgets.push_back(*std::move(budget));
      }
    }
    for (const policy::DisruptionBudget& each : budgets) {
      if (!policy::is_covered(each, victim)) continue;
      const policy::Debit made =
          policy::debit(policy::ledger_state(each, all, now), {&victim, 1}, "elbowroom");
      if (!made.is_allowed) return false;
      const auto request = api::debit_request({.ns = each.ns, .name = each.name, .uid = each.uid},
                                              each.version, made.ledger);
      (void)world().patch({.kind = &own_budget_kind(),
                           .ns = "default",
                           .name = each.name,
                           .subresource = lab::Subresource::Status},
                          lab::PatchType::Merge, Json::parse(request->body));
    }
    return true;
  }

  // ---- another scheduler ----

  // One pod at a time.
  void look_for_foreign() {
    simulation_.at(simulation_.elapsed() + kBoundAfter, [this] {
      place_foreign();
      look_for_foreign();
    });
  }

  void place_foreign() {
    for (const Json* each : world().all_stored_objects(pod_kind())) {
      const bool waits = node_of(*each).empty() && !is_leaving(*each) && !has_ended(*each) &&
                         lab::text_at(*each, {"spec", "schedulerName"}) == kForeignScheduler;
      if (waits) return place(*each);
    }
  }

  void place(const Json& pod) {
    for (const Json* each : world().all_stored_objects(node_kind())) {
      if (!has_place_for(world(), *each, pod)) continue;
      const Json binding = {{"apiVersion", "v1"},
                            {"kind", "Binding"},
                            {"metadata", {{"name", name_of(pod)}, {"namespace", "default"}}},
                            {"target", {{"kind", "Node"}, {"name", name_of(*each)}}}};
      ++outcome_.did["placed by another"];
      (void)world().bind("default", name_of(pod), binding);
      return;
    }
  }

  const MoveHistory& history_;
  const bool with_log_;
  MoveOutcome outcome_{};
  lab::Simulation simulation_;
  MoveInvariants invariants_;
  std::map<std::string, Seat> seats_{};
  Span last_{0};
};

}  // namespace

MoveOutcome play(const MoveHistory& history, bool with_log) {
  return MovePlayer(history, with_log).play();
}

}  // namespace elbowroom::test
