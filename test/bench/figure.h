// The output of a benchmark driver: a figure as a JSON line for test/bench/run, or why the driver
// gives up. Standard output holds nothing else.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace elbowroom::bench {

inline double milliseconds(std::chrono::steady_clock::duration of) {
  return std::chrono::duration<double, std::milli>(of).count();
}

// `which`: 0.99 for the value that one in a hundred is above. There is at least one.
inline double percentile(std::vector<double> values, double which) {
  std::ranges::sort(values);
  const auto last = static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(last * which + 0.999)];
}

inline void report(const std::string& name, double value, const std::string& unit) {
  std::printf("{\"name\": \"%s\", \"value\": %.3f, \"unit\": \"%s\"}\n", name.c_str(), value,
              unit.c_str());
  std::fflush(stdout);
}

[[noreturn]] inline void give_up(const std::string& why) {
  std::cerr << "bench: " << why << "\n";
  std::exit(1);
}

}  // namespace elbowroom::bench
