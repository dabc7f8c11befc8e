#include "rescheduler/moving/arrivals.h"

#include <algorithm>
#include <utility>

#include "policy/model/condition.h"
#include "policy/moves/achieved_gain.h"

namespace elbowroom::rescheduler {
namespace {

// Not only bound: what is Ready stays.
bool is_up(const policy::Pod& pod) {
  return pod.phase == policy::Phase::Running && policy::has_true(pod.conditions, "Ready");
}

bool is_successor(const policy::Pod& pod, const policy::Pod& of, policy::Time evicted) {
  return pod.ns == of.ns && pod.uid != of.uid && pod.controller && of.controller &&
         pod.controller->uid == of.controller->uid && pod.created && *pod.created >= evicted;
}

}  // namespace

std::optional<policy::NodeLoad> Arrivals::load_of(const std::string& node) const {
  const policy::ClusterRoom& room = cluster_.moves().room();
  const auto number = room.find_node(node);
  if (!number) return std::nullopt;
  return policy::NodeLoad(room.figures()[*number]);
}

// The watch may have shown the successor before the eviction was answered.
void Arrivals::await(const MoveEnd& evicted, policy::NodeLoad before, const Turn& turn) {
  awaited_.push_back({.move = evicted.move,
                      .pod = evicted.pod,
                      .before = before,
                      .evicted = evicted.asked,
                      .until = turn.now + kLongest});
  const cluster::Snapshot& snapshot = cluster_.snapshot();
  if (!evicted.pod.controller) return;
  for (const auto& each : cluster_.moves().replicas_of(evicted.pod.controller->uid)) {
    if (const auto pod = snapshot.pod(each.key)) look_at(*pod);
  }
  for (const policy::Pod& each : cluster_.moves().pending_in(evicted.pod.ns)) look_at(each);
}

bool Arrivals::is_claimed(const std::string& uid) const {
  return std::ranges::find(awaited_, uid, &Awaited::successor) != awaited_.end();
}

void Arrivals::saw(const cluster::PackedPod& packed) {
  if (awaited_.empty()) return;
  look_at(packed.unpacked());
}

void Arrivals::look_at(const policy::Pod& pod) {
  if (is_claimed(pod.uid)) return;
  for (Awaited& each : awaited_) {
    if (!each.successor.empty() || !is_successor(pod, each.pod, each.evicted)) continue;
    each.successor = pod.uid;
    each.key = policy::key_of(pod);
    return;
  }
}

std::vector<Arrival> Arrivals::take_arrivals(const Turn& turn) {
  std::vector<Arrival> arrivals;
  std::erase_if(awaited_, [&](Awaited& each) {
    auto arrival = arrival_of(each, turn);
    if (!arrival) return false;
    arrivals.push_back(*std::move(arrival));
    return true;
  });
  return arrivals;
}

std::optional<Arrival> Arrivals::arrival_of(const Awaited& awaited, const Turn& turn) {
  Arrival arrival{.move = awaited.move, .pod = awaited.pod};
  const auto pod = awaited.successor.empty() ? std::nullopt : cluster_.snapshot().pod(awaited.key);
  if (pod && pod->uid == awaited.successor && !pod->node.empty() && is_up(*pod)) {
    arrival.node = pod->node;
    arrival.came_back = pod->node == awaited.move.from;
    arrival.gain = arrival.came_back ? 0
                                     : policy::achieved_gain(cluster_.moves().room(), awaited.move,
                                                             *pod, awaited.before, turn.server);
    return arrival;
  }
  if (turn.now < awaited.until) return std::nullopt;
  arrival.is_pending = true;
  return arrival;
}

std::vector<policy::Pod> Arrivals::taken() const {
  std::vector<policy::Pod> pods;
  for (const Awaited& each : awaited_) {
    if (!each.successor.empty()) continue;
    policy::Pod pod = each.pod;
    pod.name += "-expected";
    pod.uid += "-expected";
    pod.node = each.move.expected;
    pod.conditions.clear();
    pods.push_back(std::move(pod));
  }
  return pods;
}

std::optional<Arrivals::Time> Arrivals::next() const {
  std::optional<Time> next;
  for (const Awaited& each : awaited_) next = std::min(next.value_or(each.until), each.until);
  return next;
}

}  // namespace elbowroom::rescheduler
