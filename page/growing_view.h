// A view that grows as parts of a daemon's state arrive: first budgets, then nodes in their order.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "page/page_part.h"
#include "page/view.h"

namespace elbowroom::page {

class GrowingView {
 public:
  // `most_holders`: the holders of a node that are kept.
  GrowingView(std::string program, policy::Time now, std::size_t most_holders)
      : most_holders_(most_holders) {
    view_.program = std::move(program);
    view_.of.now = now;
  }

  // Why the daemon does not act; "": it does.
  void set_idle(std::string because) { view_.idle_because = std::move(because); }
  void add(policy::Budgets budgets);
  void add(const NodeCopy& copy);
  // Counts the pods that budgets cover. The last call.
  [[nodiscard]] View finished() &&;

  [[nodiscard]] const View& so_far() const { return view_; }

 private:
  void add_counted(const std::vector<policy::Pod>& pods);
  void add_holders(const NodeCopy& copy);

  View view_{};
  std::size_t most_holders_;
  policy::Budgets budgets_{};
  std::set<std::string, std::less<>> counted_namespaces_{};  // that have budgets
  bool too_many_ = false;                                    // pods to be counted
};

}  // namespace elbowroom::page
