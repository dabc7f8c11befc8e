// How the API thread handles lists and watches: it passes on only its own Node and pods, whatever
// arrives.
#include "agent/worker/api_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/durable_file.h"
#include "test/checkout.h"
#include "test/unit/api/loopback.h"

namespace elbowroom::agent {
namespace {

using Seen = decltype(Observation::what);

std::string node(const std::string& name, const std::string& version) {
  return R"({"kind":"Node","apiVersion":"v1","metadata":{"name":")" + name + R"(","uid":"u-)" +
         name + R"(","resourceVersion":")" + version +
         R"("},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}})";
}

std::string pod(const std::string& name, const std::string& node, const std::string& version,
                const std::string& managers = "[]", const std::string& cpu = "1") {
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
         R"(","namespace":"default","uid":"u-)" + name + R"(","resourceVersion":")" + version +
         R"(","managedFields":)" + managers + R"(},"spec":{"nodeName":")" + node +
         R"(","containers":[{"name":"app","resources":{"requests":{"cpu":")" + cpu +
         R"("}}}]},"status":{"phase":"Running"}})";
}

std::string list_of(const std::string& kind, const std::vector<std::string>& items) {
  std::string all;
  for (const std::string& each : items) all += (all.empty() ? "" : ",") + each;
  return R"({"kind":")" + kind + R"(List","apiVersion":"v1","metadata":{"resourceVersion":"9"},)" +
         R"("items":[)" + all + "]}";
}

std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

// A server, or a proxy before it, that ignores field selectors.
struct Careless {
  std::vector<std::string> nodes{};
  std::string node_events{};
  std::vector<std::string> pods{};
  std::string pod_events{};
};

struct Told {
  std::vector<std::string> words{};
  ApiRound round{};
};

std::string in_words(const Seen& seen) {
  if (const auto* one = std::get_if<NodeSeen>(&seen)) return "node " + one->node.name;
  if (std::holds_alternative<NodeGone>(seen)) return "node gone";
  if (const auto* one = std::get_if<PodUnreadable>(&seen)) return "unreadable " + one->key;
  if (const auto* one = std::get_if<PodSeen>(&seen)) {
    return "pod " + one->pod.name + (one->kubelet_wrote ? " kubelet" : "");
  }
  if (const auto* one = std::get_if<PodGone>(&seen)) return "gone " + one->uid;
  if (const auto* one = std::get_if<ApiLost>(&seen)) return "lost: " + one->why;
  if (const auto* all = std::get_if<PodsListed>(&seen)) {
    std::string names = "listed";
    for (const policy::Pod& each : all->pods) names += " " + each.name;
    for (const PodUnreadable& each : all->unreadable) names += " !" + each.key;
    return names;
  }
  return "";
}

Told told_by(const Careless& server, const std::string& last) {
  const api::Loopback loopback([&](httplib::Server& http) {
    const auto answer = [](const std::string& kind, const std::vector<std::string>& items,
                           const std::string& events) {
      return [=](const httplib::Request& in, httplib::Response& out) {
        const bool watches = in.has_param("watch");
        out.set_content(watches ? events : list_of(kind, items), "application/json");
      };
    };
    http.Get("/api/v1/nodes", answer("Node", server.nodes, server.node_events));
    http.Get("/api/v1/pods", answer("Pod", server.pods, server.pod_events));
  });
  Told told;
  auto transport =
      std::make_unique<api::CurlTransport>(loopback.access(), ApiWorker::transport_options());
  api::CurlTransport& turned = *transport;
  ApiWorker worker(std::move(transport), {.node_name = "node-1", .seed = 1}, [&](const Seen& seen) {
    if (std::string words = in_words(seen); !words.empty()) told.words.push_back(words);
  });
  worker.start();
  EXPECT_TRUE(api::run_until(turned, [&] {
    return std::ranges::find(told.words, last) != told.words.end();
  })) << last;
  told.round = worker.round();
  return told;
}

TEST(ApiWorker, NodesOfOtherNamesAreDroppedAndCounted) {
  const Told told = told_by({.nodes = {node("node-0", "1"), node("node-1", "2"), "{}"},
                             .node_events = event("MODIFIED", node("node-2", "10")) +
                                            event("DELETED", node("node-0", "11")) +
                                            event("DELETED", node("node-1", "12"))},
                            "node gone");
  EXPECT_THAT(told.words, testing::Contains("node node-1"));
  EXPECT_EQ(std::ranges::count(told.words, "node node-2"), 0);
  EXPECT_EQ(std::ranges::count(told.words, "node node-0"), 0);
  EXPECT_GE(told.round.others_nodes, 3U);
  EXPECT_EQ(told.round.rejected_nodes, 0U);
}

