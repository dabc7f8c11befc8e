// The resource usage of this process, from /proc/self. A value that cannot be read is omitted, so
// that it never hides the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace elbowroom::daemon {

struct ProcessUsage {
  std::optional<std::int64_t> cpu_ms{};           // user and system, since the start
  std::optional<std::int64_t> resident_bytes{};   // VmRSS
  std::optional<std::int64_t> anonymous_bytes{};  // RssAnon: private memory
  std::optional<std::int64_t> open_files{};

  friend bool operator==(const ProcessUsage&, const ProcessUsage&) = default;
};

[[nodiscard]] ProcessUsage process_usage();

// Returns Prometheus text with the names that every client library uses (process_...).
[[nodiscard]] std::string to_metrics_text(const ProcessUsage& usage);

}  // namespace elbowroom::daemon
