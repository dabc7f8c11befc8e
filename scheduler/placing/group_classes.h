// The PriorityClasses, for pod groups whose preemption policy their class decides: a server that
// does not know PodGroup.spec.preemptionPolicy drops it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/decode_priority_class.h"
#include "control/listed.h"

namespace elbowroom::scheduler {

class GroupClasses {
 public:
  // One that could not be understood counts as one that never preempts.
  void put_all(const std::vector<api::PriorityClass>& classes,
               const std::vector<std::string>& unreadable) {
    by_name_.clear();
    is_listed_ = true;
    for (const api::PriorityClass& each : classes) put(each);
    for (const std::string& key : unreadable) put_unreadable(key);
  }
  void put(const api::PriorityClass& one) { by_name_.insert_or_assign(one.name, one); }
  void put_unreadable(std::string_view key) {
    put({.name = control::name_parts(key).name, .never_preempts = true});
  }
  void remove(std::string_view key) {
    const auto at = by_name_.find(control::name_parts(key).name);
    if (at != by_name_.end()) by_name_.erase(at);
  }

  // Whether that class forbids preemption; "": the global default, which is the one of the least
  // value. False where there is no such class; none where classes are not known yet.
  [[nodiscard]] std::optional<bool> never_preempts(std::string_view name) const {
    if (!is_listed_) return std::nullopt;
    if (!name.empty()) {
      const auto at = by_name_.find(name);
      return at != by_name_.end() && at->second.never_preempts;
    }
    const api::PriorityClass* least = nullptr;
    for (const auto& [key, each] : by_name_) {
      if (each.global_default && (least == nullptr || each.value < least->value)) least = &each;
    }
    return least != nullptr && least->never_preempts;
  }

 private:
  bool is_listed_ = false;
  std::map<std::string, api::PriorityClass, std::less<>> by_name_{};
};

}  // namespace elbowroom::scheduler
