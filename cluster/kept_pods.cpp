#include "cluster/kept_pods.h"

#include <algorithm>

namespace elbowroom::cluster {
namespace {

using policy::Pod;

constexpr std::size_t kMostPods = 8'192;

// Where the pod of that key is, or belongs.
SharedPods::Pods::iterator place_of(SharedPods::Pods& pods, const std::string& key) {
  return std::ranges::lower_bound(pods, key, {},
                                  [](const Pod& pod) { return policy::key_of(pod); });
}

}  // namespace

void KeptPods::forget(Nodes::iterator node) {
  count_ -= node->second.node.pods.size();
  nodes_.erase(node);
}

void KeptPods::forget(std::string_view node) {
  if (const auto at = nodes_.find(node); at != nodes_.end()) forget(at);
}

// The node that was asked for longest ago goes first.
void KeptPods::make_room() {
  while (count_ > kMostPods) {
    forget(std::ranges::min_element(nodes_, {}, [](const auto& each) { return each.second.used; }));
  }
}

KeptPods::Node KeptPods::of(std::string_view node, const Unpack& unpack,
                            const Contradiction& contradiction_in) {
  auto at = nodes_.find(node);
  if (at == nodes_.end()) {
    SharedPods pods(unpack());
    if (pods.empty() || pods.size() > kMostPods) return {pods, contradiction_in(pods)};
    count_ += pods.size();
    at = nodes_.emplace(node, Kept{.node = {.pods = std::move(pods)}}).first;
  }
  Kept& kept = at->second;
  kept.used = ++turn_;
  if (!kept.is_checked) kept.node.contradiction = contradiction_in(kept.node.pods);
  kept.is_checked = true;
  Node found = kept.node;
  make_room();
  return found;
}

void KeptPods::put(std::string_view node, const Pod& pod) {
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return;
  const std::string key = policy::key_of(pod);
  SharedPods::Pods& pods = at->second.node.pods.own();
  const auto place = place_of(pods, key);
  if (place != pods.end() && policy::key_of(*place) == key) {
    at->second.is_checked = at->second.is_checked && place->uid == pod.uid;
    *place = pod;
    return;
  }
  pods.insert(place, pod);
  ++count_;
  at->second.is_checked = false;
  if (pods.size() > kMostPods) return forget(at);
  make_room();
}

void KeptPods::remove(std::string_view node, const std::string& key) {
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return;
  SharedPods::Pods& pods = at->second.node.pods.own();
  const auto place = place_of(pods, key);
  if (place == pods.end() || policy::key_of(*place) != key) return;
  pods.erase(place);
  --count_;
  at->second.is_checked = false;
  if (pods.empty()) forget(at);
}

}  // namespace elbowroom::cluster
