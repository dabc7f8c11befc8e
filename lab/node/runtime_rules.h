// The rules that both runtimes of the lab follow: how a size is merged into the present one, what
// runc and the kernel refuse, and how a container ends. A wrong order of calls fails in virtual
// time as it does behind a socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cri/types.h"

namespace elbowroom::lab {

// The time a pod takes to terminate, in place of its grace period: "5s", "10m". A time beyond the
// grace period is allowed; it makes a stuck node.
inline constexpr std::string_view kTerminatesAfter = "lab.elbowroom.dev/terminates-after";

// The value of that annotation; nothing if it is not readable.
[[nodiscard]] std::optional<std::chrono::milliseconds> termination_time(std::string_view text);

// The exit code of a container that was killed because it did not stop in time.
inline constexpr std::int32_t kKilledExit = 137;

// The reason of a container's end: "Completed", or "Error".
[[nodiscard]] std::string exit_reason(std::int32_t exit_code);

// Omitted figures (0) are unchanged; -1 removes a limit.
[[nodiscard]] cri::RuntimeResources merged_size(cri::RuntimeResources stored,
                                                const cri::RuntimeResources& asked);

// Compares both quotas as parts of one cpu; no quota exceeds nothing.
[[nodiscard]] bool quota_exceeds(const cri::RuntimeResources& inner,
                                 const cri::RuntimeResources& outer);

// The surroundings of a container that is about to get a size.
struct ContainerPlace {
  std::int64_t memory_use_bytes = 0;
  cri::RuntimeResources group{};  // the pod's own cgroup; 0: no such figure
  std::string_view cgroup{};      // the container's, as a prefix for messages: "/kubepods/pod1/c1/"
};

// Invalid, in runc's words: a memory limit below usage, or a quota above the pod's. `after` is the
// size that results from `asked`. Texts: runc 1.1.5 on cgroup v1.
[[nodiscard]] Result<void> check_container_size(const cri::RuntimeResources& asked,
                                                const cri::RuntimeResources& after,
                                                const ContainerPlace& place);

// The kernel's error for a quota that the group's parent or children do not allow.
[[nodiscard]] std::unexpected<Error> refused_quota(std::string_view cgroup = "");

}  // namespace elbowroom::lab
