#include "test/simulation/moves/move_history.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <utility>

#include "lab/virtual/fault_text.h"

namespace elbowroom::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = MoveHistoryStep::Kind;
using Trait = MoveHistoryStep::Trait;

constexpr seconds kNodesCome{30};

class MoveWriter {
 public:
  MoveWriter(std::uint64_t seed, bool is_quiet) : random_(seed * 0x9e3779b97f4a7c15ULL + 27) {
    history_.seed = seed;
    history_.is_quiet = is_quiet;
  }

  MoveHistory write() {
    wishes();
    nodes();
    workloads();
    budgets();
    add(Kind::Settings, milliseconds(0));
    if (!history_.is_quiet) changes();
    std::ranges::stable_sort(history_.steps, {}, &MoveHistoryStep::at);
    return std::move(history_);
  }

 private:
  std::int64_t number(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }
  bool one_in(std::int64_t n) { return number(n) == 0; }
  std::int64_t one_of(std::initializer_list<std::int64_t> all) {
    return *std::next(all.begin(), number(static_cast<std::int64_t>(all.size())));
  }

  MoveHistoryStep& add(Kind kind, milliseconds at) {
    history_.steps.push_back({.kind = kind, .at = at});
    return history_.steps.back();
  }

  void wishes() {
    MoveWishes& of = history_.wishes;
    const std::int64_t which = number(3);
    of.by_load = which != 1;
    of.by_preference = which != 0;
    of.threshold = one_of({10, 20, 30, 40});
    of.target = one_of({45, 50, 60, 70});
    of.moves_per_pass = one_of({1, 2, 5, 20});
    of.least_load = one_of({1, 1, 5, 20});
    of.least_preference = one_of({10, 30, 60});
    of.reserve = one_in(4) ? 1 : 0;
    of.per_hour = one_of({3, 10, 60, 600});
    of.per_node_per_hour = one_of({2, 10, 60});
    of.interval = seconds(history_.is_quiet ? one_of({60, 120, 300}) : one_of({10, 20, 30, 60}));
    of.cool_down = seconds(history_.is_quiet ? one_of({60, 120, 300}) : one_of({60, 60, 90}));
    of.avoid_for = seconds(one_of({60, 120, 600}));
    of.protects_local = !one_in(3);
  }

  // The first ones are there at once, and get all pods; the others come later.
  void nodes() {
    const std::int64_t first = 1 + number(2);
    const std::int64_t all = first + 1 + number(history_.is_quiet ? 5 : 3);
    for (std::int64_t i = 0; i < all; ++i) {
      MoveHistoryStep& step = add(Kind::Node, i < first ? seconds(0) : kNodesCome);
      step.name = "n" + std::to_string(++nodes_);
      step.a = 2000 + 1000 * number(3);
      step.b = 4096 + 2048 * number(3);
      step.text = i < first ? "a" : std::string(1, static_cast<char>('a' + number(3)));
      room_ += i < first ? step.a : 0;
      if (i < first) continue;
      if (one_in(6)) step.c = 1 + number(3);
      if (one_in(12)) step.a = step.b = 0;
    }
  }

  std::int64_t traits() {
    std::int64_t of = 0;
    const auto maybe = [&](Trait trait, std::int64_t n) {
      if (one_in(n)) of |= trait;
    };
    maybe(Trait::Prefers, history_.wishes.by_preference ? 2 : 6);
    maybe(Trait::Never, 12);
    maybe(Trait::Local, 8);
    maybe(Trait::Important, 4);
    maybe(Trait::Critical, 20);
    maybe(Trait::Tolerates, 4);
    maybe(Trait::Slow, 4);
    maybe(Trait::Tiered, 2);
    maybe(Trait::Pinned, 12);
    if (!history_.is_quiet) maybe(Trait::Foreign, 6);
    return of;
  }

  // As much as is to be requested of the first nodes.
  void workloads() {
    std::int64_t left = room_ * (50 + number(45)) / 100;
    while (left > 0) {
      const std::int64_t cpu = 100 * (1 + number(6));
      const std::int64_t count = std::clamp<std::int64_t>(left / cpu, 1, 1 + number(6));
      workload(cpu, count, milliseconds(0));
      left -= cpu * count;
    }
    if (one_in(6)) workload(2500, 1, milliseconds(0));  // one that may have to wait
  }

  void workload(std::int64_t cpu, std::int64_t count, milliseconds at) {
    const std::int64_t dice = number(20);
    const bool is_bare = dice == 19;
    MoveHistoryStep& step = add(is_bare ? Kind::BarePod : Kind::Workload, at);
    step.name = "w" + std::to_string(workloads_++);
    step.text = dice == 18 ? "DaemonSet" : dice > 11 ? "StatefulSet" : "Deployment";
    step.a = count;
    step.b = dice == 18 ? 50 : cpu;
    step.c = 64 * (1 + number(6));
    step.d = traits();
    if (is_bare && one_in(2)) step.d |= Trait::Grouped;
  }

