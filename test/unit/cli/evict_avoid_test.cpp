// `elbowroom evict --avoid-node` beside a scheduler and controllers: where the next pod goes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/document.h"
#include "base/document_text.h"
#include "command_line.h"
#include "lab/cluster.h"
#include "lab/daemon_process.h"
#include "lab/world/json.h"

namespace elbowroom::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{30'000};

constexpr const char* kSet = R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: x, resources: {requests: {cpu: "1"}}}]
)";

std::string filler_on(const std::string& node) {
  return "{apiVersion: v1, kind: Pod, metadata: {name: filler, namespace: default}, spec: "
         "{nodeName: " +
         node + ", containers: [{name: app, image: x, resources: {requests: {cpu: 2500m}}}]}}";
}

class EvictAvoid : public testing::Test {
 protected:
  void SetUp() override {
    auto started = lab::Cluster::start({.nodes = 2,
                                        .controllers = true,
                                        .scheduler = lab::SchedulerMode::Full,
                                        .folder = folder.path(),
                                        .complain = {}});
    ASSERT_TRUE(started) << started.error().message;
    cluster = *std::move(started);
    ASSERT_TRUE(lab::comes_true([&] { return cluster->is_ready(); }, kPatience));
  }
  void load(const std::string& yaml) {
    const auto documents = parse_yaml(yaml);
    ASSERT_TRUE(documents);
    cluster->api().with_world([&](lab::World& world) {
      const auto loaded = world.load(*lab::parse_object(to_json(documents->front())));
      EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    });
  }
  lab::Json pod(const std::string& name) {
    return cluster->api().with_world([&](lab::World& world) {
      const lab::Json* found = world.peek(*lab::find_kind("", "v1", "pods"), "default", name);
      return found == nullptr ? lab::Json() : *found;
    });
  }
  // Where the pod runs, unless it has that uid.
  std::string node_of(const std::string& name, const std::string& but_uid = "") {
    const lab::Json found = pod(name);
    if (lab::text_at(found, {"metadata", "uid"}) == but_uid) return "";
    if (lab::text_at(found, {"status", "phase"}) != "Running") return "";
    return lab::text_at(found, {"spec", "nodeName"});
  }
  std::string next_node(const std::string& but_uid) {
    std::string node;
    EXPECT_TRUE(
        lab::comes_true([&] { return !(node = node_of("db-0", but_uid)).empty(); }, kPatience));
    return node;
  }
  // Evicts db-0, and says where the next one runs.
  std::string moved(std::vector<std::string> more) {
    const std::string uid = lab::text_at(pod("db-0"), {"metadata", "uid"});
    std::vector<std::string> words = {"evict", "default/db-0", "--kubeconfig",
                                      folder.file("kubeconfig", cluster->api().kubeconfig())};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome done = run(words);
    EXPECT_EQ(done.status, 0) << done.err << done.out;
    return next_node(uid);
  }

  Folder folder;
  std::unique_ptr<lab::Cluster> cluster;
};

// The other node is nearly full, so that the scheduler would take the same one again.
TEST_F(EvictAvoid, TheNextPodOfItsControllerIsPlacedElsewhere) {
  load(kSet);
  const std::string first = next_node("none");
  const std::string other = first == "node-1" ? "node-2" : "node-1";
  load(filler_on(other));
  ASSERT_TRUE(lab::comes_true([&] { return node_of("filler", "none") == other; }, kPatience));
  EXPECT_EQ(moved({}), first) << "a pod comes back where there is most room";
  EXPECT_EQ(moved({"--avoid-node"}), other);
}

}  // namespace
}  // namespace elbowroom::cli
