// The shortest history found that breaks the same invariant as a longer one, for any pods and
// times.
#pragma once

#include <string>

#include "test/simulation/shrink.h"

namespace elbowroom::test {

// What was broken, without times, names of pods and schedulers, and figures.
[[nodiscard]] std::string kind_of(const std::string& broken);

// `broken` is what the history breaks. It is played again and again: this takes seconds.
template <class History>
[[nodiscard]] History shortest(const History& history, const std::string& broken) {
  using Each = typename decltype(history.steps)::value_type;
  const std::string kind = kind_of(broken);
  History cut = history;
  cut.steps = shrink<Each>(history.steps, [&](const std::vector<Each>& steps) {
    History part = history;
    part.steps = steps;
    const auto outcome = play(part);
    return !outcome.broken.empty() && kind_of(outcome.broken.front()) == kind;
  });
  return cut;
}

}  // namespace elbowroom::test
