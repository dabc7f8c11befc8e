// One tenant's odd pod never stops another's resize.
#include "test/odd_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "agent/explain.h"
#include "agent/judge.h"
#include "agent/reactor.h"
#include "agent/worker/api_worker.h"
#include "api/codec/decode_cluster_pod.h"
#include "api/codec/json.h"
#include "base/document.h"
#include "test/pods.h"
#include "test/unit/api/loopback.h"

namespace elbowroom::agent {
namespace {

using policy::Verdict;
using Seen = decltype(Observation::what);

Value parsed(const std::string& manifest) {
  const auto objects = parse_yaml(manifest);
  EXPECT_TRUE(objects) << (objects ? "" : objects.error().message);
  return objects ? objects->front() : Value{};
}

// Of 4 cpu `web` has 1 and asks for 2, and keep has 1: with 100m of the odd one it fits.
// What it wants to save is saved at once.
void see(Reactor& reactor, Seen what) {
  for (const Effect& effect : reactor.handle({{}, std::move(what)})) {
    if (std::holds_alternative<SaveCheckpoint>(effect.what))
      see(reactor, Done{.effect = effect.id});
  }
}

TEST(OddPods, AResizeBesideOneGrows) {
  for (const std::string& manifest : test::odd_manifests()) {
    const auto odd = api::decode_placed_pod(parsed(manifest));
    ASSERT_TRUE(odd) << odd.error().message;
    Reactor reactor({.node_name = "node-1", .authority = true, .manage_pod_cgroups = false}, {},
                    false);
    see(reactor, NodeSeen{test::node(4000)});
    see(reactor, RuntimeSeen{});
    see(reactor, PodsListed{.pods = {test::running_pod("web", 1000),
                                     test::running_pod("keep", 1000), *odd}});
    see(reactor, PodSeen{test::resized(test::running_pod("web", 1000), 2000)});
    EXPECT_EQ(reactor.state().durable.pods.at("uid-web").containers.at("app").requests.cpu.value,
              2000)
        << manifest.substr(0, 500) << "\n"
        << reactor.state().pods.at("uid-web").decision.message;
  }
}

// Texts for its owner, in conditions and events, do not name it; log and explain do.
TEST(OddPods, OneOfAnotherNamespaceThatCannotBeReadIsNamedInLogAndExplanationAlone) {
  Reactor reactor({.node_name = "node-1", .authority = true, .manage_pod_cgroups = false}, {},
                  false);
  see(reactor, NodeSeen{test::node(4000)});
  see(reactor, RuntimeSeen{});
  see(reactor, PodsListed{.pods = {test::running_pod("web", 1000)},
                          .unreadable = {{"blueteam/odd", "no quantity"}}});
  std::vector<std::string> told;
  std::string in_log;
  const auto web = test::resized(test::running_pod("web", 1000), 2000);
  for (const Effect& effect : reactor.handle({{}, PodSeen{web}})) {
    if (const auto* write = std::get_if<WriteStatus>(&effect.what)) {
      for (const policy::Condition& each : write->set) told.push_back(each.message);
    }
    if (const auto* event = std::get_if<EmitEvent>(&effect.what)) {
      told.push_back(event->note);
      in_log = event->in_log;
    }
  }
  EXPECT_EQ(told.size(), 2U);
  EXPECT_THAT(told, testing::Each(testing::HasSubstr("A pod on this node cannot be read")));
  EXPECT_THAT(told, testing::Each(testing::Not(testing::HasSubstr("blueteam"))));
  EXPECT_THAT(in_log, testing::HasSubstr("Pod blueteam/odd on this node cannot be read"));
  EXPECT_THAT(explain(reactor, "default/web", {.authority = true}, {}),
              testing::HasSubstr("Pod blueteam/odd on this node cannot be read"));
}

// A kubelet rejects a pod that was bound by hand and asks for more than the node has; where it runs
// all the same, it counts with what it holds.
TEST(OddPods, OneThatTheNodeCouldNeverTakeHoldsNothingUntilItBegins) {
  const policy::Pod web = test::resized(test::running_pod("web", 1000), 2000);
  policy::Pod huge = test::running_pod("huge", 5000);
  const auto verdict = [&] {
    return judge_pass(test::node(4000), {{.pod = &web, .judgeable = true}, {.pod = &huge}}, {}, "")
        .at("uid-web")
        .verdict;
  };
  EXPECT_EQ(verdict(), Verdict::Deferred);
  huge.phase = policy::Phase::Pending;
  huge.containers[0].state = policy::RunState::None;
  huge.containers[0].allocated_requests.reset();
  huge.containers[0].actual_requests.reset();
  EXPECT_EQ(verdict(), Verdict::Allocated);
  huge.containers[0].desired.requests.cpu = {4000};  // there it could begin
  EXPECT_EQ(verdict(), Verdict::Deferred);
}

// ---- from the server's bytes ----

TEST(OddPods, AListAndAWatchTellThemAsPodsAndFinishedOnesAsGone) {
  std::string items;
  std::string events;
  std::size_t count = 0;
  std::size_t finished = 0;
  for (const std::string& manifest : test::odd_manifests()) {
    std::string json = api::to_json(parsed(manifest));
    json.insert(json.find("\"uid\":"),
                "\"resourceVersion\":\"" + std::to_string(++count + 1) + "\",");
    if (json.find("Failed") != std::string::npos || json.find("Succeeded") != std::string::npos) {
      ++finished;
    }
    events += R"({"type":"ADDED","object":)" + json + "}\n";
    items += (items.empty() ? "" : ",") + json;
  }
  const std::string list =
      R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[)" + items + "]}";
  std::atomic<int> watches = 0;
  const api::Loopback server([&](httplib::Server& http) {
    http.Get("/api/v1/pods", [&](const httplib::Request& in, httplib::Response& out) {
      if (!in.has_param("watch")) {
        out.set_content(list, "application/json");
      } else if (watches++ == 0) {
        out.set_content(events, "application/json");
      }
    });
  });
  std::size_t listed = 0;
  std::size_t seen = 0;
  std::size_t gone = 0;
  std::vector<std::string> unreadable;
  auto transport = std::make_unique<api::CurlTransport>(server.access(),
                                                        ApiWorker::transport_options("elbowroomd"));
  api::CurlTransport& turned = *transport;
  ApiWorker worker(std::move(transport), {.node_name = "node-1", .seed = 1}, [&](Seen what) {
    if (const auto* odd = std::get_if<PodUnreadable>(&what)) unreadable.push_back(odd->why);
    if (std::holds_alternative<PodSeen>(what)) ++seen;
    if (std::holds_alternative<PodGone>(what)) ++gone;
    const auto* all = std::get_if<PodsListed>(&what);
    if (all == nullptr) return;
    listed = all->pods.size();
    for (const PodUnreadable& each : all->unreadable) unreadable.push_back(each.why);
  });
  worker.start();
  EXPECT_TRUE(api::run_until(turned, [&] { return seen + gone + unreadable.size() >= count; }));
  EXPECT_EQ(listed, count - finished);
  EXPECT_EQ(seen, count - finished);
  EXPECT_EQ(gone, finished);
  EXPECT_THAT(unreadable, testing::IsEmpty());
}

}  // namespace
}  // namespace elbowroom::agent
