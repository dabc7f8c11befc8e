#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "cri/client.h"
#include "lab/node/cri_server.h"
#include "lab/node/fake_cgroups.h"
#include "lab/node/fake_runtime.h"
#include "test/temporary_folder.h"

namespace elbowroom::lab {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::int64_t kMiB = 1 << 20;
constexpr const char* kParent = "/kubepods/burstable/podu-1";

cri::SandboxSpec sandbox_spec() {
  return {.pod_uid = "u-1", .ns = "default", .name = "web", .cgroup_parent = kParent};
}
cri::ContainerSpec container_spec() {
  return {.name = "app",
          .image = "pause",
          .resources = {.cpu_shares = 1024,
                        .cpu_quota_us = 100'000,
                        .cpu_period_us = 100'000,
                        .memory_limit_bytes = 100 * kMiB}};
}

class RuntimeDoubleTest : public ::testing::Test {
 protected:
  RuntimeDoubleTest() {
    sandbox_ = *runtime_.run_sandbox(sandbox_spec());
    app_ = *runtime_.create_container(sandbox_, container_spec());
    EXPECT_TRUE(runtime_.start_container(app_));
  }
  std::int64_t file(const char* name) {
    return *runtime_.cgroups().read(std::string(kParent) + "/" + app_, name);
  }

