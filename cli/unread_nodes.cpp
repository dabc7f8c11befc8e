#include "cli/unread_nodes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "policy/model/condition.h"
#include "policy/model/natural_order.h"

namespace elbowroom::cli {
namespace {

using policy::find_condition;
using policy::NodePart;
using policy::Overview;
using policy::Pod;
using policy::ResizeWait;
using policy::WaitingResize;

constexpr const char* kNext =
    "who makes room, if anybody does, is not known here: the node may not be read";

// The node's own words.
std::string words_of(const Pod& pod, ResizeWait wait) {
  if (wait == ResizeWait::Unjudged) return "the node has not said anything about it yet";
  const bool in_progress = wait == ResizeWait::InProgress;
  const policy::Condition* said = find_condition(
      pod.conditions, in_progress ? policy::kPodResizeInProgress : policy::kPodResizePending);
  if (said != nullptr && !said->message.empty()) return "the node says: " + said->message;
  return "the node says no more";
}

}  // namespace

NodePart overview_of_unread_node(const std::string& node, const std::vector<Pod>& pods,
                                 std::span<const Pod> nominated, policy::Time now) {
  const policy::Node unread{.name = node};
  const policy::Budgets none;
  const policy::OverduePods lapsed = policy::overdue_pods_at(pods, now);
  NodePart part = policy::overview_of_node({.node = unread,
                                            .pods = pods,
                                            .nominated = nominated,
                                            .budgets = none,
                                            .lapsed = lapsed,
                                            .now = now});
  part.node = {.node = node};
  for (WaitingResize& each : part.waiting) {
    const auto pod = std::ranges::find(pods, each.uid, &Pod::uid);
    // What was found out about a node without room is not so.
    each.lacking = {};
    each.by = policy::RoomMaker::Nobody;
    each.outcome = "NotKnown";
    each.victims.clear();
    each.why = words_of(*pod, each.wait);
    each.next = kNext;
    each.expected.reset();
  }
  return part;
}

Overview overview_of_unread_nodes(std::span<const Pod> pods, policy::Time now) {
  struct Placed {
    std::vector<Pod> pods{};
    std::vector<Pod> nominated{};
  };
  std::map<std::string, Placed, decltype(&policy::natural_less)> nodes(policy::natural_less);
  for (const Pod& each : pods) {
    if (!each.node.empty()) {
      nodes[each.node].pods.push_back(each);
    } else if (!each.nominated_node.empty()) {
      nodes[each.nominated_node].nominated.push_back(each);
    }
  }
  Overview all{.now = now};
  for (const auto& [node, placed] : nodes) {
    NodePart part = overview_of_unread_node(node, placed.pods, placed.nominated, now);
    std::ranges::move(part.waiting, std::back_inserter(all.waiting));
    std::ranges::move(part.leaving, std::back_inserter(all.leaving));
  }
  return all;
}

}  // namespace elbowroom::cli
