// What is told of the configuration that counts: whether the last reload was taken, when, and the
// text of it all. One thread reloads; any other may ask for the text.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "daemon/config/config.h"
#include "daemon/metrics/metrics.h"

namespace elbowroom::daemon {

class ReloadMetrics {
 public:
  // `metrics` must outlive it. The configuration of the start counts as taken.
  ReloadMetrics(Metrics& metrics, const Settings& settings);

  void taken(const Settings& settings);
  void refused() const;

  // What keys that nobody set come to, for text(). Any thread.
  void resolve(std::vector<Resolution> resolved);

  // The configuration that counts, secrets removed: what /configz answers.
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
