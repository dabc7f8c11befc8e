// On which nodes pods of some sort are, and how many: what counting them by a label of the nodes
// reads, instead of all pods.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace elbowroom::policy {

class NodeCounts {
 public:
  struct Entry {
    std::uint32_t node = 0;
    std::uint32_t pods = 0;
    std::uint32_t terminating = 0;  // of these
  };

  // One pod more on that node, or one less.
  void count(std::uint32_t node, bool is_terminating, bool comes) {
    auto at = std::ranges::lower_bound(entries_, node, {}, &Entry::node);
    if (at == entries_.end() || at->node != node) at = entries_.insert(at, {.node = node});
    const std::uint32_t one = comes ? 1U : ~0U;
    at->pods += one;
    if (is_terminating) at->terminating += one;
    if (at->pods == 0) entries_.erase(at);
  }

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }  // by node

 private:
  std::vector<Entry> entries_{};
};

}  // namespace elbowroom::policy
