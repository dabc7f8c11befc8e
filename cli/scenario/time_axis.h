// Where moments of a timeline are in its picture. Moments at which something happens are apart by
// the logarithm of the time between them, so that none hides another.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace elbowroom::cli {

class TimeAxis {
 public:
  using Time = std::chrono::milliseconds;

  // `moments`: in any order. The first and the last are at `left` and `left` + `width` pixels.
  TimeAxis(std::vector<Time> moments, double left, double width);

  // In pixels, for any time.
  [[nodiscard]] double at(Time time) const;

  // The moments that are at least `apart` pixels from each other, the first and the last among
  // them.
  [[nodiscard]] std::vector<Time> ticks(double apart) const;

 private:
  std::vector<Time> moments_{};   // ascending, each once; one at least
  std::vector<double> places_{};  // theirs
};

}  // namespace elbowroom::cli
