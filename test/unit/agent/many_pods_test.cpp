// A node that has 150,000 pods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/reactor.h"
#include "agent/worker/api_worker.h"
#include "test/growth.h"
#include "test/pods.h"
#include "test/scripted_server.h"

namespace elbowroom::agent {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Lt;

std::string list_of_tiny_pods(std::size_t count) {
  std::string all = R"({"kind":"PodList","metadata":{"resourceVersion":"9"},"items":[)";
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "tiny-" + std::to_string(i);
    all += (i == 0 ? R"({"metadata":{"name":")" : R"(,{"metadata":{"name":")") + name +
           R"(","namespace":"default","uid":"u-)" + name +
           R"(","resourceVersion":"3"},"spec":{"nodeName":"node-1","containers":[{"name":"a"}]}})";
  }
  return all + "]}";
}

// It keeps as many as fit into its memory: with more it tells so, judges nothing, and goes on once
// there are fewer.
TEST(ManyPods, MoreThanAreKeptAreALossUntilThereAreFewer) {
  auto transport = std::make_unique<test::ScriptedServer>();
  test::ScriptedServer* server = transport.get();
  const auto serve = [&](const std::string& path, std::string body) {
    server->answers[path] = {
        .status = 200, .content_type = "application/json", .body = std::move(body)};
  };
  serve("/api/v1/nodes", R"({"kind":"NodeList","metadata":{"resourceVersion":"5"},"items":[)"
                         R"({"metadata":{"name":"node-1","uid":"uid-n","resourceVersion":"2"},)"
                         R"("status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}}]})");
  serve("/api/v1/pods", list_of_tiny_pods(150'000));
  std::vector<std::string> lost;
  std::size_t listed = 0;
  std::size_t back = 0;
  ApiWorker worker(std::move(transport), {.node_name = "node-1"},
                   [&](decltype(Observation::what) seen) {
                     if (const auto* loss = std::get_if<ApiLost>(&seen)) lost.push_back(loss->why);
                     if (const auto* all = std::get_if<PodsListed>(&seen)) {
                       listed = all->pods.size();
                     }
                     if (std::holds_alternative<ApiBack>(seen)) ++back;
                   });
  worker.start();
  server->pass(10s);
  ASSERT_FALSE(lost.empty());
  EXPECT_THAT(lost.back(), HasSubstr("there are more pods than this program keeps: "));
  EXPECT_EQ(listed, 0U);
  serve("/api/v1/pods", list_of_tiny_pods(5'000));
  server->pass(60s);
  EXPECT_EQ(listed, 5'000U);
  EXPECT_GE(back, 1U);
}

// What it wants to save is saved at once.
void see_saved(Reactor& reactor, decltype(Observation::what) what) {
  for (const Effect& effect : reactor.handle({{}, std::move(what)})) {
    if (std::holds_alternative<SaveCheckpoint>(effect.what)) {
      see_saved(reactor, Done{.effect = effect.id});
    }
  }
}

// As many as are kept, each with a resize that waits, beside ten times as many that cannot be read.
TEST(ManyPods, OfOneNodeCostAsMuchMoreAsThereAreMore) {
  const double growth = test::growth_from(1'000, [](std::size_t pods) {
    PodsListed seen;
    for (std::size_t i = 0; i < pods; ++i) {
      seen.pods.push_back(
          test::resized(test::running_pod("tiny-" + std::to_string(i), 1), i % 2 == 0 ? 2 : 9000));
    }
    for (std::size_t i = 0; i < 10 * pods; ++i) {
      seen.unreadable.push_back({"default/odd-" + std::to_string(i), "no quantity"});
    }
    return [seen = std::move(seen), pods] {
      Reactor reactor({.node_name = "node-1", .authority = true, .manage_pod_cgroups = false}, {},
                      false);
      see_saved(reactor, NodeSeen{test::node(4000)});
      see_saved(reactor, RuntimeSeen{});
      for (int times = 0; times < 3; ++times) see_saved(reactor, seen);
      EXPECT_EQ(reactor.state().pods.size(), pods);
      EXPECT_EQ(reactor.state().pods.at("uid-tiny-0").decision.verdict, policy::Verdict::Deferred);
    };
  });
  EXPECT_THAT(growth, Lt(test::kNotQuadratic));
}

}  // namespace
}  // namespace elbowroom::agent
