// The sets of taints that nodes have, each once, and what pods with the same tolerations tolerate
// of them. A node whose taint has a value of its own has a set of its own, so thousands of sets are
// usual. Sets are identified by number; set 0 is empty. A number is used again once no node has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "policy/model/placement.h"

namespace elbowroom::policy {

// What some tolerations tolerate, by the number of the set.
struct Tolerated {
  std::vector<bool> hard{};  // every taint that keeps pods away, or evicts them
  std::vector<std::uint32_t>
      soft{};  // the number of PreferNoSchedule taints that are not tolerated
};

class TaintSets {
 public:
  // One node more has these taints.
  std::uint32_t hold(const std::vector<Taint>& taints);
  void let_go(std::uint32_t set);

  // Found on first use, and kept until forget() finds more than that many.
  [[nodiscard]] const Tolerated& tolerated_by(const std::vector<Toleration>& tolerations);
  void forget(std::size_t above);

 private:
  static void judge(Tolerated& of, const std::vector<Toleration>& tolerations, std::uint32_t set,
                    const std::vector<Taint>& taints);

  std::vector<std::vector<Taint>> sets_{{}};
  std::vector<std::size_t> nodes_{0};  // by the set's number
  std::map<std::vector<Taint>, std::uint32_t> numbers_{{{}, 0}};
  std::vector<std::uint32_t> free_{};
  std::map<std::vector<Toleration>, Tolerated> tolerated_{};
};

}  // namespace elbowroom::policy
