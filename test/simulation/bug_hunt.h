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

// Expects that one of the first `most` histories breaks, and prints which one and how.
template <class History>
void expect_found(SeededBug bug, std::uint64_t most, History (*history_of)(std::uint64_t seed)) {
  seeded_bug() = bug;
  std::uint64_t seed = 1;
  std::string found;
  for (; seed <= most && found.empty(); ++seed) {
    const auto outcome = play(history_of(seed));
    if (!outcome.broken.empty()) found = outcome.broken.front();
  }
  seeded_bug() = SeededBug::None;
  EXPECT_FALSE(found.empty()) << "in " << most << " histories";
  std::printf("found by history %llu: %s\n", static_cast<unsigned long long>(seed - 1),
              found.c_str());
}

}  // namespace elbowroom::test
