// How the work of something grows with its size, by the time that the processor spends on it: what
// else the machine does plays no part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>

namespace elbowroom::test {

// Ten times as much takes at most so many times as long: what is linear takes ten times, and more
// where memory is farther away; what is quadratic a hundred times.
inline constexpr double kNotQuadratic = 45;

// How many times as long ten times as much takes. `prepare(size)` returns what is measured. What
// takes too long is measured again: caches are shared with what else the machine does.
template <class Prepare>
[[nodiscard]] double growth_from(std::size_t size, Prepare prepare) {
  const auto time_of = [&](std::size_t of) {
    auto run = prepare(of);
    const std::clock_t begun = std::clock();
    run();
    return static_cast<double>(std::clock() - begun);
  };
  const double small = std::max({time_of(size), time_of(size), 1.0});
  double growth = time_of(10 * size) / small;
  for (int again = 0; again < 2 && growth >= kNotQuadratic; ++again) {
    growth = std::min(growth, time_of(10 * size) / small);
  }
  return growth;
}

}  // namespace elbowroom::test
