#include "test/simulation/cluster_history.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <utility>

#include "lab/virtual/fault_text.h"
#include "test/simulation/fault_steps.h"
#include "test/simulation/history.h"

namespace elbowroom::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = ClusterStep::Kind;

// its name exempts it from the wait for another scheduler's turn
constexpr const char* kGrows = "s-grows";

class Writer {
 public:
  Writer(std::uint64_t seed, bool full)
      : random_(seed * 0x9e3779b97f4a7c15ULL + 77), others_(seed * 0x9e3779b97f4a7c15ULL + 79) {
    history_.seed = seed;
    has_others_ = seed % 4 == 2;
    history_.full = full;
  }

  ClusterHistory write() {
    history_.cpu = 3000 + 500 * number(4);
    history_.memory = 4096 + 1024 * number(4);
    history_.critical_by_node = one_in(3);
    history_.upstream = one_in(8);
    const std::int64_t pods = 9 + number(4);
    for (std::int64_t i = 0; i < pods; ++i) arrive(milliseconds(0));
    for (int i = 0; i < 3; ++i) paper_pod(milliseconds(0));
    for (int i = 0; history_.full && i < 4; ++i) pend(milliseconds(0));
    if (has_others_ && draw(2) == 0) restarts_between_sets();
    milliseconds at = seconds(3);
    for (int i = 0; i < kSteps; ++i) {
      at += milliseconds(100 + number(one_in(6) ? 20'000 : 2'000));
      if (i % kStepsPerFault == 1) {
        faults_.add(at);
      } else {
        change(at);
      }
      if (has_others_ && draw(5) == 0) of_others(at);
    }
    std::ranges::stable_sort(history_.steps, {}, &ClusterStep::at);
    return std::move(history_);
  }

 private:
  static constexpr int kSteps = 48;
  static constexpr int kStepsPerFault = 5;

  std::int64_t number(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }
  bool one_in(std::int64_t n) { return number(n) == 0; }
  // A separate generator for later additions: histories keep their other steps without them.
  std::int64_t draw(std::int64_t below) {
    return static_cast<std::int64_t>(others_() % static_cast<std::uint64_t>(below));
  }

  ClusterStep& add(Kind kind, milliseconds at) {
    history_.steps.push_back({.kind = kind, .at = at});
    return history_.steps.back();
  }
  std::string any_pod() { return "p" + std::to_string(number(pods_)); }
  std::string any_node() { return faults_.any_node(); }

  void named(Kind kind, milliseconds at) {
    const std::string pod = any_pod();
    add(kind, at).pod = pod;
  }

  void arrive(milliseconds at) {
    const std::string node = any_node();
    ClusterStep& step = add(Kind::Arrive, at);
    step.pod = "p" + std::to_string(pods_++);
    step.node = node;
    step.a = 200 + 100 * number(10);
    step.b = 128 + 64 * number(14);
    step.c = any_priority();
  }

