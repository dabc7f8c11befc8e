// The name, meaning and labels of a metric, as a row of a table. The table registers the metrics
// and generates the reference page, so a metric that is not in it cannot change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace elbowroom::daemon {

enum class MetricType { Counter, Gauge, Histogram };
enum class Stability { Alpha, Beta, Stable };

struct MetricLabel {
  std::string_view name{};
  // All values; any other value is shown as "other". Empty: fixed at build time.
  std::vector<std::string_view> values{};
};

struct MetricFamily {
  std::string_view name{};
  MetricType type = MetricType::Gauge;
  std::string_view unit{};  // "seconds", "bytes", "cores"; "" for counts and booleans
  std::vector<MetricLabel> labels{};
  std::string_view help{};  // one sentence without its full stop
  Stability stability = Stability::Alpha;
};

using MetricFamilies = std::vector<MetricFamily>;

// Returns "counter", "gauge" or "histogram".
[[nodiscard]] std::string_view to_string(MetricType type);

// Returns the upper bounds of every histogram of seconds: 1 ms to 8.192 s, each twice the previous.
[[nodiscard]] std::vector<double> duration_bounds();

// The families of every daemon, in the order of the page: build, process, loops, configuration,
// log. `loops`: the daemon's own.
[[nodiscard]] MetricFamilies daemon_families(std::vector<std::string_view> loops);

// The families for requests to the API server. `resources`: the requested resources.
[[nodiscard]] MetricFamilies apiserver_families(std::vector<std::string_view> resources);

// Returns violations in the families' names, labels and texts, one line each; empty if there are
// none.
[[nodiscard]] std::vector<std::string> lint(const MetricFamilies& families);

// Returns the reference page in Markdown.
[[nodiscard]] std::string metrics_page(std::string_view program, const MetricFamilies& families);

}  // namespace elbowroom::daemon
