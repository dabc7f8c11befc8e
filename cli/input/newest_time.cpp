#include "cli/input/newest_time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "api/codec/field.h"

namespace elbowroom::cli {
namespace {

using api::Field;
using Newest = std::optional<policy::Time>;

// Far more than any pod's grace period; keeps the subtraction inside 64 bits.
constexpr std::int64_t kMaxGraceSeconds = std::int64_t{1} << 32;

Result<void> take(const Field& at, std::string_view key, Newest& newest) {
  ASSIGN_OR_RETURN(const Newest time, at.time(key));
  newest = std::max(newest, time);
  return {};
}

Result<void> take_deletion(const Field& metadata, Newest& newest) {
  ASSIGN_OR_RETURN(const Newest deletion, metadata.time("deletionTimestamp"));
  if (!deletion) return {};
  ASSIGN_OR_RETURN(const auto grace, metadata.integer("deletionGracePeriodSeconds", 0));
  const auto asked =
      *deletion - std::chrono::seconds(std::min(grace.value_or(0), kMaxGraceSeconds));
  newest = std::max(newest, Newest(asked));
  return {};
}

Result<void> take_conditions(const Field& status, Newest& newest) {
  ASSIGN_OR_RETURN(const Field list, status.get("conditions"));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Field at = list.item(i);
    for (const std::string_view key :
         {"lastTransitionTime", "lastProbeTime", "lastHeartbeatTime", "lastUpdateTime"}) {
      RETURN_IF_ERROR(take(at, key, newest));
    }
  }
  return {};
}

Result<void> take_state(const Field& container, std::string_view key, Newest& newest) {
  ASSIGN_OR_RETURN(const Field state, container.get(key));
  ASSIGN_OR_RETURN(const Field running, state.get("running"));
  RETURN_IF_ERROR(take(running, "startedAt", newest));
  ASSIGN_OR_RETURN(const Field terminated, state.get("terminated"));
  RETURN_IF_ERROR(take(terminated, "startedAt", newest));
  return take(terminated, "finishedAt", newest);
}

Result<void> take_containers(const Field& status, std::string_view key, Newest& newest) {
  ASSIGN_OR_RETURN(const Field list, status.get(key));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Field at = list.item(i);
    RETURN_IF_ERROR(take_state(at, "state", newest));
    RETURN_IF_ERROR(take_state(at, "lastState", newest));
  }
  return {};
}

}  // namespace

Result<std::optional<policy::Time>> newest_time(const Value& object) {
  Newest newest;
  const Field root(object);
  ASSIGN_OR_RETURN(const Field metadata, root.get("metadata"));
  RETURN_IF_ERROR(take(metadata, "creationTimestamp", newest));
  RETURN_IF_ERROR(take_deletion(metadata, newest));
  ASSIGN_OR_RETURN(const Field status, root.get("status"));
  RETURN_IF_ERROR(take(status, "startTime", newest));
  RETURN_IF_ERROR(take_conditions(status, newest));
  for (const std::string_view key :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    RETURN_IF_ERROR(take_containers(status, key, newest));
  }
  return newest;
}

}  // namespace elbowroom::cli