  std::int64_t any_priority() {
    constexpr std::array<std::int64_t, 8> kPriorities = {0,   0,   10,   10,
                                                         100, 100, 1000, 2'000'000'000};
    return kPriorities[static_cast<std::size_t>(number(kPriorities.size()))];
  }

  void paper_pod(milliseconds at) {
    ClusterStep& step = add(Kind::PaperPod, at);
    step.pod = "q" + std::to_string(number(5));
    step.a = 500 + 500 * number(4);
    step.b = one_in(2) ? step.a : step.a + 500 * number(5);
    step.c = any_priority();
  }

  void change(milliseconds at) {
    if (history_.full && !one_in(3)) return change_of_pending(at);
    const std::int64_t dice = number(100);
    if (dice < 44) return resize(at);
    if (dice < 51) return arrive(at);
    if (dice < 56) return named(Kind::Delete, at);
    if (dice < 59) return named(Kind::Exit, at);
    if (dice < 61) return named(Kind::Replace, at);
    if (dice < 66) return allocatable(at);
    if (dice < 70) return of_node(Kind::Policy, at);
    if (dice < 73) return of_node(Kind::Ready, at);
    if (dice < 79) return budget(at);
    if (dice < 82) return nominate(at);
    if (dice < 85) return named(Kind::Mark, at);
    if (dice < 87) return named(Kind::Unmark, at);
    if (dice < 89) return odd(at);
    if (dice < 95) return paper_pod(at);
    ClusterStep& step = add(dice < 98 ? Kind::PaperTwin : Kind::PaperGone, at);
    step.pod = "q" + std::to_string(number(5));
    step.a = 1 + number(20);
  }

  void change_of_pending(milliseconds at) {
    const std::int64_t dice = number(100);
    if (dice < 44) return pend(at);
    if (dice < 54) return of_pending(Kind::Ungate, at);
    if (dice < 60) return of_pending(Kind::Delete, at);
    if (dice < 68) return taint(at);
    if (dice < 76) return of_node(Kind::Cordon, at);
    if (dice < 80) return node_gone(at);
    if (dice < 88) return of_paper(Kind::TurnOut, at);
    if (dice < 94) return of_paper(Kind::Sweep, at);
    resize(at);
  }

  void pend(milliseconds at) {
    ClusterStep& step = add(Kind::Pend, at);
    step.pod = "u" + std::to_string(pending_++);
    step.a = 200 + 200 * number(9);
    step.b = 128 + 128 * number(8);
    step.c = any_priority();
  }

  void of_pending(Kind kind, milliseconds at) {
    const std::string pod = "u" + std::to_string(number(pending_));
    add(kind, at).pod = pod;
  }

  void of_paper(Kind kind, milliseconds at) {
    ClusterStep& step = add(kind, at);
    step.node = kPaperNode;
    step.a = number(2);
  }

  void taint(milliseconds at) {
    of_node(Kind::Taint, at);
    history_.steps.back().a = one_in(2) ? 0 : 1 + number(2);
  }

  void node_gone(milliseconds at) {
    of_node(Kind::NodeGone, at);
    history_.steps.back().a = 1 + number(30);
  }

  void resize(milliseconds at) {
    const std::string pod = any_pod();
    ClusterStep& step = add(Kind::Resize, at);
    step.pod = pod;
    step.a = one_in(16) ? history_.cpu + 100 : 100 + 100 * number(24);
    step.b = 128 + 64 * number(24);
  }

  void of_node(Kind kind, milliseconds at) {
    const std::string node = one_in(6) ? kPaperNode : any_node();
    ClusterStep& step = add(kind, at);
    step.node = node;
    step.a = number(2);
  }

  void allocatable(milliseconds at) {
    of_node(Kind::Allocatable, at);
    ClusterStep& step = history_.steps.back();
    const bool shrinks = one_in(2);
    step.a = shrinks ? history_.cpu * (50 + number(50)) / 100 : history_.cpu;
    step.b = shrinks ? history_.memory * (50 + number(50)) / 100 : history_.memory;
  }

  void budget(milliseconds at) {
    ClusterStep& step = add(Kind::Budget, at);
    step.pod = one_in(2) ? "one" : "two";
    step.a = one_in(5) ? -1 : number(3);
  }

  void nominate(milliseconds at) {
    const std::string node = any_node();
    ClusterStep& step = add(Kind::Nominate, at);
    step.pod = "w" + std::to_string(number(3));
    step.node = node;
    step.a = 100 + 200 * number(5);
    step.b = one_in(2) ? 1 : 0;  // 0: it is gone
    step.c = any_priority();
  }

  // A pod that keeps growing, and schedulers that both restart after each time room was made: the
  // next leader must know what happened before.
  void restarts_between_sets() {
    const auto arrives = [&](std::string name, std::int64_t cpu, std::int64_t priority) {
      ClusterStep& step = add(Kind::Arrive, milliseconds(0));
      step.pod = std::move(name);
      step.node = "n1";
      step.a = cpu;
      step.b = 64;
      step.c = priority;
    };
    const std::string grows = kGrows;
    // None of them is one that does not end in time.
    for (int i = 4; i < 18; ++i) arrives("s" + std::to_string(i), 100, 0);
    arrives(grows, 100, 1000);
    milliseconds at = seconds(5);
    for (int i = 0; i < 5; ++i) {
      ClusterStep& wants = add(Kind::Resize, at);
      wants.pod = grows;
      wants.a = history_.cpu * (20 + 10 * i) / 100;
      wants.b = 64;
      at += milliseconds(14'000 + draw(4'000));
      for (const char* who : {kFirstScheduler, kSecondScheduler}) {
        ClusterStep& ends = add(Kind::End, at);
        ends.who = who;
        ends.down = milliseconds(50 + draw(1'000));
      }
      at += milliseconds(3'000 + draw(4'000));
    }
  }

  // Objects of other writers.
  void of_others(milliseconds at) {
    constexpr std::array<const char*, 3> kNodes = {"n1", "n2", kPaperNode};
    const std::int64_t stays = draw(2) == 0 ? 0 : 1 + draw(60);
    const std::int64_t dice = draw(100);
    if (dice >= 65) {
      ClusterStep& step = add(Kind::ForeignDisables, at);
      step.pod = "p" + std::to_string(draw(pods_));
      step.b = stays;
      return;
    }
    const bool is_big = dice >= 55;
    ClusterStep& step = add(is_big ? Kind::BigPod : Kind::OddPod, at);
    step.pod = (is_big ? "big-" : "odd-") + std::to_string(strangers_++);
    step.node = kNodes[static_cast<std::size_t>(draw(3))];
    step.a = is_big ? 101 + draw(60) : draw(1000);
    step.b = stays;
    step.c = draw(2);
  }

  void odd(milliseconds at) {
    const std::string node = any_node();
    ClusterStep& step = add(Kind::ArriveOdd, at);
    step.pod = "odd" + std::to_string(pods_);
    step.node = node;
    step.a = 1 + number(20);
  }

  std::mt19937_64 random_;
  std::mt19937_64 others_;
  bool has_others_ = false;
  ClusterHistory history_;
  FaultSteps faults_{random_, history_.steps, true};
  std::int64_t pods_ = 0;
  std::int64_t strangers_ = 0;
  std::int64_t pending_ = 0;
};

constexpr std::array<std::string_view, 42> kNames = {"resize",
                                                     "arrive",
                                                     "arrive-odd",
                                                     "replace",
                                                     "delete",
                                                     "exit",
                                                     "policy",
                                                     "allocatable",
                                                     "ready",
                                                     "budget",
                                                     "nominate",
                                                     "mark",
                                                     "unmark",
                                                     "paper-pod",
                                                     "paper-twin",
                                                     "paper-gone",
                                                     "api-fault",
                                                     "partition",
                                                     "crash",
                                                     "end",
                                                     "jump",
                                                     "pend",
                                                     "ungate",
                                                     "taint",
                                                     "cordon",
                                                     "node-gone",
                                                     "turn-out",
                                                     "sweep",
                                                     "odd-pod",
                                                     "big-pod",
                                                     "foreign-disables",
                                                     "group",
                                                     "group-gone",
                                                     "group-replace",
                                                     "group-count",
                                                     "member",
                                                     "member-runs",
                                                     "serve",
                                                     "own-budget",
                                                     "evict",
                                                     "contend",
                                                     "keep"};

}  // namespace

