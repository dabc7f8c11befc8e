#include "scheduler/placing/nominations.h"

#include <utility>

namespace elbowroom::scheduler {

using policy::Pod;

void Nominations::assume(const Pod& pod, const std::string& node) {
  if (pod.nominated_node == node) return;
  state_.cluster.assume_cache().nominate(pod, node);
  Pod nominated = pod;
  nominated.nominated_node = node;
  const std::string key = policy::key_of(pod);
  follower_.believe(cluster::PackedPod::packed(nominated), state_.waiting.entry_of(key));
}

void Nominations::take_back(const std::string& key) {
  auto pod = state_.cluster.assume_cache().take_back_nomination(key);
  if (pod) follower_.believe(*std::move(pod), state_.waiting.entry_of(key));
}

void Nominations::take_back(const Preemptor& preemptor) {
  if (!preemptor.is_group) return take_back(preemptor.key);
  for (const Victim& member : preemptor.members) take_back(control::name_of(member));
}

void Nominations::end(const std::string& key, const std::string& node) {
  const auto pod = state_.cluster.snapshot().pod(key);
  const bool is_nominated = pod && pod->node.empty() && pod->nominated_node == node;
  if (!is_nominated || !follower_.is_ours(*pod)) return;
  assume(*pod, "");
  reports_.write(victim_of(*pod), std::nullopt, "");
  const std::string entry = state_.waiting.entry_of(key);
  // Of a gang not as a change of its own: two that outrank each other in turn wait longer each
  // time.
  const auto change = is_gang_id(entry) ? cluster::Change::Nominated : cluster::Change::Own;
  state_.waiting.queue().wake_one(entry, change, state_.time());
}

}  // namespace elbowroom::scheduler
