#include "lab/virtual/virtual_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "api/codec/timestamp.h"
#include "cri/convert.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::container;
using ::testing::HasSubstr;
using testing::node_object;
using testing::nodes;
using testing::outcome;
using testing::pod_object;
using testing::pod_target;
using testing::pods;

policy::Requirements size_of(std::int64_t milli_cpu, std::int64_t memory_limit = 0) {
  policy::Requirements size;
  size.requests.cpu.value = milli_cpu;
  size.limits.memory.value = memory_limit;
  return size;
}

class VirtualNodeTest : public ::testing::Test {
 protected:
  VirtualNodeTest() { world_.set_time(now_); }

  void load(Json object) {
    const auto loaded = world_.load(std::move(object));
    ASSERT_EQ(outcome(loaded), "ok") << testing::message_of(loaded);
    settle();
  }
  std::size_t settle() {
    std::size_t steps = 0;
    while (steps < 100 && node_.step(now_)) ++steps;
    return steps;
  }
  void pass(milliseconds length) {
    now_ += length;
    world_.set_time(now_);
    settle();
  }
  void remove(const std::string& name) {
    ASSERT_EQ(outcome(world_.remove(pod_target(name), {})), "ok");
    settle();
  }
  Json get(const std::string& name) {
    const Json* found = world_.peek(pods(), "default", name);
    return found == nullptr ? Json() : *found;
  }
  std::string phase(const std::string& name) { return text_at(get(name), {"status", "phase"}); }
  std::string uid(const std::string& name) { return text_at(get(name), {"metadata", "uid"}); }
  Json first_status(const std::string& name) {
    const Json pod = get(name);
    const Json& all = list_at(pod, {"status", "containerStatuses"});
    return all.empty() ? Json() : all[0];
  }
  agent::ContainerReport reported(const std::string& name) {
    return node_.runtime().pods.at(uid(name)).containers.at("app");
  }
  agent::Actuate on(const std::string& name) {
    agent::Actuate actuate{.pod_uid = uid(name), .pod = "default/" + name};
    const auto seen = node_.runtime();
    const auto pod = seen.pods.find(uid(name));
    if (pod == seen.pods.end()) return actuate;
    for (const auto& [each, report] : pod->second.containers) {
      actuate.container_ids.emplace(each, report.id);
    }
    return actuate;
  }
  agent::Actuate update(const std::string& name, const policy::Requirements& before,
                        const policy::Requirements& after) {
    agent::Actuate actuate = on(name);
    actuate.step = policy::UpdateContainer{.name = "app", .before = before, .after = after};
    return actuate;
  }

  policy::Time now_ = *api::parse_timestamp("2026-01-01T00:00:00Z");
  World world_{{}};
  PodsByNode placed_{world_};
  VirtualNode node_{world_, placed_, {.node_name = "n"}};
};

TEST_F(VirtualNodeTest, AGivenPodRunsAtOnceAsRequested) {
  load(pod_object("web", "n"));
  EXPECT_EQ(phase("web"), "Running");
  const Json status = first_status("web");
  EXPECT_EQ(status["allocatedResources"]["cpu"], "1");
  EXPECT_EQ(status["resources"]["requests"]["memory"], "1Gi");
  EXPECT_TRUE(status["state"].contains("running"));
  EXPECT_EQ(reported("web").state, policy::RunState::Running);
  EXPECT_TRUE(cri::matches(size_of(1000), reported("web").size.value()));
  EXPECT_EQ(node_.runtime().pods.at(uid("web")).pod_cgroup.value().cpu_shares, 1024);
  EXPECT_EQ(node_.next_due(), std::nullopt);
}

TEST_F(VirtualNodeTest, PodsOfOthersAndPendingOnesAreNotOurs) {
  load(pod_object("other", "m"));
  load(pod_object("pending"));
  EXPECT_TRUE(node_.runtime().pods.empty());
  EXPECT_EQ(phase("pending"), "Pending");
}

