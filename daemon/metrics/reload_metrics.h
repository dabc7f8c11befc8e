// Metrics and text of the effective configuration: whether the last reload succeeded, when, and the
// whole text. One thread reloads; any other thread may read the text.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "daemon/config/config.h"
#include "daemon/metrics/metrics.h"

namespace elbowroom::daemon {

class ReloadMetrics {
 public:
  // `metrics` must outlive it. The configuration at start counts as loaded.
  ReloadMetrics(Metrics& metrics, const Settings& settings);

  void taken(const Settings& settings);
  void refused() const;

  // Sets the effective values of unset keys, for text(). Any thread may call it.
  void resolve(std::vector<Resolution> resolved);

  // Returns the effective configuration without secrets, as the body of /configz.
  [[nodiscard]] std::string text() const;

 private:
  Metrics& metrics_;
  Gauge successful_;
  Gauge when_;
  std::string hash_{};
  mutable std::mutex mutex_;
  Settings settings_{};
  std::vector<Resolution> resolved_{};
};

}  // namespace elbowroom::daemon
