// An agent beside the lab's kubelet, over real sockets: as a companion it writes one condition and
// nothing else; in authority mode it refuses to start, or yields if it did not know of the kubelet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/program/wiring.h"
#include "agent/worker/kubelet_probe.h"
#include "api/transport/kubeconfig.h"
#include "base/disk.h"
#include "lab/cluster.h"
#include "lab/daemon_process.h"
#include "lab/node/healthz.h"
#include "lab/world/json.h"
#include "test/simulation/faulty_node.h"
#include "test/temporary_folder.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::test {
namespace {

using lab::comes_true;
using lab::Json;
using lab::list_at;
using lab::text_at;
using lab::World;
using lab::testing::pod_object;
using lab::testing::pod_target;
using ::testing::HasSubstr;

constexpr const char* kPending = "PodResizePending";
constexpr const char* kDisabled = "PodResizePreemptionDisabled";

// A node of 4 cpus with a kubelet that judges resizes, and an agent that can be killed.
class BesideAKubelet : public ::testing::Test {
 protected:
  void SetUp() override {
    auto cluster = lab::Cluster::start(
        {.agents = false, .companion = true, .folder = folder_.path(), .complain = {}});
    ASSERT_TRUE(cluster) << cluster.error().message;
    cluster_ = *std::move(cluster);
    ASSERT_TRUE(comes_true([&] { return cluster_->is_ready(); }, kPatience));
  }
  void TearDown() override { stop_agent(); }

  void start_agent(agent::ReactorOptions reactor,
                   std::optional<daemon::Address> kubelet = std::nullopt) {
    const auto access =
        api::access_from({{.path = "kubeconfig", .text = cluster_->api().kubeconfig()}});
    ASSERT_TRUE(access) << access.error().message;
    reactor.node_name = "node-1";
    std::filesystem::create_directories(folder_.path() / "agent");
    auto opened = agent::Agent::open({.reactor = std::move(reactor),
                                      .runtime = {.endpoint = cluster_->runtime(0).endpoint(),
                                                  .cgroup_root = cluster_->cgroup_root(0).string(),
                                                  .driver = cri::CgroupDriver::Cgroupfs,
                                                  .poll_every = std::chrono::milliseconds(50)},
                                      .access = *access,
                                      .state_dir = (folder_.path() / "agent").string(),
                                      .kubelet_healthz = std::move(kubelet)},
                                     {.changed = [](const agent::Snapshot&) {},
                                      .performed = [](const agent::Effect&) {},
                                      .trouble = [](const std::string&) {},
                                      .recording_stopped = [] {},
                                      .alive = [](std::string_view) {}},
                                     disk_);
    ASSERT_TRUE(opened) << opened.error().message;
    agent_ = *std::move(opened);
    thread_ = std::jthread(
        [agent = agent_.get()](const std::stop_token& stop) noexcept { agent->run(stop); });
  }

  void stop_agent() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
    agent_.reset();
  }

  void create(const std::string& name, const std::string& cpu, bool guaranteed = false) {
    Json pod = pod_object(name, "node-1");
    pod["metadata"]["namespace"] = "default";
    Json& resources = pod["spec"]["containers"][0]["resources"];
    resources["requests"]["cpu"] = cpu;
    if (guaranteed) {
      resources = {{"requests", {{"cpu", cpu}, {"memory", "64Mi"}}},
                   {"limits", {{"cpu", cpu}, {"memory", "64Mi"}}}};
    }
    const auto made = cluster_->api().with_world([&](World& world) { return world.load(pod); });
    ASSERT_EQ(lab::testing::message_of(made), "");
    ASSERT_TRUE(comes_true([&] { return text_at(get(name), {"status", "phase"}) == "Running"; },
                           kPatience));
  }

  void resize(const std::string& name, const std::string& cpu, bool guaranteed = false) {
    Json resources = {{"requests", {{"cpu", cpu}}}};
    if (guaranteed) resources["limits"] = {{"cpu", cpu}};
    change(
        pod_target(name, lab::Subresource::Resize),
        {{"spec", {{"containers", Json::array({{{"name", "app"}, {"resources", resources}}})}}}});
  }

  // As another client writes.
  void change(const lab::Target& target, const Json& patch) {
    const auto changed = cluster_->api().with_world(
        [&](World& world) { return world.patch(target, lab::PatchType::StrategicMerge, patch); });
    ASSERT_EQ(lab::testing::outcome(changed), "ok");
  }
  void remove_condition(const std::string& name, const std::string& type) {
    change(pod_target(name, lab::Subresource::Status),
           {{"status", {{"conditions", Json::array({{{"type", type}, {"$patch", "delete"}}})}}}});
  }
  void set_policy(const Json& owners) {
    change(
        {.kind = lab::find_kind("", "v1", "nodes"), .name = "node-1"},
        {{"metadata", {{"annotations", {{"elbowroom.dev/disable-resize-preemption", owners}}}}}});
  }

  Json get(const std::string& name) {
    const auto pod =
        cluster_->api().with_world([&](World& world) { return world.get(pod_target(name)); });
    return pod ? *pod : Json();
  }
  // "REASON" of a condition that is True; "" for none.
  std::string reason(const std::string& name, const std::string& type) {
    const Json pod = get(name);
    for (const Json& each : list_at(pod, {"status", "conditions"})) {
      if (text_at(each, {"type"}) == type)
        return text_at(each, {"status"}) == "True" ? text_at(each, {"reason"}) : "";
    }
    return "";
  }
  bool gets(const std::string& name, const std::string& type, const std::string& wanted) {
    return comes_true([&] { return reason(name, type) == wanted; }, kPatience);
  }

