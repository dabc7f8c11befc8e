// The agent under faults: it keeps running, does nothing irreversible, reports the fault in its
// readiness, and continues by itself when the fault ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "agent/checkpoint/checkpoint.h"
#include "base/durable_file.h"
#include "test/simulation/faulty_node.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::test {
namespace {

namespace fs = std::filesystem;
using lab::comes_true;
using lab::FakeRuntimeFault;
using lab::Fault;
using lab::Json;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class AgentFaults : public ::testing::Test {
 protected:
  // Tells the agent's own writes and reads from the pod runner's.
  static constexpr const char* kItsWrites = "fieldManager=elbowroomd";

  bool was_refused(const std::string& target) {
    return std::ranges::any_of(node_.cluster().api().requests(), [&](const auto& each) {
      return each.code == 0 && each.target.find(target) != std::string::npos &&
             each.target.find(kItsWrites) != std::string::npos;
    });
  }

  FaultyNode node_;
};

// ---- the API server ----

TEST_F(AgentFaults, AnApiServerThatIsNotThereAtTheStartIsWaitedFor) {
  node_.api().refuse();
  node_.create("web", "1");
  node_.resize("web", "2");
  node_.start_agent();
  EXPECT_TRUE(node_.complains("api", "connect")) << node_.health();
  EXPECT_EQ(node_.updates(), 0U);
  node_.api().open();
  EXPECT_TRUE(node_.gets("web", "2")) << node_.get("web").dump(1);
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

TEST_F(AgentFaults, AnApiServerThatRestartsLosesNoResize) {
  node_.create("web", "1");
  node_.create("batch", "2");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  node_.api().refuse();
  EXPECT_TRUE(node_.complains("api", "connect")) << node_.health();
  // Changes during the fault are seen afterwards: a resize, and the removal of a pod that makes
  // room for it.
  node_.resize("web", "3");
  node_.remove("batch");
  EXPECT_EQ(node_.updates(), 0U);
  node_.api().open();
  EXPECT_TRUE(node_.gets("web", "3")) << node_.get("web").dump(1) << node_.health();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

TEST_F(AgentFaults, AServerThatHasForgottenItsHistoryIsListedAgain) {
  node_.create("web", "1");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  node_.api().refuse();
  EXPECT_TRUE(node_.complains("api", "connect")) << node_.health();
  node_.resize("web", "2");
  node_.cluster().api().with_world([](lab::World& world) { world.forget_history(); });
  node_.api().open();
  EXPECT_TRUE(node_.gets("web", "2")) << node_.health();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

TEST_F(AgentFaults, WatchesThatEndAreOpenedAgain) {
  node_.create("web", "1");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  for (const char* cpu : {"2", "1", "3"}) {
    node_.cluster().api().close_watches();
    node_.resize("web", cpu);
    EXPECT_TRUE(node_.gets("web", cpu)) << node_.health();
  }
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

TEST_F(AgentFaults, PodsThatMayNotBeListedAreNoEmptyNode) {
  // The pod runner lists the same pods: it has finished its part before the lists fail for all.
  node_.create("web", "1");
  node_.resize("web", "2");
  node_.cluster().api().inject(
      {.path_contains = "spec.nodeName", .code = 403, .reason = "Forbidden", .times = 1000});
  node_.start_agent();
  EXPECT_TRUE(node_.complains("api", "pods")) << node_.health();
  EXPECT_TRUE(node_.complains("pods", "not listed")) << node_.health();
  EXPECT_EQ(node_.updates(), 0U);
  node_.cluster().api().clear_faults();
  EXPECT_TRUE(node_.gets("web", "2")) << node_.health();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

struct Refusal {
  std::string pod{};
  Fault fault{};
};

TEST_F(AgentFaults, RefusedWritesAreSaidAndRepeatedWhileTheResizeIsCarriedOut) {
  const Refusal refusals[] = {
      {"error", {.code = 500, .reason = "InternalError", .times = 2}},
      {"busy", {.code = 429, .reason = "TooManyRequests", .retry_after_seconds = 1, .times = 2}},
      {"conflict", {.code = 409, .reason = "Conflict", .times = 10}},
      {"forbidden", {.code = 403, .reason = "Forbidden", .times = 2}},
      {"invalid", {.code = 422, .reason = "Invalid", .times = 2}},
      {"broken", {.kind = Fault::Kind::BreakOff, .times = 2}}};
  for (const Refusal& each : refusals) node_.create(each.pod, "100m");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  for (Refusal refused : refusals) {
    refused.fault.method = "PATCH";
    refused.fault.path_contains = "pods/" + refused.pod + "/status?" + kItsWrites;
    node_.cluster().api().inject(refused.fault);
  }
  for (const Refusal& each : refusals) node_.resize(each.pod, "200m");
  EXPECT_TRUE(node_.complains("writes", "patch status of pod default/")) << node_.health();
  for (const Refusal& each : refusals) {
    // The runtime is ours, whatever the API server answers to our reports.
    EXPECT_TRUE(comes_true([&] { return node_.shares(each.pod) == 204; }, kPatience));
    EXPECT_TRUE(
        comes_true([&] { return was_refused("pods/" + each.pod + "/status?"); }, kPatience));
  }
  node_.cluster().api().clear_faults();
  for (const Refusal& each : refusals) {
    EXPECT_TRUE(node_.gets(each.pod, "200m")) << node_.get(each.pod).dump(1) << node_.health();
  }
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

TEST_F(AgentFaults, AWriteWhoseReplyIsLostIsNoTroubleOnceItIsSeen) {
  node_.create("web", "1");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  node_.cluster().api().inject(
      {.kind = Fault::Kind::LoseReply, .method = "PATCH", .path_contains = kItsWrites, .times = 4});
  node_.resize("web", "2");
  EXPECT_TRUE(node_.gets("web", "2")) << node_.get("web").dump(1);
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

TEST_F(AgentFaults, AWriteThatHangsHoldsUpNoOtherPod) {
  node_.create("web", "1");
  node_.create("batch", "1");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  node_.cluster().api().inject({.kind = Fault::Kind::Hang,
                                .method = "PATCH",
                                .path_contains = "default/pods/web/status?fieldManager=elbowroomd",
                                .times = 1000});
  node_.resize("web", "2");
  EXPECT_TRUE(comes_true([&] { return node_.shares("web") == 2048; }, kPatience));
  node_.resize("batch", "2");
  EXPECT_TRUE(node_.gets("batch", "2")) << node_.health();
  node_.cluster().api().clear_faults();
  EXPECT_TRUE(node_.gets("web", "2")) << node_.get("web").dump(1) << node_.health();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

// ---- the runtime ----

TEST_F(AgentFaults, ARuntimeThatIsNotThereAtTheStartIsWaitedFor) {
  node_.create("web", "1");
  node_.resize("web", "2");
  node_.runtime().refuse();
  node_.start_agent();
  EXPECT_TRUE(node_.complains("runtime", "gate.sock")) << node_.health();
  EXPECT_EQ(node_.reason_of_pending("web"), "");
  node_.runtime().open();
  EXPECT_TRUE(node_.gets("web", "2")) << node_.health();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

TEST_F(AgentFaults, ARuntimeThatHangsIsGivenUpAndAskedAgain) {
  node_.create("web", "1");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  node_.runtime().silence();
  node_.resize("web", "2");
  EXPECT_TRUE(node_.complains("runtime", "no answer")) << node_.health();
  node_.runtime().refuse();  // restarted
  node_.runtime().open();
  EXPECT_TRUE(node_.gets("web", "2")) << node_.health();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

TEST_F(AgentFaults, ARuntimeThatComesBackEmptyKeepsNoAllocationWaiting) {
  node_.create("web", "1");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  node_.cluster().runtime(0).stop();
  EXPECT_TRUE(node_.complains("runtime", "")) << node_.health();
  node_.resize("web", "2");
  ASSERT_TRUE(node_.cluster().runtime(0).start());
  EXPECT_TRUE(node_.gets("web", "2")) << node_.health();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

TEST_F(AgentFaults, ARuntimeThatLiesIsReadBack) {
  node_.create("web", "1");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  const auto lie = [&](FakeRuntimeFault::Kind kind) {
    node_.cluster().runtime(0).with_runtime([&](lab::FakeCriRuntime& runtime) {
      runtime.inject({.kind = kind, .method = "UpdateContainerResources", .container = "app"});
    });
  };
  lie(FakeRuntimeFault::Kind::ApplyAndFail);
  node_.resize("web", "2");
  EXPECT_TRUE(node_.gets("web", "2")) << node_.get("web").dump(1);
  lie(FakeRuntimeFault::Kind::Pretend);
  node_.resize("web", "3");
  EXPECT_TRUE(node_.gets("web", "3")) << node_.get("web").dump(1);
  EXPECT_EQ(node_.shares("web"), 3072);
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

TEST_F(AgentFaults, AContainerThatTakesLongToEndHoldsUpNobodyElse) {
  lab::Json slow = lab::testing::pod_object("slow", "node-1");
  slow["metadata"]["namespace"] = "default";
  slow["metadata"]["annotations"] = {{"lab.elbowroom.dev/terminates-after", "90s"}};
  slow["spec"]["terminationGracePeriodSeconds"] = 600;
  slow["spec"]["containers"][0]["resizePolicy"] =
      lab::Json::array({{{"resourceName", "cpu"}, {"restartPolicy", "RestartContainer"}}});
  node_.load(slow);
  ASSERT_TRUE(lab::comes_true(
      [&] { return lab::text_at(node_.get("slow"), {"status", "phase"}) == "Running"; },
      kPatience));
  node_.create("web", "1");
  node_.start_agent();
  ASSERT_TRUE(node_.gets_ready()) << node_.health();

  node_.resize("slow", "500m");
  ASSERT_TRUE(lab::comes_true([&] { return node_.allocated_cpu("slow") == "500m"; }, kPatience));
  node_.resize("web", "2");
  EXPECT_TRUE(node_.gets("web", "2")) << node_.get("web").dump(1) << node_.health();
  EXPECT_NE(node_.actual_cpu("slow"), "500m");
  node_.stop_agent();  // does not wait for it either
}

// ---- the disk ----

TEST_F(AgentFaults, ADiskThatKeepsNothingLetsNothingBeGiven) {
  node_.create("web", "1");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  node_.disk().failure = EIO;
  node_.resize("web", "2");
  EXPECT_TRUE(node_.complains("disk", "allocations")) << node_.health();
  EXPECT_EQ(node_.updates(), 0U);
  EXPECT_EQ(node_.shares("web"), 1024);
  node_.disk().failure = 0;
  EXPECT_TRUE(node_.gets("web", "2")) << node_.get("web").dump(1);
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

TEST_F(AgentFaults, TroubleOfTheDiskEndsAlsoWhereNothingIsLeftToSave) {
  node_.create("web", "1");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  node_.disk().failure = ENOSPC;
  node_.resize("web", "2");
  EXPECT_TRUE(node_.complains("disk", "free some space")) << node_.health();
  node_.resize("web", "1");
  node_.disk().failure = 0;
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

// ---- the checkpoint ----

void put(const std::string& path, const std::string& bytes) {
  fs::remove_all(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

// The first pod's cpu in the checkpoint, in millicores; -1 if it cannot be read.
std::int64_t cpu_in(const std::string& path) {
  const auto text = read_file(path, 1 << 20);
  if (!text) return -1;
  const auto read = agent::decode_checkpoint(*text);
  if (!read || read->pods.empty()) return -1;
  return read->pods.begin()->second.containers.begin()->second.requests.cpu.value;
}

TEST_F(AgentFaults, ABadCheckpointIsMovedAsideAndRebuiltFromWhatWasAllocated) {
  node_.create("web", "1");
  node_.create("batch", "2");
  node_.remove("batch");
  node_.start_agent();
  node_.resize("web", "2");
  EXPECT_TRUE(node_.gets("web", "2")) << node_.health();
  // From here on the desired size (4 cpus beside another pod's 1) differs from the allocated one.
  node_.create("other", "1");
  node_.resize("web", "4");
  EXPECT_TRUE(comes_true([&] { return node_.reason_of_pending("web") == "Deferred"; }, kPatience));
  node_.remove("other");
  node_.stop_agent();

  const std::string good = *read_file(node_.checkpoint(), 1 << 20);
  std::string flipped = good;
  flipped[flipped.size() / 2] ^= 1;
  const std::string bad[] = {good.substr(0, good.size() / 2), flipped, "",
                             std::string(17 << 20, 'x'), std::string("\0\xff\x1b[31m\n\n", 9)};
  node_.create("filler", "2");  // so that web stays at 2
  for (const std::string& bytes : bad) {
    for (const auto& entry : fs::directory_iterator(node_.state_dir())) fs::remove(entry.path());
    put(node_.checkpoint(), bytes);
    put(previous_of(node_.checkpoint()), bytes);
    node_.start_agent();
    EXPECT_TRUE(comes_true([&] { return cpu_in(node_.checkpoint()) > 0; }, kPatience));
    EXPECT_EQ(cpu_in(node_.checkpoint()), 2000);
    EXPECT_TRUE(fs::exists(node_.checkpoint() + ".bad-1"));
    EXPECT_TRUE(node_.gets_ready()) << node_.health();
    node_.stop_agent();
    EXPECT_THAT(node_.remedies_text().back(), HasSubstr("bad-1"));
  }
  EXPECT_EQ(node_.shares("web"), 2048);
  EXPECT_EQ(node_.reason_of_pending("web"), "Deferred");
}

TEST_F(AgentFaults, ACheckpointThatIsAFolderStopsNothing) {
  node_.create("web", "1");
  fs::create_directories(node_.checkpoint() + "/inside");
  node_.start_agent();
  node_.resize("web", "2");
  EXPECT_TRUE(node_.gets("web", "2")) << node_.health();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

TEST_F(AgentFaults, ABadCheckpointOnABadDiskIsRebuiltOnceTheDiskIsWell) {
  node_.create("web", "1");
  put(node_.checkpoint(), "nonsense");
  node_.disk().failure = EROFS;
  node_.resize("web", "2");
  node_.start_agent();
  EXPECT_TRUE(node_.complains("disk", "writable")) << node_.health();
  EXPECT_EQ(node_.updates(), 0U);
  node_.disk().failure = 0;
  EXPECT_TRUE(node_.gets("web", "2")) << node_.health();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

// ---- hostile objects ----

TEST_F(AgentFaults, NothingGrowsBesideAPodThatCannotBeRead) {
  node_.create("web", "1");
  node_.create("batch", "2");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  node_.api().garble("123m", "12xm");
  node_.create("odd", "123m");
  EXPECT_TRUE(node_.complains("pods", "default/odd")) << node_.health();
  node_.resize("web", "2");
  EXPECT_TRUE(comes_true([&] { return node_.reason_of_pending("web") == "Deferred"; }, kPatience))
      << node_.get("web").dump(1);
  node_.resize("batch", "1");  // a shrink is never Deferred
  EXPECT_TRUE(node_.gets("batch", "1")) << node_.health();
  EXPECT_EQ(node_.shares("web"), 1024);
  node_.api().refuse();  // the list shows it like the watch
  node_.api().open();
  EXPECT_TRUE(node_.complains("pods", "default/odd")) << node_.health();
  node_.remove("odd");
  EXPECT_TRUE(node_.gets("web", "2")) << node_.health();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

TEST_F(AgentFaults, AnUnreadableNodeHasNoRoomToGive) {
  node_.create("web", "1");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  // The pod runner writes its own figures again within seconds.
  const auto patch = [&](const Json& allocatable) {
    (void)node_.cluster().api().with_world([&](lab::World& world) {
      return world.patch({.kind = lab::find_kind("", "v1", "nodes"),
                          .name = "node-1",
                          .subresource = lab::Subresource::Status},
                         lab::PatchType::Merge, {{"status", {{"allocatable", allocatable}}}});
    });
  };
  patch({{"cpu", "-4"}});
  EXPECT_TRUE(node_.complains("node", "node-1")) << node_.health();
  node_.resize("web", "2");
  patch({{"cpu", "4"}});
  EXPECT_TRUE(node_.gets("web", "2")) << node_.health();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
}

// ---- the end ----

TEST_F(AgentFaults, ItEndsAtOnceWhileApiAndRuntimeHang) {
  node_.create("web", "1");
  node_.start_agent();
  EXPECT_TRUE(node_.gets_ready()) << node_.health();
  node_.api().silence();
  node_.runtime().silence();
  EXPECT_TRUE(node_.complains("runtime", "no answer")) << node_.health();
  const auto begun = std::chrono::steady_clock::now();
  node_.stop_agent();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s) << "a request has 15 s";
}

}  // namespace
}  // namespace elbowroom::test