ClusterHistory cluster_history_of(std::uint64_t seed) {
  return Writer(seed, seed % 3 == 0).write();
}

ClusterHistory resize_history_of(std::uint64_t seed) { return Writer(seed, false).write(); }

bool ClusterOutcome::counts() const {
  std::size_t met = 0;
  for (const auto& [name, times] : faults) met += times;
  return observations >= kLeastObservations && met >= kLeastFaults;
}

std::string to_text(const ClusterStep& step) {
  std::string text = std::to_string(step.at.count()) + "ms " +
                     std::string(kNames.at(static_cast<std::size_t>(step.kind)));
  for (const std::string& name : {step.pod, step.node, step.who, step.group}) {
    if (!name.empty()) text += " " + name;
  }
  if (step.kind == Kind::Api) {
    return text + " " + lab::to_string(step.api) +
           " of=" + std::to_string(static_cast<int>(step.api.of)) +
           " times=" + std::to_string(step.api.times) +
           " delay=" + std::to_string(step.api.delay.count()) +
           "ms lasts=" + std::to_string(step.api.lasts.count()) + "ms";
  }
  if (step.kind == Kind::Crash) {
    text += (step.crash.after ? " after" : " before") + std::string(" effect ") +
            std::to_string(step.crash.effect) +
            (step.how.writes_arrive ? "" : ", writes on their way are lost");
  }
  return text + " a=" + std::to_string(step.a) + " b=" + std::to_string(step.b) +
         " c=" + std::to_string(step.c) + " down=" + std::to_string(step.down.count()) + "ms";
}

std::string to_text(const ClusterHistory& history) {
  std::string text = "seed " + std::to_string(history.seed) + ", nodes of " +
                     std::to_string(history.cpu) + "m " + std::to_string(history.memory) + "Mi" +
                     (history.critical_by_node ? ", critical by node" : "") +
                     (history.upstream ? ", upstream's rules" : "") +
                     (history.full ? ", mode full" : "") + (history.groups ? ", pod groups" : "") +
                     (history.budgets ? ", disruption budgets" : "") + "\n";
  for (const ClusterStep& step : history.steps) text += "  " + to_text(step) + "\n";
  return text;
}

}  // namespace elbowroom::test
