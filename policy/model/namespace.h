// A namespace as decisions see it. Only its labels matter, which terms about other pods may select.
#pragma once

#include <string>

#include "policy/model/selector.h"

namespace elbowroom::policy {

struct Namespace {
  std::string name{};
  Labels labels{};

  friend bool operator==(const Namespace&, const Namespace&) = default;
};

}  // namespace elbowroom::policy
