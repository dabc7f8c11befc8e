#include "daemon/metrics/reload_metrics.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <utility>

#include "base/checksum.h"

namespace elbowroom::daemon {
namespace {

std::string hash_of(std::string_view text) {
  std::array<char, 16> hex{};
  std::snprintf(hex.data(), hex.size(), "%08x", crc32c(text));
  return hex.data();
}

}  // namespace

ReloadMetrics::ReloadMetrics(Metrics& metrics, const Settings& settings)
    : metrics_(metrics),
      successful_(metrics.gauge("elbowroom_config_last_reload_successful")),
      when_(metrics.gauge("elbowroom_config_last_reload_success_timestamp_seconds")) {
  taken(settings);
}

void ReloadMetrics::taken(const Settings& settings) {
  if (!hash_.empty()) metrics_.drop_gauge("elbowroom_config_hash_info", {{"hash", hash_}});
  // Values resolved on a machine are excluded: machines with the same file have the same hash.
  hash_ = hash_of(to_yaml(settings));
  metrics_.gauge("elbowroom_config_hash_info", {{"hash", hash_}}).set(1);
  successful_.set(1);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  when_.set(std::chrono::duration<double>(now).count());
  const std::scoped_lock lock(mutex_);
  settings_ = settings;
}

void ReloadMetrics::resolve(std::vector<Resolution> resolved) {
  const std::scoped_lock lock(mutex_);
  resolved_ = std::move(resolved);
}

void ReloadMetrics::refused() const { successful_.set(0); }

std::string ReloadMetrics::text() const {
  const std::scoped_lock lock(mutex_);
  return to_yaml(settings_, resolved_);
}

}  // namespace elbowroom::daemon
