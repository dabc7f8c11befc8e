#include "lab/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "test/temporary_folder.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using namespace std::chrono_literals;
using testing::pod_object;
using testing::pod_target;

bool until(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (std::chrono::steady_clock::now() < deadline) {
    if (holds()) return true;
    std::this_thread::yield();
  }
  return false;
}

class ClusterTest : public ::testing::Test {
 protected:
  explicit ClusterTest(SchedulerMode scheduler = SchedulerMode::None) {
    auto cluster = Cluster::start(
        {.scheduler = scheduler, .folder = folder_.path(), .complain = [](const std::string& what) {
           std::cerr << "cluster: " << what << "\n";
         }});
    EXPECT_TRUE(cluster) << cluster.error().message;
    cluster_ = std::move(*cluster);
    EXPECT_TRUE(until([&] { return cluster_->is_ready(); }));
  }

  void create(const std::string& name, const std::string& cpu, int priority = 0) {
    Json pod = pod_object(name, "node-1");
    pod["spec"]["priority"] = priority;
    pod["spec"]["terminationGracePeriodSeconds"] = 1;
    pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = cpu;
    const auto made = cluster_->api().with_world(
        [&](World& world) { return world.create(testing::pods(), "default", pod); });
    EXPECT_EQ(testing::outcome(made), "ok");
    EXPECT_TRUE(until([&] { return text_at(get(name), {"status", "phase"}) == "Running"; }));
  }
  void resize(const std::string& name, const std::string& cpu) {
    const Json resources = {{"requests", {{"cpu", cpu}}}};
    const Json patch = {
        {"spec", {{"containers", Json::array({{{"name", "app"}, {"resources", resources}}})}}}};
    const auto resized = cluster_->api().with_world([&](World& world) {
      return world.patch(pod_target(name, Subresource::Resize), PatchType::StrategicMerge, patch);
    });
    EXPECT_EQ(testing::outcome(resized), "ok");
  }
  Json get(const std::string& name) {
    const auto pod =
        cluster_->api().with_world([&](World& world) { return world.get(pod_target(name)); });
    return pod ? *pod : Json();
  }
  std::string pending_reason(const std::string& name) {
    const Json pod = get(name);
    for (const Json& condition : list_at(pod, {"status", "conditions"})) {
      if (text_at(condition, {"type"}) == "PodResizePending") return text_at(condition, {"reason"});
    }
    return "";
  }
  std::string actual_cpu(const std::string& name) {
    const Json pod = get(name);
    const Json& all = list_at(pod, {"status", "containerStatuses"});
    return all.empty() ? "" : text_at(all[0], {"resources", "requests", "cpu"});
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<Cluster> cluster_;
};

// As many as ours keep, beside those of the cluster's own programs.
TEST_F(ClusterTest, AClientMayKeepSixtyFourConnections) {
  std::vector<std::unique_ptr<httplib::Client>> clients;
  for (int i = 0; i < 64; ++i) {
    auto& client = clients.emplace_back(std::make_unique<httplib::Client>(cluster_->api().url()));
    client->set_keep_alive(true);
    client->set_read_timeout(10s);
    ASSERT_TRUE(client->Get("/readyz")) << i;
  }
}

TEST_F(ClusterTest, AResizeWaitsForRoomAndIsThenCarriedOut) {
  create("web", "1");
  create("batch", "2");
  resize("web", "2");
  EXPECT_TRUE(until([&] { return actual_cpu("web") == "2"; }));
  resize("web", "3");
  EXPECT_TRUE(until([&] { return pending_reason("web") == "Deferred"; }));
  resize("batch", "1");
  EXPECT_TRUE(until([&] { return actual_cpu("web") == "3"; })) << get("web").dump(1);
  EXPECT_EQ(cluster_->runtime(0).with_runtime([](FakeCriRuntime& runtime) {
    return runtime.find("default/web", "app")->stored.cpu_shares;
  }),
            3072);
  EXPECT_TRUE(until([&] { return pending_reason("web").empty(); }));
}

class ClusterWithScheduler : public ClusterTest {
 protected:
  ClusterWithScheduler() : ClusterTest(SchedulerMode::Resize) {}
};

TEST_F(ClusterWithScheduler, ADeferredResizeMakesRoomAndTheRestStays) {
  create("web", "1", 1000);
  create("batch", "2");
  create("peer", "1", 1000);
  resize("web", "2");
  EXPECT_TRUE(until([&] { return actual_cpu("web") == "2"; })) << get("web").dump(1);
  EXPECT_TRUE(until([&] { return get("batch").is_null(); }));
  EXPECT_EQ(text_at(get("peer"), {"metadata", "deletionTimestamp"}), "");
  const auto lease = cluster_->api().with_world([](World& world) {
    return world.get({.kind = find_kind("coordination.k8s.io", "v1", "leases"),
                      .ns = "kube-system",
                      .name = "elbowroom-scheduler"});
  });
  ASSERT_TRUE(lease);
  EXPECT_NE(text_at(*lease, {"spec", "holderIdentity"}), "");
}

TEST(Cluster, RefusesAResizeAboveAllocatableWhereThatIsAskedFor) {
  const test::TemporaryFolder folder;
  const auto cluster =
      Cluster::start({.agents = false, .validates_capacity = true, .folder = folder.path()});
  ASSERT_TRUE(cluster) << cluster.error().message;
  ASSERT_TRUE(until([&] { return (*cluster)->is_ready(); }));
  (*cluster)->api().with_world([](World& world) {
    EXPECT_EQ(
        testing::outcome(world.create(testing::pods(), "default", pod_object("web", "node-1"))),
        "ok");
    const auto resized = world.patch(
        pod_target("web", Subresource::Resize), PatchType::StrategicMerge,
        Json::parse(
            R"({"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"5"}}}]}})"));
    EXPECT_EQ(testing::message_of(resized),
              "pods \"web\" is forbidden: node didn't have enough allocatable resources: cpu, "
              "requested: 5000, allocatable: 4000");
  });
}

