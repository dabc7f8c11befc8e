// Invariants of every scheduler decision to mark or remove pods: for which preemptor, which
// victims, whose turn it is, and whether a removal was necessary. A decision is checked against its
// own process's observations and against sums computed here.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "scheduler/effect.h"
#include "test/simulation/cause_of_sets.h"
#include "test/simulation/group_invariants.h"
#include "test/simulation/placing_invariants.h"
#include "test/simulation/scheduler_mirror.h"

namespace elbowroom::test {

class RemovalInvariants {
 public:
  using Broken = std::function<void(std::string)>;

  RemovalInvariants(PlacingInvariants& placing, GroupInvariants& groups, bool upstream,
                    std::set<std::string, std::less<>> yields_to, Broken broken)
      : placing_(placing),
        groups_(groups),
        upstream_(upstream),
        yields_to_(std::move(yields_to)),
        broken_(std::move(broken)),
        causes_(upstream, broken_) {}

  // All that a process decided by one observation, which its mirror has taken in.
  void check(const std::string& name, const SchedulerMirror& mirror,
             const std::vector<scheduler::Effect>& effects);

  // A new process of that name.
  void began(const std::string& name, std::chrono::milliseconds now) { causes_.began(name, now); }
  void asked_to_remove(const std::string& uid) { causes_.asked_to_remove(uid); }
  [[nodiscard]] const CauseOfSets& causes() const { return causes_; }

 private:
  using Victims = std::vector<const policy::Pod*>;

  void check_mark(const SchedulerMirror& mirror, const scheduler::MarkVictim& mark);
  void check_set(const std::string& name, const SchedulerMirror& mirror, const std::string& node,
                 const Victims& victims);
  void check_set_for_gang(const std::string& name, const SchedulerMirror& mirror,
                          const policy::PodGroup& preemptor, const Victims& victims);
  void check_set_for_resize(const std::string& name, const SchedulerMirror& mirror,
                            const policy::Pod& preemptor, const Victims& victims);
  void check_set_for_pending(const std::string& name, const SchedulerMirror& mirror,
                             const policy::Pod& preemptor, const std::string& node,
                             const Victims& victims);
  void check_victims(const std::string& name, const SchedulerMirror& mirror,
                     const policy::Pod& preemptor, const Victims& victims);
  void check_victim(const SchedulerMirror& mirror, const policy::Pod& preemptor,
                    const policy::Pod& victim, const Victims& victims);
  void check_node(const std::string& name, const SchedulerMirror& mirror,
                  const policy::Pod& preemptor);
  void check_turn(const std::string& name, const SchedulerMirror& mirror,
                  const policy::Pod& preemptor);
  void check_need(const RoomSeen& room, const SchedulerMirror& mirror, const policy::Pod& preemptor,
                  const Victims& victims);

  PlacingInvariants& placing_;
  GroupInvariants& groups_;
  const bool upstream_;
  const std::set<std::string, std::less<>> yields_to_;
  const Broken broken_;
  CauseOfSets causes_;
};

}  // namespace elbowroom::test
