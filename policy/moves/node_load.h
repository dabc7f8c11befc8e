// How full a node is: of cpu and memory what is requested, at the cluster charge, and what is
// allocatable. All comparisons are exact.
#pragma once

#include <cstdint>

#include "policy/model/resources.h"
#include "policy/placement/cluster_room.h"

namespace elbowroom::policy {

class NodeLoad {
 public:
  explicit NodeLoad(const NodeTotals& figures)
      : cpu_(figures.used_cpu, figures.cpu), memory_(figures.used_memory, figures.memory) {}

  // The same with a pod of that charge.
  [[nodiscard]] NodeLoad with(const Resources& charge) const;

  // A node without allocatable cpu or memory is neither.
  [[nodiscard]] bool is_underutilized(std::int64_t threshold) const;
  [[nodiscard]] bool is_crowded(std::int64_t target) const;

  // The larger share of the two here less the larger one of `other`, in percent points, rounded
  // down.
  [[nodiscard]] std::int64_t percent_above(const NodeLoad& other) const;
  // Whether its larger share is larger than the other's.
  [[nodiscard]] bool is_fuller_than(const NodeLoad& other) const;

 private:
  struct Share {
    Share(std::int64_t amount, std::int64_t whole) : used(amount), of(whole) {}
    std::int64_t used;
    std::int64_t of;
  };
  static bool is_less(const Share& one, const Share& other);
  [[nodiscard]] const Share& larger() const { return is_less(cpu_, memory_) ? memory_ : cpu_; }

  Share cpu_;
  Share memory_;
};

}  // namespace elbowroom::policy
