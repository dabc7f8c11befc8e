// The outcome of one step of a controller.
#pragma once

#include <algorithm>
#include <optional>

#include "policy/model/time.h"

namespace elbowroom::lab {

struct ControllerStep {
  bool changed = false;                    // it wrote something: step again
  std::optional<policy::Time> next_due{};  // when there is work although nothing changes

  void due_at(policy::Time at) { next_due = std::min(next_due.value_or(at), at); }
  void add(const ControllerStep& other) {
    changed = changed || other.changed;
    if (other.next_due) due_at(*other.next_due);
  }

  friend bool operator==(const ControllerStep&, const ControllerStep&) = default;
};

}  // namespace elbowroom::lab
