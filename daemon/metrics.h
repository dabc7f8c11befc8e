// A daemon's figures in Prometheus' text format. The one thing to know: what is asked for once
// lives as long as the Metrics, and any thread may then move it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

// Upper bounds of a histogram of seconds, from `least` on, each twice the one before. Requires
// least > 0 and count > 0.
[[nodiscard]] std::vector<double> doubling_bounds(double least, int count);

class Metrics {
 public:
  // Begins with elbowroom_build_info{program, version} and the process_* figures.
  explicit Metrics(std::string_view program);
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;
  ~Metrics();

  // The figure of that name and labels, made at the first call. One thread at a time: ask in the
  // wiring, keep the answer. Names: elbowroom_..., snake case, base unit last (_seconds, _bytes,
  // _total); `help` has no full stop. A family has at most 256 figures: what comes after shares one
  // whose labels all say "other".
  [[nodiscard]] Counter counter(const std::string& name, const std::string& help,
                                const Labels& labels = {});
  [[nodiscard]] Gauge gauge(const std::string& name, const std::string& help,
                            const Labels& labels = {});
  // The bounds of the first call hold for the whole family.
  [[nodiscard]] Histogram histogram(const std::string& name, const std::string& help,
                                    const std::vector<double>& bounds, const Labels& labels = {});

  // What /metrics answers, of type kContentType. Any thread may ask.
  [[nodiscard]] std::string text() const;
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  struct Registered;
  std::unique_ptr<Registered> registered_;
};

}  // namespace elbowroom::daemon