// More than the 64 MiB that are kept of any collection, at 4 KiB each.
TEST(ApiWorker, NodesOfOtherNamesAreNotWeighed) {
  std::vector<std::string> nodes;
  for (int i = 0; i < 17'000; ++i) nodes.push_back(node("other-" + std::to_string(i), "3"));
  nodes.push_back(node("node-1", "4"));
  const Told told = told_by({.nodes = nodes}, "node node-1");
  EXPECT_GE(told.round.others_nodes, 17'000U);
}

TEST(ApiWorker, PodsOfOtherNodesAreDroppedAndCounted) {
  const Told told = told_by(
      {.nodes = {node("node-1", "2")},
       .pods = {pod("theirs", "node-2", "3"), pod("ours", "node-1", "4"),
                pod("odd", "node-2", "5", "[]", "many"), pod("bad", "node-1", "6", "[]", "x")},
       .pod_events = event("MODIFIED", pod("theirs", "node-2", "10")) +
                     event("MODIFIED", pod("odd", "node-2", "11", "[]", "many")) +
                     event("MODIFIED", pod("last", "node-1", "12"))},
      "pod last");
  EXPECT_THAT(told.words, testing::Contains("listed ours !default/bad"));
  for (const std::string& each : told.words) {
    EXPECT_EQ(each.find("theirs"), std::string::npos) << each;
    EXPECT_EQ(each.find("odd"), std::string::npos) << each;
  }
  EXPECT_GE(told.round.others_pods, 4U);
}

std::string without_node(std::string pod) {
  const std::size_t at = pod.find(R"("nodeName":)");
  return pod.erase(at, pod.find(',', at) + 1 - at);
}

TEST(ApiWorker, AnOddPodOnNoNodeIsNoneOfOurs) {
  const std::string unbound = pod("unbound", "", "3", "[]", "x");
  const std::string silent = without_node(pod("silent", "", "4", "[]", "x"));
  std::string unclear = pod("unclear", "5", "5");
  unclear.replace(unclear.find(R"("nodeName":"5")"), 14, R"("nodeName":5)");
  const Told told = told_by({.nodes = {node("node-1", "2")},
                             .pods = {unbound, silent, unclear, pod("ours", "node-1", "6")},
                             .pod_events = event("ADDED", unbound) + event("ADDED", silent) +
                                           event("ADDED", pod("last", "node-1", "12"))},
                            "pod last");
  EXPECT_THAT(told.words, testing::Contains("listed ours !default/unclear"));
  EXPECT_THAT(told.words, testing::Not(testing::Contains(testing::HasSubstr("unreadable"))));
  EXPECT_GE(told.round.others_pods, 4U);
}

// One pod is ours, and the others take more than the 20 MiB that are kept.
TEST(ApiWorker, PodsOfOtherNodesAreNotWeighed) {
  std::vector<std::string> pods;
  for (int i = 0; i < 14'000; ++i) {
    pods.push_back(pod("theirs-" + std::to_string(i), "node-2", std::to_string(i + 10)));
  }
  pods.push_back(pod("ours", "node-1", "4"));
  const Told told = told_by({.nodes = {node("node-1", "2")},
                             .pods = pods,
                             .pod_events = event("MODIFIED", pods.front()) +
                                           event("DELETED", pod("old", "node-1", "20000")) +
                                           event("MODIFIED", pod("last", "node-1", "20001"))},
                            "pod last");
  EXPECT_THAT(told.words, testing::IsSupersetOf({"listed ours", "gone u-old", "pod last"}));
  EXPECT_THAT(told.words, testing::Not(testing::Contains("gone u-theirs-0")));
  EXPECT_GE(told.round.others_pods, 14'001U);
}

// By which the admission policy tells an agent's events from all others.
TEST(ApiWorker, ItsEventsHaveTheLabelThatThePolicyGoesBy) {
  std::string written;
  const api::Loopback loopback([&](httplib::Server& http) {
    http.Post("/apis/events.k8s.io/v1/namespaces/default/events",
              [&](const httplib::Request& in, httplib::Response& out) {
                written = in.body;
                out.status = 201;
              });
  });
  auto transport =
      std::make_unique<api::CurlTransport>(loopback.access(), ApiWorker::transport_options());
  api::CurlTransport& turned = *transport;
  ApiWorker worker(std::move(transport), {.node_name = "node-1", .seed = 1}, [](const Seen&) {});
  worker.perform({.id = 1, .what = EmitEvent{.ns = "default", .pod = "web", .reason = "Tried"}});
  ASSERT_TRUE(api::run_until(turned, [&] { return !written.empty(); }));
  EXPECT_THAT(written,
              testing::HasSubstr("\"labels\":{\"" + std::string(kEventLabel) + "\":\"true\"}"));
  EXPECT_THAT(written, testing::HasSubstr(R"("reportingInstance":"node-1")"));
  const std::filesystem::path guard =
      std::filesystem::path(test::kData).parent_path() / "packaging/kustomize/agent/guard.yaml";
  const auto policy = read_file(guard.string(), std::size_t{1} << 20);
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_THAT(*policy,
              testing::HasSubstr("{key: " + std::string(kEventLabel) + ", operator: Exists}"));
}

TEST(ApiWorker, SaysWhenAKubeletWroteIntoAPodsStatus) {
  const std::string kubelet =
      R"([{"manager":"kubectl","operation":"Update","time":"2026-01-01T00:00:00Z"},)"
      R"({"manager":"kubelet","operation":"Update","time":"2026-01-01T00:00:05Z",)"
      R"("fieldsType":"FieldsV1","fieldsV1":{"f:status":{}},"subresource":"status"}])";
  const std::string other =
      R"([{"manager":"kubelet","operation":"Update","time":"2026-01-01T00:00:05Z"},)"
      R"({"manager":"elbowroomd","operation":"Update","time":"x","subresource":"status"}, 7])";
  const Told told = told_by({.nodes = {node("node-1", "2")},
                             .pod_events = event("ADDED", pod("a", "node-1", "10", kubelet)) +
                                           event("ADDED", pod("b", "node-1", "11", other)) +
                                           event("ADDED", pod("c", "node-1", "12"))},
                            "pod c");
  EXPECT_THAT(told.words, testing::IsSupersetOf({"pod a kubelet", "pod b", "pod c"}));
}

}  // namespace
}  // namespace elbowroom::agent
