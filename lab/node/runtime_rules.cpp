#include "lab/node/runtime_rules.h"

#include "base/duration.h"

namespace elbowroom::lab {
namespace {

void merge_figure(std::int64_t& figure, std::int64_t asked) {
  if (asked != 0) figure = asked;
}

}  // namespace

std::optional<std::chrono::milliseconds> termination_time(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto length = parse_duration(text);
  if (!length) return std::nullopt;
  return *length;
}

std::string exit_reason(std::int32_t exit_code) { return exit_code == 0 ? "Completed" : "Error"; }

cri::RuntimeResources merged_size(cri::RuntimeResources stored,
                                  const cri::RuntimeResources& asked) {
  merge_figure(stored.cpu_shares, asked.cpu_shares);
  merge_figure(stored.cpu_quota_us, asked.cpu_quota_us);
  merge_figure(stored.cpu_period_us, asked.cpu_period_us);
  merge_figure(stored.memory_limit_bytes, asked.memory_limit_bytes);
  return stored;
}

bool quota_exceeds(const cri::RuntimeResources& inner, const cri::RuntimeResources& outer) {
  if (outer.cpu_quota_us <= 0 || outer.cpu_period_us <= 0) return false;
  if (inner.cpu_quota_us <= 0 || inner.cpu_period_us <= 0) return false;  // bounded by the outer
  std::int64_t left = 0;
  std::int64_t right = 0;
  if (__builtin_mul_overflow(inner.cpu_quota_us, outer.cpu_period_us, &left)) return true;
  if (__builtin_mul_overflow(outer.cpu_quota_us, inner.cpu_period_us, &right)) return false;
  return left > right;
}

std::unexpected<Error> refused_quota(std::string_view cgroup) {
  return failure(Code::Invalid,
                 "write " + std::string(cgroup) + "cpu.cfs_quota_us: invalid argument");
}

Result<void> check_container_size(const cri::RuntimeResources& asked,
                                  const cri::RuntimeResources& after, const ContainerPlace& place) {
  if (asked.memory_limit_bytes > 0 && asked.memory_limit_bytes < place.memory_use_bytes) {
    const std::string use = std::to_string(place.memory_use_bytes);
    return failure(Code::Invalid, "unable to set memory limit to " +
                                      std::to_string(asked.memory_limit_bytes) +
                                      " (current usage: " + use + ", peak usage: " + use + ")");
  }
  if (quota_exceeds(after, place.group)) return refused_quota(place.cgroup);
  return {};
}

}  // namespace elbowroom::lab
