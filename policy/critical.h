// Victims that a node chooses itself, for a critical pod. The one thing to know: it looks for the
// smallest pods that cover what is lacking, BestEffort first, and gives no regard to budgets, start
// times or the order of the victims' priorities: priority only says who may be a victim.
#pragma once

#include <optional>
#include <vector>

#include "policy/pod.h"
#include "policy/resources.h"

namespace elbowroom::policy {

// May `preemptor` remove `victim`? A critical pod any that is not; else both must have a priority
// and the preemptor's be higher. Source: kubelet types.Preemptable.
[[nodiscard]] bool preemptable(const Pod& preemptor, const Pod& victim);

struct Removable {
  const Pod* pod = nullptr;
  Resources held{};  // what removing it frees
};

// How far a pod is from covering the needs: the sum over needs of ((need - held) / need)^2, each
// fraction in units of 2^-31 rounded down; 0 when it covers them all. Saturates.
[[nodiscard]] std::uint64_t distance(const Resources& needs, const Resources& held);

// The victims in the order they are to go (BestEffort, Burstable, Guaranteed), or none where all
// candidates together do not cover the needs. Requires needs without zeros. Ties: less memory, then
// less cpu, then the pod with the greater uid goes.
// Source: kubelet preemption.go getPodsToPreempt (1.37), with held charges for requests.
[[nodiscard]] std::optional<std::vector<const Pod*>> critical_victims(
    const std::vector<Removable>& candidates, const Resources& needs);

}  // namespace elbowroom::policy