  // What elbowroomd wrote: "METHOD PATH", with the body's type of conditions.
  std::vector<lab::RequestRecord> writes_of(const std::string& manager) {
    std::vector<lab::RequestRecord> writes;
    for (const lab::RequestRecord& each : cluster_->api().requests()) {
      const bool reads = each.method == "GET";
      if (!reads && each.target.find("fieldManager=" + manager) != std::string::npos) {
        writes.push_back(each);
      }
    }
    return writes;
  }

  std::string contention() {
    const auto now = agent_->check_up();
    if (!now) return "";
    for (const agent::ReadyCheck& each : now->checks) {
      if (each.name == "contention") return each.why;
    }
    return "";
  }

  test::TemporaryFolder folder_;
  RealDisk disk_;
  std::unique_ptr<lab::Cluster> cluster_;
  std::unique_ptr<agent::Agent> agent_;
  std::jthread thread_;
};

TEST_F(BesideAKubelet, TheKubeletJudgesAsARealOne) {
  create("web", "1");
  create("other", "2500m");
  resize("web", "2");
  ASSERT_TRUE(gets("web", kPending, "Deferred")) << get("web").dump(1);
  remove_condition("web", kPending);
  EXPECT_TRUE(gets("web", kPending, "Deferred")) << "it puts its own back";
  // A condition that it does not own stays.
  change(
      pod_target("web", lab::Subresource::Status),
      {{"status",
        {{"conditions",
          Json::array({{{"type", "example.com/x"}, {"status", "True"}, {"reason", "Mine"}}})}}}});
  resize("web", "1500m");
  EXPECT_TRUE(gets("web", kPending, ""));
  EXPECT_TRUE(comes_true(
      [&] {
        return text_at(list_at(get("web"), {"status", "containerStatuses"}).front(),
                       {"allocatedResources", "cpu"}) == "1500m";
      },
      kPatience));
  EXPECT_EQ(reason("web", "example.com/x"), "Mine");
  EXPECT_FALSE(writes_of("kubelet").empty());
}

TEST_F(BesideAKubelet, ACompanionKeepsOneConditionAndTouchesNothingElse) {
  create("web", "1");
  create("other", "3");
  set_policy("a.dev/x");
  start_agent({});
  resize("web", "2");
  ASSERT_TRUE(gets("web", kPending, "Deferred"));
  EXPECT_TRUE(gets("web", kDisabled, "PreemptionDisabledByNodePolicy"));

  set_policy(nullptr);
  EXPECT_TRUE(gets("web", kDisabled, ""));
  set_policy("b.dev/y,c.dev/z");
  EXPECT_TRUE(gets("web", kDisabled, "PreemptionDisabledByNodePolicy"));

  remove_condition("web", kDisabled);
  EXPECT_TRUE(gets("web", kDisabled, "PreemptionDisabledByNodePolicy")) << "it is put back";

  stop_agent();
  remove_condition("web", kDisabled);
  start_agent({});
  EXPECT_TRUE(gets("web", kDisabled, "PreemptionDisabledByNodePolicy")) << "after a restart";
  EXPECT_TRUE(comes_true(
      [&] {
        const auto now = agent_->check_up();
        return now && now->counts.pending.contains("Deferred");
      },
      kPatience));
  const auto explained = agent_->explain("default/web");
  ASSERT_TRUE(explained);
  EXPECT_THAT(*explained, HasSubstr("\"Deferred\""));

  resize("web", "1");  // taken back
  EXPECT_TRUE(gets("web", kPending, ""));
  EXPECT_TRUE(gets("web", kDisabled, ""));

  // A request is noted after it was answered.
  EXPECT_TRUE(comes_true([&] { return writes_of("elbowroomd").size() >= 6; }, kPatience));
  const auto writes = writes_of("elbowroomd");
  for (const lab::RequestRecord& write : writes) {
    EXPECT_EQ(write.method, "PATCH");
    EXPECT_THAT(write.target, HasSubstr("/pods/web/status?"));
    EXPECT_THAT(write.body, HasSubstr(kDisabled));
    for (const char* foreign : {kPending, "PodResizeInProgress", "containerStatuses",
                                "allocatedResources", "annotations", "spec"}) {
      EXPECT_THAT(write.body, ::testing::Not(HasSubstr(foreign)));
    }
  }
}

TEST_F(BesideAKubelet, AuthorityYieldsToAKubeletThatDisagrees) {
  create("web", "1", true);
  start_agent({.authority = true,
               .critical_preemption = false,
               .managers = {.static_cpu =
                                true}});  // so the agent says Infeasible, and the kubelet admits it
  create("other", "3");
  resize("web", "2", true);
  EXPECT_TRUE(comes_true([&] { return !contention().empty(); }, kPatience));
  EXPECT_THAT(contention(), HasSubstr("a kubelet undid what this agent wrote"));
  EXPECT_TRUE(gets("web", kPending, "Deferred")) << "the kubelet has its way";
}

TEST_F(BesideAKubelet, AuthorityYieldsToAKubeletThatAppears) {
  const auto healthz = lab::Healthz::start({"127.0.0.1", 0});
  ASSERT_TRUE(healthz) << healthz.error().message;
  EXPECT_FALSE(agent::check_no_kubelet((*healthz)->address()));
  create("web", "1");
  start_agent({.authority = true, .critical_preemption = false}, (*healthz)->address());
  EXPECT_TRUE(comes_true([&] { return !contention().empty(); }, kPatience));
  EXPECT_THAT(contention(), HasSubstr("a kubelet answers at http://127.0.0.1:"));
}

}  // namespace
}  // namespace elbowroom::test
