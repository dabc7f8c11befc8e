// The change that --set makes to a pod. The container's allocated resources stay unchanged, so the
// change is a pending resize.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/model/pod.h"

namespace elbowroom::cli {

struct ResourceChange {
  std::string container{};
  std::string resource{};
  bool limit = false;
  std::int64_t amount = 0;  // millicores for cpu, else base units

  friend bool operator==(const ResourceChange&, const ResourceChange&) = default;
};

// "app:cpu=2,proxy:limits.memory=1Gi". Invalid: an item that is malformed, or a resource that no
// container has.
[[nodiscard]] Result<std::vector<ResourceChange>> parse_changes(std::string_view text);

// The pod with the changes applied to its desired resources. A limit on a container without a
// request is its request, too, as the API server defaults it, unless the changes name one. Invalid:
// no container or sidecar of that name.
[[nodiscard]] Result<policy::Pod> with_changes(policy::Pod pod,
                                               const std::vector<ResourceChange>& changes);

}  // namespace elbowroom::cli
