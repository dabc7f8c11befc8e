// Pods whose cgroups systemd creates, from the step to its report: with a runtime, a systemd and
// cgroups of the test's own.
#include "agent/worker/runtime_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "test/unit/cri/fake_runtime.h"
#include "test/unit/cri/fake_sd_bus.h"
#include "test/unit/cri/temp_cgroups.h"

namespace elbowroom::agent {
namespace {

using cri::CgroupDriver;
using policy::PodBounds;
using policy::PodSetting;
using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr const char* kSlice = "/kubepods.slice/kubepods-podu_1.slice";
constexpr std::chrono::seconds kPatience{20};

struct Slices : testing::Test {
  test::TemporaryFolder folder;
  cri::FakeRuntime runtime{(folder.path() / "cri.sock").string()};
  cri::TempCgroups tree{cri::CgroupVersion::V2};
  cri::FakeSdBus bus;
  Inbox inbox{64};
  std::unique_ptr<RuntimeWorker> worker;
  std::jthread thread;
  EffectId next = 0;

  Slices() {
    for (const std::string& group : {std::string(kSlice), std::string("/kubepods/podu-1")}) {
      tree.add(group);
      tree.add(group + "/cri-containerd-c1.scope");
      tree.add(group + "/c1");
    }
    runtime.add_sandbox("s1", "u-1");
    runtime.add_container("c1", "u-1", "app");
    bus.keep = [this](const std::string& unit, const std::string& name, std::uint64_t value) {
      ASSERT_EQ(unit, "kubepods-podu_1.slice");
      const std::string slice = std::string(kSlice).substr(1);
      if (name == "CPUWeight") tree.write(slice + "/cpu.weight", std::to_string(value) + "\n");
      if (name == "MemoryMax") tree.write(slice + "/memory.max", std::to_string(value) + "\n");
      if (name == "CPUQuotaPerSecUSec") {
        tree.write(slice + "/cpu.max", std::to_string(value / 10) + " 100000\n");
      }
    };
  }

  void start(CgroupDriver driver) {
    auto opened = RuntimeWorker::open({.endpoint = "unix:" + (folder.path() / "cri.sock").string(),
                                       .cgroup_root = tree.root(),
                                       .driver = driver,
                                       .bus = &bus,
                                       .poll_every = 1ms},
                                      inbox);
    ASSERT_TRUE(opened.has_value());
    worker = *std::move(opened);
    thread = std::jthread([this](const std::stop_token& stop) { worker->run(stop, [] {}); });
  }

