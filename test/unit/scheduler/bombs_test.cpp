// One tenant's object that is as large and as unusual as an API server accepts never ends the list
// or the watch that all tenants depend on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/protobuf_object.h"
#include "scheduler/wire.h"
#include "test/unit/api/loopback.h"
#include "test/wire_bytes.h"

namespace elbowroom::scheduler {
namespace {

using test::bytes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Seen = decltype(Observation::what);

std::string repeated(const std::string& text, int times, const std::string& between = "") {
  std::string all;
  for (int i = 0; i < times; ++i) all += (i == 0 ? "" : between) + text;
  return all;
}

// In both encodings, without kind and apiVersion.
struct Object {
  std::string protobuf{};
  std::string json{};
};

Object object(const std::string& name, const std::string& spec_in_protobuf,
              const std::string& spec_in_json) {
  return {.protobuf = bytes(1, bytes(1, name) + bytes(3, "tenant") + bytes(5, "uid-" + name) +
                                   bytes(6, "7")) +
                      bytes(2, spec_in_protobuf),
          .json = R"("metadata":{"name":")" + name + R"(","namespace":"tenant","uid":"uid-)" +
                  name + R"(","resourceVersion":"7"},"spec":{)" + spec_in_json + "}"};
}

Object pod(const std::string& name, const std::string& node, const Object& more) {
  return object(name,
                bytes(2, bytes(1, "c") + bytes(8, test::amount(2, "cpu", "7"))) + more.protobuf +
                    (node.empty() ? "" : bytes(10, node)),
                R"("containers":[{"name":"c","resources":{"requests":{"cpu":"7"}}}])" + more.json +
                    (node.empty() ? "" : R"(,"nodeName":")" + node + '"'));
}

// 1 MB: 500 expressions of 1,001 empty values about nodes.
Object affinity_bomb() {
  const std::string expression =
      bytes(1, bytes(1, "k") + bytes(2, "In") + repeated(bytes(3, ""), 1001));
  return {
      .protobuf = bytes(18, bytes(1, bytes(1, bytes(1, repeated(expression, 500))))),
      .json =
          R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
          R"({"nodeSelectorTerms":[{"matchExpressions":[)" +
          repeated(R"({"key":"k","operator":"In","values":[)" + repeated(R"("")", 1001, ",") + "]}",
                   500, ",") +
          "]}]}}}"};
}

Object budget(const std::string& name, int values) {
  return object(name,
                bytes(2, bytes(2, bytes(1, "k") + bytes(2, "In") + repeated(bytes(3, ""), values))),
                R"("selector":{"matchExpressions":[{"key":"k","operator":"In","values":[)" +
                    repeated(R"("")", values, ",") + "]}]}");
}

std::string list_of(const std::string& kind, const std::vector<Object>& items, bool protobuf) {
  if (protobuf) {
    std::string all;
    for (const Object& each : items) all += bytes(2, each.protobuf);
    return test::list_envelope(kind + "List", "5", "", all);
  }
  std::string all = R"({"kind":")" + kind + R"(List","metadata":{"resourceVersion":"5"},"items":[)";
  for (std::size_t i = 0; i < items.size(); ++i) all += (i == 0 ? "{" : ",{") + items[i].json + "}";
  return all + "]}";
}

std::string events_of(const std::string& kind, const std::vector<Object>& items, bool protobuf) {
  std::string all;
  for (const Object& each : items) {
    if (!protobuf) {
      all += R"({"type":"ADDED","object":{"kind":")" + kind + R"(",)" + each.json + "}}\n";
      continue;
    }
    const std::string event =
        bytes(1, "ADDED") + bytes(2, bytes(1, test::envelope("v1", kind, each.protobuf)));
    for (int shift = 24; shift >= 0; shift -= 8) {
      all += static_cast<char>(event.size() >> static_cast<unsigned>(shift) & 0xFFU);
    }
    all += event;
  }
  return all;
}

struct Way {
  bool places = false;
  bool protobuf = false;
  bool watched = false;  // listed otherwise
};

std::vector<Way> all_ways() {
  std::vector<Way> all;
  for (const bool places : {false, true}) {
    for (const bool protobuf : {false, true}) {
      for (const bool watched : {false, true}) all.push_back({places, protobuf, watched});
    }
  }
  return all;
}

struct Told {
  std::vector<policy::Pod> pods{};
  std::vector<policy::PodDisruptionBudget> budgets{};
  std::vector<Unreadable> unreadable{};
  std::vector<std::string> lost{};
  std::vector<std::string> news{};
  std::uint64_t reduced = 0;
};

// What a scheduler observes of these pods and budgets.
Told told(const Way& way, const std::vector<Object>& pods, const std::vector<Object>& budgets) {
  std::atomic<int> pod_watches = 0;
  std::atomic<int> budget_watches = 0;
  const std::string type(way.protobuf ? api::kProtobuf : "application/json");
  const auto serve = [&](const std::string& kind, const std::vector<Object>& items,
                         std::atomic<int>& watches, const httplib::Request& in,
                         httplib::Response& out) {
    const bool speaks = way.protobuf && in.get_header_value("Accept").find(type) == 0;
    const std::string as = speaks ? type : "application/json";
    if (!in.has_param("watch")) {
      const std::vector<Object> none;
      out.set_content(list_of(kind, way.watched ? none : items, speaks), as);
    } else if (way.watched && watches++ == 0) {
      out.set_content(events_of(kind, items, speaks), speaks ? as + ";stream=watch" : as);
    }
  };
  const api::Loopback server([&](httplib::Server& http) {
    http.Get(".*", [&](const httplib::Request& in, httplib::Response& out) {
      if (in.path == "/api/v1/pods") return serve("Pod", pods, pod_watches, in, out);
      if (in.path == "/apis/policy/v1/poddisruptionbudgets") {
        return serve("PodDisruptionBudget", budgets, budget_watches, in, out);
      }
      if (in.has_param("watch")) return;
      if (in.path.starts_with("/apis/scheduling.k8s.io")) return void(out.status = 404);
      out.set_content(R"({"metadata":{"resourceVersion":"1"},"items":[]})", "application/json");
    });
  });
  Told told;
  auto transport =
      std::make_unique<api::CurlTransport>(server.access(), ApiWorker::transport_options());
  api::CurlTransport& turned = *transport;
  const auto take = [&](const Seen& seen) {
    if (const auto* list = std::get_if<PodsListed>(&seen)) {
      for (const cluster::PackedPod& each : list->objects) told.pods.push_back(each.unpacked());
    }
    if (const auto* one = std::get_if<PodSeen>(&seen)) told.pods.push_back(one->object.unpacked());
    if (const auto* list = std::get_if<BudgetsListed>(&seen)) {
      told.budgets.insert(told.budgets.end(), list->objects.begin(), list->objects.end());
    }
    if (const auto* one = std::get_if<BudgetSeen>(&seen)) told.budgets.push_back(one->object);
    if (const auto* odd = std::get_if<Unreadable>(&seen)) told.unreadable.push_back(*odd);
    // A watch that ends at once comes from this test, which has no more events.
    const auto* lost = std::get_if<Lost>(&seen);
    if (lost != nullptr && lost->why.find("ended at once") == std::string::npos) {
      told.lost.push_back(lost->why);
    }
  };
  ApiWorker worker(std::move(transport), {.leader_elect = false, .places = way.places},
                   api::Clock::now(), take);
  worker.start();
  const std::size_t wanted = pods.size() + budgets.size();
  EXPECT_TRUE(api::run_until(turned, [&] {
    return told.pods.size() + told.budgets.size() + told.unreadable.size() >= wanted ||
           !told.lost.empty();
  }));
  told.news = worker.take_news();
  told.reduced = worker.round().reduced_pods;
  return told;
}

std::string shown(const Way& way) {
  return std::string(way.places ? "full" : "resize") + (way.protobuf ? ", protobuf" : ", JSON") +
         (way.watched ? ", watched" : ", listed");
}

TEST(Bombs, APodOfAMillionTermsIsAPodThatIsPlacedNowhere) {
  const Object bomb = affinity_bomb();
  for (const Way& way : all_ways()) {
    const Told all =
        told(way, {pod("bound", "n", bomb), pod("waits", "", bomb), pod("x", "n", {})}, {});
    EXPECT_THAT(all.lost, IsEmpty()) << shown(way);
    EXPECT_THAT(all.unreadable, IsEmpty()) << shown(way);
    ASSERT_EQ(all.pods.size(), 3U) << shown(way);
    // For resizes it counts in full.
    EXPECT_EQ(all.pods[0].node, "n");
    EXPECT_EQ(all.pods[0].containers[0].desired.requests.cpu.value, 7000);
    const auto nowhere = way.places ? std::optional(std::vector<policy::NodeTerm>{}) : std::nullopt;
    EXPECT_EQ(all.pods[0].placement.required_nodes, nowhere) << shown(way);
    EXPECT_EQ(all.pods[1].placement.required_nodes, nowhere) << shown(way);
    EXPECT_EQ(all.pods[2].placement, policy::Placement{}) << shown(way);
    if (!way.places) continue;
    EXPECT_THAT(all.news, ElementsAre(HasSubstr("tenant/bound: what it asks of its node"),
                                      HasSubstr("tenant/waits: what it asks of its node")));
  }
}

// Terms that are understood, and more than is kept of one pod.
TEST(Bombs, WhatIsTooMuchToKeepIsLeftOutOfBoundAndOfPendingPods) {
  Object many;
  for (int i = 0; i < 900; ++i) {
    const std::string key = "k" + std::to_string(i) + std::string(90, 'y');
    many.protobuf += bytes(22, bytes(1, key) + bytes(2, "Exists"));
    many.json += (i == 0 ? R"(,"tolerations":[)" : ",") + (R"({"key":")" + key) +
                 R"(","operator":"Exists"})";
  }
  many.json += "]";
  for (const Way& way : all_ways()) {
    if (!way.places) continue;
    const Told all = told(way, {pod("bound", "n", many), pod("waits", "", many)}, {});
    EXPECT_THAT(all.lost, IsEmpty()) << shown(way);
    EXPECT_THAT(all.unreadable, IsEmpty()) << shown(way);
    ASSERT_EQ(all.pods.size(), 2U) << shown(way);
    for (const policy::Pod& each : all.pods) {
      EXPECT_THAT(each.placement.tolerations, IsEmpty());
      EXPECT_EQ(each.placement.required_nodes, std::vector<policy::NodeTerm>{});
    }
    EXPECT_EQ(all.news.size(), 2U);
    EXPECT_EQ(all.reduced, 2U);
  }
}

