// The victims that a node chooses itself for a critical pod. It looks for the smallest pods that
// cover what is lacking, BestEffort first. It ignores budgets, start times and the order of the
// victims' priorities; priority only decides which pods may be victims.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/resources.h"

namespace elbowroom::policy {

// Whether `preemptor` may remove `victim`. A critical pod may remove any pod that is not critical.
// Otherwise both must have a priority, and the preemptor's must be higher. Source: kubelet
// types.Preemptable.
[[nodiscard]] bool preemptable(const Pod& preemptor, const Pod& victim);

struct Removable {
  const Pod* pod = nullptr;
  Resources held{};  // what removing it frees
};

// A sum of squares of fractions, each in units of 2^-63 rounded down, as one 192-bit number:
// precise enough to distinguish any two amounts of one need, and independent of rounding modes.
struct Distance {
  std::uint64_t top = 0;
  std::uint64_t middle = 0;
  std::uint64_t bottom = 0;

  friend auto operator<=>(const Distance&, const Distance&) = default;
};

// How far a pod is from covering the needs: the sum over needs of ((need - held) / need)^2; zero
// when it covers them all. Every need has the same weight.
[[nodiscard]] Distance distance(const Resources& needs, const Resources& held);

// The victims in the order of removal (BestEffort, Burstable, Guaranteed), or none where all
// candidates together do not cover the needs. Ties: removes the pod with less memory, then less
// cpu, then the greater uid. The needs may include a count of pods as kPodCount, with 1 in every
// held. Source: kubelet preemption.go getPodsToPreempt (1.37), with held charges for requests.
[[nodiscard]] std::optional<std::vector<const Pod*>> critical_victims(
    const std::vector<Removable>& candidates, const Resources& needs);

}  // namespace elbowroom::policy
