#include "control/jitter.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace elbowroom::control {
namespace {

using std::chrono::milliseconds;

TEST(Jitter, IsNeverLessThanTheWaitAndAQuarterMoreAtMost) {
  for (int pod = 0; pod < 1000; ++pod) {
    const milliseconds wait = with_jitter(milliseconds(1000), "uid-" + std::to_string(pod), 1);
    EXPECT_GE(wait, milliseconds(1000));
    EXPECT_LE(wait, milliseconds(1250));
  }
  EXPECT_EQ(with_jitter(milliseconds(0), "uid", 0), milliseconds(0));
}

TEST(Jitter, IsTheSameForTheSamePodAndAttempt) {
  EXPECT_EQ(with_jitter(milliseconds(4000), "uid-web", 2),
            with_jitter(milliseconds(4000), "uid-web", 2));
}

TEST(Jitter, PodsAndAttemptsDiffer) {
  std::set<milliseconds> pods;
  std::set<milliseconds> attempts;
  for (unsigned i = 0; i < 100; ++i) {
    pods.insert(with_jitter(milliseconds(10'000), "0a1b2c3d-" + std::to_string(i), 0));
    attempts.insert(with_jitter(milliseconds(10'000), "0a1b2c3d", i));
  }
  EXPECT_GT(pods.size(), 90);
  EXPECT_GT(attempts.size(), 90);
}

}  // namespace
}  // namespace elbowroom::control
