#include "cluster/kept_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "cluster/snapshot.h"
#include "test/pods.h"

namespace elbowroom::cluster {
namespace {

using policy::Pod;

Pod pod_on(const std::string& node, const std::string& ns, const std::string& name) {
  Pod pod = test::running_pod(name, 100);
  pod.ns = ns;
  pod.node = node;
  return pod;
}

std::vector<Pod> many_pods(const std::string& node, std::size_t count) {
  std::vector<Pod> pods;
  for (std::size_t i = 0; i < count; ++i) {
    pods.push_back(pod_on(node, "a", std::to_string(100'000 + i)));
  }
  return pods;
}

std::string no_contradiction(std::span<const Pod>) { return ""; }

class KeptNodesTest : public testing::Test {
 protected:
  // Whether the node had to be unpacked.
  bool unpacks(const std::string& node, std::size_t count) {
    bool did = false;
    const auto unpack = [&] {
      did = true;
      return many_pods(node, count);
    };
    EXPECT_EQ(kept_.of(node, unpack, no_contradiction).pods.size(), count);
    return did;
  }
  KeptPods kept_;
};

TEST_F(KeptNodesTest, ANodeIsUnpackedOnce) {
  EXPECT_TRUE(unpacks("n", 3));
  EXPECT_FALSE(unpacks("n", 3));
  kept_.put("n", pod_on("n", "b", "x"));
  EXPECT_FALSE(unpacks("n", 4));
  kept_.remove("n", "b/x");
  EXPECT_FALSE(unpacks("n", 3));
  kept_.forget("n");
  EXPECT_TRUE(unpacks("n", 3));
}

TEST_F(KeptNodesTest, TheNodeAskedForLongestAgoIsForgottenFirst) {
  EXPECT_TRUE(unpacks("a", 4000));
  EXPECT_TRUE(unpacks("b", 4000));
  EXPECT_FALSE(unpacks("a", 4000));
  EXPECT_TRUE(unpacks("c", 1000));
  EXPECT_EQ(kept_.pods(), 5000);
  EXPECT_FALSE(unpacks("a", 4000));
  EXPECT_FALSE(unpacks("c", 1000));
  EXPECT_TRUE(unpacks("b", 4000));
}

TEST_F(KeptNodesTest, ANodeOfTooManyPodsIsNotKept) {
  EXPECT_TRUE(unpacks("a", 10));
  EXPECT_TRUE(unpacks("huge", 9000));
  EXPECT_TRUE(unpacks("huge", 9000));
  EXPECT_FALSE(unpacks("a", 10)) << "the others stay";
}

TEST_F(KeptNodesTest, ANodeThatGrowsTooLargeIsForgotten) {
  EXPECT_TRUE(unpacks("a", 10));
  EXPECT_TRUE(unpacks("b", 8'000));
  for (int i = 0; i < 200; ++i) kept_.put("b", pod_on("b", "b", std::to_string(i)));
  EXPECT_TRUE(unpacks("b", 100));
}

TEST_F(KeptNodesTest, ANodeWithoutPodsIsNotKept) {
  EXPECT_TRUE(unpacks("a", 1));
  kept_.remove("a", "a/100000");
  EXPECT_TRUE(unpacks("a", 0));
  EXPECT_TRUE(unpacks("a", 0));
  EXPECT_EQ(kept_.pods(), 0);
}

TEST_F(KeptNodesTest, WhatAReaderHoldsDoesNotChange) {
  const auto unpack = [] { return many_pods("n", 2); };
  const SharedPods held = kept_.of("n", unpack, no_contradiction).pods;
  kept_.remove("n", "a/100000");
  EXPECT_EQ(held.size(), 2);
  EXPECT_EQ(kept_.of("n", unpack, no_contradiction).pods.size(), 1);
}

// A copy of the snapshot keeps nothing, and unpacks every node.
class RandomEventsTest : public testing::TestWithParam<unsigned> {
 protected:
  std::size_t any(std::size_t count) { return random_() % count; }

  void change_pod() {
    // "a-b" sorts after "a" and "a-b/x" before "a/x".
    static constexpr std::array kNamespaces{"a", "a-b", "c"};
    Pod pod =
        pod_on("n-" + std::to_string(any(3)), kNamespaces[any(3)], "p-" + std::to_string(any(6)));
    pod.uid = "uid-" + std::to_string(any(12));
    if (any(2) == 0) pod.scheduling_group = "g-" + std::to_string(any(2));
    if (any(6) == 0) pod.phase = policy::Phase::Succeeded;
    if (any(6) == 0) pod.nominated_node = std::exchange(pod.node, "");
    pod.generation = static_cast<std::int64_t>(any(4));
    const auto packed = PackedPod::packed(pod);
    if (snapshot_.replaces_another(packed)) snapshot_.remove_pod(packed.key(), "");
    snapshot_.put(packed);
  }
  void change_group() {
    policy::PodGroup group;
    group.ns = "a";
    group.name = "g-" + std::to_string(any(2));
    if (any(3) == 0) {
      snapshot_.remove_group(policy::key_of(group), "");
      return;
    }
    group.standing.uid = "uid-of-" + group.name;
    group.standing.priority = static_cast<std::int32_t>(any(5));
    group.standing.mode =
        any(2) == 0 ? policy::DisruptionMode::All : policy::DisruptionMode::Single;
    snapshot_.put(group);
  }
  void change() {
    const std::size_t what = any(10);
    if (what == 0) return change_group();
    if (what > 2) return change_pod();
    const auto keys = snapshot_.pod_keys();
    if (!keys.empty()) snapshot_.remove_pod(keys[any(keys.size())], "");
  }

  std::mt19937 random_{GetParam()};
  Snapshot snapshot_;
};

TEST_P(RandomEventsTest, KeptPodsAreThoseOfTheNode) {
  for (int node = 0; node < 3; ++node) {
    policy::Node made = test::node(64'000);
    made.name = "n-" + std::to_string(node);
    snapshot_.put(made);
  }
  for (int turn = 0; turn < 500; ++turn) {
    change();
    const std::string node = "n-" + std::to_string(any(3));
    const auto kept = snapshot_.view(node);
    const auto unpacked = Snapshot(snapshot_).view(node);
    ASSERT_EQ(std::vector(kept->pods.begin(), kept->pods.end()),
              std::vector(unpacked->pods.begin(), unpacked->pods.end()));
    ASSERT_EQ(kept->contradiction, unpacked->contradiction);
    ASSERT_EQ(kept->elsewhere, unpacked->elsewhere);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomEventsTest, testing::Range(1U, 9U));

}  // namespace
}  // namespace elbowroom::cluster
