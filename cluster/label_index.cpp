#include "cluster/label_index.h"

#include <set>

#include "cluster/packed_labels.h"

namespace elbowroom::cluster {

void LabelIndex::add(std::string_view ns, std::string_view labels, const std::string& node) {
  auto known = by_namespace_.find(ns);
  if (known == by_namespace_.end()) known = by_namespace_.try_emplace(std::string(ns)).first;
  auto at = known->second.find(labels);
  if (at == known->second.end()) at = known->second.try_emplace(std::string(labels)).first;
  ++at->second[node];
}

void LabelIndex::remove(std::string_view ns, std::string_view labels, const std::string& node) {
  const auto known = by_namespace_.find(ns);
  if (known == by_namespace_.end()) return;
  const auto at = known->second.find(labels);
  if (at == known->second.end()) return;
  const auto pods = at->second.find(node);
  if (pods == at->second.end()) return;
  if (--pods->second == 0) at->second.erase(pods);
  if (at->second.empty()) known->second.erase(at);
  if (known->second.empty()) by_namespace_.erase(known);
}

std::vector<std::string> LabelIndex::nodes_of(std::string_view ns) const {
  std::set<std::string_view> nodes;
  const auto known = by_namespace_.find(ns);
  if (known == by_namespace_.end()) return {};
  for (const auto& [labels, pods] : known->second) {
    for (const auto& [node, count] : pods) nodes.insert(node);
  }
  return {nodes.begin(), nodes.end()};
}

std::size_t LabelIndex::sets(std::string_view ns) const {
  const auto known = by_namespace_.find(ns);
  return known == by_namespace_.end() ? 0 : known->second.size();
}

void LabelIndex::each_covered(std::string_view ns,
                              const std::optional<policy::LabelSelector>& selector,
                              const Use& use) const {
  const auto known = by_namespace_.find(ns);
  if (known == by_namespace_.end() || !selector) return;
  policy::LabelViews views;
  for (const auto& [labels, pods] : known->second) {
    read_labels(labels, views);
    if (!policy::matches(*selector, views)) continue;
    for (const auto& [node, count] : pods) use(node);
  }
}

}  // namespace elbowroom::cluster
