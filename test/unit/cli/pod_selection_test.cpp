// -A, -l, -n and -w of `simulate resize` and `simulate schedule`.
#include "cli/pod_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_line.h"
#include "lab_api.h"

namespace elbowroom::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr const char* kNode = R"(---
apiVersion: v1
kind: Node
metadata: {name: node1, uid: n-1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
)";

// Grows to 3 cpu, and waits for it.
std::string growing(const std::string& name, const std::string& ns) {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: " + ns +
         ", uid: u-" + name + ", labels: {app: " + name +
         "}}, spec: {nodeName: node1, priority: 1000, containers: [{name: app, image: x, "
         "resources: {requests: {cpu: \"3\"}}}]}, status: {phase: Running, conditions: [{type: "
         "PodResizePending, status: \"True\", reason: Deferred}], containerStatuses: [{name: app, "
         "allocatedResources: {cpu: \"1\"}, resources: {requests: {cpu: \"1\"}}, state: {running: "
         "{}}}]}}\n";
}

std::string pending(const std::string& name, const std::string& spec = "") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
         ", namespace: default, uid: u-" + name + ", labels: {app: " + name + "}}, spec: {" + spec +
         "containers: [{name: app, image: x, resources: {requests: {cpu: \"1\"}}}]}, status: "
         "{phase: Pending}}\n";
}

std::string cluster() {
  return kNode + growing("web-10", "default") + growing("web-2", "jobs") + pending("new-10") +
         pending("new-2") + pending("gated", "schedulingGates: [{name: later}], ");
}

Outcome simulate(std::vector<std::string> words) {
  words.insert(words.begin(), "simulate");
  return run(words);
}

std::vector<std::string> pods_in(const Outcome& outcome) {
  std::vector<std::string> pods;
  const Json list = Json::parse(outcome.out, nullptr, false);
  for (const Json& each : list["items"]) pods.push_back(each["pod"]);
  return pods;
}
using Pods = std::vector<std::string>;

TEST(PodSelection, SimulateResizeJudgesAllThatWaitForRoom) {
  const Folder folder;
  const std::string file = folder.file("cluster.yaml", cluster());
  const Outcome all = simulate({"resize", "-A", "-f", file, "-o", "json"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_EQ(pods_in(all), (Pods{"default/web-10", "jobs/web-2"}));
  EXPECT_EQ(Json::parse(all.out)["kind"], "List");
  const Outcome one = simulate({"resize", "jobs/web-2", "-f", file, "-o", "json"});
  EXPECT_EQ(Json::parse(all.out)["items"][1].dump(), Json::parse(one.out).dump());
  EXPECT_EQ(pods_in(simulate({"resize", "-l", "app=web-10", "-f", file, "-o", "json"})),
            Pods{"default/web-10"});
  EXPECT_EQ(pods_in(simulate({"resize", "-l", "app", "-n", "jobs", "-f", file, "-o", "json"})),
            Pods{"jobs/web-2"});
  EXPECT_EQ(simulate({"resize", "-l", "app=x", "-f", file}).out, "no resize waits for room\n");
  EXPECT_THAT(simulate({"resize", "-A", "-f", file}).out,
              AllOf(HasSubstr("default/web-10"), HasSubstr("\n---\n"), HasSubstr("jobs/web-2")));
}

TEST(PodSelection, SimulateSchedulePlacesAllThatWaitForANode) {
  const Folder folder;
  const std::string file = folder.file("cluster.yaml", cluster());
  const Outcome all = simulate({"schedule", "-A", "-f", file, "-o", "json"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_EQ(pods_in(all), (Pods{"default/new-2", "default/new-10"})) << "gated ones wait for that";
  const Outcome one = simulate({"schedule", "new-10", "-f", file, "-o", "json"});
  EXPECT_EQ(Json::parse(all.out)["items"][1].dump(), Json::parse(one.out).dump());
  EXPECT_EQ(pods_in(simulate({"schedule", "-l", "app!=new-2", "-f", file, "-o", "json"})),
            Pods{"default/new-10"});
  EXPECT_EQ(simulate({"schedule", "-A", "-n", "x", "-l", "a", "-f", file}).out,
            "no pod waits for a node\n");
}

TEST(PodSelection, TheClusterAnswersAsItsObjectsInAFileDo) {
  LabApi lab;
  lab.load(cluster());
  const Folder folder;
  const std::string file = folder.file("cluster.yaml", cluster());
  for (const char* verb : {"resize", "schedule"}) {
    const Outcome there =
        simulate({verb, "-A", "--from-cluster", "--kubeconfig", lab.kubeconfig(), "-o", "json"});
    EXPECT_EQ(there.status, 0) << there.err;
    EXPECT_EQ(pods_in(there), pods_in(simulate({verb, "-A", "-f", file, "-o", "json"})));
  }
}

// The other pods are answered.
TEST(PodSelection, WhatCannotBeJudgedIsANote) {
  LabApi lab;
  lab.load(cluster() + pending("big", "priority: 5000, "));
  lab.load(growing("web-3", "default"));
  lab.load(growing("web-4", "default"));
  lab.refuse("/poddisruptionbudgets", 403, "Forbidden");
  const Outcome got = simulate(
      {"schedule", "-A", "--from-cluster", "--kubeconfig", lab.kubeconfig(), "-o", "json"});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(pods_in(got), (Pods{"default/new-2", "default/new-10"}));
  EXPECT_THAT(Json::parse(got.out)["notes"][0].get<std::string>(),
              HasSubstr("pods would have to go"));
}

TEST(PodSelection, OnePodOrSeveralAndFilesDoNotChange) {
  const Folder folder;
  const std::string file = folder.file("cluster.yaml", cluster());
  const std::vector<std::vector<std::string>> rows = {
      {"resize"},
      {"resize", "default/web-10", "-A"},
      {"resize", "default/web-10", "-l", "app"},
      {"resize", "default/web-10", "-w"},
      {"resize", "-A", "--set", "app:cpu=1"},
      {"resize", "-A", "--svg", folder.path() + "/room.svg"},
      {"resize", "-l", "app in x"},
      {"schedule"},
      {"schedule", "-A", "--group", "default/g"},
      {"schedule", "default/new-2", "-A"},
      {"schedule", "-A", "-w"},
  };
  for (std::vector<std::string> words : rows) {
    words.insert(words.end(), {"-f", file});
    const Outcome got = simulate(words);
    EXPECT_EQ(got.status, kExitUsage) << words[0] << " " << words[1] << ": " << got.err;
    EXPECT_EQ(got.out, "");
  }
}

TEST(PodSelection, AHundredPodsAreEnough) {
  std::string objects = kNode;
  for (int i = 0; i < 101; ++i) objects += growing("web-" + std::to_string(i), "default");
  const Folder folder;
  const Outcome got =
      simulate({"resize", "-A", "-f", folder.file("cluster.yaml", objects), "-o", "json"});
  EXPECT_EQ(pods_in(got).size(), 100U);
  EXPECT_EQ(Json::parse(got.out)["notes"][0], "101 pods wait; the first 100 are shown");
}

}  // namespace
}  // namespace elbowroom::cli
