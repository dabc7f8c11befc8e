// Invariants of every scheduler decision about pod groups: that no gang is bound before all that
// its minCount needs have a place, that pods of groups that are not there or are refused are not
// placed, and for which gangs pods are removed. Computed from what the process saw, in the plainest
// way.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "policy/model/pod_group.h"
#include "test/simulation/placing_invariants.h"
#include "test/simulation/scheduler_mirror.h"

namespace elbowroom::test {

// A gang's pods that wait for us, and how many of them need a node together.
struct GangSeen {
  std::vector<const policy::Pod*> pending{};  // without gates
  std::size_t bound = 0;
  std::size_t needed = 0;
  bool has_stranger = false;  // one that waits for another scheduler
};

class GroupInvariants {
 public:
  using Broken = std::function<void(std::string)>;
  using Victims = std::vector<const policy::Pod*>;

  GroupInvariants(PlacingInvariants& placing, bool upstream, Broken broken)
      : placing_(placing), upstream_(upstream), broken_(std::move(broken)) {}

  // All that a process decided by one observation; before its bindings count as assumed.
  void check(const std::string& name, const SchedulerMirror& mirror,
             const std::vector<scheduler::Effect>& effects);

  // The gang that these are removed for, which the process sees: it asked the API server, and the
  // gang fits with them gone and not without.
  void check_set(const std::string& name, const SchedulerMirror& mirror,
                 const policy::PodGroup& preemptor, const Victims& victims);
  // Of a group that is removed as one, none that runs is left out.
  void check_whole(const std::string& name, const SchedulerMirror& mirror, const Victims& victims);

 private:
  void check_status(const std::string& name, const SchedulerMirror& mirror,
                    const scheduler::WriteGroupStatus& status);
  void check_member(const std::string& what, const SchedulerMirror& mirror, const policy::Pod& pod);
  void check_gang(const std::string& name, const SchedulerMirror& mirror,
                  const policy::PodGroup& group, std::set<std::string> placed);
  [[nodiscard]] static std::string unconfirmed(const SchedulerMirror& mirror,
                                               const policy::PodGroup& preemptor,
                                               const GangSeen& gang);

  PlacingInvariants& placing_;
  const bool upstream_;
  const Broken broken_;
};

// Its pods go with it, as one.
[[nodiscard]] bool goes_whole(const policy::Pod& pod);

[[nodiscard]] GangSeen gang_seen(const std::vector<const policy::Pod*>& pods,
                                 const policy::PodGroup& group);

enum class Silent : std::uint8_t { Take, TakeNone };  // nodes that are not ready
// Whether so many of them find nodes together, beside all but the removed pods. Tries all ways.
[[nodiscard]] bool gang_fits(const PlainMoment& moment, const std::vector<const policy::Pod*>& pods,
                             std::size_t wanted, const Uids& gone, Silent silent);
// Upstream places one after the other as they came, and tries no second way: whether so many find
// nodes whichever it chooses for them.
[[nodiscard]] bool gang_fits_anyhow(const PlainMoment& moment,
                                    const std::vector<const policy::Pod*>& pods,
                                    std::size_t wanted);
// As gang_fits(), also where those that spread are placed before the others, which count for them.
[[nodiscard]] bool gang_fits_in_some_order(const PlainMoment& moment,
                                           const std::vector<const policy::Pod*>& pods,
                                           std::size_t wanted, const Uids& gone, Silent silent);

}  // namespace elbowroom::test
