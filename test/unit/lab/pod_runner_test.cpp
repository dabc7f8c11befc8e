#include "lab/node/pod_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "api/transport/kubeconfig.h"
#include "lab/apiserver/api_server.h"
#include "lab/node/cri_server.h"
#include "lab/node/pod_report.h"
#include "test/temporary_folder.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using namespace std::chrono_literals;
using testing::pod_object;
using testing::pod_target;
using testing::pods;

// A node of a lab cluster: API server, runtime and runner, all with real sockets.
class PodRunnerTest : public ::testing::Test {
 protected:
  PodRunnerTest() {
    EXPECT_TRUE(server_.start());
    EXPECT_TRUE(cri_.start());
    const auto access = api::access_from({{.path = "kubeconfig", .text = server_.kubeconfig()}});
    EXPECT_TRUE(access) << access.error().message;
    auto runner = PodRunner::make(
        *access, cri_.endpoint(),
        {.node_name = "n",
         .cgroup_root = (folder_.path() / "cgroup").string(),
         .poll = 20ms,
         .complain = [](const std::string& what) { std::cerr << "runner: " << what << "\n"; }});
    EXPECT_TRUE(runner) << runner.error().message;
    runner_ = std::move(*runner);
    thread_ = std::jthread([this](const std::stop_token& stop) { ended_ = runner_->run(stop); });
  }
  ~PodRunnerTest() override {
    thread_.request_stop();
    thread_.join();
    EXPECT_TRUE(ended_);
  }

  // "True KubeletReady: the pod runner is ready"; "" while there is no Node.
  std::string ready() {
    const auto node = server_.with_world(
        [](World& world) { return world.get({.kind = &testing::nodes(), .name = "n"}); });
    if (!node) return "";
    const Json& is = list_at(*node, {"status", "conditions"})[0];
    return text_at(is, {"status"}) + " " + text_at(is, {"reason"}) + ": " +
           text_at(is, {"message"});
  }

  void create(const Json& pod) {
    const auto made =
        server_.with_world([&](World& world) { return world.create(pods(), "default", pod); });
    EXPECT_EQ(testing::outcome(made), "ok") << testing::message_of(made);
  }
  Json get(const std::string& name) {
    const auto pod = server_.with_world([&](World& world) { return world.get(pod_target(name)); });
    return pod ? *pod : Json();
  }
  std::string phase(const std::string& name) { return text_at(get(name), {"status", "phase"}); }
  void remove(const std::string& name, DeleteOptions options = {}) {
    (void)server_.with_world([&](World& world) { return world.remove(pod_target(name), options); });
  }

  // Until the condition holds, at most 20 s.
  static bool until(const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < deadline) {
      if (holds()) return true;
      std::this_thread::yield();
    }
    return false;
  }

  test::TemporaryFolder folder_;
  World world_{{}};
  ApiServer server_{world_, {}};
  FakeCriRuntime runtime_{*FakeCgroups::make(folder_.path() / "cgroup")};
  CriServer cri_{runtime_, (folder_.path() / "n.sock").string()};
  std::unique_ptr<PodRunner> runner_;
  Result<void> ended_{};
  std::jthread thread_;
};

