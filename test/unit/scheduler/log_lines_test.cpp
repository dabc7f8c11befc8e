#include "scheduler/log_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scheduler/collections.h"

namespace elbowroom::scheduler {
namespace {

using daemon::LogEntry;
using daemon::LogLevel;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Victim kPod{"a", "b", "u"};

TEST(SchedulerLog, ARemovalIsAWarningAndItsDryRunForWhoDebugs) {
  EXPECT_THAT(lines_of(Effect{.id = 1, .what = DeleteVictim{.victim = kPod}}),
              ElementsAre(LogEntry{.level = LogLevel::Warn,
                                   .message = "deleting a pod to make room",
                                   .pod = "a/b",
                                   .uid = "u"}));
  EXPECT_THAT(lines_of(Effect{.id = 1, .what = DeleteVictim{.victim = kPod, .dry_run = true}}),
              ElementsAre(LogEntry{.level = LogLevel::Debug,
                                   .message = "asking whether a pod may be deleted",
                                   .pod = "a/b",
                                   .uid = "u"}));
}

TEST(SchedulerLog, AMarkIsForWhoDebugsAndItsEndForAll) {
  const auto level = [](bool clear) {
    return lines_of(Effect{.id = 1, .what = MarkVictim{.victim = kPod, .clear = clear}})
        .front()
        .level;
  };
  EXPECT_EQ(level(false), LogLevel::Debug);
  EXPECT_EQ(level(true), LogLevel::Info);
}

TEST(SchedulerLog, AnEventOnAnotherKindThanAPodNamesTheKind) {
  using control::Subject;
  const auto message = [](Subject kind) {
    return lines_of(
               Effect{.id = 1, .what = EmitEvent{.regarding = kPod, .note = "n", .kind = kind}})
        .front()
        .message;
  };
  EXPECT_EQ(message(Subject::Pod), "n");
  EXPECT_EQ(message(Subject::PodGroup), "PodGroup a/b: n");
  EXPECT_EQ(message(Subject::ConfigMap), "ConfigMap a/b: n");
  EXPECT_EQ(message(Subject::StatefulSet), "StatefulSet a/b: n");
}

TEST(SchedulerLog, FailuresAndLossesAreForWhoDebugs) {
  EXPECT_THAT(
      lines_of(Observation{.what = Failed{7, {Code::Denied, "403", {}}}}),
      ElementsAre(LogEntry{.level = LogLevel::Debug, .message = "effect 7 failed", .err = "403"}));
  EXPECT_THAT(
      lines_of(Observation{.what = Lost{Collection::Budgets, "refused"}}),
      ElementsAre(LogEntry{
          .level = LogLevel::Debug, .message = "budgets are not followed", .err = "refused"}));
  EXPECT_THAT(lines_of(Observation{.what = TimePassed{}}), IsEmpty());
}

TEST(SchedulerLog, EachWatchThatIsBegunIsALineForWhoDebugs) {
  control::ApiRound now{.collections = {{.row = &row_of(Collection::Nodes)}}};
  now.collections[0].freshness.lists = now.collections[0].freshness.watches = 1;
  EXPECT_THAT(
      control::lines_of({}, now),
      ElementsAre(LogEntry{.level = LogLevel::Debug, .message = "listing nodes"},
                  LogEntry{.level = LogLevel::Debug, .message = "watching nodes, watch 1"}));
  EXPECT_THAT(control::lines_of(now, now), IsEmpty());
}

// Without the right to the Lease the log said "nobody leads yet", for ever.
TEST(SchedulerLog, TroubleWithTheLeaseStandsUntilItIsWritten) {
  control::LeaseError<Done> lease;
  const auto fails = [&](EffectId id, Code code) {
    lease.seen(Observation{.what = Failed{id, {code, "create lease: 403 Forbidden", {}}}});
  };
  lease.performed(Effect{.id = 3, .what = WriteLease{}});
  fails(2, Code::Denied);
  EXPECT_EQ(lease.why(), "") << "it was something else";
  fails(3, Code::Denied);
  EXPECT_EQ(lease.why(), "create lease: 403 Forbidden");
  lease.performed(Effect{.id = 5, .what = WriteLease{}});
  lease.seen(Observation{.what = Done{.effect = 4}});
  EXPECT_NE(lease.why(), "");
  lease.seen(Observation{.what = Done{.effect = 5}});
  EXPECT_EQ(lease.why(), "");
  lease.performed(Effect{.id = 6, .what = WriteLease{}});
  fails(6, Code::Conflict);
  EXPECT_EQ(lease.why(), "") << "somebody else was faster";
}

}  // namespace
}  // namespace elbowroom::scheduler