  test::TemporaryFolder folder_;
  FakeCriRuntime runtime_{*FakeCgroups::make(folder_.path() / "cgroup")};
  std::string sandbox_;
  std::string app_;
};

TEST_F(RuntimeDoubleTest, SizesReachTheCgroupFiles) {
  EXPECT_EQ(file("cpu.shares"), 1024);
  EXPECT_EQ(file("cpu.cfs_quota_us"), 100'000);
  EXPECT_EQ(file("memory.limit_in_bytes"), 100 * kMiB);
  ASSERT_TRUE(runtime_.update_container(app_, {.cpu_shares = 512, .memory_limit_bytes = -1}));
  EXPECT_EQ(file("cpu.shares"), 512);
  EXPECT_EQ(file("cpu.cfs_quota_us"), 100'000);
  EXPECT_GT(file("memory.limit_in_bytes"), std::int64_t{1} << 60);
  EXPECT_EQ(runtime_.find("default/web", "app")->stored.memory_limit_bytes, -1);
}

TEST_F(RuntimeDoubleTest, RefusesWhatRuncRefuses) {
  ASSERT_TRUE(runtime_.use_memory(app_, 50 * kMiB));
  auto refused = runtime_.update_container(app_, {.memory_limit_bytes = 20 * kMiB});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("unable to set memory limit to 20971520"));
  EXPECT_EQ(file("memory.limit_in_bytes"), 100 * kMiB);

  runtime_.cgroups().write(kParent, "cpu.cfs_quota_us", 150'000);
  EXPECT_TRUE(runtime_.update_container(app_, {.cpu_quota_us = 150'000}));
  refused = runtime_.update_container(app_, {.cpu_quota_us = 200'000});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("invalid argument"));
  EXPECT_EQ(runtime_.update_container("none", {}).error().code, Code::NotFound);
  EXPECT_FALSE(runtime_.update_container(app_, {.cpu_quota_us = INT64_MAX}));
}

TEST_F(RuntimeDoubleTest, AnEndedContainerKeepsWhatItIsTold) {
  ASSERT_TRUE(runtime_.exit_container(app_, 3));
  EXPECT_TRUE(runtime_.update_container(app_, {.cpu_shares = 2}));
  EXPECT_EQ(runtime_.find("default/web", "app")->stored.cpu_shares, 2);
  EXPECT_FALSE(runtime_.cgroups().read(std::string(kParent) + "/" + app_, "cpu.shares"));
  EXPECT_EQ(runtime_.find("default/web", "app")->exit_code, 3);
}

TEST_F(RuntimeDoubleTest, FaultsDoWhatTheySay) {
  const cri::RuntimeResources half{.cpu_shares = 512};
  using Kind = FakeRuntimeFault::Kind;
  runtime_.inject({.kind = Kind::Refuse, .method = "UpdateContainerResources"});
  EXPECT_FALSE(runtime_.update_container(app_, half));
  EXPECT_EQ(file("cpu.shares"), 1024);
  runtime_.inject({.kind = Kind::Pretend, .container = "app"});
  EXPECT_TRUE(runtime_.update_container(app_, half));
  EXPECT_EQ(file("cpu.shares"), 1024);
  runtime_.inject({.kind = Kind::ApplyAndFail});
  EXPECT_FALSE(runtime_.update_container(app_, half));
  EXPECT_EQ(file("cpu.shares"), 512);
  EXPECT_TRUE(runtime_.update_container(app_, half));
  ASSERT_EQ(runtime_.calls().size(), 7u);
  EXPECT_EQ(runtime_.calls()[3].name, "default/web/app");
  EXPECT_EQ(runtime_.calls()[3].outcome, "a fault of the lab");
  EXPECT_EQ(runtime_.calls()[6].sequence, 7u);
}

TEST_F(RuntimeDoubleTest, ARemovedSandboxTakesAllAlong) {
  ASSERT_TRUE(runtime_.remove_sandbox(sandbox_));
  EXPECT_TRUE(runtime_.containers().empty());
  EXPECT_FALSE(runtime_.cgroups().read(kParent, "cpu.shares"));
  EXPECT_TRUE(runtime_.remove_sandbox(sandbox_));
}

TEST(FakeCgroups, LeadNowhereElse) {
  const test::TemporaryFolder folder;
  const auto cgroups = FakeCgroups::make(folder.path() / "root");
  EXPECT_FALSE(cgroups->add("/a/../../b"));
  EXPECT_TRUE(cgroups->add("/a/b"));
  EXPECT_EQ(cgroups->read("/a", "cpu.shares"), 1024);
}

class CriServerTest : public ::testing::Test {
 protected:
  CriServerTest() {
    EXPECT_TRUE(server_.start());
    client_ = *cri::Client::open(server_.endpoint());
  }
  std::string run_app() {
    const std::string sandbox = *client_->run_sandbox(sandbox_spec(), 5s);
    const std::string app =
        *client_->create_container(sandbox, sandbox_spec(), container_spec(), 5s);
    EXPECT_TRUE(client_->start_container(app, 5s));
    return app;
  }

  test::TemporaryFolder folder_;
  FakeCriRuntime runtime_{*FakeCgroups::make(folder_.path() / "cgroup")};
  CriServer server_{runtime_, (folder_.path() / "n.sock").string()};
  std::unique_ptr<cri::Client> client_;
};

TEST_F(CriServerTest, SpeaksToTheClient) {
  EXPECT_EQ(client_->version()->name, "elbowroom-lab");
  EXPECT_TRUE(client_->status()->runtime);
  EXPECT_EQ(client_->cgroup_driver(), cri::CgroupDriver::Cgroupfs);
  const std::string app = run_app();
  const auto status = client_->container_status(app);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->state, cri::ContainerState::Running);
  EXPECT_EQ(status->pod_uid, "u-1");
  EXPECT_EQ(status->name, "app");
  EXPECT_EQ(status->resources, container_spec().resources);
  EXPECT_EQ(client_->list_sandboxes()->size(), 1u);
  EXPECT_EQ(client_->list_containers()->size(), 1u);

  ASSERT_TRUE(client_->update_container(app, {.cpu_shares = 512}));
  EXPECT_EQ(client_->container_status(app)->resources->cpu_shares, 512);
  EXPECT_EQ(client_->update_container("none", {}).error().code, Code::NotFound);
  ASSERT_TRUE(client_->stop_container(app, 5s, 10s));
  EXPECT_EQ(client_->container_status(app)->state, cri::ContainerState::Exited);
  EXPECT_EQ(client_->container_status(app)->exit_code, 0);
  ASSERT_TRUE(client_->remove_container(app, 5s));
  EXPECT_EQ(client_->container_status(app).error().code, Code::NotFound);
}

TEST_F(CriServerTest, AContainerThatWillNotEndIsKilledAfterItsGrace) {
  const std::string sandbox = *client_->run_sandbox(sandbox_spec(), 5s);
  cri::ContainerSpec spec = container_spec();
  spec.annotations["lab.elbowroom.dev/terminates-after"] = "60s";
  const std::string app = *client_->create_container(sandbox, sandbox_spec(), spec, 5s);
  ASSERT_TRUE(client_->start_container(app, 5s));
  ASSERT_TRUE(client_->stop_container(app, 0s, 5s));
  EXPECT_EQ(client_->container_status(app)->exit_code, 137);
}

TEST_F(CriServerTest, ARestartKeepsWhatRuns) {
  const std::string app = run_app();
  server_.stop();
  EXPECT_EQ(client_->container_status(app, 300ms).error().code, Code::Unavailable);
  ASSERT_TRUE(server_.start());
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (!client_->container_status(app, 300ms) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(client_->container_status(app)->state, cri::ContainerState::Running);
}

TEST_F(CriServerTest, AHangingCallEndsWithItsDeadlineAndIsLetGo) {
  const std::string app = run_app();
  server_.with_runtime([](FakeCriRuntime& runtime) {
    runtime.inject({.kind = FakeRuntimeFault::Kind::Hang, .method = "UpdateContainerResources"});
  });
  EXPECT_EQ(client_->update_container(app, {.cpu_shares = 512}, 100ms).error().code,
            Code::Unavailable);
  EXPECT_TRUE(client_->list_containers());
  server_.clear_faults();
  EXPECT_TRUE(client_->update_container(app, {.cpu_shares = 256}));
}

TEST(CriServer, ATooLongPathIsSaid) {
  const test::TemporaryFolder folder;
  FakeCriRuntime runtime(*FakeCgroups::make(folder.path() / "cgroup"));
  CriServer server(runtime, folder.path().string() + "/" + std::string(100, 'x'));
  EXPECT_FALSE(server.start());
}

}  // namespace
}  // namespace elbowroom::lab