TEST_F(PodRunnerTest, APodIsCreatedRunsAndIsDeleted) {
  ASSERT_TRUE(until([&] {
    return server_
        .with_world(
            [](World& world) { return world.get({.kind = &testing::nodes(), .name = "n"}); })
        .has_value();
  }));
  Json pod = pod_object("web", "n");
  pod["spec"]["containers"][0]["resources"]["limits"] = {{"cpu", "2"}, {"memory", "2Gi"}};
  create(pod);
  ASSERT_TRUE(until([&] { return phase("web") == "Running"; })) << get("web").dump(1);
  const Json running = get("web");
  const Json& status = list_at(running, {"status", "containerStatuses"})[0];
  EXPECT_EQ(text_at(status, {"allocatedResources", "cpu"}), "1");
  EXPECT_EQ(text_at(status, {"resources", "limits", "memory"}), "2Gi");
  EXPECT_TRUE(truth_at(status, {"ready"}));
  for (const Json& condition : list_at(running, {"status", "conditions"})) {
    if (text_at(condition, {"status"}) == "True") {
      EXPECT_EQ(text_at(condition, {"reason"}), "") << condition;
    }
  }

  const std::string group = cri_.with_runtime([](FakeCriRuntime& runtime) {
    const FakeContainer* app = runtime.find("default/web", "app");
    EXPECT_EQ(app->stored.cpu_quota_us, 200'000);
    return runtime.cgroup_of(*app);
  });
  const std::string parent = group.substr(0, group.rfind('/'));
  EXPECT_EQ(runtime_.cgroups().read(parent, "cpu.cfs_quota_us"), 200'000);
  EXPECT_EQ(runtime_.cgroups().read(parent, "memory.limit_in_bytes"), std::int64_t{2} << 30);

  remove("web");
  ASSERT_TRUE(until([&] { return get("web").is_null(); })) << get("web").dump(1);
  EXPECT_TRUE(until([&] {
    return cri_.with_runtime([](FakeCriRuntime& runtime) { return runtime.sandboxes().empty(); });
  }));
  EXPECT_FALSE(runtime_.cgroups().read(parent, "cpu.shares"));
}

TEST_F(PodRunnerTest, InitContainersEndByThemselves) {
  Json pod = pod_object("web", "n");
  pod["spec"]["initContainers"] = Json::array({{{"name", "setup"}, {"image", "x"}}});
  create(pod);
  ASSERT_TRUE(until([&] { return phase("web") == "Running"; })) << get("web").dump(1);
  const Json running = get("web");
  const Json& setup = list_at(running, {"status", "initContainerStatuses"})[0];
  EXPECT_EQ(text_at(setup, {"state", "terminated", "reason"}), "Completed");
}

TEST_F(PodRunnerTest, TellsAboutTheNodeAndWhereItsPodsAre) {
  const Kind& leases = *find_kind("coordination.k8s.io", "v1", "leases");
  const auto lease = [&] {
    return server_.with_world([&](World& world) {
      return world.get({.kind = &leases, .ns = "kube-node-lease", .name = "n"});
    });
  };
  ASSERT_TRUE(until([&] { return lease().has_value(); }));
  EXPECT_EQ(text_at(*lease(), {"spec", "holderIdentity"}), "n");
  EXPECT_EQ(integer_at(*lease(), {"spec", "leaseDurationSeconds"}), 40);
  EXPECT_THAT(text_at(*lease(), {"spec", "renewTime"}),
              ::testing::MatchesRegex("....-..-..T..:..:..[.]......Z"));

  const auto node = server_.with_world(
      [](World& world) { return world.get({.kind = &testing::nodes(), .name = "n"}); });
  for (const char* field : {"kubeletVersion", "kernelVersion", "containerRuntimeVersion"}) {
    EXPECT_NE(text_at(*node, {"status", "nodeInfo", field}), "") << field;
  }

  create(pod_object("web", "n"));
  ASSERT_TRUE(until([&] { return !text_at(get("web"), {"status", "podIP"}).empty(); }));
  const Json web = get("web");
  EXPECT_EQ(text_at(web, {"status", "hostIP"}), "127.0.0.1");
  const auto holds = [&](const char* type) {
    const Json pod = get("web");
    return std::ranges::any_of(list_at(pod, {"status", "conditions"}), [&](const Json& each) {
      return text_at(each, {"type"}) == type && text_at(each, {"status"}) == "True";
    });
  };
  for (const char* type :
       {"PodReadyToStartContainers", "PodScheduled", "Initialized", "ContainersReady", "Ready"}) {
    EXPECT_TRUE(until([&] { return holds(type); })) << type;
  }
}

TEST_F(PodRunnerTest, TheNodeIsNotReadyWhileTheRuntimeDoesNotAnswerAlsoWithoutPods) {
  ASSERT_TRUE(until([&] { return ready() == "True KubeletReady: the pod runner is ready"; }));
  cri_.stop();
  EXPECT_TRUE(until([&] {
    return ready().starts_with("False KubeletNotReady: container runtime is down: ");
  })) << ready();
  ASSERT_TRUE(cri_.start());
  EXPECT_TRUE(until([&] { return ready().starts_with("True KubeletReady: "); })) << ready();
}

TEST_F(PodRunnerTest, ANodeIsRegisteredNotReadyWhereTheRuntimeNeverAnswered) {
  const auto access = api::access_from({{.path = "kubeconfig", .text = server_.kubeconfig()}});
  const auto runner = PodRunner::make(*access, "unix://" + (folder_.path() / "none.sock").string(),
                                      {.node_name = "dead"});
  ASSERT_TRUE(runner) << runner.error().message;
  std::jthread thread([&](const std::stop_token& stop) { (void)(*runner)->run(stop); });
  Json node;
  ASSERT_TRUE(until([&] {
    const auto got = server_.with_world(
        [](World& world) { return world.get({.kind = &testing::nodes(), .name = "dead"}); });
    if (got) node = *got;
    return got.has_value();
  }));
  const Json& ready = list_at(node, {"status", "conditions"})[0];
  EXPECT_EQ(text_at(ready, {"status"}), "False") << ready;
  EXPECT_EQ(text_at(ready, {"reason"}), "KubeletNotReady") << ready;
}

// The table of what the API server may say to a registration.
TEST_F(PodRunnerTest, ARegistrationThatIsRefusedIsNotTriedForEver) {
  const auto access = api::access_from({{.path = "kubeconfig", .text = server_.kubeconfig()}});
  const auto outcome_of = [&](const std::string& name) -> Result<void> {
    auto runner = PodRunner::make(*access, cri_.endpoint(), {.node_name = name});
    return runner ? (*runner)->run({}) : std::unexpected(runner.error());
  };
  const auto refused = outcome_of("Not_A_Name");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Invalid);
  EXPECT_THAT(refused.error().message, ::testing::StartsWith("register node Not_A_Name: "));

  ASSERT_TRUE(until([&] { return !ready().empty(); }));  // so that the faults meet the next one
  server_.inject({.method = "POST", .path_contains = "/nodes", .code = 403, .reason = "Forbidden"});
  const auto denied = outcome_of("denied");
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().code, Code::Denied);
}

