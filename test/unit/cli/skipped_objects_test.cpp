#include "cli/input/skipped_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/document_text.h"

namespace elbowroom::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<Value> objects(const std::string& yaml) {
  auto parsed = parse_yaml(yaml);
  EXPECT_TRUE(parsed);
  return parsed ? std::move(*parsed) : std::vector<Value>{};
}

std::string pod(const std::string& name, const std::string& cpu, const std::string& phase,
                const std::string& uid) {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
         ", namespace: default, uid: " + uid +
         "}, spec: {nodeName: node1, containers: [{name: a, resources: {requests: {cpu: \"" + cpu +
         "\"}}}]}, status: {phase: " + phase + "}}\n";
}

constexpr const char* kTooMuch = "9223372036854775807";
constexpr const char* kNoAmount = "much";

TEST(UndecodableObjects, NothingOfWhatIsSound) {
  const auto all = understand(objects(pod("a", "1", "Running", "u-1")), "default/a", "server");
  ASSERT_TRUE(all);
  EXPECT_THAT(all->manifests.pods, SizeIs(1));
  EXPECT_THAT(all->left_out.lines, IsEmpty());
}

TEST(UndecodableObjects, APodMakesItsNodeUnclearUnlessItHasFinished) {
  const std::string sound = pod("a", "1", "Running", "u-1");
  const auto running =
      understand(objects(sound + pod("b", kNoAmount, "Running", "u-2")), "default/a", "server");
  ASSERT_TRUE(running);
  EXPECT_THAT(running->manifests.pods, SizeIs(1));
  ASSERT_THAT(running->left_out.lines, SizeIs(1));
  EXPECT_THAT(running->left_out.lines[0],
              HasSubstr("Pod default/b cannot be understood and is left out: "));
  ASSERT_TRUE(running->left_out.unclear.contains("node1"));
  EXPECT_THAT(running->left_out.unclear.at("node1"), HasSubstr("pod default/b cannot be"));
  const auto finished =
      understand(objects(sound + pod("b", kNoAmount, "Failed", "u-2")), "default/a", "server");
  ASSERT_TRUE(finished);
  EXPECT_THAT(finished->left_out.lines, IsEmpty());
  EXPECT_THAT(finished->left_out.unclear, IsEmpty());
}

TEST(UndecodableObjects, OfTwoPodsWithOneUidOneIsLeftOut) {
  const auto all = understand(
      objects(pod("a", "1", "Running", "u-1") + pod("b", "1", "Running", "u-1")), "", "server");
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_THAT(all->manifests.pods, SizeIs(1));
  EXPECT_TRUE(all->left_out.unclear.contains("node1"));
}

// Any user may request as much: it is the largest amount, and makes nothing unclear.
TEST(UndecodableObjects, NoPodForAnAmountThatIsTooLarge) {
  const std::string sound = pod("a", "1", "Running", "u-1");
  auto two =
      understand(objects(sound + pod("b", kTooMuch, "Pending", "u-2")), "default/a", "server");
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_THAT(two->left_out.lines, IsEmpty());
  EXPECT_THAT(two->left_out.unclear, IsEmpty());
  ASSERT_THAT(two->manifests.pods, SizeIs(2));
  // And where none of its containers has begun, its node will never take it.
  policy::Node node;
  node.name = "node1";
  node.allocatable.cpu = {4000};
  two->manifests.nodes.push_back(node);
  drop_rejected_pods(two->manifests, "default/a");
  ASSERT_THAT(two->manifests.pods, SizeIs(1));
  EXPECT_EQ(two->manifests.pods[0].name, "a");
}

TEST(UndecodableObjects, NoPodForATermThatCannotBeUnderstood) {
  const std::string odd =
      "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, uid: u-1}, spec: "
      "{nodeName: node1, tolerations: [{operator: Like}], containers: [{name: a}]}}\n";
  const auto all = understand(objects(odd), "default/a", "server");
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_THAT(all->left_out.lines, IsEmpty());
  EXPECT_THAT(all->manifests.odd_terms,
              ElementsAre("pod default/a: spec.tolerations[0].operator: must be Equal or Exists"));
}

TEST(UndecodableObjects, NoPodForALimitThatIsTooLarge) {
  const std::string one =
      "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, uid: u-1}, spec: "
      "{nodeName: node1, containers: [{name: a, resources: {requests: {cpu: 1}, limits: {cpu: "
      "\"9223372036854775807\"}}}]}, status: {phase: Running}}\n";
  const auto all = understand(objects(one), "default/a", "server");
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_THAT(all->manifests.pods, SizeIs(1));
  EXPECT_THAT(all->left_out.lines, IsEmpty());
}

TEST(UndecodableObjects, NeverThePodThatIsAskedForNorItsNode) {
  const std::string odd = pod("a", kNoAmount, "Running", "u-1");
  const auto itself = understand(objects(odd), "default/a", "server");
  ASSERT_FALSE(itself);
  EXPECT_THAT(itself.error().message, HasSubstr("pod default/a: spec.containers[0]"));
  const std::string node =
      "---\n{apiVersion: v1, kind: Node, metadata: {name: node1}, status: {allocatable: {cpu: "
      "much}}}\n";
  const std::string sound = pod("a", "1", "Running", "u-1");
  ASSERT_FALSE(understand(objects(sound + node), "default/a", "server"));
  EXPECT_TRUE(understand(objects(sound + node), "", "server"));
}

TEST(UndecodableObjects, ADisruptionBudgetCountsAsTheStrictest) {
  const auto all = understand(objects("{apiVersion: elbowroom.dev/v1alpha1, kind: "
                                      "DisruptionBudget, metadata: {name: b, namespace: default}, "
                                      "spec: {minAvailable: nobody, selector: {}}}"),
                              "", "server");
  ASSERT_TRUE(all);
  ASSERT_THAT(all->manifests.disruption_budgets, SizeIs(1));
  EXPECT_TRUE(all->manifests.disruption_budgets[0].hard);
  EXPECT_THAT(all->left_out.own_budgets, ElementsAre(std::pair("default", "b")));
}

}  // namespace
}  // namespace elbowroom::cli
