// Whether a charge fits on a node beside its pods, and which pods must be removed so that it does.
// Amounts are only added, never subtracted from a sum, so saturated sums stay too large.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/charge.h"
#include "policy/model/resources.h"
#include "policy/preemption/reprieve.h"

namespace elbowroom::policy {

// The name under which sums include a count of pods, where they do.
inline constexpr std::string_view kPodCount = "pods";

// What has to fit.
struct Fit {
  Resources capacity{};
  Resources charge{};                  // its own
  std::vector<std::string> checked{};  // the resources that are checked, in the usual order
};

// What is lacking beside `used`, per checked resource: the amount above capacity.
[[nodiscard]] Resources lacking(const Fit& fit, const Resources& used);

struct PotentialVictim {
  Resources charge{};  // of all the unit's pods on the node, without their claims
  ReprieveStatus standing{};
  std::vector<ClaimedResources> claims{};  // that pods of other units may share
};

// Which of the units of `potential` (most important first) must be removed, in the same order.
// `used` is what stays in any case; it must leave enough room when all of them are removed.
[[nodiscard]] std::vector<bool> must_be_removed(const Fit& fit, ChargeSum used,
                                                std::span<const PotentialVictim> potential);

}  // namespace elbowroom::policy