  // The next observation of that kind.
  template <class Kind>
  Kind told(const std::function<bool(const Kind&)>& is_meant = [](const Kind&) { return true; }) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (auto message = inbox.take({}, until)) {
      auto* seen = std::get_if<Seen>(&*message);
      auto* kind = seen == nullptr ? nullptr : std::get_if<Kind>(seen);
      if (kind != nullptr && is_meant(*kind)) return std::move(*kind);
    }
    ADD_FAILURE() << "nothing of the kind was told";
    return {};
  }
  RuntimeSeen shown(std::int64_t quota_us) {
    return told<RuntimeSeen>([&](const RuntimeSeen& seen) {
      const auto pod = seen.pods.find("u-1");
      return pod != seen.pods.end() && pod->second.pod_cgroup &&
             pod->second.pod_cgroup->cpu_quota_us == quota_us;
    });
  }
  void set(PodSetting setting, const PodBounds& bounds) {
    Actuate actuate;
    actuate.pod_uid = "u-1";
    actuate.pod = "default/web";
    actuate.container_ids = {{"app", "c1"}};
    actuate.step = policy::SetPod{setting, bounds};
    ASSERT_TRUE(worker->perform({++next, std::move(actuate)}));
  }
  ~Slices() override {
    thread.request_stop();
    if (thread.joinable()) thread.join();
  }
};

TEST_F(Slices, AreSetOverTheBusAndReadBackFromTheirFiles) {
  start(CgroupDriver::Systemd);
  const PodBounds bounds{{1000}, policy::MilliCpu{1500}, policy::Bytes{1 << 20}};
  set(PodSetting::CpuRequest, bounds);
  EXPECT_EQ(told<Done>().size.value().cpu_weight, 39);
  set(PodSetting::MemoryLimit, bounds);
  EXPECT_EQ(told<Done>().size.value().memory_limit_bytes, 1 << 20);
  set(PodSetting::CpuLimit, bounds);
  EXPECT_EQ(told<Done>().size.value(), (cri::RuntimeResources{.cpu_quota_us = 150'000,
                                                              .cpu_period_us = 100'000,
                                                              .memory_limit_bytes = 1 << 20,
                                                              .cpu_weight = 39}));
  EXPECT_EQ(bus.calls.size(), 3U);
}

TEST_F(Slices, ALimitThatSystemdRoundsIsReportedAsItWasAskedFor) {
  start(CgroupDriver::Systemd);
  set(PodSetting::CpuLimit, {{1000}, policy::MilliCpu{1501}, {}});
  EXPECT_EQ(told<Done>().size.value().cpu_quota_us, 150'100);
  EXPECT_EQ(tree.text(std::string(kSlice).substr(1) + "/cpu.max"), "151000 100000\n");
  shown(150'100);
  // Read again every so many polls: another writer's figure is reported as it is.
  tree.write(std::string(kSlice).substr(1) + "/cpu.max", "200000 100000\n");
  shown(200'000);
  tree.write(std::string(kSlice).substr(1) + "/cpu.max", "151000 100000\n");
  shown(150'100);
}

TEST_F(Slices, AStepThatSystemdRefusesNamesPodUnitAndRemedy) {
  bus.fail = {{-EACCES, "org.freedesktop.DBus.Error.AccessDenied", "Access denied"}};
  start(CgroupDriver::Systemd);
  set(PodSetting::CpuRequest, {{1000}, {}, {}});
  const Failed failed = told<Failed>();
  EXPECT_EQ(failed.error.code, Code::Denied);
  EXPECT_THAT(failed.error.message,
              AllOf(HasSubstr("pod default/web"), HasSubstr("kubepods-podu_1.slice"),
                    HasSubstr("polkit"), HasSubstr("podCgroups: leave")));
}

TEST_F(Slices, WithoutSystemdAreOneClearTroubleOfTheRuntime) {
  bus.booted = 0;
  start(CgroupDriver::Systemd);
  EXPECT_THAT(told<RuntimeLost>().why,
              AllOf(HasSubstr("/run/systemd/system"), HasSubstr("--pod-cgroups leave")));
}

// A pod of which nothing is known is not resized, and the reason is reported.
TEST_F(Slices, ThatAnotherDriverMadeAreTold) {
  std::filesystem::remove_all(std::filesystem::path(tree.root()) / "kubepods");
  start(CgroupDriver::Cgroupfs);
  EXPECT_THAT(told<RuntimeLost>().why,
              AllOf(HasSubstr("made by the driver systemd, and cgroupDriver is cgroupfs"),
                    HasSubstr("set cgroupDriver: systemd")));
  // The runtime's driver was changed, and the pods were started again.
  tree.add("/kubepods/podu-1");
  EXPECT_TRUE(told<RuntimeSeen>().pods.contains("u-1"));
}

TEST_F(Slices, OfARuntimeThatSaysItHasAnotherDriverAreNotLookedFor) {
  runtime.change([](cri::FakeRuntime& of) { of.driver = CgroupDriver::Systemd; });
  start(CgroupDriver::Cgroupfs);
  EXPECT_THAT(told<RuntimeLost>().why,
              AllOf(HasSubstr("cgroupDriver is cgroupfs, and the runtime's is systemd"),
                    HasSubstr("leave cgroupDriver out (auto), or set it to systemd")));
  runtime.change([](cri::FakeRuntime& of) { of.driver = CgroupDriver::Cgroupfs; });
  EXPECT_TRUE(told<RuntimeSeen>().pods.contains("u-1"));
}

TEST_F(Slices, AreNoneWithTheOtherDriver) {
  bus.booted = 0;
  start(CgroupDriver::Cgroupfs);
  set(PodSetting::CpuLimit, {{1000}, policy::MilliCpu{1501}, {}});
  EXPECT_EQ(told<Done>().size.value().cpu_quota_us, 150'100);
  EXPECT_EQ(tree.text("kubepods/podu-1/cpu.max").substr(0, 13), "150100 100000");
  EXPECT_EQ(bus.opened, 0);
}

}  // namespace
}  // namespace elbowroom::agent
