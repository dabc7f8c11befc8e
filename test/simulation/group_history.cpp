// Histories with pod groups: few nodes, few pods, and groups that come late, change, go and come
// again under their names. Small, as many are played.
#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "test/simulation/cluster_history.h"
#include "test/simulation/fault_steps.h"

namespace elbowroom::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Kind = ClusterStep::Kind;

class GroupWriter {
 public:
  explicit GroupWriter(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15ULL + 83) {
    history_.seed = seed;
    history_.full = true;
    history_.groups = true;
  }

  ClusterHistory write() {
    history_.cpu = 1600 + 400 * number(4);
    history_.memory = 8192;
    history_.upstream = one_in(8);
    for (int i = 0; i < 3; ++i) group(milliseconds(0));
    const std::int64_t pods = 2 + number(4);
    for (std::int64_t i = 0; i < pods; ++i) arrive(milliseconds(0));
    for (int i = 0; i < 4; ++i) runs(milliseconds(0));
    if (one_in(2)) paper_pod(milliseconds(0));
    milliseconds at = seconds(2);
    for (int i = 0; i < kSteps; ++i) {
      at += milliseconds(100 + number(one_in(5) ? 15'000 : 1'500));
      if (i % kStepsPerFault == 1) {
        faults_.add(at);
      } else {
        change(at);
      }
    }
    std::ranges::stable_sort(history_.steps, {}, &ClusterStep::at);
    return std::move(history_);
  }

 private:
  static constexpr int kSteps = 30;
  static constexpr int kStepsPerFault = 5;
  static constexpr std::int64_t kNames = 4;  // of groups

  std::int64_t number(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }
  bool one_in(std::int64_t n) { return number(n) == 0; }
  ClusterStep& add(Kind kind, milliseconds at) {
    history_.steps.push_back({.kind = kind, .at = at});
    return history_.steps.back();
  }
  std::string any_node() { return one_in(4) ? std::string(kPaperNode) : faults_.any_node(); }
  std::string any_group() { return "g" + std::to_string(number(kNames)); }
  std::int64_t any_priority() {
    constexpr std::array<std::int64_t, 6> kPriorities = {0, 0, 10, 10, 100, 1000};
    return kPriorities[static_cast<std::size_t>(number(kPriorities.size()))];
  }

  void change(milliseconds at) {
    const std::int64_t dice = number(100);
    if (dice < 30) return gang(at);
    if (dice < 44) return member(at, any_group());
    if (dice < 50) return runs(at);
    if (dice < 54) return pend(at);
    if (dice < 58) return arrive(at);
    if (dice < 64) return of_group(at);
    if (dice < 74) return gone(at);
    if (dice < 78) return paper_pod(at);
    if (dice < 80) return serve(at);
    of_nodes(at);
  }

  // A group, and so many of its pods, in any order.
  void gang(milliseconds at) {
    const std::string name = any_group();
    const bool is_late = one_in(3);
    if (!is_late) group(at, name);
    const std::int64_t pods = 1 + number(4);
    for (std::int64_t i = 0; i < pods; ++i) member(at + milliseconds(number(400)), name);
    if (is_late) group(at + milliseconds(500 + number(20'000)), name);
  }

  void group(milliseconds at) { group(at, any_group()); }
  void group(milliseconds at, const std::string& name) { describe(add(Kind::Group, at), name); }
  void describe(ClusterStep& step, const std::string& name) {
    step.group = name;
    step.a = one_in(4) ? 0 : 1 + number(4);
    step.b = one_in(8) ? number(ClusterStep::kModes) : number(2);
    step.c = any_priority();
  }

  void of_group(milliseconds at) {
    const std::int64_t dice = number(6);
    const std::string name = any_group();
    if (dice < 2) return describe(add(Kind::GroupReplace, at), name);
    ClusterStep& step = add(dice < 4 ? Kind::GroupGone : Kind::GroupCount, at);
    step.group = name;
    step.a = 1 + number(4);
  }

  void describe(ClusterStep& step) {
    step.a = 200 + 200 * number(6);
    step.b = 128;
    step.c = any_priority();
  }

  void member(milliseconds at, const std::string& group) {
    ClusterStep& step = add(Kind::Member, at);
    step.pod = "m" + std::to_string(pods_++);
    step.group = group;
    if (one_in(25)) step.who = "default-scheduler";
    describe(step);
  }

  void runs(milliseconds at) {
    ClusterStep& step = add(Kind::MemberRuns, at);
    step.pod = "m" + std::to_string(pods_++);
    step.group = any_group();
    step.node = any_node();
    describe(step);
  }

  void arrive(milliseconds at) {
    ClusterStep& step = add(Kind::Arrive, at);
    step.pod = "p" + std::to_string(pods_++);
    step.node = any_node();
    describe(step);
  }

  void pend(milliseconds at) {
    ClusterStep& step = add(Kind::Pend, at);
    step.pod = "u" + std::to_string(pods_++);
    describe(step);
  }

  // One whose resize is Deferred, often.
  void paper_pod(milliseconds at) {
    ClusterStep& step = add(Kind::PaperPod, at);
    step.pod = "q" + std::to_string(number(3));
    step.a = 200 + 200 * number(4);
    step.b = one_in(3) ? step.a : step.a + 400 * number(5);
    step.c = any_priority();
  }

  void gone(milliseconds at) {
    constexpr std::array<const char*, 4> kLetters = {"m", "m", "p", "u"};
    const std::string name =
        kLetters[static_cast<std::size_t>(number(kLetters.size()))] + std::to_string(number(pods_));
    const std::int64_t dice = number(8);
    add(dice < 5   ? Kind::Delete
        : dice < 6 ? Kind::Exit
        : dice < 7 ? Kind::Unmark
                   : Kind::Ungate,
        at)
        .pod = name;
  }

  void serve(milliseconds at) {
    add(Kind::Serve, at).a = 0;
    add(Kind::Serve, at + milliseconds(1'000 + number(40'000))).a = 1;
  }

  void of_nodes(milliseconds at) {
    constexpr std::array<Kind, 10> kKinds = {
        Kind::Sweep,    Kind::Sweep,   Kind::Sweep,       Kind::Cordon, Kind::Taint,
        Kind::NodeGone, Kind::TurnOut, Kind::Allocatable, Kind::Ready,  Kind::Budget};
    ClusterStep& step = add(kKinds[static_cast<std::size_t>(number(kKinds.size()))], at);
    step.node = any_node();
    step.a = number(2);
    if (step.kind == Kind::Taint && one_in(2)) step.a = 2;
    if (step.kind == Kind::NodeGone) step.a = 1 + number(30);
    if (step.kind == Kind::Allocatable) {
      step.a = one_in(2) ? history_.cpu : history_.cpu * (50 + number(50)) / 100;
      step.b = history_.memory;
    }
    if (step.kind == Kind::Budget) {
      step.pod = one_in(2) ? "one" : "two";
      step.a = one_in(4) ? -1 : number(3);
    }
  }

  std::mt19937_64 random_;
  ClusterHistory history_;
  FaultSteps faults_{random_, history_.steps, false};
  std::int64_t pods_ = 0;
};

}  // namespace

ClusterHistory group_history_of(std::uint64_t seed) { return GroupWriter(seed).write(); }

}  // namespace elbowroom::test
