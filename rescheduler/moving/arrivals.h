// What becomes of moves whose pods were evicted: where the successor comes up, and what that was
// worth. A successor is a pod of the same controller that was created since; the destination counts
// as taken until it is there.
//
//   await() --> no successor yet --> the successor waits for a node --> it runs: Arrival
//                      `-----------------------`--> ten minutes are over: Arrival, is_pending
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/packed_pod.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"
#include "policy/moves/move_plan.h"
#include "policy/moves/node_load.h"
#include "rescheduler/cluster_state.h"
#include "rescheduler/moving/mover.h"
#include "rescheduler/turn.h"

namespace elbowroom::rescheduler {

// What came of a move.
struct Arrival {
  policy::Move move{};
  policy::Pod pod{};   // that was evicted
  std::string node{};  // where the successor is; "": it is pending, or there is none
  std::int64_t gain = 0;
  bool came_back = false;   // to the node that was left
  bool is_pending = false;  // after ten minutes
};

class Arrivals {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  static constexpr std::chrono::minutes kLongest{10};

  // `cluster` must outlive it.
  explicit Arrivals(ClusterState& cluster) : cluster_(cluster) {}

  // How full the node of a pod that is about to be evicted is; none: it is not known.
  [[nodiscard]] std::optional<policy::NodeLoad> load_of(const std::string& node) const;
  // `before`: of the node with the pod. The successor may be known by now.
  void await(const MoveEnd& evicted, policy::NodeLoad before, const Turn& turn);
  void saw(const cluster::PackedPod& packed);
  void forget_all() { awaited_.clear(); }

  [[nodiscard]] std::vector<Arrival> take_arrivals(const Turn& turn);
  // The pods that are expected, each on the node that was promised.
  [[nodiscard]] std::vector<policy::Pod> taken() const;
  [[nodiscard]] std::optional<Time> next() const;
  [[nodiscard]] std::size_t size() const { return awaited_.size(); }

 private:
  struct Awaited {
    policy::Move move{};
    policy::Pod pod{};
    policy::NodeLoad before;
    policy::Time evicted{};  // in whole seconds, as creation times are
    Time until{0};
    std::string successor{};  // its uid
    std::string key{};
  };

  void look_at(const policy::Pod& pod);
  [[nodiscard]] bool is_claimed(const std::string& uid) const;
  [[nodiscard]] std::optional<Arrival> arrival_of(const Awaited& awaited, const Turn& turn);

  ClusterState& cluster_;
  std::vector<Awaited> awaited_{};  // in the order of evictions
};

}  // namespace elbowroom::rescheduler
