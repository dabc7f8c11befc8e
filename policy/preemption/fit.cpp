#include "policy/preemption/fit.h"

#include <utility>

namespace elbowroom::policy {

Resources lacking(const Fit& fit, const Resources& used) {
  Resources missing;
  for (const std::string& name : fit.checked) {
    const std::int64_t capacity = amount_of(fit.capacity, name);
    const std::int64_t wanted = saturating_add(amount_of(fit.charge, name), amount_of(used, name));
    if (wanted > capacity) {
      set_amount(missing, name, wanted - capacity);
    } else if (wanted == kMaxAmount) {
      set_amount(missing, name, 1);  // the true sum may be larger by any amount
    }
  }
  return missing;
}

std::vector<bool> who_goes(const Fit& fit, Resources used,
                           std::span<const PotentialVictim> potential) {
  std::vector<ReprieveStatus> standings;
  for (const PotentialVictim& each : potential) standings.push_back(each.standing);
  return after_reprieve(standings, [&](std::size_t i) {
    Resources beside = sum(used, potential[i].charge);
    const bool fits = is_zero(lacking(fit, beside));
    if (fits) used = std::move(beside);
    return fits;
  });
}

}  // namespace elbowroom::policy
