#include "daemon/program/watchdog.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace elbowroom::daemon {
namespace {

using namespace std::chrono_literals;

const Watchdog::Clock::time_point kStart{1h};

TEST(Watchdog, WithoutLoopsNothingHangs) { EXPECT_TRUE(Watchdog(10s).hung(kStart).empty()); }

TEST(Watchdog, ALoopHangsWhenItsMarkIsOlderThanThePatience) {
  Watchdog watchdog(10s);
  Progress& reactor = watchdog.add("reactor", kStart);
  EXPECT_TRUE(watchdog.hung(kStart + 10s).empty());
  EXPECT_EQ(watchdog.hung(kStart + 10001ms), (std::vector<HungLoop>{{"reactor", 10001ms}}));
  reactor.mark(kStart + 10001ms);
  EXPECT_TRUE(watchdog.hung(kStart + 10001ms).empty());
}

TEST(Watchdog, OneHungLoopIsEnoughAndIsNamed) {
  Watchdog watchdog(10s);
  Progress& reactor = watchdog.add("reactor", kStart);
  [[maybe_unused]] const Progress& runtime = watchdog.add("runtime", kStart);
  Progress& api = watchdog.add("api", kStart);
  for (auto at = kStart; at <= kStart + 12s; at += 1s) {
    reactor.mark(at);
    api.mark(at);
  }
  const std::vector<HungLoop> hung = watchdog.hung(kStart + 12s);
  EXPECT_EQ(hung, (std::vector<HungLoop>{{"runtime", 12s}}));
  EXPECT_EQ(to_string(hung), "loop runtime has not turned for 12000 ms");
}

TEST(Watchdog, SeveralHungLoopsAreAllNamed) {
  Watchdog watchdog(1s);
  [[maybe_unused]] const Progress& a = watchdog.add("a", kStart);
  [[maybe_unused]] const Progress& b = watchdog.add("b", kStart + 1s);
  EXPECT_EQ(to_string(watchdog.hung(kStart + 3s)),
            "loop a has not turned for 3000 ms, loop b has not turned for 2000 ms");
  EXPECT_EQ(to_string(std::vector<HungLoop>{}), "");
}

TEST(Watchdog, AMarkFromTheFutureDoesNotHang) {
  Watchdog watchdog(1s);
  Progress& loop = watchdog.add("a", kStart);
  loop.mark(kStart + 5s);
  EXPECT_TRUE(watchdog.hung(kStart).empty());
}

}  // namespace
}  // namespace elbowroom::daemon
