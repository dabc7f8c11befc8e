#include "policy/model/rejected_pods.h"

#include <gtest/gtest.h>

#include <string>

#include "test/pods.h"

namespace elbowroom::policy {
namespace {

// Bound to the node, and nothing more.
Pod bound(std::int64_t cpu_m, std::int64_t memory = 0) {
  Pod pod = test::running_pod("new", cpu_m, memory);
  pod.phase = Phase::Pending;
  pod.containers[0].allocated_requests.reset();
  pod.containers[0].actual_requests.reset();
  pod.containers[0].state = RunState::None;
  return pod;
}

TEST(NotBegun, NamesWhatThePodAloneIsTooLargeIn) {
  const Node node = test::node(4000, test::kGi);
  EXPECT_EQ(never_fits(node, bound(4000)), std::nullopt);
  EXPECT_EQ(never_fits(node, bound(4001)), "cpu");
  EXPECT_EQ(never_fits(node, bound(1, test::kGi + 1)), "memory");
  Pod pages = bound(1);
  set_amount(pages.containers[0].desired.requests, "hugepages-2Mi", 2);
  EXPECT_EQ(never_fits(node, pages), std::nullopt) << "the node says nothing of them";
  Node with_pages = node;
  set_amount(with_pages.allocatable, "hugepages-2Mi", 1);
  EXPECT_EQ(never_fits(with_pages, pages), "hugepages-2Mi");
  Pod device = bound(1);
  set_amount(device.containers[0].desired.requests, "example.com/gpu", 2);
  EXPECT_EQ(never_fits(node, device), std::nullopt);
}

TEST(Admission, SaysWhatIsLackingAsAKubeletDoes) {
  Node node = test::node(4000, test::kGi);
  node.allowed_pods = 3;
  const auto rejected = [&](const Pod& pod, const TakenRoom& taken) {
    const auto rejection = rejection_of(node, pod, taken);
    return rejection ? rejection->reason + ": " + rejection->message : "";
  };
  EXPECT_EQ(rejected(bound(2000), {test::amounts(2000), 2}), "");
  EXPECT_EQ(rejected(bound(2000), {test::amounts(2001), 2}),
            "OutOfcpu: Node didn't have enough resource: cpu, requested: 2000, used: 2001, "
            "capacity: 4000");
  EXPECT_EQ(rejected(bound(2000, test::kGi), {test::amounts(3000, 1), 2}).substr(0, 9),
            "OutOfcpu:");
  EXPECT_EQ(rejected(bound(1, test::kGi), {test::amounts(1, 1), 2}).substr(0, 12), "OutOfmemory:");
  EXPECT_EQ(
      rejected(bound(1), {{}, 3}),
      "OutOfpods: Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3");
  EXPECT_EQ(rejected(bound(0), {test::amounts(5000), 1}), "") << "it asks for nothing";
}

TEST(Admission, OfAPodThatItsNodeHasNotAcknowledged) {
  EXPECT_TRUE(awaits_admission(bound(1)));
  Pod pod = bound(1);
  pod.started = Time{};
  EXPECT_FALSE(awaits_admission(pod));
  pod = bound(1);
  pod.deletion = Time{};
  EXPECT_FALSE(awaits_admission(pod));
  EXPECT_FALSE(awaits_admission(test::running_pod("a", 1)));
  Pod first = bound(1);
  Pod second = bound(1);
  second.uid = "z";
  EXPECT_TRUE(is_admitted_before(first, second));
  EXPECT_FALSE(is_admitted_before(first, first));
  first.created = Time{std::chrono::seconds(2)};
  second.created = Time{std::chrono::seconds(1)};
  EXPECT_TRUE(is_admitted_before(second, first));
}

TEST(NotBegun, ASaturatedSumFitsNowhere) {
  Pod two = bound(kMaxAmount);
  two.containers.push_back(two.containers[0]);
  EXPECT_EQ(never_fits(test::node(kMaxAmount), two), "cpu");
  EXPECT_EQ(never_fits(test::node(kMaxAmount), bound(kMaxAmount)), std::nullopt);
}

TEST(NotBegun, WhateverHasBegunHoldsItsRoom) {
  const Node node = test::node(4000);
  Pod waits = bound(5000);
  waits.containers[0].state = RunState::Waiting;
  EXPECT_EQ(never_fits(node, waits), std::nullopt);
  Pod promised = bound(5000);
  promised.containers[0].allocated_requests = test::amounts(1);
  EXPECT_EQ(never_fits(node, promised), std::nullopt);
  Pod given = bound(5000);
  given.pod_level.actual_requests = test::amounts(1);
  EXPECT_EQ(never_fits(node, given), std::nullopt);
  Pod unknown = bound(5000);
  unknown.phase = Phase::Unknown;
  EXPECT_EQ(never_fits(node, unknown), std::nullopt);
  EXPECT_EQ(never_fits(node, test::running_pod("a", 5000)), std::nullopt);
}

}  // namespace
}  // namespace elbowroom::policy
