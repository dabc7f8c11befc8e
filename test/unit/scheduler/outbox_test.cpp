// Effects and their answers.
#include "scheduler/outbox.h"

#include <gtest/gtest.h>

#include <chrono>

namespace elbowroom::scheduler {
namespace {

using std::chrono::seconds;

const Victim kWeb{"default", "web", "uid-web"};

TEST(Outbox, IdsGrowByOneAndEffectsAreTakenOnce) {
  Outbox outbox;
  EXPECT_EQ(outbox.emit(GiveUpWrites{}, seconds(1)), 1U);
  EXPECT_EQ(outbox.emit(MarkVictim{.victim = kWeb}, seconds(2), StaleMark{"default/web"}), 2U);
  const Effects effects = outbox.take();
  ASSERT_EQ(effects.size(), 2U);
  EXPECT_EQ(effects[1].id, 2U);
  EXPECT_EQ(effects[1].not_after, seconds(2));
  EXPECT_TRUE(outbox.take().empty());
  EXPECT_EQ(outbox.last(), 2U);
}

TEST(Outbox, AnAnswerFindsWhatItIsForOnce) {
  Outbox outbox;
  const EffectId id =
      outbox.emit(MarkVictim{.victim = kWeb, .clear = true}, seconds(1), StaleMark{"default/web"});
  EXPECT_TRUE(outbox.clears_mark_of("default/web"));
  EXPECT_FALSE(outbox.clears_mark_of("default/api"));
  const auto what = outbox.answered(id);
  ASSERT_TRUE(what);
  EXPECT_EQ(std::get<StaleMark>(*what).key, "default/web");
  EXPECT_FALSE(outbox.answered(id));
  EXPECT_FALSE(outbox.answered(99));
  EXPECT_FALSE(outbox.clears_mark_of("default/web"));
}

TEST(Outbox, CountsBindings) {
  Outbox outbox;
  const PodBinding binding{.key = "default/web", .uid = "uid-web", .node = "node-1"};
  const EffectId id = outbox.emit(BindPod{.pod = kWeb, .node = "node-1"}, seconds(1), binding);
  EXPECT_EQ(outbox.bindings(), 1U);
  EXPECT_TRUE(outbox.binds("default/web", "uid-web"));
  EXPECT_FALSE(outbox.binds("default/web", "uid-other"));
  EXPECT_TRUE(outbox.answered(id));
  EXPECT_EQ(outbox.bindings(), 0U);
}

// The Lease is given back once nothing that changes a pod is in flight.
TEST(Outbox, WritesAreWhatChangesAPodOrTheRecord) {
  const auto is_write = [](auto what, const InFlightEffect& whose) {
    Outbox outbox;
    outbox.emit(std::move(what), seconds(1), whose);
    return outbox.is_writing();
  };
  const auto step = [](SetRemoval::Step of) { return RemovalStep{.step = std::move(of)}; };
  EXPECT_FALSE(is_write(WriteLease{}, LeaseWrite{}));
  EXPECT_FALSE(is_write(ReadBreaker{}, Keeping{.reads = true}));
  EXPECT_TRUE(is_write(WriteBreaker{}, Keeping{}));
  EXPECT_FALSE(is_write(ConfirmResize{kWeb}, step(ConfirmResize{kWeb})));
  EXPECT_FALSE(is_write(DeleteVictim{.victim = kWeb, .dry_run = true},
                        step(DeleteVictim{.victim = kWeb, .dry_run = true})));
  EXPECT_TRUE(is_write(DeleteVictim{.victim = kWeb}, step(DeleteVictim{.victim = kWeb})));
  EXPECT_TRUE(is_write(MarkVictim{.victim = kWeb}, step(MarkVictim{.victim = kWeb})));
  EXPECT_TRUE(is_write(BindPod{.pod = kWeb}, PodBinding{}));
  EXPECT_TRUE(is_write(WritePending{.pod = kWeb}, PendingWrite{}));
}

}  // namespace
}  // namespace elbowroom::scheduler