TEST_F(PodRunnerTest, ARegistrationThatTheServerHasNoTimeForIsTriedAgain) {
  ASSERT_TRUE(until([&] { return !ready().empty(); }));
  const auto access = api::access_from({{.path = "kubeconfig", .text = server_.kubeconfig()}});
  server_.inject(
      {.method = "POST", .path_contains = "/nodes", .code = 429, .reason = "TooManyRequests"});
  const auto runner = PodRunner::make(*access, cri_.endpoint(), {.node_name = "late"});
  ASSERT_TRUE(runner) << runner.error().message;
  std::jthread thread([&](const std::stop_token& stop) { (void)(*runner)->run(stop); });
  EXPECT_TRUE(until([&] {
    return server_
        .with_world(
            [](World& world) { return world.get({.kind = &testing::nodes(), .name = "late"}); })
        .has_value();
  }));
}

TEST_F(PodRunnerTest, TheFirstStatusSaysWhatThePodItselfWasGivenAndLaterOnesLeaveItAlone) {
  Json pod = pod_object("web", "n");
  pod["spec"]["resources"] = {{"requests", {{"cpu", "2"}}}, {"limits", {{"cpu", "3"}}}};
  create(pod);
  ASSERT_TRUE(until([&] { return phase("web") == "Running"; }));
  const Json web = get("web");
  // The request of memory is that of the containers, by default.
  EXPECT_EQ(map_at(web, {"spec", "resources", "requests"}),
            (Json{{"cpu", "2"}, {"memory", "1Gi"}}));
  EXPECT_EQ(map_at(web, {"status", "allocatedResources"}),
            map_at(web, {"spec", "resources", "requests"}));
  EXPECT_EQ(map_at(web, {"status", "resources"}), map_at(web, {"spec", "resources"}));

  (void)server_.with_world([](World& world) {
    return world.patch(pod_target("web", Subresource::Resize), PatchType::StrategicMerge,
                       Json::parse(R"({"spec":{"resources":{"requests":{"cpu":"2500m"}}}})"));
  });
  ASSERT_TRUE(until([&] { return integer_at(get("web"), {"status", "observedGeneration"}) == 2; }));
  EXPECT_EQ(text_at(get("web"), {"status", "allocatedResources", "cpu"}), "2");
}

