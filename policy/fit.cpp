#include "policy/fit.h"

#include <algorithm>

namespace elbowroom::policy {

Resources lacking(const Fit& fit, const Resources& used) {
  Resources missing;
  for (const std::string& name : fit.checked) {
    const std::int64_t capacity = amount_of(fit.capacity, name);
    const std::int64_t wanted = saturating_add(amount_of(fit.charge, name), amount_of(used, name));
    if (wanted > capacity) {
      set_amount(missing, name, wanted - capacity);
    } else if (wanted == kMaxAmount) {
      set_amount(missing, name, 1);  // the true sum may be any amount larger
    }
  }
  return missing;
}

std::vector<bool> who_goes(const Fit& fit, Resources used,
                           std::span<const PotentialVictim> potential) {
  std::vector<bool> goes(potential.size(), false);
  for (const bool turn_of_breaking : {true, false}) {
    for (std::size_t i = 0; i < potential.size(); ++i) {
      if (potential[i].breaks_budget != turn_of_breaking) continue;
      Resources beside = sum(used, potential[i].charge);
      goes[i] = !is_zero(lacking(fit, beside));
      if (!goes[i]) used = std::move(beside);
    }
  }
  return goes;
}

}  // namespace elbowroom::policy
