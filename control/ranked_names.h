// Names ordered by rank, lowest first. Each name has one rank; names of equal rank are ordered by
// name.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace elbowroom::control {

template <class Rank>
class RankedNames {
 public:
  // Replaces an earlier rank.
  void set(const std::string& name, Rank rank) {
    forget(name);
    order_.emplace(rank, name);
    ranks_.emplace(name, rank);
  }
  void forget(std::string_view name) {
    const auto known = ranks_.find(name);
    if (known == ranks_.end()) return;
    order_.erase({known->second, known->first});
    ranks_.erase(known);
  }

  // Valid until the next change; nullptr: the name has none.
  [[nodiscard]] const Rank* rank_of(std::string_view name) const {
    const auto known = ranks_.find(name);
    return known == ranks_.end() ? nullptr : &known->second;
  }
  // Returns the first rank and its name, valid until the next change; nullptr: there are none.
  [[nodiscard]] const std::pair<Rank, std::string>* first() const {
    return order_.empty() ? nullptr : &*order_.begin();
  }
  // Removes and returns the first name. Requires that there is one.
  [[nodiscard]] std::string take_first() {
    std::string name = order_.begin()->second;
    forget(name);
    return name;
  }

 private:
  std::set<std::pair<Rank, std::string>> order_{};
  std::map<std::string, Rank, std::less<>> ranks_{};
};

}  // namespace elbowroom::control
