// Sets of more pods than may be in flight at a time, on one node and on many.
#include "scheduler/removal/set_removal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "scheduler/removal/removals.h"
#include "test/pods.h"

namespace elbowroom::scheduler {
namespace {

using test::running_pod;
using ::testing::ElementsAre;

constexpr std::size_t kVictims = 150;
const Preemptor kWeb{.key = "default/web", .uid = "uid-web", .generation = 1, .node = "node-1"};

std::vector<policy::Pod> victims() {
  std::vector<policy::Pod> pods;
  for (std::size_t i = 0; i < kVictims; ++i) {
    pods.push_back(running_pod("pod-" + std::to_string(i), 10));
  }
  return pods;
}

// Answers every step in order, and looks at how many are in flight.
struct Answers {
  std::size_t marks = 0;
  std::size_t clears = 0;
  std::size_t checks = 0;
  std::size_t deletes = 0;
  std::size_t most = 0;
  std::string refused{};  // the name of the pod whose mark is refused

  void run(SetRemoval& set) {
    std::deque<SetRemoval::Step> in_flight;
    for (;;) {
      for (SetRemoval::Step& step : set.take_steps()) in_flight.push_back(std::move(step));
      most = std::max(most, in_flight.size());
      if (in_flight.empty()) return;
      const SetRemoval::Step step = std::move(in_flight.front());
      in_flight.pop_front();
      set.finished(step, answer(step));
    }
  }

  std::optional<Error> answer(const SetRemoval::Step& step) {
    if (const auto* mark = std::get_if<MarkVictim>(&step)) {
      ++(mark->clear ? clears : marks);
      if (!mark->clear && mark->victim.name == refused) return Error{Code::Denied, "no", {}};
    }
    if (const auto* removed = std::get_if<DeleteVictim>(&step)) {
      ++(removed->dry_run ? checks : deletes);
    }
    return std::nullopt;
  }
};

TEST(SetRemoval, SendsABoundedNumberAtATime) {
  SetRemoval set(kWeb, victims(), policy::Time{});
  Answers answers;
  answers.run(set);
  EXPECT_EQ(set.stage(), SetRemoval::Stage::Ready);
  set.go_on();
  answers.run(set);
  EXPECT_EQ(set.stage(), SetRemoval::Stage::Ended);
  EXPECT_EQ(set.outcome(), SetRemoval::Outcome::Removed);
  EXPECT_EQ(answers.marks, kVictims);
  EXPECT_EQ(answers.checks, kVictims);
  EXPECT_EQ(answers.deletes, kVictims);
  EXPECT_EQ(answers.most, SetRemoval::kMostInFlight);
}

TEST(SetRemoval, EachStepIsTakenOnce) {
  SetRemoval set(kWeb, {running_pod("a", 10)}, policy::Time{});
  EXPECT_EQ(set.take_steps().size(), 2U);
  EXPECT_EQ(set.take_steps().size(), 0U);
}

TEST(SetRemoval, MarksNoMorePodsOnceOneIsRefused) {
  SetRemoval set(kWeb, victims(), policy::Time{});
  Answers answers{.refused = "pod-3"};
  answers.run(set);
  EXPECT_EQ(set.outcome(), SetRemoval::Outcome::Refused);
  EXPECT_EQ(set.stage(), SetRemoval::Stage::Ended);
  EXPECT_LT(answers.marks, SetRemoval::kMostInFlight + 4);
  // The refused mark may have been written all the same.
  EXPECT_EQ(answers.clears, answers.marks);
  EXPECT_EQ(answers.deletes, 0U);
}

TEST(SetRemoval, AnAbandonedSetSendsNoMoreMarks) {
  SetRemoval set(kWeb, victims(), policy::Time{});
  std::vector<SetRemoval::Step> sent = set.take_steps();
  set.abandon("the node has changed");
  EXPECT_TRUE(set.take_steps().empty());
  // One of them is refused: that is not why the set stays.
  for (std::size_t i = 0; i < sent.size(); ++i) {
    set.finished(sent[i], i == 0 ? std::optional(Error{Code::Denied, "no", {}}) : std::nullopt);
  }
  Answers answers;
  answers.run(set);
  EXPECT_EQ(answers.marks, 0U);
  EXPECT_EQ(answers.clears, sent.size());
  EXPECT_EQ(set.outcome(), SetRemoval::Outcome::Overtaken);
}

// ---- removals over many nodes ----

RemovalRequest over_two_nodes() {
  RemovalRequest request{.preemptor = kWeb};
  for (const char* name : {"a", "b", "c"}) request.victims.push_back(running_pod(name, 10));
  request.victims[0].node = "node-3";
  request.victims[1].node = "node-1";
  request.victims[2].node = "node-3";
  return request;
}

TEST(Removals, BelongToAPreemptorAndConcernManyNodes) {
  Removals removals;
  const std::uint64_t number = removals.add(over_two_nodes(), {}, {}).number;
  EXPECT_EQ(removals.size(), 1U);
  EXPECT_TRUE(removals.is_on("node-1"));
  EXPECT_TRUE(removals.is_on("node-3"));
  EXPECT_FALSE(removals.is_on("node-2"));
  EXPECT_TRUE(removals.is_victim("uid-a", "node-3"));
  EXPECT_TRUE(removals.is_victim("uid-b", "node-1"));
  EXPECT_FALSE(removals.is_victim("uid-z", "node-1"));
  EXPECT_THAT(removals.numbers(), ElementsAre(number));
  const auto uids = removals.find(number)->uids_by_node();
  ASSERT_EQ(uids.size(), 2U);
  EXPECT_THAT(uids.at("node-1"), ElementsAre("uid-b"));
  EXPECT_THAT(uids.at("node-3"), ElementsAre("uid-a", "uid-c"));
}

TEST(Removals, AnEndedOneFreesAllItsNodes) {
  Removals removals;
  const std::uint64_t number = removals.add(over_two_nodes(), {}, {}).number;
  RemovalRequest other{.preemptor = {.key = "default/api", .uid = "uid-api", .node = "node-0"}};
  other.victims.push_back(running_pod("d", 10));
  other.victims[0].node = "node-0";
  const std::uint64_t second = removals.add(std::move(other), {}, {}).number;
  EXPECT_THAT(removals.numbers(), ElementsAre(second, number));  // by their first node
  removals.erase(number);
  EXPECT_FALSE(removals.is_on("node-1"));
  EXPECT_FALSE(removals.is_on("node-3"));
  EXPECT_EQ(removals.find(number), nullptr);
  ASSERT_EQ(removals.take_all().size(), 1U);
  EXPECT_EQ(removals.size(), 0U);
}

}  // namespace
}  // namespace elbowroom::scheduler
