#include "daemon/metrics/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "daemon/metrics/process_usage.h"
#include "daemon/metrics/revision.h"

namespace elbowroom::daemon {
namespace {

// A family with at most this many series shows all of them from the start.
constexpr std::size_t kShownAhead = 16;

template <class T>
struct Registration {
  const MetricFamily* row = nullptr;
  prometheus::Family<T>* family = nullptr;
};

template <class T>
using Families = std::map<std::string_view, Registration<T>, std::less<>>;

// Keeps only values of the table, so nothing from the cluster creates a series.
Labels enumerated(const MetricFamily& row, const Labels& labels) {
  assert(labels.size() == row.labels.size());
  Labels checked;
  for (const MetricLabel& label : row.labels) {
    const auto at = labels.find(std::string(label.name));
    assert(at != labels.end());
    const bool known =
        label.values.empty() || std::ranges::find(label.values, at->second) != label.values.end();
    checked[at->first] = known ? at->second : "other";
  }
  return checked;
}

// Returns every combination of the labels' values; none if there are too many, or if values are not
// in the table.
std::vector<Labels> shown_ahead(const MetricFamily& row) {
  std::vector<Labels> all = {{}};
  for (const MetricLabel& label : row.labels) {
    std::vector<Labels> longer;
    for (const Labels& labels : all) {
      for (const std::string_view value : label.values) {
        longer.push_back(labels);
        longer.back()[std::string(label.name)] = value;
      }
    }
    all = std::move(longer);
    if (all.size() > kShownAhead) return {};
  }
  return all;
}

std::string_view compiler() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

}  // namespace

struct Metrics::Registered {
  explicit Registered(MetricFamilies families) : rows(std::move(families)) {}

  const MetricFamilies rows;
  prometheus::Registry registry{};
  Families<prometheus::Counter> counters{};
  Families<prometheus::Gauge> gauges{};
  Families<prometheus::Histogram> histograms{};

  template <class T>
  const Registration<T>& row_of(const Families<T>& families, std::string_view name) const {
    const auto at = families.find(name);
    assert(at != families.end());
    return at->second;
  }
};

void Counter::add(double amount) const {
  assert(amount >= 0);
  counter_->Increment(amount);
}

void Gauge::set(double value) const { gauge_->Set(value); }

void Histogram::observe(double value) const { histogram_->Observe(value); }

Metrics::Metrics(std::string_view program, const MetricFamilies& families)
    : registered_(std::make_unique<Registered>(families)) {
  const auto add = [this](auto&& builder, auto& of, const MetricFamily& row) {
    of[row.name] = {&row, &builder.Name(std::string(row.name))
                               .Help(std::string(row.help))
                               .Register(registered_->registry)};
  };
  for (const MetricFamily& row : registered_->rows) {
    if (row.name.starts_with("process_")) continue;
    if (row.type == MetricType::Counter) {
      add(prometheus::BuildCounter(), registered_->counters, row);
      for (const Labels& labels : shown_ahead(row)) (void)counter(row.name, labels);
    } else if (row.type == MetricType::Gauge) {
      add(prometheus::BuildGauge(), registered_->gauges, row);
    } else {
      add(prometheus::BuildHistogram(), registered_->histograms, row);
      for (const Labels& labels : shown_ahead(row)) (void)histogram(row.name, labels);
    }
  }
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  gauge("elbowroom_build_info", {{"program", std::string(program)},
                                 {"version", ELBOWROOM_VERSION},
                                 {"revision", std::string(revision())},
                                 {"compiler", std::string(compiler())}})
      .set(1);
  gauge("elbowroom_start_time_seconds").set(now.count());
}

Metrics::~Metrics() = default;

Counter Metrics::counter(std::string_view name, const Labels& labels) const {
  const auto& of = registered_->row_of(registered_->counters, name);
  return Counter(of.family->Add(enumerated(*of.row, labels)));
}

Gauge Metrics::gauge(std::string_view name, const Labels& labels) const {
  const auto& of = registered_->row_of(registered_->gauges, name);
  return Gauge(of.family->Add(enumerated(*of.row, labels)));
}

void Metrics::drop_gauge(std::string_view name, const Labels& labels) const {
  const auto& of = registered_->row_of(registered_->gauges, name);
  of.family->Remove(&of.family->Add(enumerated(*of.row, labels)));
}

Histogram Metrics::histogram(std::string_view name, const Labels& labels) const {
  const auto& of = registered_->row_of(registered_->histograms, name);
  return Histogram(of.family->Add(enumerated(*of.row, labels), duration_bounds()));
}

std::string Metrics::text() const {
  return prometheus::TextSerializer().Serialize(registered_->registry.Collect()) +
         to_metrics_text(process_usage());
}

}  // namespace elbowroom::daemon