TEST_F(VirtualNodeTest, AGivenStatusIsTakenAsItIs) {
  Json pod = pod_object("web", "n");
  pod["status"] = {
      {"phase", "Running"},
      {"containerStatuses", Json::array({{{"name", "app"},
                                          {"allocatedResources", {{"cpu", "2"}, {"memory", "1Gi"}}},
                                          {"resources", {{"requests", {{"cpu", "1500m"}}}}}}})}};
  load(pod);
  EXPECT_EQ(get("web")["status"]["containerStatuses"], pod["status"]["containerStatuses"]);
  EXPECT_FALSE(get("web")["status"].contains("conditions"));
  EXPECT_EQ(reported("web").state, policy::RunState::Running);
  EXPECT_TRUE(cri::matches(size_of(1500), reported("web").size.value()));
}

TEST_F(VirtualNodeTest, FinishedPodsHoldNothing) {
  Json pod = pod_object("done", "n");
  pod["status"] = {{"phase", "Succeeded"}};
  load(pod);
  EXPECT_TRUE(node_.runtime().pods.empty());
  EXPECT_EQ(phase("done"), "Succeeded");
}

TEST_F(VirtualNodeTest, InitContainersAreDoneAndSidecarsRun) {
  Json pod = pod_object("web", "n");
  Json sidecar = container("proxy", "100m", "64Mi");
  sidecar["restartPolicy"] = "Always";
  pod["spec"]["initContainers"] = Json::array({container("setup", "1", "1Gi"), sidecar});
  load(pod);
  EXPECT_EQ(phase("web"), "Running");
  const auto report = node_.runtime().pods.at(uid("web"));
  EXPECT_EQ(report.containers.at("setup").state, policy::RunState::Terminated);
  EXPECT_EQ(report.containers.at("proxy").state, policy::RunState::Running);
}

