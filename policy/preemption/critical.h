// Victims that a node chooses itself, for a critical pod. It looks for the smallest pods that cover
// what is lacking, BestEffort first, and gives no regard to budgets, start times or the order of
// the victims' priorities: priority only says who may be a victim.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "policy/model/pod.h"
#include "policy/model/resources.h"

namespace elbowroom::policy {

// May `preemptor` remove `victim`? A critical pod any that is not; else both must have a priority
// and the preemptor's be higher. Source: kubelet types.Preemptable.
[[nodiscard]] bool preemptable(const Pod& preemptor, const Pod& victim);

struct Removable {
  const Pod* pod = nullptr;
  Resources held{};  // what removing it frees
};

// A sum of squares of fractions, each in units of 2^-63 rounded down, as one 192-bit number: fine
// enough to tell any two amounts of one need apart, and without rounding modes.
struct Distance {
  std::uint64_t top = 0;
  std::uint64_t middle = 0;
  std::uint64_t bottom = 0;

  friend auto operator<=>(const Distance&, const Distance&) = default;
};

// How far a pod is from covering the needs: the sum over needs of ((need - held) / need)^2; zero
// when it covers them all. Every need weighs the same.
[[nodiscard]] Distance distance(const Resources& needs, const Resources& held);

// The victims in the order they are to go (BestEffort, Burstable, Guaranteed), or none where all
// candidates together do not cover the needs. Ties: less memory, then less cpu, then the pod with
// the greater uid goes. A count of pods may be among the needs as kPodCount, with 1 in every held.
// Source: kubelet preemption.go getPodsToPreempt (1.37), with held charges for requests.
[[nodiscard]] std::optional<std::vector<const Pod*>> critical_victims(
    const std::vector<Removable>& candidates, const Resources& needs);

}  // namespace elbowroom::policy
