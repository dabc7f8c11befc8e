#include "daemon/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <cassert>
#include <cstddef>

#include "daemon/own_usage.h"

namespace elbowroom::daemon {
namespace {

constexpr std::size_t kMostFigures = 256;

// A family with a bound on what it may hold.
template <class T>
struct Bounded {
  prometheus::Family<T>* family = nullptr;
  std::size_t held = 0;
  std::vector<double> bounds{};  // of a histogram

  // `labels`, or the labels of the figure that stands for all beyond the bound.
  Labels admitted(const Labels& labels) {
    if (family->Has(labels)) return labels;
    if (held < kMostFigures - 1) {
      ++held;
      return labels;
    }
    Labels other = labels;
    for (auto& [name, value] : other) value = "other";
    return other;
  }
};

template <class T>
using Families = std::map<std::string, Bounded<T>, std::less<>>;

// The family of that name, built and kept at the first call.
template <class T, class Build>
Bounded<T>& family_of(Families<T>& families, const Build& builder, prometheus::Registry& registry,
                      const std::string& name, const std::string& help) {
  const auto [at, fresh] = families.try_emplace(name);
  if (fresh) at->second.family = &builder().Name(name).Help(help).Register(registry);
  return at->second;
}

bool is_ours(std::string_view name) { return name.starts_with("elbowroom_"); }

}  // namespace

struct Metrics::Registered {
  prometheus::Registry registry{};
  Families<prometheus::Counter> counters{};
  Families<prometheus::Gauge> gauges{};
  Families<prometheus::Histogram> histograms{};
};

void Counter::add(double amount) const {
  assert(amount >= 0);
  counter_->Increment(amount);
}

void Gauge::set(double value) const { gauge_->Set(value); }

void Histogram::observe(double value) const { histogram_->Observe(value); }

std::vector<double> doubling_bounds(double least, int count) {
  assert(least > 0 && count > 0);
  std::vector<double> bounds;
  for (double bound = least; count > 0; bound *= 2, --count) bounds.push_back(bound);
  return bounds;
}

Metrics::Metrics(std::string_view program) : registered_(std::make_unique<Registered>()) {
  gauge("elbowroom_build_info", "The program and its version, always 1",
        {{"program", std::string(program)}, {"version", ELBOWROOM_VERSION}})
      .set(1);
}

Metrics::~Metrics() = default;

Counter Metrics::counter(const std::string& name, const std::string& help, const Labels& labels) {
  assert(is_ours(name) && name.ends_with("_total"));
  auto& family =
      family_of(registered_->counters, prometheus::BuildCounter, registered_->registry, name, help);
  return Counter(family.family->Add(family.admitted(labels)));
}

Gauge Metrics::gauge(const std::string& name, const std::string& help, const Labels& labels) {
  assert(is_ours(name) && !name.ends_with("_total"));
  auto& family =
      family_of(registered_->gauges, prometheus::BuildGauge, registered_->registry, name, help);
  return Gauge(family.family->Add(family.admitted(labels)));
}

Histogram Metrics::histogram(const std::string& name, const std::string& help,
                             const std::vector<double>& bounds, const Labels& labels) {
  assert(is_ours(name) && !bounds.empty());
  auto& family = family_of(registered_->histograms, prometheus::BuildHistogram,
                           registered_->registry, name, help);
  if (family.bounds.empty()) family.bounds = bounds;
  return Histogram(family.family->Add(family.admitted(labels), family.bounds));
}

std::string Metrics::text() const {
  return prometheus::TextSerializer().Serialize(registered_->registry.Collect()) +
         to_metrics_text(own_usage());
}

}  // namespace elbowroom::daemon
