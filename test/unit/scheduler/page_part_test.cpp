// What the scheduler's page takes from its decisions.
#include "scheduler/page_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "scheduler/explain.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class SchedulerPage : public testing::Test {
 protected:
  void start(const ReactorOptions& options) {
    options_ = options;
    world_.emplace(options);
    world_->put(test::node(4000));
    policy::Pod web = test::deferred(test::running_pod("web", 1000, 0, 100), 2000);
    web.scheduler_name = "default-scheduler";
    world_->put(web);
    world_->put(test::running_pod("batch", 3000, 0, 10));
    world_->start();
  }
  page::NodeCopy copy() {
    const page::PagePart part =
        page_part(world_->reactor(), {.kind = page::PageAsked::Kind::Nodes, .names = {"node-1"}},
                  {world_->now(), world_->wall()}, options_);
    return part.copies.at(0);
  }

  ReactorOptions options_{};
  std::optional<test::SchedulerWorld> world_{};
};

TEST_F(SchedulerPage, WhatHappensNextIsWhatItsLastTurnDecided) {
  ReactorOptions options = test::SchedulerWorld::usual();
  options.yield_to->insert("default-scheduler");
  start(options);
  const page::NodeCopy got = copy();
  EXPECT_FALSE(got.explains_all);
  EXPECT_THAT(
      got.decided,
      ElementsAre(Pair("default/web", AllOf(HasSubstr("another scheduler has the first turn"),
                                            HasSubstr("default-scheduler may make room itself"),
                                            HasSubstr("; it looks again at 2026-05-28T20:")))));
  for (const auto& each : got.pods) {
    const std::string key = policy::key_of(each);
    const std::string said =
        explain(world_->reactor(), key, {world_->now(), world_->wall()}, false);
    EXPECT_EQ(said.empty(), !got.decided.contains(key)) << key;
  }
}

TEST_F(SchedulerPage, ADryRunWouldRemovePods) {
  ReactorOptions options = test::SchedulerWorld::usual();
  options.dry_run = true;
  start(options);
  EXPECT_THAT(copy().decided, ElementsAre(Pair("default/web", HasSubstr("would be removed"))));
}

TEST_F(SchedulerPage, ReplicasThatDoNotActHaveNotDecided) {
  ReactorOptions options = test::SchedulerWorld::usual();
  options.leader_elect = true;
  start(options);
  EXPECT_THAT(copy().decided, ElementsAre(Pair("default/web", "")));
}

}  // namespace
}  // namespace elbowroom::scheduler