TEST_F(PodRunnerTest, AnEndedContainerComesBackAtItsAllocatedSize) {
  create(pod_object("web", "n"));
  ASSERT_TRUE(until([&] { return phase("web") == "Running"; }));
  // A user resizes, and the node has not allocated it.
  (void)server_.with_world([](World& world) {
    return world.patch(pod_target("web", Subresource::Resize), PatchType::StrategicMerge,
                       Json::parse(R"({"spec":{"containers":[{"name":"app",)"
                                   R"("resources":{"requests":{"cpu":"2"}}}]}})"));
  });
  cri_.with_runtime([](FakeCriRuntime& runtime) {
    (void)runtime.exit_container(runtime.find("default/web", "app")->id, 1);
  });
  ASSERT_TRUE(until([&] {
    return cri_.with_runtime([](FakeCriRuntime& runtime) {
      const FakeContainer* app = runtime.find("default/web", "app");
      return app != nullptr && app->spec.attempt == 1 && app->state == cri::ContainerState::Running;
    });
  }));
  EXPECT_EQ(cri_.with_runtime([](FakeCriRuntime& runtime) {
    return runtime.find("default/web", "app")->stored.cpu_shares;
  }),
            1024);
  EXPECT_TRUE(until([&] {
    const Json pod = get("web");
    return integer_at(list_at(pod, {"status", "containerStatuses"})[0], {"restartCount"}) == 1;
  }));
}

// An agent writes the allocation, waits until the API shows it, and stops the container.
TEST_F(PodRunnerTest, AContainerThatIsStoppedForItsResizeIsRestartedOnceWithTheNewSize) {
  Json pod = pod_object("web", "n");
  pod["spec"]["restartPolicy"] = "OnFailure";
  pod["spec"]["containers"][0]["resizePolicy"] =
      Json::array({{{"resourceName", "memory"}, {"restartPolicy", "RestartContainer"}}});
  create(pod);
  ASSERT_TRUE(until([&] { return phase("web") == "Running"; }));
  for (std::uint32_t turn = 1; turn <= 3; ++turn) {
    // A server that does not answer the runner's first read delays the restart, and nothing else.
    server_.inject({.method = "GET", .path_contains = "/pods/web"});
    server_.close_watches();
    (void)server_.with_world([&](World& world) {
      Json web = *world.get(pod_target("web"));
      Json& status = web["status"]["containerStatuses"][0];
      status["allocatedResources"]["memory"] = std::to_string(1 + turn) + "Gi";
      return world.update(pod_target("web", Subresource::Status), web);
    });
    cri_.with_runtime([](FakeCriRuntime& runtime) {
      (void)runtime.stop_container(runtime.find("default/web", "app")->id, false);
    });
    ASSERT_TRUE(until([&] {
      return cri_.with_runtime([&](FakeCriRuntime& runtime) {
        const FakeContainer* app = runtime.find("default/web", "app");
        return app != nullptr && app->spec.attempt == turn &&
               app->state == cri::ContainerState::Running;
      });
    })) << get("web").dump(1);
    const std::string created = cri_.with_runtime([](FakeCriRuntime& runtime) {
      return runtime.find("default/web", "app")
          ->spec.annotations.at(std::string(cri::kCreatedSize));
    });
    EXPECT_EQ(created,
              "cpu 1000/0 memory " + std::to_string((1 + std::int64_t{turn}) << 30) + "/0");
    EXPECT_TRUE(until([&] {
      const Json web = get("web");
      return integer_at(list_at(web, {"status", "containerStatuses"})[0], {"restartCount"}) == turn;
    }));
    EXPECT_EQ(phase("web"), "Running");
  }
}

