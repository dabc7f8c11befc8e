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