TEST(Bombs, ABudgetOfAMillionValuesIsAClosedOne) {
  for (const Way& way : all_ways()) {
    for (const int values : {2'000, 600'000}) {
      const Told all =
          told(way, {}, {budget("bomb", values), budget("large", 900), budget("small", 1)});
      EXPECT_THAT(all.lost, IsEmpty()) << shown(way);
      ASSERT_EQ(all.unreadable.size(), 1U) << shown(way);
      EXPECT_EQ(all.unreadable[0].kind, "PodDisruptionBudget");
      EXPECT_EQ(all.unreadable[0].key, "tenant/bomb");
      EXPECT_EQ(all.unreadable[0].uid, "uid-bomb");
      ASSERT_EQ(all.budgets.size(), 2U) << shown(way);
      EXPECT_EQ(all.budgets[1].name, "small");
    }
  }
}

// An API server takes managedFields of any depth, and no decoder reads them.
TEST(Bombs, AnObjectOfAnyDepthIsRead) {
  constexpr int kDeep = 9'000;
  const std::string deep = R"("metadata":{"managedFields":[{"manager":"m","fieldsV1":)" +
                           repeated(R"({"f:a":)", kDeep) + "{}" + repeated("}", kDeep) + "}],";
  const auto deeper = [&](Object of) {
    const std::string_view metadata = R"("metadata":{)";
    of.json = deep + of.json.substr(metadata.size());
    return of;
  };
  for (const bool watched : {false, true}) {
    for (const bool places : {false, true}) {
      const Told all = told({.places = places, .protobuf = false, .watched = watched},
                            {deeper(pod("deep", "n", {})), pod("x", "n", {})}, {});
      EXPECT_THAT(all.lost, IsEmpty());
      EXPECT_THAT(all.unreadable, IsEmpty());
      EXPECT_EQ(all.pods.size(), 2U);
    }
  }
}

// Some 9 MB in JSON, where Go escapes what may stand in HTML.
TEST(Bombs, AnItemMayBeAsLargeAsAnEvent) {
  const Object wide{.protobuf = bytes(60, std::string(1'400'000, '<')),
                    .json = R"(,"x":")" + repeated("\\u003c", 1'400'000) + '"'};
  for (const Way& way : all_ways()) {
    const Told all = told(way, {pod("wide", "n", wide)}, {});
    EXPECT_THAT(all.lost, IsEmpty()) << shown(way);
    EXPECT_EQ(all.pods.size(), 1U) << shown(way);
  }
}

}  // namespace
}  // namespace elbowroom::scheduler
