#include "test/simulation/history.h"

#include <algorithm>
#include <cerrno>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "lab/virtual/fault_text.h"

namespace elbowroom::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Writer {
 public:
  explicit Writer(std::uint64_t seed)
      : random_(seed * 0x9e3779b97f4a7c15ULL + 1),
        others_(seed * 0x9e3779b97f4a7c15ULL + 3),
        memory_(seed * 0x9e3779b97f4a7c15ULL + 5),
        node_(seed * 0x9e3779b97f4a7c15ULL + 7) {
    history_.seed = seed;
    has_others_ = seed % 4 == 2;
    history_.cgroups_v2 = seed % 2 == 1;
    history_.frees_memory = seed % 3 == 0;
    history_.nodes = seed % 5 == 4 ? 2 : 1;
  }

  History write() {
    history_.authority = !one_in(6);
    history_.preempts = !one_in(3);
    history_.cpu = 3000 + 500 * number(4);
    history_.memory = 4096 + 1024 * number(4);
    const std::int64_t pods = (4 + number(3)) * static_cast<std::int64_t>(history_.nodes);
    for (std::int64_t i = 0; i < pods; ++i) arrive(milliseconds(0));
    if (has_others_ && history_.authority && history_.preempts) restarts_between_sets();
    milliseconds at = seconds(3);
    // Beside a kubelet each step shows less, and a fault waits longer until it takes effect: as
    // many faults would only follow one another.
    const int steps = history_.authority ? kSteps : 5 * kSteps / 2;
    const int steps_per_fault = history_.authority ? kStepsPerFault : 3 * kStepsPerFault;
    const bool misses_turn = history_.authority && history_.preempts && one_in(2);
    const std::int64_t misses_at = misses_turn ? 2 + number(21) : steps;
    for (int i = 0; i < steps; ++i) {
      if (i == misses_at) at = miss_turn(at);
      at += milliseconds(100 + number(one_in(5) ? 9'000 : 1'500));
      if (i % steps_per_fault == 1) {
        fault(at);
      } else {
        change(at);
      }
      if (has_others_ && draw(6) == 0) of_others(at);
      if (history_.authority && memory_() % 6 == 0) use_memory(at);
    }
    std::ranges::stable_sort(history_.steps, {}, &Step::at);
    return std::move(history_);
  }

 private:
  static constexpr int kSteps = 252;  // enough for all to count; nearly all do before the half
  static constexpr int kStepsPerFault = 7;

  std::int64_t number(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }
  bool one_in(std::int64_t n) { return number(n) == 0; }
  // A separate generator for later additions: histories keep their other steps without them.
  std::int64_t draw(std::int64_t below) {
    return static_cast<std::int64_t>(others_() % static_cast<std::uint64_t>(below));
  }

  Step& add(Step::Kind kind, milliseconds at) {
    history_.steps.push_back({.kind = kind, .at = at});
    if (history_.nodes > 1) history_.steps.back().node = node_() % history_.nodes;
    return history_.steps.back();
  }
  std::string any_pod() { return "p" + std::to_string(number(pods_)); }

