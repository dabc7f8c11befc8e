// What a pod costs in a sum: three whole-pod totals and the three charges computed from them. Each
// maximum is taken over whole-pod totals, never over single containers. Overhead is added once.
#pragma once

#include <vector>

#include "policy/model/pod.h"
#include "policy/model/resources.h"

namespace elbowroom::policy {

// Totals of requests by upstream's rules: containers plus sidecars; per resource at least every
// init step (an init container beside the sidecars listed before it); what resource claims take, in
// desired and allocated, as a node reports actual amounts with it; pod-level requests replace cpu,
// memory and hugepages where they name them, claims included; overhead on top. Source:
// component-helpers resource.PodRequests (1.37), KEP-1287, KEP-2837, KEP-5517.
struct Totals {
  Resources desired{};    // spec
  Resources allocated{};  // status.allocatedResources; missing: spec, or nothing while Infeasible
  Resources actual{};     // status.resources; missing: as allocated

  friend bool operator==(const Totals&, const Totals&) = default;
};

[[nodiscard]] Totals totals_of(const Pod& pod);

// True when the requests of that resource, desired, allocated or actual, add up to more than
// kMaxAmount over all containers. In Totals such a sum looks like one of exactly kMaxAmount.
[[nodiscard]] bool leaves_64_bits(const Pod& pod, std::string_view name);

// max(desired unless Infeasible, allocated, actual): the cost of a pod when a pending pod is
// placed.
[[nodiscard]] Resources cluster_charge(const Pod& pod);

// max(allocated, actual): the cost of every other pod when a resize is evaluated.
[[nodiscard]] Resources held_charge(const Pod& pod);

// max(desired, allocated, actual): the cost of the pod being resized.
[[nodiscard]] Resources resizing_charge(const Pod& pod);

// What the pod's charges include of claims that other pods on its node may share: by claim,
// NAMESPACE/NAME. Empty for almost every pod.
[[nodiscard]] std::vector<ClaimedResources> shareable_claims(const Pod& pod);

// The charge without these claims, >= 0. A saturated amount stays as it is.
[[nodiscard]] Resources without(Resources charge, const std::vector<ClaimedResources>& claims);

// Adds each claim to the total that is not among `counted`, and enters it there. Of two that
// contradict each other the larger amounts count.
void add_claims(Resources& total, std::vector<ClaimedResources>& counted,
                const std::vector<ClaimedResources>& claims);

// What several pods of one node are charged together. A claim that they share counts once.
class ChargeSum {
 public:
  // `own`: the charge without the claims.
  void add(const Resources& own, const std::vector<ClaimedResources>& claims) {
    add_to(total_, own);
    if (!claims.empty()) add_claims(total_, counted_, claims);
  }
  // The pod at that charge, claims included.
  void add(const Pod& pod, const Resources& charge);
  // These claims are counted with a pod that is not in the sum.
  void leave_out(const std::vector<ClaimedResources>& claims);
  [[nodiscard]] const Resources& total() const { return total_; }

 private:
  Resources total_{};
  std::vector<ClaimedResources> counted_{};
};

[[nodiscard]] Resources cluster_charge(const Totals& totals, bool infeasible);
[[nodiscard]] Resources held_charge(const Totals& totals);
[[nodiscard]] Resources resizing_charge(const Totals& totals);

// The container's allocated and actual requests, with upstream's fallbacks applied.
[[nodiscard]] const Resources& allocated_or_fallback(const Pod& pod, const Container& container);

// PodResizePending with reason Infeasible. Like upstream, ignores the condition's status.
[[nodiscard]] bool is_infeasible(const Pod& pod);

// PodResizePending with reason Deferred, status True, and the pod's generation if it names one.
[[nodiscard]] bool is_deferred(const Pod& pod);

// A pod holds room on its node until it is Succeeded or Failed, or until it is terminating and
// every container has ended. Waiting and backoff hold room. Requires pod.node to be the node in
// question.
[[nodiscard]] bool holds_room(const Pod& pod);

// Every regular container and sidecar is Terminated and no init container runs.
[[nodiscard]] bool all_containers_ended(const Pod& pod);

// True when the resize raises that resource: desired > max(allocated, actual).
[[nodiscard]] bool raises(const Totals& totals, std::string_view resource);
[[nodiscard]] bool raises_any(const Totals& totals);

}  // namespace elbowroom::policy