// A Node and a Pod of a file: the Pod was resized, and has the smaller size.
class NamedNode : public ::testing::Test {
 protected:
  NamedNode() {
    Json web = pod_object("web", "big");
    web["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "3";
    web["status"] = Json::parse(R"({"phase": "Running", "containerStatuses": [{"name": "app",
        "state": {"running": {}}, "allocatedResources": {"cpu": "1", "memory": "1Gi"},
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]})");
    Json node = testing::node_object("big");
    node["status"]["allocatable"] = {{"cpu", "64"}, {"example.com/x", "2"}};
    auto cluster = Cluster::start({.nodes = 0,
                                   .named_nodes = {"big"},
                                   .objects = {node, web},
                                   .agents = false,
                                   .folder = folder_.path()});
    EXPECT_TRUE(cluster) << cluster.error().message;
    cluster_ = std::move(*cluster);
    EXPECT_TRUE(until([&] { return lease_exists(); }));
  }

  bool lease_exists() {
    return cluster_->api().with_world([](World& world) {
      return world.peek(*find_kind("coordination.k8s.io", "v1", "leases"), "kube-node-lease",
                        "big") != nullptr;
    });
  }
  Json web() {
    return cluster_->api().with_world(
        [](World& world) { return Json(*world.peek(testing::pods(), "default", "web")); });
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<Cluster> cluster_;
};

TEST_F(NamedNode, IsLeftAsItsClientWroteIt) {
  EXPECT_TRUE(cluster_->is_ready());
  const Json node = cluster_->api().with_world(
      [](World& world) { return Json(*world.peek(testing::nodes(), "", "big")); });
  EXPECT_EQ(text_at(node, {"status", "allocatable", "cpu"}), "64");
  EXPECT_EQ(text_at(node, {"status", "allocatable", "example.com/x"}), "2");
  EXPECT_FALSE(present_at(node, {"status", "nodeInfo"}));
}

TEST_F(NamedNode, RunsThePodsOfTheFileAsTheirStatusesSay) {
  EXPECT_TRUE(until([&] { return present_at(web(), {"status", "startTime"}); }));
  const Json pod = web();
  const Json& container = list_at(pod, {"status", "containerStatuses"})[0];
  EXPECT_EQ(text_at(container, {"allocatedResources", "cpu"}), "1");
  EXPECT_EQ(integer_at(container, {"restartCount"}), 0);
  EXPECT_TRUE(present_at(container, {"state", "running"})) << container.dump(1);
  EXPECT_EQ(cluster_->runtime(0).with_runtime([](FakeCriRuntime& runtime) {
    return runtime.find("default/web", "app")->stored.cpu_shares;
  }),
            1024);
}

TEST_F(NamedNode, ItsPodsEndWhereAnAnnotationSaysThatTheyHaveExited) {
  const auto annotated = cluster_->api().with_world([](World& world) {
    return world.patch(pod_target("web"), PatchType::Merge,
                       {{"metadata", {{"annotations", {{kHasExited, "true"}}}}}});
  });
  ASSERT_EQ(testing::outcome(annotated), "ok");
  EXPECT_TRUE(until([&] { return text_at(web(), {"status", "phase"}) == "Succeeded"; }));
}

TEST(Cluster, NamesAnObjectThatCannotBeLoaded) {
  const test::TemporaryFolder folder;
  const auto cluster = Cluster::start(
      {.objects = {{{"apiVersion", "v1"}, {"kind", "Pod"}}}, .folder = folder.path()});
  ASSERT_FALSE(cluster);
  EXPECT_THAT(cluster.error().message, ::testing::HasSubstr("load Pod"));
}

}  // namespace
}  // namespace elbowroom::lab
