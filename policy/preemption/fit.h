// Whether something fits on a node beside what is there, and who has to go so that it does. Amounts
// are only ever added up, never taken off a sum, so that saturated sums stay too large.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/resources.h"
#include "policy/preemption/reprieve.h"

namespace elbowroom::policy {

// The amount under which a count of pods takes part in sums, where it does at all.
inline constexpr std::string_view kPodCount = "pods";

// What is to fit.
struct Fit {
  Resources capacity{};
  Resources charge{};                  // its own
  std::vector<std::string> checked{};  // the resources that are looked at, in the usual order
};

// What is lacking beside `used`, per checked resource: the amounts above capacity.
[[nodiscard]] Resources lacking(const Fit& fit, const Resources& used);

struct PotentialVictim {
  Resources charge{};
  ReprieveStatus standing{};
};

// Which of `potential` (most important first) have to go, in the same order; `used` is what stays
// in any case and must leave enough room when all of them go.
[[nodiscard]] std::vector<bool> who_goes(const Fit& fit, Resources used,
                                         std::span<const PotentialVictim> potential);

}  // namespace elbowroom::policy
