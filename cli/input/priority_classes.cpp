#include "cli/input/priority_classes.h"

#include <utility>

namespace elbowroom::cli {

PriorityClasses::PriorityClasses() {
  add({.name = "system-cluster-critical", .value = 2'000'000'000});
  add({.name = "system-node-critical", .value = 2'000'001'000});
}

void PriorityClasses::add(api::PriorityClass added) {
  std::string name = added.name;
  by_name_.insert_or_assign(std::move(name), std::move(added));
}

const api::PriorityClass* PriorityClasses::find(std::string_view named) const {
  if (!named.empty()) {
    const auto found = by_name_.find(named);
    return found == by_name_.end() ? nullptr : &found->second;
  }
  const api::PriorityClass* least = nullptr;
  for (const auto& [name, each] : by_name_) {
    if (each.global_default && (least == nullptr || each.value < least->value)) least = &each;
  }
  return least;
}

}  // namespace elbowroom::cli
