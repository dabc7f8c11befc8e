// Hunts a seeded bug: plays histories until one breaks. The bug is active only during the hunt, in
// the one thread that plays.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <ostream>
#include <string>

#include "test/simulation/seeded_bug.h"

namespace elbowroom::test {

struct NamedBug {
  SeededBug bug = SeededBug::None;
  const char* name = "";
};

// So that a test is listed by the bug's name.
inline void PrintTo(const NamedBug& bug, std::ostream* to) { *to << bug.name; }

// The histories that each test run plays are the first ones of every thousand.
constexpr std::uint64_t kOfEachThousand = 125;

[[nodiscard]] constexpr std::uint64_t seed_played(std::uint64_t index) {
  return index / kOfEachThousand * 1000 + index % kOfEachThousand + 1;
}

// Expects that one of the first `most` histories that are played breaks, and prints which one and
// how.
template <class History>
void expect_found(SeededBug bug, std::uint64_t most, History (*history_of)(std::uint64_t seed)) {
  seeded_bug() = bug;
  std::uint64_t seed = 0;
  std::string found;
  for (std::uint64_t index = 0; index < most && found.empty(); ++index) {
    seed = seed_played(index);
    const auto outcome = play(history_of(seed));
    if (!outcome.broken.empty()) found = outcome.broken.front();
  }
  seeded_bug() = SeededBug::None;
  EXPECT_FALSE(found.empty()) << "in " << most << " histories";
  std::printf("found by history %llu: %s\n", static_cast<unsigned long long>(seed), found.c_str());
}

}  // namespace elbowroom::test
