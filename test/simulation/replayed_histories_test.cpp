// The agent and the scheduler repeat what they did in histories with faults when the recordings are
// replayed.
#include <gtest/gtest.h>

#include <string>

#include "agent/recording/recording.h"
#include "scheduler/recording/recording.h"
#include "test/simulation/cluster_history.h"
#include "test/simulation/history.h"

namespace elbowroom::test {
namespace {

#ifdef ELBOWROOM_SANITIZED
constexpr std::uint64_t kHistories = 5;
#else
constexpr std::uint64_t kHistories = 50;
#endif

TEST(ReplayedHistories, GiveTheSameEffectsByteForByte) {
  std::size_t lives = 0;
  std::size_t effects = 0;
  for (std::uint64_t seed = 1; seed <= kHistories; ++seed) {
    const Outcome outcome = play_recorded(history_of(seed));
    EXPECT_TRUE(outcome.broken.empty()) << seed;
    ASSERT_FALSE(outcome.recordings.empty()) << seed;
    std::size_t observations = 0;
    for (const std::string& recording : outcome.recordings) {
      std::string again;
      auto reader = recording::RecordingReader::of_text(recording);
      const auto report = agent::replay(reader, {.rewritten = [&](std::string_view line) {
                                          again.append(line).push_back('\n');
                                        }});
      ASSERT_TRUE(report) << seed << ": " << report.error().message;
      EXPECT_EQ(report->different, 0U) << "seed " << seed << ", line " << report->first->line;
      EXPECT_TRUE(again == recording) << "seed " << seed << ", life " << lives;
      EXPECT_FALSE(report->torn) << seed;
      EXPECT_FALSE(report->unanswered) << seed;
      observations += report->observations;
      effects += report->effects;
      ++lives;
    }
    EXPECT_GE(observations, outcome.observations) << seed;
  }
  EXPECT_GT(lives, kHistories) << "in some of them the agent is started again";
  EXPECT_GT(effects, 20 * kHistories);
}

TEST(ReplayedClusterHistories, GiveTheSameEffectsByteForByte) {
  std::size_t lives = 0;
  std::size_t effects = 0;
  for (std::uint64_t seed = 1; seed <= kHistories; ++seed) {
    const ClusterOutcome outcome = play_recorded(cluster_history_of(seed));
    EXPECT_TRUE(outcome.broken.empty()) << seed;
    EXPECT_GE(outcome.recordings.size(), 2U) << seed << ": there are two schedulers";
    for (const std::string& recording : outcome.recordings) {
      std::string again;
      auto reader = recording::RecordingReader::of_text(recording);
      const auto report = scheduler::replay(reader, {.rewritten = [&](std::string_view line) {
                                              again.append(line).push_back('\n');
                                            }});
      ASSERT_TRUE(report) << seed << ": " << report.error().message;
      EXPECT_EQ(report->different, 0U) << "seed " << seed << ", line " << report->first->line;
      EXPECT_TRUE(again == recording) << "seed " << seed << ", life " << lives;
      effects += report->effects;
      ++lives;
    }
  }
  EXPECT_GT(lives, 2 * kHistories) << "in some of them a scheduler is started again";
  EXPECT_GT(effects, 20 * kHistories);
}

}  // namespace
}  // namespace elbowroom::test
