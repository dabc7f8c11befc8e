// A daemon's metrics in Prometheus' text format. Any thread may look up and update a metric. The
// tables of metric families define which metrics exist.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "daemon/metrics/metric_family.h"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace elbowroom::daemon {

// Label values are an enumeration in the code, never data from the cluster: no pod, namespace or
// node.
using Labels = std::map<std::string, std::string>;

// Only increases; its name ends in _total.
class Counter {
 public:
  explicit Counter(prometheus::Counter& counter) : counter_(&counter) {}
  void add(double amount = 1) const;  // amount >= 0

 private:
  prometheus::Counter* counter_;
};

class Gauge {
 public:
  explicit Gauge(prometheus::Gauge& gauge) : gauge_(&gauge) {}
  void set(double value) const;

 private:
  prometheus::Gauge* gauge_;
};

class Histogram {
 public:
  explicit Histogram(prometheus::Histogram& histogram) : histogram_(&histogram) {}
  void observe(double value) const;  // in the unit of the name, mostly seconds

 private:
  prometheus::Histogram* histogram_;
};

class Metrics {
 public:
  // Registers the families except process_*, which the machine counts. Sets elbowroom_build_info
  // and elbowroom_start_time_seconds. Counters and histograms with at most 16 label values are
  // exposed as zero from the start.
  Metrics(std::string_view program, const MetricFamilies& families);
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;
  ~Metrics();

  // Returns the series of that family and labels, created by the first call. The name must be in
  // the table with that type, and `labels` must have the family's keys; anything else is a defect.
  // A value that is not in the table becomes "other".
  [[nodiscard]] Counter counter(std::string_view name, const Labels& labels = {}) const;
  [[nodiscard]] Gauge gauge(std::string_view name, const Labels& labels = {}) const;
  // Removes the gauge. No reference to it may exist.
  void drop_gauge(std::string_view name, const Labels& labels) const;
  [[nodiscard]] Histogram histogram(std::string_view name, const Labels& labels = {}) const;

  // Returns the body of /metrics, of type kContentType. Any thread may call it.
  [[nodiscard]] std::string text() const;
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  struct Registered;
  std::unique_ptr<Registered> registered_;
};

}  // namespace elbowroom::daemon
