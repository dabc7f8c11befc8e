// Pod groups as input: their priority is resolved, and their pods know what they say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/transport/kubeconfig.h"
#include "cli/input/from_cluster.h"
#include "cli/input/manifests.h"
#include "lab_api.h"

namespace elbowroom::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string group(const std::string& name, const std::string& spec,
                  const std::string& version = "v1beta1", const std::string& ns = "default") {
  return "---\n{apiVersion: scheduling.k8s.io/" + version +
         ", kind: PodGroup, metadata: {name: " + name + ", namespace: " + ns + ", uid: g-" + name +
         "}, spec: {" + spec + "}}\n";
}

std::string member(const std::string& name, const std::string& group,
                   const std::string& ns = "default") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: " + ns +
         ", uid: u-" + ns + "-" + name + "}, spec: {nodeName: node1, priority: 3, " +
         "schedulingGroup: {podGroupName: " + group +
         "}, containers: [{name: a, image: x, resources: {requests: {cpu: 100m}}}]}, " +
         "status: {phase: Running}}\n";
}

std::string priority_class(const std::string& name, int value, const std::string& more = "") {
  return "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: " + name +
         "}, value: " + std::to_string(value) + more + "}\n";
}

constexpr const char* kBasic = "schedulingPolicy: {basic: {}}";
constexpr const char* kGang = "schedulingPolicy: {gang: {minCount: 2}}, disruptionMode: {all: {}}";

Manifests read(const std::string& text) {
  auto all = read_manifests({{.name = "in.yaml", .text = text}});
  EXPECT_TRUE(all) << all.error().message;
  return all ? std::move(*all) : Manifests();
}

// "PRIORITY POLICY" of each group.
std::vector<std::string> standings(const Manifests& manifests) {
  std::vector<std::string> all;
  for (const policy::PodGroup& each : manifests.groups) {
    const bool never = each.standing.preemption_policy == policy::PreemptionPolicy::Never;
    all.push_back(each.name + " " + std::to_string(each.standing.priority) +
                  (never ? " Never" : ""));
  }
  return all;
}

TEST(PodGroupsOfInput, APriorityIsSaidOrThatOfTheClassOrTheDefaultsOrZero) {
  const std::string groups =
      group("e", std::string(kBasic) +
                     ", preemptionPolicy: PreemptLowerPriority, "
                     "priorityClassName: high") +
      group("a", std::string(kBasic) + ", priority: 5, priorityClassName: high") +
      group("b", std::string(kBasic) + ", priorityClassName: high") + group("c", kBasic) +
      group("d", std::string(kBasic) + ", priorityClassName: none");
  const std::string classes = priority_class("high", 1000, ", preemptionPolicy: Never");
  EXPECT_THAT(standings(read(groups + classes)),
              ElementsAre("a 5 Never", "b 1000 Never", "c 0", "d 0", "e 1000"));
  const std::string defaults = priority_class("usual", 7, ", globalDefault: true") +
                               priority_class("lower", 6, ", globalDefault: true");
  EXPECT_THAT(standings(read(defaults + groups + classes)),
              ElementsAre("a 5 Never", "b 1000 Never", "c 6", "d 0", "e 1000"));
}

TEST(PodGroupsOfInput, EveryMemberKnowsWhatItsGroupSays) {
  const Manifests all =
      read(member("p", "train") + member("stranger", "none") + member("p", "train", "other") +
           group("train", kGang) + priority_class("usual", 50, ", globalDefault: true"));
  const policy::Pod* pod = find_pod(all, "default/p");
  ASSERT_NE(pod, nullptr);
  ASSERT_TRUE(pod->group);
  EXPECT_EQ(*pod->group, all.groups.front().standing);
  EXPECT_EQ(pod->group->uid, "g-train");
  EXPECT_EQ(pod->group->min_count, 2);
  EXPECT_EQ(pod->group->mode, policy::DisruptionMode::All);
  EXPECT_EQ(priority_of(*pod), 50);
  EXPECT_EQ(pod->priority, 3);
  EXPECT_FALSE(find_pod(all, "default/stranger")->group);
  EXPECT_FALSE(find_pod(all, "other/p")->group);
}

TEST(PodGroupsOfInput, AGroupFromAFileMayLackItsUidAndItsNamespace) {
  const Manifests all = read(
      "---\n{kind: PodGroup, apiVersion: scheduling.k8s.io/v1alpha3, metadata: {name: g}, spec: "
      "{schedulingPolicy: {basic: {}}}}\n" +
      member("p", "g"));
  ASSERT_TRUE(find_pod(all, "default/p")->group);
  EXPECT_EQ(find_pod(all, "default/p")->group->uid, "default/g");
}

TEST(PodGroupsOfInput, OneThatCannotBeUnderstoodIsNamedAndItsMembersSaySo) {
  const Manifests all =
      read(group("odd", "schedulingPolicy: {gang: {minCount: 0}}") + member("p", "odd"));
  ASSERT_EQ(all.odd_groups.size(), 1U);
  EXPECT_THAT(*all.odd_groups.begin(), HasSubstr("pod group default/odd: "));
  EXPECT_THAT(*all.odd_groups.begin(), HasSubstr("minCount"));
  EXPECT_EQ(find_pod(all, "default/p")->group->obstacle, policy::GroupObstacle::NotUnderstood);
}

TEST(PodGroupsOfInput, TwiceIsAnErrorInTwoVersionsToo) {
  const auto twice = read_manifests(
      {{.name = "in.yaml", .text = group("g", kBasic) + group("g", kGang, "v1alpha3")}});
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("pod group default/g is given twice"));
}

