// A program that plays histories by seed: `PROGRAM FIRST [COUNT]`; a single one is printed in full.
// A broken history is cut down to the steps that matter and printed, unless ELBOWROOM_UNCUT is set.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "test/simulation/shortest_history.h"

namespace elbowroom::test {

// The sums over all of them.
struct Sum {
  std::map<std::string, std::size_t> happened{};
  std::uint64_t counted = 0;
  std::size_t observations = 0;
};

template <class History, class Outcome>
struct Played {
  const char* program = "";
  History (*history_of)(std::uint64_t seed) = nullptr;
  void (*note)(const Outcome& outcome, Sum& sum) = nullptr;  // what happened besides faults
};

template <class History, class Outcome>
bool play_one(const Played<History, Outcome>& of, std::uint64_t seed, bool verbose, Sum& sum) {
  const History history = of.history_of(seed);
  const Outcome outcome = play(history, verbose);
  if (verbose) {
    std::printf("%s", to_text(history).c_str());
    for (const std::string& line : outcome.log) std::printf("%s\n", line.c_str());
  }
  for (const auto& [name, times] : outcome.faults) sum.happened[name] += times;
  of.note(outcome, sum);
  sum.observations += outcome.observations;
  if (outcome.counts()) ++sum.counted;
  if (outcome.broken.empty()) return true;
  std::printf("BROKEN: seed %llu: %s\n", static_cast<unsigned long long>(seed),
              outcome.broken.front().c_str());
  if (std::getenv("ELBOWROOM_UNCUT") != nullptr) return false;
  const History cut = shortest(history, outcome.broken.front());
  const Outcome again = play(cut, true);
  std::printf("%s", to_text(cut).c_str());
  if (verbose) {
    for (const std::string& line : again.log) std::printf("    %s\n", line.c_str());
  }
  std::printf("  => %s\n", again.broken.empty() ? "?" : again.broken.front().c_str());
  return false;
}

// The program's exit status.
template <class History, class Outcome>
int play_histories(const Played<History, Outcome>& of, int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FIRST-SEED [COUNT]\n", of.program);
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Sum sum;
  std::uint64_t broken = 0;
  const auto begun = std::chrono::steady_clock::now();
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    if (!play_one(of, seed, count == 1, sum)) ++broken;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  for (const auto& [name, times] : sum.happened) std::printf("%8zu %s\n", times, name.c_str());
  std::printf(
      "%llu histories, %llu long enough to count, %zu observations, %llu broken, %.1f that count a "
      "second\n",
      static_cast<unsigned long long>(count), static_cast<unsigned long long>(sum.counted),
      sum.observations, static_cast<unsigned long long>(broken),
      static_cast<double>(sum.counted) / took.count());
  return broken == 0 ? 0 : 1;
}

}  // namespace elbowroom::test
