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
  enum class Turn { BreaksBudget, Other, Marked };
  const auto turn_of = [](const PotentialVictim& each) {
    if (each.is_marked) return Turn::Marked;
    return each.breaks_budget ? Turn::BreaksBudget : Turn::Other;
  };
  for (const Turn turn : {Turn::BreaksBudget, Turn::Other, Turn::Marked}) {
    for (std::size_t i = 0; i < potential.size(); ++i) {
      if (turn_of(potential[i]) != turn) continue;
      Resources beside = sum(used, potential[i].charge);
      goes[i] = !is_zero(lacking(fit, beside));
      if (!goes[i]) used = std::move(beside);
    }
  }
  return goes;
}

}  // namespace elbowroom::policy
