#include "scheduler/removal/repeat_cause.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "test/pods.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;
using test::deferred;
using test::running_pod;
using testing::HasSubstr;

// web waits for 2 cpu; a was deleted, b stays, and leaving is terminating.
cluster::NodeView before() {
  cluster::NodeView view{.node = test::node(4000)};
  view.pods.own().push_back(deferred(running_pod("web", 1000, 0, 100), 2000));
  view.pods.own().push_back(running_pod("a", 1000, 0, 0));
  view.pods.own().push_back(running_pod("b", 1000, 0, 50));
  view.pods.own().push_back(running_pod("leaving", 1000, 0, 50));
  view.pods.own().back().deletion = policy::Time{std::chrono::seconds(1'780'000'030)};
  return view;
}

Pod& pod_of(cluster::NodeView& view, const std::string& name) {
  return *std::ranges::find(view.pods.own(), name, &Pod::name);
}

std::string cause_of(const std::function<void(cluster::NodeView&)>& change) {
  cluster::NodeView view = before();
  const SetRecord record = record_of(view, pod_of(view, "web"), {"uid-a"});
  pod_of(view, "a").deletion = policy::Time{std::chrono::seconds(1'780'000'030)};
  change(view);
  return cause_since(record, view, pod_of(view, "web")).full();
}

TEST(SetCause, EachIsNamedWithWhatChanged) {
  using View = cluster::NodeView;
  EXPECT_EQ(
      cause_of([](View& view) { view.pods.own().push_back(running_pod("late", 500, 0, 200)); }),
      "pod default/late came and holds 500m cpu");
  EXPECT_EQ(cause_of([](View& view) {
              Pod& b = pod_of(view, "b");
              b = running_pod("b", 1500, 0, 50);
            }),
            "pod default/b grew and holds 1500m cpu");
  EXPECT_THAT(cause_of([](View& view) { view.node.allocatable = test::node(3000).allocatable; }),
              HasSubstr("allocatable of node node-1 fell from 4 cpu"));
  EXPECT_THAT(cause_of([](View& view) {
                Pod& web = pod_of(view, "web");
                web = deferred(running_pod("web", 1000, 0, 100), 3000);
              }),
              HasSubstr("the request was raised from 2 cpu"));
  EXPECT_EQ(cause_of([](View& view) { pod_of(view, "a").deletion.reset(); }),
            "pod default/a, which was to go, stayed");
  EXPECT_EQ(cause_of([](View& view) { pod_of(view, "leaving").deletion.reset(); }),
            "pod default/leaving does not leave any more");
  EXPECT_EQ(cause_of([](View& view) {
              view.pods.own().push_back(deferred(running_pod("vip", 0, 0, 500), 1000));
            }),
            "the resize of pod default/vip comes first");
  EXPECT_EQ(cause_of([](View& view) { view.nominated.push_back(running_pod("nominee", 1000)); }),
            "pod default/nominee was nominated to the node");
}

// Seen on a real cluster: the set was chosen while the other resize waited, which then got the
// room.
TEST(SetCause, WhereNothingGotWorseAnEarlierResizeGotTheRoom) {
  cluster::NodeView view = before();
  view.pods.own().push_back(deferred(running_pod("vip", 0, 0, 500), 1000));
  const SetRecord record = record_of(view, pod_of(view, "web"), {"uid-a"});
  pod_of(view, "a").deletion = policy::Time{std::chrono::seconds(1'780'000'030)};
  EXPECT_EQ(cause_since(record, view, pod_of(view, "web")).full(),
            "the resize of pod default/vip comes first");
  std::erase_if(view.pods.own(), [](const Pod& pod) { return pod.name == "a"; });
  EXPECT_EQ(cause_since(record, view, pod_of(view, "web")).full(),
            "the resize of pod default/vip comes first");
}

TEST(SetCause, AShrinkThatDidNotHappenIsNamed) {
  cluster::NodeView view = before();
  view.pods.own().push_back(deferred(running_pod("vip", 0, 0, 500), 1000));
  view.pods.own().push_back(deferred(running_pod("slow", 1000, 0, 50), 500));
  const SetRecord record = record_of(view, pod_of(view, "web"), {"uid-a"});
  pod_of(view, "a").deletion = policy::Time{std::chrono::seconds(1'780'000'030)};
  EXPECT_EQ(cause_since(record, view, pod_of(view, "web")).full(),
            "pod default/slow was not resized down");
  pod_of(view, "slow") = running_pod("slow", 500, 0, 50);
  EXPECT_EQ(cause_since(record, view, pod_of(view, "web")).full(),
            "the resize of pod default/vip comes first");
}

TEST(SetCause, WhatIsNotWorseIsNoCause) {
  EXPECT_EQ(cause_of([](cluster::NodeView& view) {
              view.node.allocatable = test::node(5000).allocatable;
              std::erase_if(view.pods.own(), [](const Pod& pod) { return pod.name == "b"; });
            }),
            "resources that were expected were not freed");
}

}  // namespace
}  // namespace elbowroom::scheduler