// The agent decides of what does not fit at once; without one the runner does so itself.
TEST_F(PodRunnerTest, APodThatDoesNotFitStartsOnceItsNodeHasAcknowledgedItAndIsRejectedOtherwise) {
  Json large = pod_object("large", "n");
  large["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "3";
  create(large);
  ASSERT_TRUE(until([&] { return phase("large") == "Running"; }));
  for (const char* name : {"one", "two"}) {
    Json pod = pod_object(name, "n");
    pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "1500m";
    create(pod);
  }
  create(pod_object("small", "n"));
  (void)server_.with_world([](World& world) {
    return world.patch(pod_target("one", Subresource::Status), PatchType::Merge,
                       Json::parse(R"({"status":{"startTime":"2026-01-01T00:00:00Z"}})"));
  });
  EXPECT_TRUE(until([&] { return phase("one") == "Running"; }));
  EXPECT_TRUE(until([&] { return phase("two") == "Failed"; }));
  EXPECT_EQ(text_at(get("two"), {"status", "reason"}), "OutOfcpu");
  EXPECT_THAT(text_at(get("two"), {"status", "message"}),
              ::testing::StartsWith("Pod was rejected: Node didn't have enough resource: cpu, "
                                    "requested: 1500, used: "));
}

TEST_F(PodRunnerTest, AFinishedPodSaysSo) {
  Json pod = pod_object("job", "n");
  pod["spec"]["restartPolicy"] = "Never";
  create(pod);
  ASSERT_TRUE(until([&] { return phase("job") == "Running"; }));
  cri_.with_runtime([](FakeCriRuntime& runtime) {
    (void)runtime.exit_container(runtime.find("default/job", "app")->id, 0);
  });
  EXPECT_TRUE(until([&] { return phase("job") == "Succeeded"; })) << get("job").dump(1);
}

TEST_F(PodRunnerTest, SurvivesRestartsOnBothSides) {
  create(pod_object("web", "n"));
  ASSERT_TRUE(until([&] { return phase("web") == "Running"; }));
  cri_.stop();
  server_.close_watches();
  server_.inject({.method = "PATCH", .times = 2});
  ASSERT_TRUE(cri_.start());
  create(pod_object("second", "n"));
  EXPECT_TRUE(until([&] { return phase("second") == "Running"; }));
  EXPECT_EQ(phase("web"), "Running");
}

TEST_F(PodRunnerTest, AForcedDeletionLeavesNothingBehind) {
  create(pod_object("web", "n"));
  ASSERT_TRUE(until([&] { return phase("web") == "Running"; }));
  remove("web", {.grace_seconds = 0});
  EXPECT_TRUE(until([&] {
    return cri_.with_runtime([](FakeCriRuntime& runtime) { return runtime.sandboxes().empty(); });
  }));
}

// The pure part.

NodePod node_pod(Json object) {
  object["metadata"]["uid"] = "u-1";
  object["metadata"]["namespace"] = "default";
  auto value = decode(object);
  EXPECT_TRUE(value) << testing::message_of(value);
  return {.object = Object(std::move(object)), .value = std::move(*value)};
}

cri::RuntimePod runtime_pod(const std::vector<cri::RuntimeContainer>& containers) {
  cri::RuntimePod pod{.uid = "u-1", .sandbox_id = "s", .sandbox_state = cri::SandboxState::Ready};
  for (cri::RuntimeContainer container : containers) {
    container.sandbox_id = "s";
    pod.containers[container.name] = container;
  }
  return pod;
}

using ::testing::ElementsAre;
using State = cri::ContainerState;
constexpr std::int64_t kNow = 1'000'000'000'000;

TEST(PodPlan, APodIsAdmittedByWhatOthersAskForOrByTheAgentOrInTheEndByWhatTheyHold) {
  policy::Node node;
  node.allocatable.cpu.value = 4000;
  node.allocatable.memory.value = std::int64_t{64} << 30;
  node.allowed_pods = 3;
  NodePod pod = node_pod(pod_object("web", "n"));
  Json other_object = pod_object("other", "n");
  other_object["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "4";
  other_object["status"]["containerStatuses"] =
      Json::array({{{"name", "app"},
                    {"allocatedResources", {{"cpu", "3"}}},
                    {"state", {{"running", Json()}}}}});
  NodePod other = node_pod(other_object);
  const auto verdict = [&](std::chrono::milliseconds waited) {
    return admit(node, pod.value, {&other.value}, waited, {}).verdict;
  };
  // It wants 4 and holds 3: the agent may be giving it the fourth.
  EXPECT_EQ(verdict(0ms), Admission::Wait);
  EXPECT_EQ(verdict(kAdmissionPatience), Admission::Start);
  pod.value.started = policy::Time{};
  EXPECT_EQ(verdict(0ms), Admission::Start);
  pod.value.started.reset();
  other.value.containers[0].desired.requests.cpu.value = 3000;
  EXPECT_EQ(verdict(0ms), Admission::Start);
  other.value.containers[0].allocated_requests->cpu.value = 4000;
  EXPECT_EQ(verdict(0ms), Admission::Wait);
  EXPECT_EQ(verdict(kAdmissionPatience), Admission::Reject);
  other.value.deletion = policy::Time{};
  EXPECT_EQ(verdict(kAdmissionPatience), Admission::Wait) << "room is on its way";
  node.allocatable.cpu.value = 500;
  EXPECT_EQ(verdict(0ms), Admission::Reject) << "it never fits";
}

TEST(PodPlan, AClaimThatPodsShareCountsOnceAtAdmission) {
  policy::Node node;
  node.allocatable.cpu.value = 3000;
  node.allocatable.memory.value = std::int64_t{64} << 30;
  node.allowed_pods = 3;
  NodePod pod = node_pod(pod_object("web", "n"));
  NodePod other = node_pod(pod_object("other", "n"));
  for (policy::Pod* each : {&pod.value, &other.value}) {
    each->containers[0].desired.requests.cpu.value = 500;
    each->claimed.push_back({.claim = "c"});
    each->claimed[0].amounts.cpu.value = 2000;
  }
  const auto verdict = [&](std::chrono::milliseconds waited) {
    return admit(node, pod.value, {&other.value}, waited, {}).verdict;
  };
  EXPECT_EQ(verdict(0ms), Admission::Start);
  other.value.claimed[0].claim = "d";
  EXPECT_EQ(verdict(0ms), Admission::Wait) << "it is another claim";
  EXPECT_EQ(verdict(kAdmissionPatience), Admission::Reject);
}

TEST(PodPlan, StartsInOrder) {
  Json object = pod_object("web", "n");
  Json sidecar = testing::container("side", "1", "1Gi");
  sidecar["restartPolicy"] = "Always";
  object["spec"]["initContainers"] = Json::array({testing::container("init", "1", "1Gi"), sidecar});
  const NodePod pod = node_pod(object);
  EXPECT_THAT(next_steps(pod, nullptr, kNow), ElementsAre(PodStep(RunSandbox{})));
  auto runtime = runtime_pod({});
  EXPECT_THAT(next_steps(pod, &runtime, kNow),
              ElementsAre(PodStep(StartContainer{.name = "init"})));
  runtime = runtime_pod({{.id = "i", .name = "init", .state = State::Running}});
  EXPECT_THAT(next_steps(pod, &runtime, kNow), ElementsAre());
  runtime = runtime_pod({{.id = "i", .name = "init", .state = State::Exited}});
  EXPECT_THAT(next_steps(pod, &runtime, kNow),
              ElementsAre(PodStep(StartContainer{.name = "side"})));
  runtime = runtime_pod({{.id = "i", .name = "init", .state = State::Exited},
                         {.id = "s", .name = "side", .state = State::Running}});
  EXPECT_THAT(next_steps(pod, &runtime, kNow), ElementsAre(PodStep(StartContainer{.name = "app"})));
}

TEST(PodPlan, RestartsWaitLongerEachTime) {
  const NodePod pod = node_pod(pod_object("web", "n"));
  const auto ended = [&](std::uint32_t attempt, std::int64_t seconds_ago) {
    const std::int64_t end = kNow - seconds_ago * 1'000'000'000;
    const auto runtime = runtime_pod({{.id = "a",
                                       .name = "app",
                                       .attempt = attempt,
                                       .state = State::Exited,
                                       .started_at_ns = end - 1'000'000'000,
                                       .finished_at_ns = end,
                                       .exit_code = 1}});
    return next_steps(pod, &runtime, kNow).size();
  };
  EXPECT_EQ(ended(0, 0), 1u);
  EXPECT_EQ(ended(1, 9), 0u);
  EXPECT_EQ(ended(1, 10), 1u);
  EXPECT_EQ(ended(2, 19), 0u);
  EXPECT_EQ(ended(9, 299), 0u);
  EXPECT_EQ(ended(9, 300), 1u);
}

// A pod whose container was created with 1 cpu, restarts for cpu, and has 2 cpu allocated.
NodePod resized_pod(const char* restart_policy) {
  Json object = pod_object("web", "n");
  object["spec"]["restartPolicy"] = restart_policy;
  Json& app = object["spec"]["containers"][0];
  app["resizePolicy"] =
      Json::array({{{"resourceName", "cpu"}, {"restartPolicy", "RestartContainer"}}});
  object["status"]["containerStatuses"] =
      Json::array({{{"name", "app"},
                    {"allocatedResources", {{"cpu", "2"}, {"memory", "1Gi"}}},
                    {"resources", {{"requests", {{"cpu", "1"}, {"memory", "1Gi"}}}}},
                    {"state", {{"running", Json::object()}}}}});
  return node_pod(object);
}

cri::RuntimeContainer ended_app(std::int64_t created_milli, std::uint32_t attempt = 0) {
  policy::Requirements created;
  created.requests.cpu.value = created_milli;
  created.requests.memory.value = std::int64_t{1} << 30;
  return {.id = "a",
          .name = "app",
          .attempt = attempt,
          .state = State::Exited,
          .created = created,
          .started_at_ns = kNow - 4'000'000'000,
          .finished_at_ns = kNow};
}

// Whatever restartPolicy says, at once, and with no step towards a longer back-off.
TEST(PodPlan, AContainerThatEndedForItsResizeIsRestartedAtOnce) {
  for (const char* policy : {"Always", "OnFailure", "Never"}) {
    const NodePod pod = resized_pod(policy);
    auto runtime = runtime_pod({ended_app(1000, 3)});
    PodOrders orders;
    judge_ends(pod, &runtime, orders);
    EXPECT_THAT(next_steps(pod, &runtime, kNow, orders),
                ElementsAre(PodStep(StartContainer{
                    .name = "app", .attempt = 4, .replaces = "a", .resize_restarts = 1})));
    EXPECT_EQ(next_start(pod, runtime, kNow, orders), std::nullopt);
    const Json status = reported_status(pod, &runtime, kNow, orders);
    EXPECT_EQ(text_at(status, {"phase"}), "Running") << status;
    EXPECT_EQ(text_at(list_at(status, {"containerStatuses"})[0], {"state", "waiting", "reason"}),
              "ContainerCreating");

    orders = {.has_exited = true, .ends = orders.ends};
    EXPECT_THAT(next_steps(pod, &runtime, kNow, orders), ElementsAre());
  }
}

TEST(PodPlan, AnEndIsForAResizeOnlyWhereTheAllocationNeedsARestart) {
  const NodePod pod = resized_pod("OnFailure");
  const auto is_for_resize = [](const NodePod& of, const cri::RuntimeContainer& ended) {
    const auto runtime = runtime_pod({ended});
    PodOrders orders;
    judge_ends(of, &runtime, orders);
    return orders.ends.at(ended.id);
  };
  EXPECT_TRUE(is_for_resize(pod, ended_app(1000)));
  EXPECT_FALSE(is_for_resize(pod, ended_app(2000))) << "it has its size";
  cri::RuntimeContainer unknown = ended_app(1000);
  unknown.created.reset();
  EXPECT_FALSE(is_for_resize(pod, unknown)) << "another program created it";
  NodePod in_place = pod;
  in_place.value.containers[0].cpu_resize = policy::ResizePolicy::NotRequired;
  EXPECT_FALSE(is_for_resize(in_place, ended_app(1000)));
  in_place.value.containers[0].memory_resize = policy::ResizePolicy::RestartContainer;
  EXPECT_FALSE(is_for_resize(in_place, ended_app(1000))) << "memory did not change";
}

// A resize that is allocated during a back-off pause is for the next start.
TEST(PodPlan, AnEndIsJudgedOnce) {
  const NodePod calm = node_pod(pod_object("web", "n"));
  auto runtime = runtime_pod({ended_app(1000, 1)});
  PodOrders orders;
  judge_ends(calm, &runtime, orders);
  judge_ends(resized_pod("Always"), &runtime, orders);
  EXPECT_THAT(next_steps(resized_pod("Always"), &runtime, kNow, orders), ElementsAre());
  runtime = runtime_pod({});
  judge_ends(calm, &runtime, orders);
  EXPECT_TRUE(orders.ends.empty()) << "the runtime has forgotten it";
}

TEST(PodPlan, OnlyCrashesInARowMakeABackOffLonger) {
  const NodePod pod = node_pod(pod_object("web", "n"));
  const auto start = [&](std::uint32_t attempt, std::uint32_t resize_restarts, std::int64_t ran_s) {
    cri::RuntimeContainer ended = ended_app(1000, attempt);
    ended.resize_restarts = resize_restarts;
    ended.started_at_ns = kNow - ran_s * 1'000'000'000;
    const auto runtime = runtime_pod({ended});
    const auto steps = next_steps(pod, &runtime, kNow);
    return steps.empty() ? std::nullopt : std::optional(std::get<StartContainer>(steps[0]));
  };
  ASSERT_TRUE(start(5, 5, 1)) << "its restarts were for resizes";
  EXPECT_EQ(start(5, 5, 1)->resize_restarts, 5U);
  EXPECT_FALSE(start(5, 4, 1));
  ASSERT_TRUE(start(5, 0, 600)) << "it ran for ten minutes";
  EXPECT_EQ(start(5, 0, 600)->resize_restarts, 5U);
  EXPECT_FALSE(start(5, 0, 599));
}

// It is no restart: nothing ran.
TEST(PodPlan, AContainerThatWasCreatedAndNeverStartedKeepsItsAttempt) {
  const NodePod pod = node_pod(pod_object("web", "n"));
  cri::RuntimeContainer created = ended_app(1000, 2);
  created.state = State::Created;
  const auto runtime = runtime_pod({created});
  EXPECT_THAT(next_steps(pod, &runtime, kNow),
              ElementsAre(PodStep(StartContainer{.name = "app", .attempt = 2, .replaces = "a"})));
}

// Servers drop empty maps: what a status does not say of a container that has one, it has not.
TEST(PodPlan, AContainerStartsWithWhatIsAllocatedAlsoWhereThatIsNothing) {
  const auto size_of = [](const char* status) {
    Json object = pod_object("web", "n");
    Json& spec = object["spec"]["containers"];
    spec[0]["resources"]["limits"] = {{"cpu", "4"}};
    spec.push_back({{"name", "b"},
                    {"image", "x"},
                    {"resources", {{"requests", {{"cpu", "2"}}}, {"limits", {{"cpu", "3"}}}}}});
    object["status"]["containerStatuses"] = Json::parse(status);
    const NodePod pod = node_pod(object);
    return std::pair(starting_size(pod.value, pod.value.containers[0]),
                     starting_size(pod.value, pod.value.containers[1]));
  };
  const auto [a, b] = size_of(
      R"([{"name":"app","allocatedResources":{"cpu":"1"},"resources":{"requests":{"cpu":"1"}},
           "state":{"waiting":{}}},{"name":"b","resources":{},"state":{"waiting":{}}}])");
  EXPECT_EQ(a.requests.cpu.value, 1000);
  EXPECT_EQ(a.limits.cpu.value, 0) << "a limit that was added is not allocated";
  EXPECT_EQ(b, policy::Requirements{}) << "nor are requests";
  const auto [c, d] = size_of(R"([{"name":"app","state":{"waiting":{}}},{"name":"b"}])");
  EXPECT_EQ(c.limits.cpu.value, 4000) << "no allocation is reported at all";
  EXPECT_EQ(d.requests.cpu.value, 2000);
}

