// How the containers of a pod add up: regular containers and sidecars run together, and
// initialization is as large as its largest step. Only this file knows the rule. The caller chooses
// what is summed (requests or limits, desired or actual).
#pragma once

#include "policy/model/pod.h"
#include "policy/model/resources.h"

namespace elbowroom::policy {

// The sum of `of(container)` over containers that have a `kind`, in spec order. `of` returns a
// reference to Resources.
template <class Containers, class Figures>
Resources sum_of_containers(const Containers& containers, Figures of) {
  Resources running;   // regular containers and sidecars
  Resources sidecars;  // those seen so far
  Resources largest_step;
  bool initializes = false;
  for (const auto& container : containers) {
    const Resources& figures = of(container);
    if (container.kind == ContainerKind::Init) {
      largest_step = max_of(largest_step, sum(sidecars, figures));
      initializes = true;
      continue;
    }
    add_to(running, figures);
    if (container.kind != ContainerKind::Sidecar) continue;
    add_to(sidecars, figures);
    largest_step = max_of(largest_step, sidecars);
    initializes = true;
  }
  return initializes ? max_of(running, largest_step) : running;
}

// Replaces the amounts that `level` names (cpu, memory, hugepages) in the sum. A pod-level amount
// stands for all containers.
inline void replace_by_pod_level(Resources& sum, const Resources& level) {
  for_each_amount(level, [&](std::string_view name, std::int64_t amount) {
    if (is_pod_level_resource(name)) set_amount(sum, name, amount);
  });
}

}  // namespace elbowroom::policy
