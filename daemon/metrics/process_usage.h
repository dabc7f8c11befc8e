// What this program itself uses of the machine, from /proc/self. A figure that cannot be read is
// left out, because it must never be the reason why the others are missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace elbowroom::daemon {

struct ProcessUsage {
  std::optional<std::int64_t> cpu_ms{};           // user and system, since the start
  std::optional<std::int64_t> resident_bytes{};   // VmRSS
  std::optional<std::int64_t> anonymous_bytes{};  // RssAnon: what is ours alone
  std::optional<std::int64_t> open_files{};

  friend bool operator==(const ProcessUsage&, const ProcessUsage&) = default;
};

[[nodiscard]] ProcessUsage process_usage();

// As Prometheus' text, under the names every client library uses (process_...).
[[nodiscard]] std::string to_metrics_text(const ProcessUsage& usage);

}  // namespace elbowroom::daemon