TEST_F(VirtualNodeTest, ATerminatingPodTakesItsFullGracePeriod) {
  load(pod_object("web", "n"));
  remove("web");
  EXPECT_EQ(node_.next_due(), now_ + seconds(30));
  pass(milliseconds(29'999));
  EXPECT_EQ(reported("web").state, policy::RunState::Running);
  // Its end is reported before the object is deleted.
  now_ += milliseconds(1);
  world_.set_time(now_);
  EXPECT_TRUE(node_.step(now_));
  EXPECT_EQ(first_status("web")["state"]["terminated"]["exitCode"], 137);
  EXPECT_TRUE(node_.step(now_));
  EXPECT_TRUE(get("web").is_null());
  EXPECT_TRUE(node_.runtime().pods.empty());
  EXPECT_FALSE(node_.step(now_));
  EXPECT_EQ(node_.next_due(), std::nullopt);
}

TEST_F(VirtualNodeTest, TheAnnotationShortensOrLengthensTheEnd) {
  for (const char* length : {"5s", "2m"}) {
    Json pod = pod_object("web", "n");
    pod["metadata"]["annotations"][std::string(kTerminatesAfter)] = length;
    load(pod);
    remove("web");
    const bool is_short = std::string(length) == "5s";
    pass(is_short ? milliseconds(4'999) : milliseconds(119'999));
    EXPECT_FALSE(get("web").is_null()) << length;
    pass(milliseconds(1));
    EXPECT_TRUE(get("web").is_null()) << length;
  }
}

TEST_F(VirtualNodeTest, APodThatWasTerminatingAlreadyGoesAtItsDeadline) {
  Json pod = pod_object("web", "n");
  pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:10Z";
  pod["metadata"]["deletionGracePeriodSeconds"] = 30;
  load(pod);
  pass(seconds(9));
  EXPECT_FALSE(get("web").is_null());
  pass(seconds(1));
  EXPECT_TRUE(get("web").is_null());
}

TEST_F(VirtualNodeTest, ASecondDeletionMayShortenTheGracePeriod) {
  load(pod_object("web", "n"));
  remove("web");
  pass(seconds(10));
  ASSERT_EQ(outcome(world_.remove(pod_target("web"), {.grace_seconds = 3})), "ok");
  settle();
  pass(seconds(3));
  EXPECT_TRUE(get("web").is_null());
}

// As upstream: the object stays, with a grace of 0, until its last finalizer is removed.
TEST_F(VirtualNodeTest, AFinalizerKeepsTheObjectAndNobodyAsksAgain) {
  Json pod = pod_object("web", "n");
  pod["metadata"]["finalizers"] = {"batch.kubernetes.io/job-tracking"};
  load(pod);
  remove("web");
  pass(seconds(30));
  EXPECT_TRUE(node_.runtime().pods.empty());
  const Json kept = get("web");
  EXPECT_EQ(integer_at(kept, {"metadata", "deletionGracePeriodSeconds"}), 0);
  EXPECT_FALSE(node_.step(now_));
  EXPECT_EQ(node_.next_due(), std::nullopt);
  pass(seconds(5));
  EXPECT_EQ(outcome(world_.remove(pod_target("web"), {.grace_seconds = 0})), "ok");
  EXPECT_EQ(get("web"), kept) << "a removal more changes nothing";
  ASSERT_EQ(outcome(world_.patch(pod_target("web"), PatchType::Merge,
                                 {{"metadata", {{"finalizers", nullptr}}}})),
            "ok");
  EXPECT_TRUE(get("web").is_null());
}

TEST_F(VirtualNodeTest, APodThatExitsIsDoneForGood) {
  load(pod_object("web", "n"));  // restartPolicy Always
  ASSERT_TRUE(node_.exit("default", "web"));
  settle();
  EXPECT_EQ(phase("web"), "Succeeded");
  EXPECT_TRUE(node_.runtime().pods.empty());
  pass(seconds(600));
  EXPECT_EQ(phase("web"), "Succeeded");
  EXPECT_FALSE(node_.exit("default", "web"));
  EXPECT_FALSE(node_.exit("default", "nobody"));
}

TEST_F(VirtualNodeTest, ACrashedContainerComesBackAfterItsBackoff) {
  load(pod_object("web", "n"));
  ASSERT_TRUE(node_.crash("default", "web", "app", 1));
  settle();
  EXPECT_EQ(reported("web").state, policy::RunState::Running);  // the first time at once
  ASSERT_TRUE(node_.crash("default", "web", "app", 1));
  settle();
  EXPECT_EQ(reported("web").state, policy::RunState::Terminated);
  EXPECT_EQ(first_status("web")["state"]["waiting"]["reason"], "CrashLoopBackOff");
  EXPECT_EQ(node_.next_due(), now_ + seconds(10));
  pass(seconds(10));
  EXPECT_EQ(reported("web").state, policy::RunState::Running);
  EXPECT_EQ(first_status("web")["restartCount"], 2);
}

TEST_F(VirtualNodeTest, AnUpdateChangesTheRuntimeAndNotTheStatus) {
  load(pod_object("web", "n"));
  const auto version = node_.runtime_version();
  const std::uint64_t world_version = world_.version();
  const auto had = node_.perform(update("web", size_of(1000), size_of(2000)));
  ASSERT_TRUE(had) << had.error().message;
  EXPECT_TRUE(cri::matches(size_of(2000), had->value()));
  EXPECT_TRUE(cri::matches(size_of(2000), reported("web").size.value()));
  EXPECT_GT(node_.runtime_version(), version);
  settle();
  EXPECT_EQ(world_.version(), world_version);
}

TEST_F(VirtualNodeTest, ALimitBelowTheUseIsRefused) {
  load(pod_object("web", "n"));
  ASSERT_TRUE(node_.use_memory("default", "web", "app", 1000));
  const auto refused = node_.perform(update("web", size_of(1000), size_of(1000, 999)));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("unable to set memory limit to 999"));

  agent::Actuate checked = update("web", size_of(1000), size_of(2000));
  checked.checks.push_back({.container = "", .limit = {1000}});
  const auto waits = node_.perform(checked);
  ASSERT_FALSE(waits);
  EXPECT_EQ(waits.error().code, Code::Conflict);
  EXPECT_TRUE(cri::matches(size_of(1000), reported("web").size.value()));
}

TEST_F(VirtualNodeTest, UseStaysWithinItsLimit) {
  Json pod = pod_object("web", "n");
  pod["spec"]["containers"][0]["resources"]["limits"] = {{"cpu", "1"}, {"memory", "1000"}};
  load(pod);
  ASSERT_TRUE(node_.use_memory("default", "web", "app", 5000));
  EXPECT_TRUE(node_.perform(update("web", size_of(1000, 1000), size_of(1000, 1000))));
  EXPECT_FALSE(node_.perform(update("web", size_of(1000, 1000), size_of(1000, 999))));
}

TEST_F(VirtualNodeTest, WithCgroupVersion2ALimitBelowTheUseKills) {
  VirtualNode node(world_, placed_, {.node_name = "v2", .cgroups = cri::CgroupVersion::V2});
  std::vector<CgroupWrite> writes;
  node.on_cgroup_write([&](const CgroupWrite& write) { writes.push_back(write); });
  const auto settle_node = [&] {
    while (node.step(now_)) {
    }
  };
  ASSERT_EQ(outcome(world_.load(pod_object("web", "v2"))), "ok");
  settle_node();
  ASSERT_TRUE(node.use_memory("default", "web", "app", 1000));
  agent::Actuate lower{.pod_uid = uid("web"), .pod = "default/web"};
  lower.container_ids["app"] = node.runtime().pods.at(uid("web")).containers.at("app").id;
  lower.step = policy::UpdateContainer{"app", size_of(1000), size_of(1000, 999)};
  ASSERT_TRUE(node.perform(lower));
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_EQ(writes[0].asked.memory_limit_bytes, 999);
  EXPECT_EQ(writes[0].memory_use, 1000);
  EXPECT_EQ(node.runtime().pods.at(uid("web")).containers.at("app").state,
            policy::RunState::Terminated);
  settle_node();
  EXPECT_EQ(node.runtime().pods.at(uid("web")).containers.at("app").state,
            policy::RunState::Running);
  EXPECT_EQ(first_status("web")["restartCount"], 1);
}

TEST_F(VirtualNodeTest, PodAndContainersMustBeChangedInTheRightOrder) {
  Json pod = pod_object("web", "n");
  pod["spec"]["containers"][0]["resources"]["limits"] = {{"cpu", "1"}, {"memory", "1Gi"}};
  load(pod);
  policy::Requirements before = size_of(1000);
  before.limits.cpu.value = 1000;
  policy::Requirements after = size_of(2000);
  after.limits.cpu.value = 2000;
  EXPECT_FALSE(node_.perform(update("web", before, after)));

  agent::Actuate grow = on("web");
  grow.step = policy::SetPod{.setting = policy::PodSetting::CpuLimit,
                             .bounds = {.cpu_request = {2000}, .cpu_limit = {{2000}}}};
  ASSERT_TRUE(node_.perform(grow));
  EXPECT_TRUE(node_.perform(update("web", before, after)));

  agent::Actuate shrink = on("web");
  shrink.step = policy::SetPod{.setting = policy::PodSetting::CpuLimit,
                               .bounds = {.cpu_request = {1000}, .cpu_limit = {{1000}}}};
  EXPECT_FALSE(node_.perform(shrink));
}

// As with real programs: the status shows the new size before the container is stopped.
TEST_F(VirtualNodeTest, AContainerThatIsStoppedForItsResizeComesBackAtOnceAsAllocated) {
  Json pod = pod_object("web", "n");
  pod["spec"]["restartPolicy"] = "OnFailure";
  pod["spec"]["containers"][0]["resizePolicy"] =
      Json::array({{{"resourceName", "cpu"}, {"restartPolicy", "RestartContainer"}}});
  load(std::move(pod));
  const auto stop = [&] {
    agent::Actuate restart = on("web");
    restart.step = policy::RestartContainer{.name = "app"};
    const auto done = node_.perform(restart);
    EXPECT_TRUE(done && !*done);
    EXPECT_FALSE(node_.perform(restart));  // it does not run any more
    settle();
  };
  for (const int cpu : {2, 3}) {
    const std::string allocated = R"({"status":{"containerStatuses":[{"name":"app",
        "allocatedResources":{"cpu":")" +
                                  std::to_string(cpu) + R"(","memory":"1Gi"}}]}})";
    ASSERT_EQ(outcome(world_.patch(pod_target("web", Subresource::Status),
                                   PatchType::StrategicMerge, Json::parse(allocated))),
              "ok");
    stop();
    EXPECT_TRUE(cri::matches(size_of(1000 * cpu), reported("web").size.value()));
    EXPECT_EQ(first_status("web")["restartCount"], cpu - 1);
  }
  stop();  // for no resize
  EXPECT_EQ(phase("web"), "Succeeded");
  EXPECT_EQ(first_status("web")["restartCount"], 2);
}