TEST(PodGroupsOfInput, WorkloadsAreKnownByName) {
  const Manifests all = read(
      "---\n{kind: Workload, apiVersion: scheduling.k8s.io/v1beta1, metadata: {name: w}}\n"
      "---\n{kind: Workload, apiVersion: scheduling.k8s.io/v1beta1, metadata: {name: w, namespace: "
      "x}}\n");
  EXPECT_THAT(all.workloads, ElementsAre("default/w", "x/w"));
  EXPECT_THAT(all.unknown_kinds, IsEmpty());
  const auto unnamed =
      read_manifests({{.name = "in.yaml", .text = "{kind: Workload, metadata: {}}"}});
  ASSERT_FALSE(unnamed);
  EXPECT_THAT(unnamed.error().message, HasSubstr("name"));
}

// ---- from a cluster ----

constexpr const char* kNode =
    "{apiVersion: v1, kind: Node, metadata: {name: node1, uid: n-1}, status: {allocatable: {cpu: "
    "\"1\", memory: 8Gi, pods: \"110\"}, conditions: [{type: Ready, status: \"True\"}]}}\n";
constexpr const char* kPending =
    "---\n{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: default, uid: u-web}, "
    "spec: {priority: 10, containers: [{name: a, image: x, resources: {requests: {cpu: "
    "\"1\"}}}]}}\n";

class PodGroupsOfCluster : public ::testing::Test {
 protected:
  PodGroupsOfCluster() {
    lab_.load(std::string(kNode) + kPending + member("p", "train") +
              group("train", std::string(kGang) + ", priority: 1000"));
  }
  void serve(lab::GroupVersions versions) {
    lab_.server().with_world([&](lab::World& world) { world.serve_groups(versions); });
  }
  Outcome schedule() {
    return run({"simulate", "schedule", "default/web", "--from-cluster", "--kubeconfig",
                lab_.kubeconfig(), "-o", "json"});
  }
  // The priority that counts for the member.
  std::int32_t priority() {
    const auto access = api::access_from({{.path = "k", .text = lab_.server().kubeconfig()}});
    ClusterReader reader(*access);
    auto read = read_cluster(reader);
    EXPECT_TRUE(read) << read.error().message;
    const auto all = served_manifests_of(read->objects, "server");
    EXPECT_TRUE(all) << all.error().message;
    return policy::priority_of(*find_pod(*all, "default/p"));
  }

  LabApi lab_;
};

TEST_F(PodGroupsOfCluster, TheGroupsPriorityCountsInEachServedVersion) {
  for (const auto versions : {lab::GroupVersions::All, lab::GroupVersions::Alpha}) {
    serve(versions);
    const Outcome outcome = schedule();
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(priority(), 1000);
  }
}

TEST_F(PodGroupsOfCluster, WithoutTheKindThatIsToldOnceAndTheRestWorks) {
  serve(lab::GroupVersions::None);
  const Outcome outcome = schedule();
  EXPECT_EQ(outcome.err,
            "elbowroom: the cluster serves no podgroups.scheduling.k8s.io: judged as if there were "
            "none\n");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(priority(), 3);
}

TEST_F(PodGroupsOfCluster, WithoutTheKindNothingIsToldWhereNoPodNamesAGroup) {
  LabApi plain;
  plain.load(std::string(kNode) + kPending);
  plain.server().with_world(
      [&](lab::World& world) { world.serve_groups(lab::GroupVersions::None); });
  const Outcome outcome = run({"simulate", "schedule", "default/web", "--from-cluster",
                               "--kubeconfig", plain.kubeconfig(), "-o", "json"});
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0);
}

// A group may spare its pods.
TEST_F(PodGroupsOfCluster, WithoutTheRightThatIsToldAndNoVictimIsNamed) {
  lab_.refuse("/podgroups", 403, "Forbidden");
  const Outcome outcome = schedule();
  EXPECT_EQ(outcome.err,
            "elbowroom: not permitted: list podgroups.scheduling.k8s.io in all namespaces\n"
            "elbowroom: pods would have to go, and which ones depends on what \"list "
            "podgroups.scheduling.k8s.io in all namespaces\" shows, which is not permitted; ask "
            "for a role with that right, or choose another context with --context\n");
  EXPECT_EQ(outcome.status, 77);
  EXPECT_EQ(outcome.out, "");
}

TEST_F(PodGroupsOfCluster, AroundAPodTheGroupsOfItsNodeAreReadWithAllTheirMembers) {
  lab_.load(member("elsewhere", "train") + member("unrelated", "x", "jobs"));
  const auto access = api::access_from({{.path = "k", .text = lab_.server().kubeconfig()}});
  ASSERT_TRUE(access);
  ClusterReader reader(*access);
  const auto names = [](const ClusterObjects& read, std::string_view kind) {
    std::vector<std::string> all;
    for (const Value& each : read.objects) {
      if (each.find("kind")->text == kind) {
        all.push_back(each.find("metadata")->find("name")->text);
      }
    }
    return all;
  };
  const auto around = read_around_pod(reader, "default", "p");
  ASSERT_TRUE(around) << around.error().message;
  EXPECT_THAT(names(*around, "PodGroup"), ElementsAre("train"));
  EXPECT_THAT(names(*around, "Pod"), ::testing::Contains("elsewhere"));
  EXPECT_THAT(around->absent, IsEmpty());
  serve(lab::GroupVersions::None);
  EXPECT_THAT(read_around_pod(reader, "default", "p")->absent,
              ElementsAre("podgroups.scheduling.k8s.io"));
}

}  // namespace
}  // namespace elbowroom::cli
