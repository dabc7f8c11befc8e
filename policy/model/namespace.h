// A namespace as decisions see it. Only its labels matter: pod affinity terms may select them.
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