  void arrive(milliseconds at) {
    Step& step = add(Step::Kind::Arrive, at);
    step.pod = "p" + std::to_string(pods_++);
    step.a = 100 + 50 * number(16);
    step.b = 128 + 64 * number(14);
    constexpr std::int64_t kPriorities[] = {0, 0, 10, 1000, 2'000'000'000};
    step.c = kPriorities[number(5)];
  }

  void change(milliseconds at) {
    const std::int64_t dice = number(100);
    // Beside a kubelet the pods stay: only conditions change.
    if (!history_.authority && (dice < 69 || dice >= 90)) return by_kubelet(at);
    if (dice < 52) return resize(at);
    if (dice < 60) return arrive(at);
    if (dice < 66) return named(Step::Kind::Delete, at);
    if (dice < 69) return named(Step::Kind::Exit, at);
    if (dice < 76) return allocatable(at);
    if (dice < 82) {
      add(Step::Kind::Policy, at).a = number(2);
      return;
    }
    if (dice < 85) {
      add(Step::Kind::Ready, at).a = number(2);
      return;
    }
    if (dice < 87) {
      Step& step = add(Step::Kind::ArriveOdd, at);
      step.pod = "odd" + std::to_string(pods_);
      step.a = 1 + number(20);
      return;
    }
    if (dice < 88) {
      add(Step::Kind::TakeAnnotation, at);
      return;
    }
    if (dice < 90) {
      named(Step::Kind::UseMemory, at);
      history_.steps.back().b = 32 + 32 * number(8);
      return;
    }
    if (dice < 91 && !took_condition_) return take_condition(at);
    resize(at);
  }

  // The kubelet defers, or reverts that; users and other writers go on beside it.
  void by_kubelet(milliseconds at) {
    const std::int64_t dice = number(100);
    if (dice < 20) return resize(at);  // another generation, which the kubelet has not seen
    if (dice < 26) {
      add(Step::Kind::AnnotatesPolicy, at).a = number(2);
      return;
    }
    if (dice < 32) return named(Step::Kind::TakeDisabled, at);
    if (dice < 38) {
      named(Step::Kind::ForeignDisables, at);
      history_.steps.back().b = number(2) == 0 ? 0 : 1 + number(60);
      return;
    }
    const std::string pod = any_pod();
    const bool defers = deferred_.insert(pod).second;
    if (!defers) deferred_.erase(pod);
    Step& step = add(defers ? Step::Kind::KubeletDefers : Step::Kind::KubeletAdmits, at);
    step.pod = pod;
    step.a = number(2);
  }

  // A critical pod waits until the node's time to make room for it is over: until then no pod may
  // be removed, and afterwards any pod.
  milliseconds miss_turn(milliseconds at) {
    add(Step::Kind::Policy, at).a = 1;
    Step& comes = add(Step::Kind::Arrive, at + milliseconds(200));
    comes.pod = "p" + std::to_string(pods_++);
    comes.a = 100;
    comes.b = 128;
    comes.c = 2'000'000'000;
    const std::string pod = comes.pod;
    Step& wants = add(Step::Kind::Resize, at + milliseconds(1'700));
    wants.pod = pod;
    wants.a = history_.cpu * 55 / 100;
    wants.b = 128;
    at += milliseconds(24'000 + number(10'000));
    add(Step::Kind::Policy, at).a = 0;
    return at;
  }

  void take_condition(milliseconds at) {
    took_condition_ = true;
    named(Step::Kind::TakeCondition, at);
  }

  void named(Step::Kind kind, milliseconds at) {
    const std::string pod = any_pod();
    add(kind, at).pod = pod;
  }

  // A critical pod that grows again and again, and an agent that is lost after each time that it
  // made room: it has to know what it removed before.
  void restarts_between_sets() {
    const auto arrives = [&](std::string name, std::int64_t cpu, std::int64_t priority) {
      Step& step = add(Step::Kind::Arrive, milliseconds(0));
      step.pod = std::move(name);
      step.a = cpu;
      step.b = 64;
      step.c = priority;
    };
    const std::string grows = "s-critical";
    for (int i = 0; i < 14; ++i) arrives("s" + std::to_string(i), 100, 0);
    arrives(grows, 100, 2'000'000'000);
    milliseconds at = seconds(5);
    for (int i = 0; i < 5; ++i) {
      Step& wants = add(Step::Kind::Resize, at);
      wants.pod = grows;
      wants.a = history_.cpu * (30 + 15 * i) / 100;
      wants.b = 64;
      // Who goes is shown late.
      if (draw(2) == 0) {
        Step& late = add(Step::Kind::Api, at + milliseconds(draw(100)));
        late.node = node_of(grows, history_.nodes);
        late.api = {.kind = lab::ApiFault::Kind::WatchStale,
                    .delay = milliseconds(500 + draw(1000))};
      }
      at += milliseconds(1000 + draw(5000));
      Step& step = add(Step::Kind::Crash, at);
      step.node = node_of(grows, history_.nodes);
      step.crash = {.effect = static_cast<std::size_t>(draw(2)), .after = draw(2) == 0};
      step.how.writes_arrive = draw(2) == 0;
      step.down = milliseconds(50 + draw(1000));
      at += milliseconds(1000 + draw(5000));
    }
  }

  // Objects and writers that are not ours.
  void of_others(milliseconds at) {
    const std::int64_t stays = draw(2) == 0 ? 0 : 1 + draw(60);
    const std::int64_t dice = draw(100);
    if (dice < 50) {
      Step& step = add(Step::Kind::OddPod, at);
      step.pod = "odd-" + std::to_string(strangers_++);
      step.a = draw(1000);
      step.b = stays;
      step.c = draw(2);
    } else if (dice < 60) {
      Step& step = add(Step::Kind::BigPod, at);
      step.pod = "big-" + std::to_string(strangers_++);
      step.a = 101 + draw(60);
      step.b = stays;
      step.c = draw(2);
    } else if (dice < 85) {
      Step& step = add(Step::Kind::ForeignDisables, at);
      step.pod = "p" + std::to_string(draw(pods_));
      step.b = stays;
    } else {
      Step& step = add(Step::Kind::TakeSeveral, at);
      step.a = 1 + draw(6);
      step.c = 5 + draw(40);
    }
  }

  // Up to what its limits allow.
  void use_memory(milliseconds at) {
    Step& step = add(Step::Kind::UseMemory, at);
    step.pod = "p" + std::to_string(memory_() % static_cast<std::uint64_t>(pods_));
    step.b = 32 + 32 * static_cast<std::int64_t>(memory_() % 48);
  }

  void resize(milliseconds at) {
    const std::string pod = any_pod();
    Step& step = add(Step::Kind::Resize, at);
    step.pod = pod;
    step.a = one_in(12) ? history_.cpu + 100 : 100 + 50 * number(30);
    step.b = 128 + 64 * number(24);
  }

  void allocatable(milliseconds at) {
    Step& step = add(Step::Kind::Allocatable, at);
    const bool shrinks = one_in(2);
    step.a = shrinks ? history_.cpu * (50 + number(50)) / 100 : history_.cpu;
    step.b = shrinks ? history_.memory * (50 + number(50)) / 100 : history_.memory;
  }

  void fault(milliseconds at) {
    const std::int64_t dice = number(100);
    if (!history_.authority) return one_in(5) ? crash(at) : api_fault(at);
    if (dice < 50) return api_fault(at);
    if (dice < 64) return runtime_fault(at);
    if (dice < 76) return disk_fault(at);
    if (dice < 88) return crash(at);
    if (dice < 93) return rewrite_checkpoint(at);
    Step& step = add(Step::Kind::Jump, at);
    constexpr std::int64_t kJumps[] = {3600, -3600, 86'400 * 365 * 5, -86'400 * 365 * 5};
    step.a = kJumps[number(4)];
  }

  void api_fault(milliseconds at) {
    using Kind = lab::ApiFault::Kind;
    using Of = lab::ApiFault::Of;
    constexpr Kind kKinds[] = {Kind::Refused,        Kind::Hang,       Kind::Slow,
                               Kind::HalfReply,      Kind::LostReply,  Kind::WatchSilent,
                               Kind::WatchClosed,    Kind::WatchStale, Kind::WatchGone,
                               Kind::WatchGoneEvent, Kind::Duplicate,  Kind::Reordered,
                               Kind::Status,         Kind::Status,     Kind::Status,
                               Kind::Status,         Kind::Status,     Kind::Status};
    lab::ApiFault fault{.kind = kKinds[number(std::size(kKinds))]};
    fault.of = one_in(4) ? Of::Any : one_in(4) ? Of::Reads : Of::Writes;
    fault.times = static_cast<int>(1 + number(4));
    constexpr int kCodes[] = {401, 403, 404, 409, 422, 429, 429, 500, 503, 504};
    fault.code = kCodes[number(std::size(kCodes))];
    if (fault.code == 429 && one_in(2)) fault.retry_after = seconds(1 + number(20));
    if (fault.kind == Kind::Slow) fault.delay = milliseconds(500 + number(20'000));
    if (fault.kind == Kind::WatchStale) fault.delay = milliseconds(500 + number(30'000));
    if (fault.kind == Kind::WatchClosed && one_in(2)) fault.delay = milliseconds(1);
    if (one_in(12) && !is_about_watches(fault.kind)) {
      fault.lasts = seconds(5 + number(60));  // an outage
      fault.of = Of::Any;
    }
    add(Step::Kind::Api, at).api = fault;
    // What happens before the next list is in no watch, so that only the list shows it.
    const bool lists_anew = fault.kind == Kind::WatchGone || fault.kind == Kind::WatchGoneEvent;
    if (lists_anew && one_in(2)) {
      add(Step::Kind::Api, at).api = {
          .kind = Kind::Refused, .of = Of::Lists, .times = static_cast<int>(2 + number(4))};
    }
  }

  void runtime_fault(milliseconds at) {
    using Kind = lab::RuntimeFault::Kind;
    constexpr Kind kKinds[] = {Kind::Hang, Kind::Late, Kind::AppliedButError, Kind::NotApplied,
                               Kind::Restart};
    const Kind kind = kKinds[number(std::size(kKinds))];
    add(Step::Kind::Runtime, at).runtime = {kind, milliseconds(500 + number(15'000))};
  }

  void disk_fault(milliseconds at) {
    constexpr lab::DiskFault kFaults[] = {{lab::DiskCall::Write, ENOSPC},
                                          {lab::DiskCall::Write, EIO},
                                          {lab::DiskCall::Fsync, EIO},
                                          {lab::DiskCall::Rename, EIO},
                                          {lab::DiskCall::Open, ENOSPC}};
    lab::DiskFault fault = kFaults[number(std::size(kFaults))];
    fault.times = static_cast<int>(1 + number(3));
    add(Step::Kind::Disk, at).disk = fault;
  }

  void crash(milliseconds at) {
    Step& step = add(Step::Kind::Crash, at);
    step.crash = {.effect = static_cast<std::size_t>(number(12)), .after = one_in(2)};
    step.how = {.writes_arrive = one_in(2), .power_cut = one_in(3)};
    step.down = milliseconds(50 + number(one_in(4) ? 40'000 : 2'000));
  }

  void rewrite_checkpoint(milliseconds at) {
    Step& step = add(one_in(2) ? Step::Kind::Torn : Step::Kind::Older, at);
    step.a = step.kind == Step::Kind::Torn ? number(100) : 1 + number(5);
    step.down = milliseconds(50 + number(2'000));
    step.how.writes_arrive = one_in(2);
  }

  std::mt19937_64 random_;
  std::mt19937_64 others_;
  std::mt19937_64 memory_;
  std::mt19937_64 node_;
  bool has_others_ = false;
  History history_;
  std::int64_t pods_ = 0;
  std::int64_t strangers_ = 0;
  bool took_condition_ = false;
  std::set<std::string> deferred_{};  // by the kubelet
};

std::string_view name_of(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::Resize:
      return "resize";
    case Step::Kind::Policy:
      return "policy";
    case Step::Kind::Arrive:
      return "arrive";
    case Step::Kind::ArriveOdd:
      return "arrive-odd";
    case Step::Kind::Delete:
      return "delete";
    case Step::Kind::Exit:
      return "exit";
    case Step::Kind::Allocatable:
      return "allocatable";
    case Step::Kind::Ready:
      return "ready";
    case Step::Kind::TakeAnnotation:
      return "take-annotation";
    case Step::Kind::TakeCondition:
      return "take-condition";
    case Step::Kind::KubeletDefers:
      return "kubelet-defers";
    case Step::Kind::KubeletAdmits:
      return "kubelet-admits";
    case Step::Kind::UseMemory:
      return "use-memory";
    case Step::Kind::Api:
      return "api-fault";
    case Step::Kind::Runtime:
      return "runtime-fault";
    case Step::Kind::Disk:
      return "disk-fault";
    case Step::Kind::Crash:
      return "crash";
    case Step::Kind::Torn:
      return "torn-checkpoint";
    case Step::Kind::Older:
      return "older-checkpoint";
    case Step::Kind::Jump:
      return "clock-jump";
    case Step::Kind::OddPod:
      return "odd-pod";
    case Step::Kind::BigPod:
      return "big-pod";
    case Step::Kind::ForeignDisables:
      return "foreign-disables";
    case Step::Kind::AnnotatesPolicy:
      return "annotates-policy";
    case Step::Kind::TakeDisabled:
      return "take-disabled";
    case Step::Kind::TakeSeveral:
      return "take-several";
  }
  return "?";
}

std::string details_of(const Step& step) {
  switch (step.kind) {
    case Step::Kind::Api:
      return lab::to_string(step.api) + " of=" + std::to_string(static_cast<int>(step.api.of)) +
             " times=" + std::to_string(step.api.times) +
             " delay=" + std::to_string(step.api.delay.count()) +
             "ms lasts=" + std::to_string(step.api.lasts.count()) + "ms";
    case Step::Kind::Runtime:
      return lab::to_string(step.runtime) + " " + std::to_string(step.runtime.delay.count()) + "ms";
    case Step::Kind::Disk:
      return lab::to_string(step.disk) + " times=" + std::to_string(step.disk.times);
    case Step::Kind::Crash:
      return (step.crash.after ? "after" : "before") + std::string(" effect ") +
             std::to_string(step.crash.effect) + ", down " + std::to_string(step.down.count()) +
             "ms" + (step.how.power_cut ? ", power cut" : "") +
             (step.how.writes_arrive ? "" : ", writes on their way are lost");
    default:
      return step.pod + " a=" + std::to_string(step.a) + " b=" + std::to_string(step.b) +
             " c=" + std::to_string(step.c);
  }
}

}  // namespace

std::size_t node_of(const std::string& pod, std::size_t nodes) {
  std::size_t sum = 0;
  for (const char c : pod) sum += static_cast<unsigned char>(c);
  return sum % nodes;
}

History history_of(std::uint64_t seed) { return Writer(seed).write(); }

bool is_fault(const Step& step) {
  switch (step.kind) {
    case Step::Kind::Api:
    case Step::Kind::Runtime:
    case Step::Kind::Disk:
    case Step::Kind::Crash:
    case Step::Kind::Torn:
    case Step::Kind::Older:
    case Step::Kind::Jump:
      return true;
    default:
      return false;
  }
}

std::string to_text(const Step& step) {
  return std::to_string(step.at.count()) + "ms " + std::string(name_of(step.kind)) + " " +
         details_of(step) + (step.node == 0 ? "" : " node " + std::to_string(step.node));
}

std::string to_text(const History& history) {
  std::string text = "seed " + std::to_string(history.seed) + ", " +
                     (history.authority ? "authority" : "companion") +
                     (history.preempts ? ", preempts for critical pods" : "") + ", " +
                     std::to_string(history.nodes) + (history.nodes == 1 ? " node " : " nodes ") +
                     std::to_string(history.cpu) + "m " + std::to_string(history.memory) +
                     "Mi, cgroup " + (history.cgroups_v2 ? "v2" : "v1") +
                     (history.frees_memory ? ", frees memory" : "") + "\n";
  for (const Step& step : history.steps) text += "  " + to_text(step) + "\n";
  return text;
}

}  // namespace elbowroom::test
