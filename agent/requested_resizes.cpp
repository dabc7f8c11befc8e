#include "agent/requested_resizes.h"

#include "policy/model/charge.h"

namespace elbowroom::agent {
namespace {

void count(std::string_view requirement, const policy::Resources& from, const policy::Resources& to,
           RequestedResizes& counts) {
  for (const std::string_view resource : {policy::kCpu, policy::kMemory}) {
    const std::int64_t was = policy::amount_of(from, resource);
    const std::int64_t is = policy::amount_of(to, resource);
    if (was == is) continue;
    const std::string_view operation = was == 0   ? "add"
                                       : is == 0  ? "remove"
                                       : is > was ? "increase"
                                                  : "decrease";
    ++counts[std::string(resource) + "/" + std::string(requirement) + "/" + std::string(operation)];
  }
}

}  // namespace

void count_requests(const policy::Pod& view, RequestedResizes& counts) {
  for (const policy::Container& container : view.containers) {
    count("requests", policy::allocated_or_fallback(view, container), container.desired.requests,
          counts);
    if (container.allocated_limits) {
      count("limits", *container.allocated_limits, container.desired.limits, counts);
    }
  }
}

}  // namespace elbowroom::agent
