#include "policy/preemption/fit.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace elbowroom::policy {

Resources lacking(const Fit& fit, const Resources& used) {
  Resources missing;
  for (const std::string& name : fit.checked) {
    const std::int64_t capacity = amount_of(fit.capacity, name);
    const std::int64_t charge = amount_of(fit.charge, name);
    const std::int64_t taken = amount_of(used, name);
    if (!is_too_much(charge, taken, capacity)) continue;
    // Where the sum saturates, the true one may be larger by any amount.
    const std::int64_t wanted = saturating_add(charge, taken);
    set_amount(missing, name, std::max<std::int64_t>(wanted - capacity, 1));
  }
  return missing;
}

std::vector<bool> must_be_removed(const Fit& fit, ChargeSum used,
                                  std::span<const PotentialVictim> potential) {
  std::vector<bool> goes(potential.size(), true);
  const auto status_of = [&](std::size_t i) { return potential[i].standing; };
  reprieve_in_order(potential.size(), status_of, [&](std::size_t i) {
    ChargeSum beside = used;
    beside.add(potential[i].charge, potential[i].claims);
    if (!is_zero(lacking(fit, beside.total()))) return;
    used = std::move(beside);
    goes[i] = false;
  });
  return goes;
}

}  // namespace elbowroom::policy
