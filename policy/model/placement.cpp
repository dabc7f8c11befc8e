#include "policy/model/placement.h"

#include <algorithm>

namespace elbowroom::policy {

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect && *toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  switch (toleration.op) {
    case TolerationOperator::Equal:
      return toleration.value == taint.value;
    case TolerationOperator::Exists:
      return true;
    case TolerationOperator::Comparison:
      break;
  }
  return false;
}

bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::ranges::any_of(tolerations,
                             [&](const Toleration& each) { return tolerates(each, taint); });
}

}  // namespace elbowroom::policy
