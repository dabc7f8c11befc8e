// What a daemon's reactor copies of its state for the page, a part at a time, so that no part holds
// up a decision. Judging, summing up and drawing is done with the copies, elsewhere.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/rules.h"
#include "policy/model/time.h"
#include "policy/preemption/budget_charge.h"
#include "policy/preemption/resize_preemption.h"

namespace elbowroom::page {

// Names: which nodes there are, and which namespaces have budgets. Nodes, Budgets: those of the
// names, as many as a part has time for, in order.
struct PageAsked {
  enum class Kind { Names, Nodes, Budgets };
  Kind kind = Kind::Names;
  std::vector<std::string> names{};  // of nodes, or of namespaces
};

// One node. Budgets, nominated pods and groups' pods elsewhere: only where a resize waits.
struct NodeCopy {
  policy::Node node{};
  std::vector<policy::Pod> pods{};
  std::vector<policy::Pod> nominated{};
  policy::Budgets budgets{};
  std::vector<policy::Pod> elsewhere{};
  policy::RuleSet rules = policy::RuleSet::Elbowroom;
  std::vector<std::string> lacks{};  // as in policy::ResizeQuestion
  // By pod, NAMESPACE/NAME: what happens next, as the daemon decided last; "": it has not yet.
  std::map<std::string, std::string, std::less<>> decided{};
  bool explains_all = true;  // its pods; false: those that `decided` has
};

struct PagePart {
  policy::Time now{};
  std::vector<std::string> nodes{};       // Names
  std::vector<std::string> namespaces{};  // Names
  std::vector<NodeCopy> copies{};         // Nodes; fewer than were done where one is not known
  policy::Budgets budgets{};              // Budgets
  std::string idle_because{};  // Names, and Nodes: why the daemon does not act; "" while it does
  std::size_t done = 0;        // of the names that were asked for; at least one
};

// Whether the node has a resize that waits, or is carried out.
[[nodiscard]] bool has_waiting(const std::vector<policy::Pod>& pods);

}  // namespace elbowroom::page
