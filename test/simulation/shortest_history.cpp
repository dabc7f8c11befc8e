#include "test/simulation/shortest_history.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>

#include "test/simulation/shrink.h"

namespace elbowroom::test {
namespace {

// Without times, names of pods and schedulers, and figures.
std::string kind_of(const std::string& broken) {
  std::istringstream words(broken.substr(0, broken.find('(')));
  std::string kind;
  for (std::string word; words >> word;) {
    const bool is_name =
        word.starts_with("sched-") ||
        std::ranges::any_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!is_name) kind += word + " ";
  }
  return kind;
}

}  // namespace

ClusterHistory shortest(const ClusterHistory& history, const std::string& broken) {
  const std::string kind = kind_of(broken);
  ClusterHistory cut = history;
  cut.steps = shrink<ClusterStep>(history.steps, [&](const std::vector<ClusterStep>& steps) {
    ClusterHistory part = history;
    part.steps = steps;
    const ClusterOutcome outcome = play(part);
    return !outcome.broken.empty() && kind_of(outcome.broken.front()) == kind;
  });
  return cut;
}

}  // namespace elbowroom::test