TEST(PodPlan, EndsInOrder) {
  Json object = pod_object("web", "n");
  object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  object["metadata"]["deletionGracePeriodSeconds"] = 7;
  object["status"]["containerStatuses"] =
      Json::array({{{"name", "app"}, {"state", {{"running", Json::object()}}}}});
  auto runtime = runtime_pod({{.id = "a", .name = "app", .state = State::Running}});
  EXPECT_THAT(next_steps(node_pod(object), &runtime, kNow),
              ElementsAre(PodStep(StopContainers{.ids = {"a"}, .grace_seconds = 7})));
  runtime = runtime_pod({{.id = "a", .name = "app", .state = State::Exited}});
  EXPECT_THAT(next_steps(node_pod(object), &runtime, kNow), ElementsAre());
  object["status"]["containerStatuses"][0]["state"] = {{"terminated", {{"exitCode", 0}}}};
  EXPECT_THAT(next_steps(node_pod(object), &runtime, kNow),
              ElementsAre(PodStep(RemoveSandbox{.id = "s"})));
  EXPECT_THAT(next_steps(node_pod(object), nullptr, kNow), ElementsAre(PodStep(DeleteObject{})));

  object["metadata"]["finalizers"] = {"a.example.com/b"};
  EXPECT_THAT(next_steps(node_pod(object), nullptr, kNow), ElementsAre(PodStep(DeleteObject{})));
  object["metadata"]["deletionGracePeriodSeconds"] = 0;  // the runner saw it: the finalizer is left
  EXPECT_THAT(next_steps(node_pod(object), nullptr, kNow), ElementsAre());
}

}  // namespace
}  // namespace elbowroom::lab
