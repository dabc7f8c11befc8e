#include "cli/scenario/time_axis.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace elbowroom::cli {
namespace {

// More moments than these are placed by time alone.
constexpr std::size_t kMostMoments = 100;

}  // namespace

TimeAxis::TimeAxis(std::vector<Time> moments, double left, double width)
    : moments_(std::move(moments)) {
  moments_.emplace_back(0);
  std::ranges::sort(moments_);
  const auto again = std::ranges::unique(moments_);
  moments_.erase(again.begin(), again.end());
  if (moments_.size() > kMostMoments) moments_ = {moments_.front(), moments_.back()};
  double length = 0;
  std::vector<double> lengths = {0};
  for (std::size_t i = 1; i < moments_.size(); ++i) {
    const std::chrono::duration<double> gap = moments_[i] - moments_[i - 1];
    length += std::log2(2 + gap.count());
    lengths.push_back(length);
  }
  for (const double each : lengths) {
    places_.push_back(left + (length > 0 ? each / length * width : 0));
  }
}

double TimeAxis::at(Time time) const {
  const auto next = std::ranges::lower_bound(moments_, time);
  if (next == moments_.end()) return places_.back();
  const auto i = static_cast<std::size_t>(next - moments_.begin());
  if (*next == time || i == 0) return places_[i];
  const std::chrono::duration<double> gap = moments_[i] - moments_[i - 1];
  const std::chrono::duration<double> into = time - moments_[i - 1];
  return places_[i - 1] + into / gap * (places_[i] - places_[i - 1]);
}

std::vector<TimeAxis::Time> TimeAxis::ticks(double apart) const {
  std::vector<Time> shown;
  double last = 0;
  for (std::size_t i = 0; i < moments_.size(); ++i) {
    const bool is_last = i + 1 == moments_.size();
    const bool fits = shown.empty() || places_[i] - last >= apart;
    if (!is_last && (!fits || places_.back() - places_[i] < apart)) continue;
    if (is_last && !fits && shown.size() > 1) shown.pop_back();
    shown.push_back(moments_[i]);
    last = places_[i];
  }
  return shown;
}

}  // namespace elbowroom::cli
