// A cluster in one screen: who leads, which agents are seen, every resize that waits, what is
// wrong. It only reads.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "cli/input/cluster_reader.h"
#include "policy/model/time.h"
#include "policy/overview/overview.h"

namespace elbowroom::cli {

// Who leads, by the program's Lease.
struct LeaderStatus {
  std::string program{};  // "elbowroom-scheduler"
  std::string lease{};    // "kube-system/elbowroom-scheduler"
  bool exists = false;    // the Lease
  std::string holder{};   // "": none
  bool expired = false;   // its holder has not renewed it in time
  std::optional<policy::Time> renewed{};
  std::string version{};  // the image's, where the holder is a pod that is seen; "": not known
  bool is_late = false;   // its holder renews it every two seconds, and has not done so for long
  std::string unknown{};  // why the Lease could not be read; "": it could

  [[nodiscard]] bool leads() const { return exists && !holder.empty() && !expired; }
  friend bool operator==(const LeaderStatus&, const LeaderStatus&) = default;
};

// Agents of one kind and version. Agents that run as services of their nodes write nothing of
// themselves: of these only the nodes that say so are counted. Pods count in the namespace of the
// Leases alone, and with a DaemonSet: other users choose the labels of theirs.
struct AgentStatus {
  std::string how{};      // "pod", "package" (the label elbowroom.dev/agent), "authority"
  std::string version{};  // of a pod's image; "": not known
  std::int64_t nodes = 0;
  std::int64_t ready = 0;  // of pods

  friend bool operator==(const AgentStatus&, const AgentStatus&) = default;
};

// A Pod that waits for a node.
struct UnscheduledPod {
  std::string pod{};        // NAMESPACE/NAME
  std::string scheduler{};  // that is to place it
  std::optional<policy::Time> created{};

  friend bool operator==(const UnscheduledPod&, const UnscheduledPod&) = default;
};

struct ClusterStatus {
  std::string server{};
  std::vector<LeaderStatus> leaders{};  // scheduler, rescheduler
  std::vector<AgentStatus> agents{};
  policy::Overview overview{};
  std::vector<UnscheduledPod> pending{};  // longest first
  std::vector<std::string> wrong{};       // one sentence each, with what helps
  std::vector<std::string> notes{};       // what could not be read

  friend bool operator==(const ClusterStatus&, const ClusterStatus&) = default;
};

// Errors as of read_cluster(), but that nodes which may not be read are only noted: the pods tell
// what waits then. `now`: the wall clock, where the server does not tell its own.
[[nodiscard]] Result<ClusterStatus> read_status(ClusterReader& reader,
                                                const std::string& lease_namespace,
                                                policy::Time now);

// Who leads, of the scheduler and the rescheduler, at `now`.
[[nodiscard]] std::vector<LeaderStatus> read_leaders(ClusterReader& reader,
                                                     const std::string& lease_namespace,
                                                     policy::Time now);

// Whether a resize waits for something that can come. Infeasible ones do not: their node cannot do
// it.
[[nodiscard]] bool waits(const policy::Overview& overview);
// The same of a cluster's pods, for one that is looked at again and again. Errors as above.
[[nodiscard]] Result<bool> still_waits(ClusterReader& reader);

// What is wrong, from the rest of it.
[[nodiscard]] std::vector<std::string> wrong_in(const ClusterStatus& status);

}  // namespace elbowroom::cli
