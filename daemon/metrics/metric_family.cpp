#include "daemon/metrics/metric_family.h"

#include <algorithm>
#include <set>

namespace elbowroom::daemon {
namespace {

bool is_snake(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' && text.back() != '_' &&
         !text.contains("__") && std::ranges::all_of(text, fits);
}

// Words that a name must not contain: units other than the base units, and metric types.
constexpr std::string_view kNoUnits[] = {
    "_ms",        "_milliseconds", "_minutes",    "_hours",   "_mib",   "_kib",      "_kilobytes",
    "_megabytes", "_percent",      "_millicores", "_counter", "_gauge", "_histogram"};

std::vector<std::string> lint_name(const MetricFamily& family) {
  std::vector<std::string> found;
  const auto say = [&](bool wrong, std::string_view what) {
    if (wrong) found.push_back(std::string(family.name) + ": " + std::string(what));
  };
  const std::string_view name = family.name;
  const bool is_counter = family.type == MetricType::Counter;
  say(!name.starts_with("elbowroom_") && !name.starts_with("process_"), "prefix");
  say(!is_snake(name), "not snake_case");
  say(is_counter != name.ends_with("_total"), "_total is for counters, and for all of them");
  for (const std::string_view unit : kNoUnits) say(name.contains(unit), "not a base unit");
  const std::string_view stem = is_counter ? name.substr(0, name.size() - 6) : name;
  say(!family.unit.empty() && !stem.ends_with("_" + std::string(family.unit)),
      "its unit is not the last word of its name");
  say(family.type == MetricType::Histogram && family.unit != "seconds",
      "a histogram of no seconds");
  say(family.unit.empty() && (stem.ends_with("_seconds") || stem.ends_with("_bytes")),
      "its name has a unit and its row has none");
  return found;
}

}  // namespace

std::string_view to_string(MetricType type) {
  switch (type) {
    case MetricType::Counter:
      return "counter";
    case MetricType::Gauge:
      return "gauge";
    case MetricType::Histogram:
      return "histogram";
  }
  return "gauge";
}

std::vector<double> duration_bounds() {
  std::vector<double> bounds;
  for (double bound = 0.001; bound < 10; bound *= 2) bounds.push_back(bound);
  return bounds;
}

MetricFamilies daemon_families(std::vector<std::string_view> loops) {
  using enum MetricType;
  const MetricLabel loop{"loop", std::move(loops)};
  return {
      {"elbowroom_build_info",
       Gauge,
       "",
       {{"program"}, {"version"}, {"revision"}, {"compiler"}},
       "The program and what it was built from, always 1"},
      {"elbowroom_start_time_seconds",
       Gauge,
       "seconds",
       {},
       "When the program started, in seconds since 1970"},
      {"process_cpu_seconds_total", Counter, "seconds", {}, "User and system cpu time spent"},
      {"process_resident_memory_bytes", Gauge, "bytes", {}, "Resident memory"},
      {"process_anonymous_memory_bytes",
       Gauge,
       "bytes",
       {},
       "Resident memory that is no file's: what is ours alone"},
      {"process_open_fds", Gauge, "", {}, "Open file descriptors"},
      {"elbowroom_loop_duration_seconds",
       Histogram,
       "seconds",
       {loop},
       "Time one turn of a loop took, without its waits"},
      {"elbowroom_loop_last_success_timestamp_seconds",
       Gauge,
       "seconds",
       {loop},
       "When a loop turned last, in seconds since 1970"},
      {"elbowroom_loop_overruns_total",
       Counter,
       "",
       {loop},
       "Turns of a loop that took over a second"},
      {"elbowroom_config_last_reload_successful",
       Gauge,
       "",
       {},
       "1 if the last configuration that was read is the one that counts, else 0"},
      {"elbowroom_config_last_reload_success_timestamp_seconds",
       Gauge,
       "seconds",
       {},
       "When a configuration was last taken, in seconds since 1970"},
      {"elbowroom_config_hash_info",
       Gauge,
       "",
       {{"hash"}},
       "The checksum of the configuration that counts, always 1"},
      {"elbowroom_log_lines_suppressed_total",
       Counter,
       "",
       {},
       "Log lines that were counted instead of written, because they had just been"},
  };
}

MetricFamilies apiserver_families(std::vector<std::string_view> resources) {
  using enum MetricType;
  return {
      {"elbowroom_apiserver_requests_total",
       Counter,
       "",
       {{"verb", {"GET", "LIST", "WATCH", "POST", "PUT", "PATCH", "DELETE"}},
        {"resource", std::move(resources)},
        {"code",
         {"200", "201", "202", "400", "401", "403", "404", "409", "410", "413", "415", "422", "429",
          "500", "502", "503", "504", "none"}}},
       "Requests to the API server by its answer; none: there was no answer"},
      {"elbowroom_apiserver_request_duration_seconds",
       Histogram,
       "seconds",
       {},
       "Time from the wire to the whole answer, watches left out"},
  };
}

std::vector<std::string> lint(const MetricFamilies& families) {
  std::vector<std::string> found;
  std::set<std::string_view> names;
  for (const MetricFamily& family : families) {
    std::ranges::copy(lint_name(family), std::back_inserter(found));
    const auto say = [&](bool wrong, std::string_view what) {
      if (wrong) found.push_back(std::string(family.name) + ": " + std::string(what));
    };
    say(!names.insert(family.name).second, "twice in the table");
    say(family.help.empty() || family.help.ends_with('.'), "help is empty or ends in a period");
    say(family.help.contains('\n') || family.help.contains('|'), "help is no plain line");
    for (const MetricLabel& label : family.labels) {
      say(!is_snake(label.name), "a label is not snake_case");
      const bool is_info = family.name.ends_with("_info");
      say(label.values.empty() && !is_info, "the values of a label are not enumerated");
      for (const std::string_view word : {"pod", "namespace", "node", "container", "uid"}) {
        say(label.name == word, "a label names an object of the cluster");
      }
    }
  }
  return found;
}

std::string metrics_page(std::string_view program, const MetricFamilies& families) {
  std::string page =
      "# Metrics of " + std::string(program) +
      "\n\nWhat `/metrics` shows. This page is printed by `elbowroom reference "
      "metrics`; a test compares the two. All names are\nALPHA: they may change with a "
      "line in the changelog. No label names a pod, a namespace or a node; a value that "
      "is not\nlisted here is shown as `other`. Histograms count seconds up to 1 ms, 2 "
      "ms, 4 ms, and so on, to 8.192 s.\n\n"
      "| metric | type | labels | what it says |\n|---|---|---|---|\n";
  for (const MetricFamily& family : families) {
    std::string labels;
    for (const MetricLabel& label : family.labels) {
      if (!labels.empty()) labels += "; ";
      labels += "`" + std::string(label.name) + "`";
      std::string values;
      for (const std::string_view value : label.values) {
        values += (values.empty() ? " " : ", ") + std::string(value);
      }
      if (!values.empty()) labels += ":" + values;
    }
    page += "| `" + std::string(family.name) + "` | " + std::string(to_string(family.type)) +
            " | " + labels + " | " + std::string(family.help) + " |\n";
  }
  return page;
}

}  // namespace elbowroom::daemon
