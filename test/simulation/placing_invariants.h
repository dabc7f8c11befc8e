// Invariants of every scheduler decision about pending pods: where it binds them, which victims it
// removes for them, and which promised room it gives away. A decision is checked against its own
// process's observations and assumed pods, and against plain sums; the watch may be stale, assumed
// pods may not.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/virtual/simulation.h"
#include "test/simulation/assumed_seen.h"
#include "test/simulation/room_seen.h"
#include "test/simulation/scheduler_mirror.h"

namespace elbowroom::test {

class PlacingInvariants {
 public:
  using Broken = std::function<void(std::string)>;
  using Victims = std::vector<const policy::Pod*>;

  PlacingInvariants(lab::Simulation& simulation, bool upstream, Broken broken)
      : simulation_(simulation), upstream_(upstream), broken_(std::move(broken)) {}

  void began(const std::string& name) { processes_.erase(name); }
  // After the process's mirror has taken it in.
  void observed(const std::string& name, const scheduler::Observation& seen);

  // The victims of a pending pod; called before check() of the same effects.
  void check_set(const std::string& name, const SchedulerMirror& mirror,
                 const policy::Pod& preemptor, const std::string& node, const Victims& victims);
  // All that a process decided by one observation.
  void check(const std::string& name, const SchedulerMirror& mirror,
             const std::vector<scheduler::Effect>& effects);

  // The cluster as that process knows it, for a pod that waits. Pods of the same gang are not in
  // each other's way.
  [[nodiscard]] PlainMoment moment_of(const std::string& name, const SchedulerMirror& mirror,
                                      const policy::Pod& asking, AssumedSeen::Known known) const;
  // The node that the process counts it as nominated to.
  [[nodiscard]] std::string believed_node(const std::string& name, const policy::Pod& pod) const;
  // A node as that process knows it, with the pods it assumes there.
  [[nodiscard]] RoomSeen room_of(const std::string& name, const SchedulerMirror& mirror,
                                 const std::string& node) const;
  // The nodes that the process does not place the pod on for now, and why.
  [[nodiscard]] std::map<std::string, std::string> avoided_by(const std::string& name,
                                                              const SchedulerMirror& mirror,
                                                              const policy::Pod& pod) const;
  // Where the pod is, or is being bound to.
  [[nodiscard]] std::string place_of(const std::string& name, const policy::Pod& pod) const;
  [[nodiscard]] const AssumedSeen& assumed(const std::string& name) const {
    return processes_.at(name).assumed;
  }

 private:
  struct Process {
    AssumedSeen assumed{};
    std::string name{};
    std::string identity{};
    std::uint64_t leadership = 0;
  };

  void check_binding(const std::string& name, const SchedulerMirror& mirror, const Process& process,
                     const scheduler::BindPod& bind);
  void check_writing(const std::string& name, const SchedulerMirror& mirror, const Process& process,
                     const scheduler::WritePending& pending);
  void check_assumed_pod(const std::string& what, const SchedulerMirror& mirror,
                         const Process& process, const policy::Pod& pod, const std::string& node);
  void check_given_up(const std::string& name, const SchedulerMirror& mirror, Process& process,
                      const std::vector<scheduler::Effect>& effects);
  void check_volumes(const std::string& name, const SchedulerMirror& mirror, Process& process,
                     std::string_view claim);
  void check_reserved(const std::string& name, const SchedulerMirror& mirror,
                      const scheduler::BindVolume& reserve);
  [[nodiscard]] bool has_bound_claims(const policy::Pod& pod) const;
  void check_outranked(const std::string& name, const SchedulerMirror& mirror,
                       const policy::Pod& preemptor, const policy::Node& on, PlainCluster after);
  [[nodiscard]] PlainMoment moment(const SchedulerMirror& mirror, const Process& process,
                                   const policy::Pod& asking, AssumedSeen::Known known) const;
  void count_gangs(PlainMoment& moment, const SchedulerMirror& mirror, const Process& process,
                   const policy::Pod& asking, AssumedSeen::Known known) const;
  void count_preemptors(PlainMoment& moment, const SchedulerMirror& mirror, const Process& process,
                        const policy::Pod& asking, AssumedSeen::Known known) const;

  lab::Simulation& simulation_;
  const bool upstream_;
  const Broken broken_;
  std::map<std::string, Process, std::less<>> processes_{};
};

// It waits for a node, and is ours to place.
[[nodiscard]] bool is_placed_by_us(const policy::Pod& pod);

}  // namespace elbowroom::test