TEST_F(VirtualNodeTest, StepsOnWhatIsNotThereAreRefused) {
  load(pod_object("web", "n"));
  agent::Actuate gone = update("web", size_of(1), size_of(2));
  gone.pod_uid = "nobody";
  EXPECT_EQ(node_.perform(gone).error().code, Code::NotFound);
  agent::Actuate old = update("web", size_of(1), size_of(2));
  old.container_ids["app"] = "an-earlier-one";
  EXPECT_EQ(node_.perform(old).error().code, Code::NotFound);
}

TEST_F(VirtualNodeTest, APodThatVanishesIsOverAtOnce) {
  load(pod_object("web", "n"));
  ASSERT_EQ(outcome(world_.remove(pod_target("web"), {.grace_seconds = 0})), "ok");
  settle();
  EXPECT_TRUE(node_.runtime().pods.empty());
}

TEST_F(VirtualNodeTest, AnIdleStepCostsNothing) {
  for (int i = 0; i < 50; ++i) load(pod_object("web-" + std::to_string(i), "n"));
  const std::clock_t begin =
      std::clock();  // of the processor: what else the machine does plays no part
  for (int i = 0; i < 100'000; ++i) EXPECT_FALSE(node_.step(now_));
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC);
}

TEST_F(VirtualNodeTest, AShortHistoryIsMadeUpForByAList) {
  load(pod_object("web", "n"));
  ASSERT_EQ(outcome(world_.load(pod_object("more", "n"))), "ok");
  ASSERT_EQ(outcome(world_.remove(pod_target("web"), {.grace_seconds = 0})), "ok");
  world_.forget_history();
  settle();
  EXPECT_EQ(node_.runtime().pods.size(), 1u);
  EXPECT_EQ(phase("more"), "Running");
}

TEST_F(VirtualNodeTest, TwoNodesToldTheSameAreTheSame) {
  World other{{}};
  other.set_time(now_);
  PodsByNode there(other);
  VirtualNode twin(other, there, {.node_name = "n"});
  load(pod_object("web", "n"));
  ASSERT_TRUE(other.load(pod_object("web", "n")));
  while (twin.step(now_)) {
  }
  EXPECT_EQ(*other.peek(pods(), "default", "web"), get("web"));
  EXPECT_EQ(twin.runtime().pods, node_.runtime().pods);
}

}  // namespace
}  // namespace elbowroom::lab
