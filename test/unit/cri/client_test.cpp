#include "cri/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "test/unit/cri/fake_runtime.h"

namespace elbowroom::cri {
namespace {

using std::chrono::milliseconds;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct ClientTest : testing::Test {
  test::TemporaryFolder folder;
  std::string socket = (folder.path() / "cri.sock").string();
  FakeRuntime runtime{socket};
  std::unique_ptr<Client> client = Client::open("unix://" + socket).value();

  Error failure_of_version(grpc::StatusCode code, const std::string& text) {
    runtime.change([&](FakeRuntime& now) { now.failures["Version"] = grpc::Status(code, text); });
    const Result<RuntimeVersion> got = client->version();
    EXPECT_FALSE(got.has_value());
    return got ? Error{} : got.error();
  }
};

TEST(ClientOpen, TakesEveryUsualSpellingOfAUnixSocket) {
  EXPECT_TRUE(Client::open("unix:///run/containerd/containerd.sock").has_value());
  EXPECT_TRUE(Client::open("unix:/run/containerd/containerd.sock").has_value());
  EXPECT_TRUE(Client::open("/run/containerd/containerd.sock").has_value());
}

TEST(ClientOpen, RefusesWhatIsNoSocketAndSaysWhatToWrite) {
  for (const std::string& endpoint :
       {std::string("tcp://10.0.0.1:3"), std::string("run/x.sock"), std::string(""),
        std::string("unix://"), std::string("/a\0b", 4), "/" + std::string(200, 'x')}) {
    const auto opened = Client::open(endpoint);
    ASSERT_FALSE(opened.has_value()) << endpoint;
    EXPECT_EQ(opened.error().code, Code::Invalid);
  }
  EXPECT_THAT(Client::open("tcp://10.0.0.1:3").error().message, HasSubstr("unix:///run/"));
}

TEST_F(ClientTest, TellsTheVersion) {
  EXPECT_EQ(client->version().value(), (RuntimeVersion{"fake", "1.0", "v1"}));
}

TEST_F(ClientTest, ASocketPathWithOddCharactersIsFound) {
  const std::string odd = (folder.path() / "a b%20ü.sock").string();
  std::filesystem::create_symlink(socket, odd);
  EXPECT_TRUE(Client::open(odd).value()->version().has_value());
}

TEST_F(ClientTest, ErrorsSayWhatTheCallerCanDo) {
  using grpc::StatusCode;
  EXPECT_EQ(failure_of_version(StatusCode::NOT_FOUND, "x").code, Code::NotFound);
  EXPECT_EQ(failure_of_version(StatusCode::UNAVAILABLE, "x").code, Code::Unavailable);
  EXPECT_EQ(failure_of_version(StatusCode::UNKNOWN, "x").code, Code::Invalid);
  EXPECT_EQ(failure_of_version(StatusCode::UNKNOWN, "server is not initialized yet").code,
            Code::Unavailable);
  EXPECT_EQ(failure_of_version(StatusCode::PERMISSION_DENIED, "x").code, Code::Denied);
  EXPECT_EQ(failure_of_version(StatusCode::RESOURCE_EXHAUSTED, "x").code, Code::Exhausted);
  EXPECT_EQ(failure_of_version(StatusCode::UNIMPLEMENTED, "x").code, Code::Internal);
}

// It cancels pending calls when it shuts down.
TEST_F(ClientTest, ACallThatEndsWithTheRuntimeSaysWhatHelps) {
  const Error error = failure_of_version(grpc::StatusCode::CANCELLED, "CANCELLED");
  EXPECT_EQ(error.code, Code::Unavailable);
  EXPECT_THAT(error.message, HasSubstr("the runtime went away: start the runtime, or name its"));
}

TEST_F(ClientTest, TheRuntimesWordsAreOnePrintableBoundedLine) {
  const Error told = failure_of_version(grpc::StatusCode::UNKNOWN,
                                        "bad\n\x1b[2Jthing \xff" + std::string(5000, 'y'));
  EXPECT_THAT(told.message, HasSubstr(R"(version of runtime: bad\x0a\x1b[2Jthing \xffyyy)"));
  EXPECT_LT(told.message.size(), 1200U);
  EXPECT_THAT(told.message, Each(testing::AllOf(testing::Ge(' '), testing::Lt('\x7f'))));
}

TEST_F(ClientTest, ACallThatIsNotAnsweredEndsAtItsDeadline) {
  runtime.hold("Version");
  const Result<RuntimeVersion> got = client->version(milliseconds(50));
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, Code::Unavailable);
  EXPECT_THAT(got.error().message, HasSubstr("within 50 ms"));
  EXPECT_THAT(got.error().message, HasSubstr(socket));
}

TEST_F(ClientTest, ARuntimeThatComesBackIsFoundAgain) {
  ASSERT_TRUE(client->version().has_value());
  runtime.stop();
  const Result<RuntimeVersion> gone = client->version(milliseconds(500));
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().code, Code::Unavailable);
  // The first call after the end may still meet the old connection ("Broken pipe").
  EXPECT_THAT(gone.error().message, testing::StartsWith("version of runtime: " + socket + ": "));