  [[nodiscard]] std::string any_workload() { return "w" + std::to_string(number(workloads_)); }
  [[nodiscard]] std::string any_node() { return "n" + std::to_string(1 + number(nodes_)); }

  void budgets() {
    for (std::int64_t i = number(4); i > 0; --i) {
      MoveHistoryStep& step = add(one_in(3) ? Kind::PodBudget : Kind::OwnBudget, milliseconds(0));
      of_budget(step, one_in(3) ? "tier" : any_workload());
    }
  }

  void of_budget(MoveHistoryStep& step, const std::string& app) {
    step.name = (step.kind == Kind::PodBudget ? "pdb-" : "ours-") + app;
    step.text = app;
    step.a = number(3);
    step.b = one_in(3) ? 0 : 1 + number(2);
    step.c = one_in(2) ? 0 : 1;
    step.down = seconds(60 + 30 * number(8));
  }

  // ---- what others do, and faults ----

  void changes() {
    milliseconds at = kNodesCome;
    const std::int64_t steps = 14 + number(14);
    for (std::int64_t i = 0; i < steps; ++i) {
      at += milliseconds(500 + number(one_in(5) ? 90'000 : 25'000));
      if (one_in(3)) {
        fault(at);
      } else {
        change(at);
      }
    }
  }

  void change(milliseconds at) {
    const std::int64_t dice = number(100);
    if (dice < 12) return of_workload(Kind::Scale, at, 1 + number(7));
    if (dice < 18) return of_workload(Kind::Rollout, at, 0);
    if (dice < 32) return of_workload(Kind::DeletePod, at, number(4));
    if (dice < 42) return of_node(Kind::Cordon, at);
    if (dice < 50) return of_node(Kind::Ready, at);
    if (dice < 55) return rezone(at);
    if (dice < 72) return drain(at);
    if (dice < 77) return settings(at);
    if (dice < 82) {
      add(Kind::LoseRests, at).a = number(2);
      return;
    }
    if (dice < 90) {
      MoveHistoryStep& step = add(one_in(3) ? Kind::PodBudget : Kind::OwnBudget, at);
      return of_budget(step, any_workload());
    }
    workload(100 * (1 + number(6)), 1 + number(3), at);
  }

  void of_workload(Kind kind, milliseconds at, std::int64_t a) {
    MoveHistoryStep& step = add(kind, at);
    step.name = any_workload();
    step.a = a;
    step.b = number(2);
  }

  // It is put right some time later.
  void of_node(Kind kind, milliseconds at) {
    const std::string node = any_node();
    MoveHistoryStep& step = add(kind, at);
    step.name = node;
    step.a = kind == Kind::Cordon ? 1 : 0;
    MoveHistoryStep& then = add(kind, at + seconds(20 + number(120)));
    then.name = node;
    then.a = kind == Kind::Cordon ? 0 : 1;
  }

  void rezone(milliseconds at) {
    MoveHistoryStep& step = add(Kind::Rezone, at);
    step.name = any_node();
    step.text = std::string(1, static_cast<char>('a' + number(3)));
  }

