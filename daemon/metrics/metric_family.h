// What a metric is called, what it counts and which labels it may carry: a row of a table. The
// table registers the metrics, and prints the reference page, so a figure that is not in it cannot
// be moved.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace elbowroom::daemon {

enum class MetricType { Counter, Gauge, Histogram };
enum class Stability { Alpha, Beta, Stable };

struct MetricLabel {
  std::string_view name{};
  // All there are; what is none of them is shown as "other". Empty: fixed when the program is
  // built.
  std::vector<std::string_view> values{};
};

struct MetricFamily {
  std::string_view name{};
  MetricType type = MetricType::Gauge;
  std::string_view unit{};  // "seconds", "bytes", "cores"; "" for counts and yes or no
  std::vector<MetricLabel> labels{};
  std::string_view help{};  // one sentence without its full stop
  Stability stability = Stability::Alpha;
};

using MetricFamilies = std::vector<MetricFamily>;

// "counter", "gauge", "histogram".
[[nodiscard]] std::string_view to_string(MetricType type);

// Upper bounds of every histogram of seconds: 1 ms to 8.192 s, each twice the one before.
[[nodiscard]] std::vector<double> duration_bounds();

// What every daemon has, in the order of the page: build, process, loops, configuration, log.
// `loops`: the daemon's own.
[[nodiscard]] MetricFamilies daemon_families(std::vector<std::string_view> loops);

// Requests to the API server, of every daemon that makes some. `resources`: what it asks for.
[[nodiscard]] MetricFamilies apiserver_families(std::vector<std::string_view> resources);

// What speaks against the families' names, labels and texts, one line each; empty when all is as it
// should be.
[[nodiscard]] std::vector<std::string> lint(const MetricFamilies& families);

// The reference page, in Markdown.
[[nodiscard]] std::string metrics_page(std::string_view program, const MetricFamilies& families);

}  // namespace elbowroom::daemon