  runtime.start();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  bool is_back = false;
  while (!is_back && std::chrono::steady_clock::now() < end) {
    is_back = client->version(milliseconds(500)).has_value();
  }
  EXPECT_TRUE(is_back);
}

TEST_F(ClientTest, ListsCarryWhoseTheyAre) {
  runtime.add_sandbox("s1", "u-1");
  runtime.add_container("c1", "u-1", "app", 3);
  runtime.change([](FakeRuntime& now) { now.containers[0].set_pod_sandbox_id("s1"); });
  const auto sandboxes = client->list_sandboxes().value();
  ASSERT_EQ(sandboxes.size(), 1U);
  EXPECT_EQ(sandboxes[0].id, "s1");
  EXPECT_EQ(sandboxes[0].pod_uid, "u-1");
  EXPECT_EQ(sandboxes[0].ns, "default");
  EXPECT_EQ(sandboxes[0].state, SandboxState::Ready);
  const auto containers = client->list_containers().value();
  ASSERT_EQ(containers.size(), 1U);
  EXPECT_EQ(containers[0].sandbox_id, "s1");
  EXPECT_EQ(containers[0].name, "app");
  EXPECT_EQ(containers[0].attempt, 3U);
  EXPECT_EQ(containers[0].state, ContainerState::Running);
}

TEST_F(ClientTest, IdsThatCouldLeaveAFolderAreDropped) {
  for (const std::string& id :
       {std::string("../../etc"), std::string("a/b"), std::string(""), std::string(".hidden"),
        std::string("a\nb"), std::string(300, 'x')}) {
    runtime.add_container(id, "u-1", "app");
    runtime.add_sandbox(id, "u-1");
  }
  runtime.add_container("good", "u-1", "app");
  ASSERT_EQ(client->list_containers().value().size(), 1U);
  EXPECT_TRUE(client->list_sandboxes().value().empty());
}

TEST_F(ClientTest, AListBeyondTheBoundIsRefusedWhole) {
  client = Client::open(socket, {.list_entries = 3}).value();
  for (int i = 0; i < 4; ++i) runtime.add_container("c" + std::to_string(i), "u-1", "app");
  const auto got = client->list_containers();
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, Code::Exhausted);
  EXPECT_THAT(got.error().message, HasSubstr("more than 3 entries"));
}

TEST_F(ClientTest, AnEmptyRuntimeHasEmptyLists) {
  EXPECT_TRUE(client->list_containers().value().empty());
  EXPECT_TRUE(client->list_sandboxes().value().empty());
}

TEST_F(ClientTest, AnEntryBeyondTheBoundIsRefused) {
  runtime.add_container("c1", "u-1", "app");
  runtime.change([](FakeRuntime& now) {
    (*now.containers[0].mutable_annotations())["a"] = std::string(3 << 20, 'x');
  });
  const auto got = client->list_containers();
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, Code::Exhausted);
}

