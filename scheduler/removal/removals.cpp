#include "scheduler/removal/removals.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace elbowroom::scheduler {

std::set<std::string> Removal::uids() const {
  std::set<std::string> uids;
  for (const policy::Pod& pod : set.victims()) uids.insert(pod.uid);
  return uids;
}

std::map<std::string, std::vector<std::string>> Removal::uids_by_node() const {
  std::map<std::string, std::set<std::string>> uids;
  for (const policy::Pod& pod : set.victims()) uids[pod.node].insert(counted_uid(pod));
  std::map<std::string, std::vector<std::string>> sorted;
  for (const auto& [node, each] : uids) sorted[node].assign(each.begin(), each.end());
  return sorted;
}

std::set<std::string> Removals::nodes_of(const SetRemoval& set) {
  std::set<std::string> nodes;
  if (!set.preemptor().node.empty()) nodes.insert(set.preemptor().node);
  for (const policy::Pod& pod : set.victims()) nodes.insert(pod.node);
  return nodes;
}

Removal& Removals::add(RemovalRequest request, policy::Time wall, std::chrono::milliseconds now) {
  const std::uint64_t number = ++last_;
  Removal removal{.number = number,
                  .set = SetRemoval(std::move(request.preemptor), std::move(request.victims), wall),
                  .terms = std::move(request.terms),
                  .begun = now};
  for (const std::string& node : nodes_of(removal.set)) {
    [[maybe_unused]] const bool is_free = by_node_.emplace(node, number).second;
    assert(is_free);
  }
  return by_number_.emplace(number, std::move(removal)).first->second;
}

void Removals::erase(std::uint64_t number) {
  std::erase_if(by_node_, [&](const auto& entry) { return entry.second == number; });
  by_number_.erase(number);
}

std::vector<Removal> Removals::take_all() {
  std::vector<Removal> all;
  for (const std::uint64_t number : numbers()) {
    all.push_back(std::move(by_number_.find(number)->second));
  }
  by_number_.clear();
  by_node_.clear();
  return all;
}

Removal* Removals::find(std::uint64_t number) {
  const auto at = by_number_.find(number);
  return at == by_number_.end() ? nullptr : &at->second;
}

const Removal* Removals::on(std::string_view node) const {
  const auto at = by_node_.find(node);
  return at == by_node_.end() ? nullptr : &by_number_.find(at->second)->second;
}

bool Removals::is_victim(std::string_view uid, std::string_view node) const {
  const Removal* removal = on(node);
  return removal != nullptr &&
         std::ranges::any_of(removal->set.victims(),
                             [&](const policy::Pod& pod) { return pod.uid == uid; });
}

Removals::Numbers Removals::numbers() const {
  Numbers numbers;
  for (const auto& [node, number] : by_node_) {
    if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace elbowroom::scheduler
