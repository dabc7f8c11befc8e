#include "scheduler/explain.h"

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "base/document.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

TEST(SchedulerExplain, WhoWasRefusedIsNamedWithWhyAndUntilWhen) {
  test::SchedulerWorld world;
  world.put(test::node(4000));
  world.put(test::deferred(test::running_pod("web", 1000, 0, 100), 2000));
  world.put(test::running_pod("batch", 3000, 0, 10));
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (effect != "delete default/batch") return std::nullopt;
    return Error{Code::Denied, "a webhook says no", {}};
  };
  world.start();
  world.pass(std::chrono::seconds(5));
  const auto document =
      parse_json(explain(world.reactor(), "default/web", {world.now(), world.wall()}, false));
  ASSERT_TRUE(document);
  const Value* refused = document->find("refused");
  ASSERT_NE(refused, nullptr);
  ASSERT_EQ(refused->items.size(), 1U);
  EXPECT_EQ(api::text_at(refused->items[0], "pod"), "default/batch");
  EXPECT_EQ(api::text_at(refused->items[0], "why"), "a webhook says no");
  EXPECT_EQ(api::text_at(refused->items[0], "until"), "2026-05-28T20:27:40Z");
}

std::size_t wakes(const Value& document, std::string_view list) {
  const Value* all = document.find(list);
  return all == nullptr ? 0 : all->items.size();
}

TEST(SchedulerExplain, ADeferredResizeOnlyByWhatChangesOnItsNode) {
  test::SchedulerWorld world;
  world.put(test::node(4000));
  world.put(test::deferred(test::running_pod("web", 1000, 0, 100), 9000));
  world.start();
  world.pass(std::chrono::seconds(5));
  const auto document =
      parse_json(explain(world.reactor(), "default/web", {world.now(), world.wall()}, false));
  ASSERT_TRUE(document);
  EXPECT_GT(wakes(*document, "wakes"), 0U);
  EXPECT_EQ(wakes(*document, "wakesAnywhere"), 0U);
}

// ---- pod groups ----

policy::Pod member_of(const std::string& name, const std::string& group) {
  policy::Pod pod = test::running_pod(name, 600);
  pod.node.clear();
  pod.phase = policy::Phase::Pending;
  pod.scheduler_name = "elbowroom";
  pod.scheduling_group = group;
  return pod;
}

class GroupExplain : public ::testing::Test {
 protected:
  GroupExplain() : world_(options()) {
    world_.put(test::node(1000));
    policy::PodGroup train{.ns = "default", .name = "train"};
    train.standing = {.uid = "g", .priority = 7, .min_count = 2};
    world_.put(train);
    policy::PodGroup plain{.ns = "default", .name = "plain", .standing = {.uid = "p"}};
    world_.put(plain);
  }
  static ReactorOptions options() {
    ReactorOptions options = test::SchedulerWorld::usual();
    options.places_for = {"elbowroom"};
    return options;
  }
  Value of_group(const std::string& key) {
    auto document = parse_json(explain_group(world_.reactor(), key, moment(), false));
    return document ? *std::move(document) : Value{};
  }
  Moment moment() { return {world_.now(), world_.wall()}; }

  test::SchedulerWorld world_;
};

TEST_F(GroupExplain, OfAGangIsWhatItsLastTurnDecided) {
  world_.put(member_of("a", "train"));
  world_.put(member_of("b", "train"));
  world_.start();
  const Value got = of_group("default/train");
  EXPECT_EQ(api::text_at(got, "group"), "default/train");
  EXPECT_EQ(api::text_at(got, "uid"), "g");
  EXPECT_EQ(api::integer_at(got, "priority"), 7);
  EXPECT_EQ(api::integer_at(got, "minCount"), 2);
  EXPECT_EQ(api::text_at(got, "result"), "unschedulable");
  EXPECT_EQ(api::text_at(got, "queue"), "parked");
  EXPECT_NE(api::text_at(got, "message"), "");
  EXPECT_GT(wakes(got, "wakesAnywhere"), 0U);
  ASSERT_EQ(wakes(got, "members"), 2U);
  EXPECT_EQ(api::text_at(got.find("members")->items[0], "pod"), "default/a");
  EXPECT_EQ(got.find("pod"), nullptr) << "group is in its place";
}

// A member has no turn of its own.
TEST_F(GroupExplain, OfAMemberIsWhatItsGangsTurnDecided) {
  world_.put(member_of("a", "train"));
  world_.start();
  const auto got = parse_json(explain(world_.reactor(), "default/a", moment(), false));
  ASSERT_TRUE(got);
  EXPECT_EQ(api::text_at(*got, "group"), "default/train");
  EXPECT_EQ(api::text_at(*got, "result"), "unschedulable");
  EXPECT_NE(api::text_at(*got, "message").find("minCount (2) cannot be satisfied"),
            std::string_view::npos);
  EXPECT_EQ(api::text_at(*got, "queue"), "parked");
}

TEST_F(GroupExplain, OfAGroupThatIsNoGangIsWhatItsPodsTurnsDecided) {
  world_.put(member_of("a", "plain"));
  policy::Pod large = member_of("b", "plain");
  world_.put(large);
  world_.start();
  const Value got = of_group("default/plain");
  EXPECT_EQ(api::text_at(got, "result"), "");
  EXPECT_EQ(api::text_at(got, "message"), "it is no gang: its pods are placed one by one");
  ASSERT_EQ(wakes(got, "members"), 2U);
  const Value& placed = got.find("members")->items[0];
  EXPECT_EQ(api::text_at(placed, "node"), "node-1");
  const Value& waits = got.find("members")->items[1];
  EXPECT_EQ(api::text_at(waits, "result"), "unschedulable");
  EXPECT_NE(api::text_at(waits, "message"), "");
}

TEST_F(GroupExplain, OfAGroupThatDoesNotExistSaysSo) {
  world_.put(member_of("a", "nowhere"));
  world_.start();
  EXPECT_EQ(api::text_at(of_group("default/nowhere"), "message"),
            "pod group default/nowhere does not exist");
}

TEST_F(GroupExplain, NothingIsSaidOfAGroupOfWhichNoPodWaits) {
  world_.start();
  EXPECT_EQ(explain_group(world_.reactor(), "default/train", moment(), false), "");
  EXPECT_EQ(explain_group(world_.reactor(), "default/none", moment(), false), "");
}

}  // namespace
}  // namespace elbowroom::scheduler
