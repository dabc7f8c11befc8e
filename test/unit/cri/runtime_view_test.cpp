#include "cri/runtime_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "test/unit/cri/fake_runtime.h"

namespace elbowroom::cri {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Sandbox sandbox(const std::string& id, const std::string& uid, std::uint32_t attempt = 0) {
  Sandbox s;
  s.id = id;
  s.pod_uid = uid;
  s.attempt = attempt;
  return s;
}

RuntimeContainer container(const std::string& id, const std::string& uid, const std::string& name,
                           std::uint32_t attempt = 0) {
  RuntimeContainer c;
  c.id = id;
  c.pod_uid = uid;
  c.name = name;
  c.attempt = attempt;
  return c;
}

TEST(ViewOf, TheLatestAttemptWinsInAnyOrder) {
  std::vector<Sandbox> sandboxes{sandbox("s1", "u-1"), sandbox("s2", "u-1", 1)};
  std::vector<RuntimeContainer> containers{container("c1", "u-1", "app", 1),
                                           container("c2", "u-1", "app", 2),
                                           container("c3", "u-1", "app", 0)};
  for (int turn = 0; turn < 3; ++turn) {
    const RuntimeView view = view_of(sandboxes, containers);
    ASSERT_NE(view.find("u-1"), nullptr);
    EXPECT_EQ(view.find("u-1")->sandbox_id, "s2");
    EXPECT_EQ(view.find("u-1", "app")->id, "c2");
    std::ranges::reverse(sandboxes);
    std::ranges::rotate(containers, containers.begin() + 1);
  }
}

TEST(ViewOf, WhatIsNobodysIsCountedAndLeftOut) {
  const RuntimeView view = view_of({sandbox("s1", "u-1"), sandbox("s2", "")},
                                   {container("c1", "u-1", ""), container("c2", "", "app"),
                                    container("c3", "u-9", "app"), container("c4", "u-1", "app")});
  EXPECT_EQ(view.unlabelled, 4U);
  EXPECT_EQ(view.pods.size(), 1U);
  EXPECT_EQ(view.find("u-1", "app")->id, "c4");
  EXPECT_EQ(view.find("u-9"), nullptr);
  EXPECT_EQ(view.find("u-1", "other"), nullptr);
  EXPECT_EQ(view.find("u-9", "app"), nullptr);
}

TEST(ViewOf, DuplicateIdsCountOnce) {
  const RuntimeView view = view_of({sandbox("s1", "u-1"), sandbox("s1", "u-1")},
                                   {container("c1", "u-1", "app"), container("c1", "u-1", "app")});
  EXPECT_EQ(view.pods.size(), 1U);
  EXPECT_EQ(view.find("u-1")->containers.size(), 1U);
}

struct PollTest : testing::Test {
  test::TemporaryFolder folder;
  std::string socket = (folder.path() / "cri.sock").string();
  FakeRuntime runtime{socket};
  std::unique_ptr<Client> client = Client::open(socket).value();
  RuntimePoll poll{*client};

  PollTest() {
    runtime.add_sandbox("s1", "u-1");
    runtime.add_container("c1", "u-1", "app");
    runtime.add_container("c2", "u-1", "log");
    runtime.change([](FakeRuntime& now) { now.sizes["c1"].set_cpu_shares(512); });
  }

  RuntimeView seen() {
    runtime.forget_calls();
    Result<RuntimeView> view = poll.poll();
    EXPECT_TRUE(view.has_value()) << view.error().message;
    return view.value_or(RuntimeView{});
  }
};

TEST_F(PollTest, AsksForTheSizesOfAContainerOnceAndKeepsThem) {
  EXPECT_EQ(seen().find("u-1", "app")->resources->cpu_shares, 512);
  EXPECT_THAT(runtime.calls(), ElementsAre("ListPodSandbox", "ListContainers", "ContainerStatus c1",
                                           "ContainerStatus c2"));
  EXPECT_EQ(seen().find("u-1", "app")->resources->cpu_shares, 512);
  EXPECT_THAT(runtime.calls(), ElementsAre("ListPodSandbox", "ListContainers"));
}

TEST_F(PollTest, AsksAgainWhenToldOrWhenTheStateChanged) {
  (void)seen();
  poll.expect("c1");
  (void)seen();
  EXPECT_THAT(runtime.calls(),
              ElementsAre("ListPodSandbox", "ListContainers", "ContainerStatus c1"));
  runtime.change(
      [](FakeRuntime& r) { r.containers[1].set_state(::runtime::v1::CONTAINER_EXITED); });
  EXPECT_EQ(seen().find("u-1", "log")->state, ContainerState::Exited);
  EXPECT_THAT(runtime.calls(),
              ElementsAre("ListPodSandbox", "ListContainers", "ContainerStatus c2"));
  poll.expect_all();
  (void)seen();
  EXPECT_EQ(runtime.calls().size(), 4U);
}

TEST_F(PollTest, AContainerThatVanishesInBetweenIsLeftOut) {
  runtime.change([](FakeRuntime& now) {
    now.failures["ContainerStatus"] = {grpc::StatusCode::NOT_FOUND, "gone"};
  });
  EXPECT_THAT(seen().find("u-1")->containers, IsEmpty());
}

TEST_F(PollTest, AFailureIsTheAnswer) {
  runtime.change([](FakeRuntime& now) {
    now.failures["ListContainers"] = {grpc::StatusCode::UNAVAILABLE, "starting"};
  });
  const auto got = poll.poll();
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, Code::Unavailable);
}

}  // namespace
}  // namespace elbowroom::cri
