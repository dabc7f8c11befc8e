// A daemon's figures in Prometheus' text format. Any thread may ask for a figure and move it; what
// there is to ask for stands in the tables of metric families.
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

// Values of a label come from an enumeration in the code, never from the cluster: no pod, namespace
// or node.
using Labels = std::map<std::string, std::string>;

// Only rises; its name ends in _total.
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
  // Registers the families, but for process_*, which the machine counts. Begins with
  // elbowroom_build_info and elbowroom_start_time_seconds; counters and histograms of at most 16
  // label values show from the start, as zero.
  Metrics(std::string_view program, const MetricFamilies& families);
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;
  ~Metrics();

  // The figure of that family and labels, made at the first call. The name is one of the table, of
  // that type, and `labels` has the family's keys: else it is a defect. A value the table does not
  // have becomes "other".
  [[nodiscard]] Counter counter(std::string_view name, const Labels& labels = {}) const;
  [[nodiscard]] Gauge gauge(std::string_view name, const Labels& labels = {}) const;
  // The gauge shows no more. Nobody may hold it.
  void drop_gauge(std::string_view name, const Labels& labels) const;
  [[nodiscard]] Histogram histogram(std::string_view name, const Labels& labels = {}) const;

  // What /metrics answers, of type kContentType. Any thread may ask.
  [[nodiscard]] std::string text() const;
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  struct Registered;
  std::unique_ptr<Registered> registered_;
};

}  // namespace elbowroom::daemon
