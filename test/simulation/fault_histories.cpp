// Plays histories by seed: `fault_histories FIRST [COUNT]`; a single one with all that happened in
// it. What breaks is cut down to the steps that matter and printed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "test/simulation/history.h"
#include "test/simulation/shrink.h"

namespace {

using elbowroom::test::History;
using elbowroom::test::Outcome;
using elbowroom::test::play;
using elbowroom::test::Step;

// The shortest history found that still breaks something.
History shortest(const History& history) {
  History cut = history;
  cut.steps = elbowroom::test::shrink<Step>(history.steps, [&](const std::vector<Step>& steps) {
    History part = history;
    part.steps = steps;
    return !play(part).broken.empty();
  });
  return cut;
}

// What all of them came to.
struct Sum {
  std::map<std::string, std::size_t> faults{};
  std::size_t observations = 0;
  std::uint64_t counted = 0;
};

bool play_one(std::uint64_t seed, bool verbose, Sum& sum) {
  const History history = elbowroom::test::history_of(seed);
  const Outcome outcome = play(history, verbose);
  if (verbose) {
    std::printf("%s", elbowroom::test::to_text(history).c_str());
    for (const std::string& line : outcome.log) std::printf("%s\n", line.c_str());
  }
  for (const auto& [name, times] : outcome.faults) sum.faults[name] += times;
  for (const auto& [cause, times] : outcome.further_sets) {
    sum.faults["(victims once more: " + cause + ")"] += times;
  }
  sum.observations += outcome.observations;
  if (outcome.counts()) ++sum.counted;
  if (outcome.yielded) ++sum.faults["(the agent yielded to another writer)"];
  if (outcome.broken.empty()) return true;
  std::printf("BROKEN: seed %llu: %s\n", static_cast<unsigned long long>(seed),
              outcome.broken.front().c_str());
  const History cut = shortest(history);
  const Outcome again = play(cut, true);
  std::printf("%s", elbowroom::test::to_text(cut).c_str());
  if (verbose) {
    for (const std::string& line : again.log) std::printf("    %s\n", line.c_str());
  }
  std::printf("  => %s\n", again.broken.empty() ? "?" : again.broken.front().c_str());
  return false;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: fault_histories FIRST-SEED [COUNT]\n");
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Sum sum;
  std::uint64_t broken = 0;
  const auto begun = std::chrono::steady_clock::now();
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    if (!play_one(seed, count == 1, sum)) ++broken;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  for (const auto& [name, times] : sum.faults) std::printf("%8zu %s\n", times, name.c_str());
  std::printf(
      "%llu histories, %llu long enough to count, %zu observations, %llu broken, %.1f that count a "
      "second\n",
      static_cast<unsigned long long>(count), static_cast<unsigned long long>(sum.counted),
      sum.observations, static_cast<unsigned long long>(broken),
      static_cast<double>(sum.counted) / took.count());
  return broken == 0 ? 0 : 1;
}