TEST_F(ClientTest, ALotOfEmptyEntriesIsRefusedWhileItIsRead) {
  runtime.change([](FakeRuntime& now) { now.containers.resize(200'000); });
  const auto got = client->list_containers(milliseconds(20'000));
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, Code::Exhausted);
  EXPECT_THAT(got.error().message, HasSubstr("more than 20000 entries"));
}

TEST_F(ClientTest, AMessageBeyondTheBoundIsRefused) {
  client = Client::open(socket, {.message_bytes = 4096}).value();
  runtime.add_container("c1", "u-1", std::string(8192, 'x'));
  const auto got = client->list_containers();
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, Code::Exhausted);
}

TEST_F(ClientTest, HostileSizesAreBroughtWithinBounds) {
  runtime.add_container("c1", "u-1", "app");
  runtime.change([](FakeRuntime& now) {
    auto& size = now.sizes["c1"];
    size.set_cpu_shares(-7);
    size.set_cpu_quota(std::numeric_limits<std::int64_t>::min());
    size.set_cpu_period(-1);
    size.set_memory_limit_in_bytes(-99);
  });
  const auto container = client->container_status("c1").value();
  EXPECT_EQ(container.resources, (RuntimeResources{0, -1, 0, -1}));
}

TEST_F(ClientTest, AStatusWithoutSizesSaysSo) {
  runtime.add_container("c1", "u-1", "app");
  EXPECT_FALSE(client->container_status("c1").value().resources.has_value());
}

TEST_F(ClientTest, AnUpdateCarriesTheSize) {
  runtime.add_container("c1", "u-1", "app");
  ASSERT_TRUE(client->update_container("c1", {512, 50'000, 100'000, 1 << 20}).has_value());
  EXPECT_EQ(client->container_status("c1").value().resources,
            (RuntimeResources{512, 50'000, 100'000, 1 << 20}));
  const auto gone = client->update_container("c2", {.cpu_shares = 2});
  EXPECT_TRUE(gone.has_value());  // the double takes any id; a runtime answers NOT_FOUND
  runtime.change([](FakeRuntime& now) {
    now.failures["UpdateContainerResources"] = {grpc::StatusCode::NOT_FOUND, "c2"};
  });
  EXPECT_EQ(client->update_container("c2", {}).error().code, Code::NotFound);
}

TEST_F(ClientTest, SandboxesAndContainersAreMadeWithLabelsThatSayWhoseTheyAre) {
  SandboxSpec sandbox;
  sandbox.pod_uid = "u-1";
  sandbox.ns = "prod";
  sandbox.name = "web";
  sandbox.cgroup_parent = "/kubepods/podu-1";
  sandbox.labels["io.kubernetes.pod.uid"] = "forged";
  EXPECT_EQ(client->run_sandbox(sandbox, milliseconds(2000)).value(), "made-1");
  runtime.change([](FakeRuntime& now) {
    EXPECT_EQ(now.last_sandbox.labels().at("io.kubernetes.pod.uid"), "u-1");
    EXPECT_EQ(now.last_sandbox.linux().cgroup_parent(), "/kubepods/podu-1");
  });

  ContainerSpec container;
  container.name = "app";
  container.image = "localhost/x:test";
  container.resources = {512, 50'000, 100'000, 1 << 20};
  EXPECT_EQ(client->create_container("s1", sandbox, container, milliseconds(2000)).value(),
            "made-1");
  runtime.change([](FakeRuntime& now) {
    EXPECT_EQ(now.last_container.labels().at("io.kubernetes.container.name"), "app");
    EXPECT_EQ(now.last_container.labels().at("io.kubernetes.pod.namespace"), "prod");
    EXPECT_EQ(now.last_container.linux().resources().cpu_quota(), 50'000);
  });
}

TEST_F(ClientTest, AnUnusableIdFromTheRuntimeIsAnError) {
  runtime.change([](FakeRuntime& now) { now.next_id = "../../x"; });
  const auto got = client->run_sandbox({}, milliseconds(2000));
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, Code::Invalid);
}

TEST_F(ClientTest, StoppingGivesTheGraceInSeconds) {
  ASSERT_TRUE(
      client->stop_container("c1", std::chrono::seconds(7), milliseconds(2000)).has_value());
  EXPECT_THAT(runtime.calls(), ElementsAre("StopContainer c1 7"));
}

TEST_F(ClientTest, AStopThatTakesLongIsAskedAboutAndHoldsUpNobody) {
  runtime.hold("StopContainer");
  PendingStop stop =
      client->begin_stop_container("c1", std::chrono::seconds(600), std::chrono::seconds(605));
  EXPECT_FALSE(stop.poll());
  EXPECT_TRUE(client->version().has_value());
  EXPECT_FALSE(stop.poll());

  runtime.release();
  std::optional<Result<void>> outcome;
  while (!outcome) outcome = stop.poll();
  EXPECT_TRUE(outcome->has_value());
  EXPECT_FALSE(stop.poll());  // reported once
}

TEST_F(ClientTest, AStopThatIsGivenUpOrFailsEnds) {
  runtime.hold("StopContainer");
  {
    const PendingStop given_up = client->begin_stop_container("c1", {}, milliseconds(60'000));
  }
  PendingStop late = client->begin_stop_container("c1", {}, milliseconds(30));
  std::optional<Result<void>> outcome;
  while (!outcome) outcome = late.poll();
  ASSERT_FALSE(outcome->has_value());
  EXPECT_EQ(outcome->error().code, Code::Unavailable);
  EXPECT_THAT(outcome->error().message, HasSubstr("stop container c1: no answer from"));
}

TEST_F(ClientTest, WhatTheRuntimeDoesNotKnowIsInternal) {
  EXPECT_EQ(client->update_sandbox("s1", {}).error().code, Code::Internal);
  EXPECT_EQ(client->cgroup_driver().error().code, Code::Internal);
}

}  // namespace
}  // namespace elbowroom::cri