  void drain(milliseconds at) {
    MoveHistoryStep& step = add(Kind::Drain, at);
    step.name = any_workload();
    step.a = number(4);
    step.down = milliseconds(number(2'000));
  }

  void settings(milliseconds at) {
    add(Kind::Settings, at).a = 1 + number(2);
    add(Kind::Settings, at + seconds(10 + number(60)));
  }

  [[nodiscard]] std::string anyone() { return one_in(2) ? kFirstRescheduler : kSecondRescheduler; }

  void fault(milliseconds at) {
    const std::int64_t dice = number(100);
    if (dice < 55) return api_fault(at);
    if (dice < 82) return crash(at);
    const std::string who = anyone();
    MoveHistoryStep& step = add(dice < 87   ? Kind::Partition
                                : dice < 95 ? Kind::End
                                            : Kind::Jump,
                                at);
    step.name = who;
    step.a =
        step.kind == Kind::Jump ? one_of({3600, -3600, 157'680'000, -157'680'000}) : 3 + number(40);
    step.down = milliseconds(50 + number(one_in(3) ? 40'000 : 1'000));
  }

  void crash(milliseconds at) {
    MoveHistoryStep& step = add(Kind::Crash, at);
    step.name = anyone();
    step.crash = {.effect = static_cast<std::size_t>(number(12)), .after = one_in(2)};
    step.how = {.writes_arrive = one_in(2)};
    step.down = milliseconds(50 + number(one_in(3) ? 40'000 : 2'000));
  }

  void api_fault(milliseconds at) {
    using Fault = lab::ApiFault::Kind;
    using Of = lab::ApiFault::Of;
    constexpr Fault kKinds[] = {
        Fault::Refused,   Fault::Hang,      Fault::Slow,        Fault::HalfReply,  Fault::LostReply,
        Fault::LostReply, Fault::WatchGone, Fault::WatchClosed, Fault::WatchStale, Fault::Duplicate,
        Fault::Reordered, Fault::Status,    Fault::Status,      Fault::Status,     Fault::Status};
    constexpr int kCodes[] = {401, 403, 404, 409, 422, 429, 500, 503, 504};
    lab::ApiFault fault{.kind = kKinds[number(std::size(kKinds))]};
    fault.of = one_in(4) ? Of::Any : one_in(5) ? Of::Reads : Of::Writes;
    fault.times = static_cast<int>(1 + number(4));
    fault.code = kCodes[number(std::size(kCodes))];
    if (fault.kind == Fault::Slow) fault.delay = milliseconds(500 + number(20'000));
    if (fault.kind == Fault::WatchStale) fault.delay = milliseconds(500 + number(12'000));
    MoveHistoryStep& step = add(Kind::Api, at);
    step.name = anyone();
    step.api = fault;
  }

  std::mt19937_64 random_;
  MoveHistory history_{};
  std::int64_t room_ = 0;  // of the first nodes, in millicores
  std::int64_t nodes_ = 0;
  std::int64_t workloads_ = 0;
};

constexpr std::array<std::string_view, 20> kNames = {
    "node",       "workload",   "bare-pod",  "pod-budget", "own-budget", "budget-gone", "scale",
    "rollout",    "delete-pod", "cordon",    "ready",      "rezone",     "drain",       "settings",
    "lose-rests", "api-fault",  "partition", "crash",      "end",        "jump"};

std::string seconds_text(seconds of) { return std::to_string(of.count()) + "s"; }

}  // namespace

std::string to_config(const MoveWishes& wishes) {
  const auto truth = [](bool is) { return std::string(is ? "true" : "false"); };
  const auto text = [](std::int64_t of) { return std::to_string(of); };
  return "apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\ninterval: " +
         seconds_text(wishes.interval) +
         "\npolicies:\n  underutilizedNode: {enabled: " + truth(wishes.by_load) +
         ", threshold: " + text(wishes.threshold) + ", target: " + text(wishes.target) +
         ", maxMovesPerPass: " + text(wishes.moves_per_pass) +
         ", minGain: " + text(wishes.least_load) +
         "}\n  affinityPreference: {enabled: " + truth(wishes.by_preference) +
         ", minGain: " + text(wishes.least_preference) +
         "}\nbudgetReserve: " + text(wishes.reserve) +
         "\ncoolDown: " + seconds_text(wishes.cool_down) +
         "\nmaxMovesPerHour: " + text(wishes.per_hour) +
         "\nmaxMovesPerNodePerHour: " + text(wishes.per_node_per_hour) +
         "\navoidFor: " + seconds_text(wishes.avoid_for) +
         "\nprotectLocalStorage: " + truth(wishes.protects_local) + "\n";
}

MoveHistory move_cluster_of(std::uint64_t seed) { return MoveWriter(seed, true).write(); }
MoveHistory move_history_of(std::uint64_t seed) { return MoveWriter(seed, false).write(); }

std::string to_text(const MoveHistoryStep& step) {
  std::string text = std::to_string(step.at.count()) + "ms " +
                     std::string(kNames.at(static_cast<std::size_t>(step.kind)));
  for (const std::string& name : {step.name, step.text}) {
    if (!name.empty()) text += " " + name;
  }
  if (step.kind == Kind::Api) {
    return text + " " + lab::to_string(step.api) +
           " of=" + std::to_string(static_cast<int>(step.api.of)) +
           " times=" + std::to_string(step.api.times) +
           " delay=" + std::to_string(step.api.delay.count()) + "ms";
  }
  if (step.kind == Kind::Crash) {
    text += (step.crash.after ? " after" : " before") + std::string(" effect ") +
            std::to_string(step.crash.effect) +
            (step.how.writes_arrive ? "" : ", writes on their way are lost");
  }
  return text + " a=" + std::to_string(step.a) + " b=" + std::to_string(step.b) +
         " c=" + std::to_string(step.c) + " d=" + std::to_string(step.d) +
         " down=" + std::to_string(step.down.count()) + "ms";
}

std::string to_text(const MoveHistory& history) {
  std::string text = "seed " + std::to_string(history.seed) +
                     (history.is_quiet ? ", quiet" : ", with faults") + "\n" +
                     to_config(history.wishes);
  for (const MoveHistoryStep& step : history.steps) text += "  " + to_text(step) + "\n";
  return text;
}

}  // namespace elbowroom::test
