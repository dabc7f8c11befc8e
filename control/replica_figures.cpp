#include "control/replica_figures.h"

#include <algorithm>

namespace elbowroom::control {

std::vector<std::string_view> resources_of(std::span<const CollectionRow> table) {
  std::vector<std::string_view> resources;
  for (const CollectionRow& row : table) {
    if (std::ranges::find(resources, row.resource) == resources.end()) {
      resources.push_back(row.resource);
    }
  }
  return resources;
}

daemon::MetricFamilies replica_families(std::span<const CollectionRow> table,
                                        std::vector<std::string_view> written) {
  daemon::MetricFamilies all = daemon::daemon_families({"reactor", "api"});
  all.push_back({"elbowroom_recording",
                 daemon::MetricType::Gauge,
                 "",
                 {},
                 "1 while a recording is being written, else 0"});
  all.push_back({"elbowroom_rejected_inputs_total",
                 daemon::MetricType::Counter,
                 "",
                 {{"source", {"api"}}, {"reason", {"object", "too_large"}}},
                 "Objects that could not be understood"});
  const std::vector<std::string_view> followed = resources_of(table);
  written.insert(written.end(), followed.begin(), followed.end());
  for (daemon::MetricFamily& each : daemon::apiserver_families(std::move(written))) {
    all.push_back(std::move(each));
  }
  all.push_back(staleness_family(followed));
  all.push_back(certificate_family());
  all.push_back(dropped_events_family());
  return all;
}

}  // namespace elbowroom::control
