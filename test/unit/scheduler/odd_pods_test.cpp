// One tenant's odd pod never stops another's resize.
#include "test/odd_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/decode_cluster_pod.h"
#include "api/codec/json.h"
#include "base/document.h"
#include "scheduler/wire.h"
#include "test/scheduler_world.h"
#include "test/unit/api/loopback.h"

namespace elbowroom::scheduler {
namespace {

using testing::ElementsAre;
using Seen = decltype(Observation::what);

Value parsed(const std::string& manifest) {
  const auto objects = parse_yaml(manifest);
  EXPECT_TRUE(objects) << (objects ? "" : objects.error().message);
  return objects ? objects->front() : Value{};
}

TEST(OddPods, ADeferredResizeBesideOneIsHelped) {
  for (const std::string& manifest : test::odd_manifests()) {
    const auto odd = api::decode_placed_pod(parsed(manifest));
    ASSERT_TRUE(odd) << odd.error().message;
    test::SchedulerWorld world;
    world.put(test::node(4100));
    world.put(test::deferred(test::running_pod("web", 1000, 0, 100), 2000));
    world.put(test::running_pod("batch-1", 2000, 0, 10));
    world.put(test::running_pod("batch-2", 1000, 0, 5));
    world.put(*odd);
    world.start();
    EXPECT_THAT(world.writes(), ElementsAre("mark default/batch-2", "delete default/batch-2"))
        << manifest.substr(0, 500);
  }
}

// It was counted before, and still is, but only until it begins or is refused.
TEST(OddPods, OneThatNoNodeCouldTakeHoldsNothingUntilItBegins) {
  test::SchedulerWorld world;
  world.put(test::node(4000));
  world.put(test::deferred(test::running_pod("web", 1000, 0, 100), 2000));
  policy::Pod huge = test::running_pod("huge", 5000, 0, 200);
  huge.phase = policy::Phase::Pending;
  huge.containers[0].state = policy::RunState::None;
  huge.containers[0].allocated_requests.reset();
  huge.containers[0].actual_requests.reset();
  world.put(huge);
  world.start();
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::Fits);
  huge.phase = policy::Phase::Running;
  huge.containers[0].state = policy::RunState::Running;
  huge.containers[0].allocated_requests = huge.containers[0].desired.requests;
  world.put(huge);
  EXPECT_EQ(world.waiting("default/web").result, TurnResult::NoVictims);
}

// ---- from the server's bytes ----

std::string list_of(const std::vector<std::string>& items) {
  std::string all = R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[)";
  for (std::size_t i = 0; i < items.size(); ++i) all += (i == 0 ? "" : ",") + items[i];
  return all + "]}";
}

TEST(OddPods, AListAndAWatchTellThemAsPods) {
  std::vector<std::string> items;
  std::string events;
  for (const std::string& manifest : test::odd_manifests()) {
    std::string json = api::to_json(parsed(manifest));
    const std::size_t at = json.find("\"uid\":");
    json.insert(at, "\"resourceVersion\":\"" + std::to_string(items.size() + 2) + "\",");
    events += R"({"type":"ADDED","object":)" + json + "}\n";
    items.push_back(std::move(json));
  }
  for (const bool places : {false, true}) {
    std::atomic<int> watches = 0;
    const api::Loopback server([&](httplib::Server& http) {
      http.Get(".*", [&](const httplib::Request& in, httplib::Response& out) {
        const bool is_pods = in.path == "/api/v1/pods";
        if (!in.has_param("watch")) {
          return out.set_content(is_pods ? list_of(items) : list_of({}), "application/json");
        }
        if (is_pods && watches++ == 0) out.set_content(events, "application/json");
      });
    });
    std::size_t listed = 0;
    std::size_t seen = 0;
    std::vector<std::string> unreadable;
    auto transport =
        std::make_unique<api::CurlTransport>(server.access(), ApiWorker::transport_options());
    api::CurlTransport& turned = *transport;
    ApiWorker worker(std::move(transport), {.leader_elect = false, .places = places},
                     api::Clock::now(), [&](Seen what) {
                       if (const auto* odd = std::get_if<Unreadable>(&what)) {
                         unreadable.push_back(odd->why);
                       }
                       const auto* list = std::get_if<PodsListed>(&what);
                       if (list != nullptr) listed = list->objects.size() + list->unreadable.size();
                       if (std::holds_alternative<PodSeen>(what)) ++seen;
                     });
    worker.start();
    EXPECT_TRUE(api::run_until(turned, [&] { return seen + unreadable.size() >= items.size(); }));
    EXPECT_EQ(listed, items.size());
    EXPECT_EQ(seen, items.size());
    EXPECT_THAT(unreadable, testing::IsEmpty());
  }
}

}  // namespace
}  // namespace elbowroom::scheduler
