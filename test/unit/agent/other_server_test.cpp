// The API server is replaced by one of another version while the agent runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "agent/worker/api_worker.h"
#include "test/scripted_server.h"

namespace elbowroom::agent {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const std::string kBudgetsOfDefault =
    "/apis/elbowroom.dev/v1alpha1/namespaces/default/disruptionbudgets";
const std::string kGroupOfOurs = "/apis/elbowroom.dev";

// An API worker of node-1 and what it tells.
class FollowingAgent {
 public:
  FollowingAgent() {
    auto transport = std::make_unique<test::ScriptedServer>();
    server = transport.get();
    serve("/api/v1/nodes",
          R"({"kind":"NodeList","metadata":{"resourceVersion":"5"},"items":[)"
          R"({"metadata":{"name":"node-1","uid":"uid-n","resourceVersion":"2"},)"
          R"("status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}}]})");
    serve("/api/v1/pods", R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[]})");
    worker_ = std::make_unique<ApiWorker>(
        std::move(transport), ApiWorker::Options{.node_name = "node-1"},
        [this](decltype(Observation::what) seen) { told.push_back(std::move(seen)); });
    worker_->start();
    server->pass(1s);
  }
  void serve(const std::string& path, const std::string& body) {
    server->answers[path] = {.status = 200, .content_type = "application/json", .body = body};
  }

  // What becomes of the question which budgets a namespace has.
  [[nodiscard]] Error failure_of_budgets() {
    told.clear();
    worker_->perform({.id = 7, .what = ReadBudgets{"default"}});
    server->pass(1s);
    const auto* failed = told.size() == 1 ? std::get_if<Failed>(told.data()) : nullptr;
    if (failed != nullptr) return failed->error;
    ADD_FAILURE() << "no failure, or more than one thing was told";
    return {};
  }
  template <class What>
  [[nodiscard]] const What* last() const {
    return told.empty() ? nullptr : std::get_if<What>(&told.back());
  }

  test::ScriptedServer* server = nullptr;  // owned by worker_
  std::vector<decltype(Observation::what)> told{};

 private:
  std::unique_ptr<ApiWorker> worker_;
};

TEST(OtherServer, WithoutTheirKindThereAreNoBudgets) {
  FollowingAgent agent;
  EXPECT_EQ(agent.failure_of_budgets().code, Code::NotFound);
}

// What a hard one keeps stays, where it cannot be read in the version that is known here.
TEST(OtherServer, WhereTheirKindIsServedInAnotherVersionItIsNotKnownWhatBudgetsAllow) {
  FollowingAgent agent;
  agent.serve(kGroupOfOurs, R"({"kind":"APIGroup","versions":[{"version":"v1beta1"}]})");
  const Error error = agent.failure_of_budgets();
  EXPECT_EQ(error.code, Code::Unavailable);
  EXPECT_THAT(error.message, HasSubstr("/apis/elbowroom.dev exists"));
  agent.server->answers[kGroupOfOurs] = {.status = 503};
  EXPECT_EQ(agent.failure_of_budgets().code, Code::Unavailable);
  agent.server->answers[kGroupOfOurs] = {.status = 403};
  EXPECT_EQ(agent.failure_of_budgets().code, Code::Denied);
}

TEST(OtherServer, AnotherFailureIsToldAsItIs) {
  FollowingAgent agent;
  agent.server->answers[kBudgetsOfDefault] = {.status = 403};
  EXPECT_EQ(agent.failure_of_budgets().code, Code::Denied);
}

TEST(OtherServer, WhatIsNotServedAnyMoreIsALossUntilItIsServedAgain) {
  FollowingAgent agent;
  for (const std::string away : {"/api/v1/nodes", "/api/v1/pods"}) {
    const auto served = agent.server->answers;
    agent.server->answers.erase(away);
    agent.server->cut();
    agent.told.clear();
    agent.server->pass(60s);
    ASSERT_NE(agent.last<ApiLost>(), nullptr) << away;
    EXPECT_THAT(agent.last<ApiLost>()->why, HasSubstr(away));
    for (const auto& each : agent.told) {
      EXPECT_FALSE(std::holds_alternative<PodGone>(each) || std::holds_alternative<NodeGone>(each));
    }
    agent.server->answers = served;
    agent.told.clear();
    agent.server->pass(60s);
    EXPECT_NE(agent.last<ApiBack>(), nullptr) << away;
  }
}

}  // namespace
}  // namespace elbowroom::agent
