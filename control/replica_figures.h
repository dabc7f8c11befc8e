// The metrics of a daemon that has no more than every replica has: what ServerMetrics moves, and
// whether it records. Families come from its table of collections.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "control/collection.h"
#include "control/reports.h"
#include "control/server_metrics.h"
#include "daemon/metrics/metric_family.h"
#include "daemon/metrics/metrics.h"

namespace elbowroom::control {

[[nodiscard]] std::vector<std::string_view> resources_of(std::span<const CollectionRow> table);

// What every replica has. `written`: resources that it asks for beside its collections.
[[nodiscard]] daemon::MetricFamilies replica_families(std::span<const CollectionRow> table,
                                                      std::vector<std::string_view> written);

// Reports are as control/reports.h has them.
template <class Reports>
class ReplicaFigures {
 public:
  // `metrics` must outlive it and have replica_families().
  explicit ReplicaFigures(const daemon::Metrics& metrics) : server_(metrics) {}

  // What there is to report, moving these figures. Must not outlive them.
  [[nodiscard]] Reports reports() {
    Reports reports;
    server_.hear(reports);
    reports.measured = [](const auto& /*status*/) {};
    reports.followed = [this](const ApiRound& round) { server_.follow(round); };
    return reports;
  }

  void suppressed(std::uint64_t lines) { server_.suppressed(lines); }

 private:
  ServerMetrics server_;
};

}  // namespace elbowroom::control
