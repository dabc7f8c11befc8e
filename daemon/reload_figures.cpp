#include "daemon/reload_figures.h"

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

ReloadFigures::ReloadFigures(Metrics& metrics, const Settings& settings)
    : metrics_(metrics),
      successful_(metrics.gauge("elbowroom_config_last_reload_successful")),
      when_(metrics.gauge("elbowroom_config_last_reload_success_timestamp_seconds")) {
  taken(settings);
}

void ReloadFigures::taken(const Settings& settings) {
  std::string text = to_yaml(settings);
  if (!hash_.empty()) metrics_.drop_gauge("elbowroom_config_hash_info", {{"hash", hash_}});
  hash_ = hash_of(text);
  metrics_.gauge("elbowroom_config_hash_info", {{"hash", hash_}}).set(1);
  successful_.set(1);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  when_.set(std::chrono::duration<double>(now).count());
  const std::scoped_lock lock(mutex_);
  text_ = std::move(text);
}

void ReloadFigures::refused() const { successful_.set(0); }

std::string ReloadFigures::text() const {
  const std::scoped_lock lock(mutex_);
  return text_;
}

}  // namespace elbowroom::daemon
