// A paged list, from the lab's server to the watch of a daemon, over real sockets and in both
// encodings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "api/codec/json.h"
#include "api/transport/curl_transport.h"
#include "api/transport/kubeconfig.h"
#include "api/watch/watch_loop.h"
#include "lab/apiserver/api_server.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using namespace std::chrono_literals;
using testing::pod_object;
using testing::pods;

constexpr int kPods = 1200;  // three pages of 500

class PagingTest : public ::testing::TestWithParam<bool> {
 protected:
  PagingTest() {
    for (int i = 0; i < kPods; ++i) create("pod-" + std::to_string(i));
    EXPECT_TRUE(server_.start());
  }

  void create(const std::string& name) {
    (void)server_.with_world([&](World& world) {
      return world.create(pods(), "default", pod_object(name, "n")).has_value();
    });
  }

  static std::string name_of(const Value& pod) {
    const Value* metadata = pod.find("metadata");
    return metadata == nullptr ? "" : std::string(api::text_at(*metadata, "name"));
  }

  // Follows the pods until the list is whole; `after` is called with the number of pods so far.
  void follow(const std::function<void(std::size_t)>& after) {
    const auto access = api::access_from({{.path = "kubeconfig", .text = server_.kubeconfig()}});
    ASSERT_TRUE(access) << access.error().message;
    api::CurlTransport transport(*access, {.calls = {1ms, 100}});
    bool is_whole = false;
    api::WatchLoop loop(
        transport, {.path = "/api/v1/pods", .kind = "Pod", .by_protobuf = GetParam()}, {},
        {.list_begins =
             [&] {
               names_.clear();
               ++begun_;
             },
         .listed =
             [&](const Value& pod) {
               EXPECT_TRUE(names_.insert(name_of(pod)).second) << "twice: " << name_of(pod);
               after(names_.size());
             },
         .list_ends = [&] { is_whole = true; },
         .upserted = [&](const Value& pod) { names_.insert(name_of(pod)); }});
    loop.start();
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (!is_whole && std::chrono::steady_clock::now() < deadline) transport.run_once(100ms);
    EXPECT_TRUE(is_whole);
    lists_ = loop.freshness().lists;
    protobuf_lists_ = loop.freshness().protobuf_lists;
  }

  World world_{{}};
  ApiServer server_{world_, {}};
  std::set<std::string> names_;
  int begun_ = 0;
  std::uint64_t lists_ = 0;
  std::uint64_t protobuf_lists_ = 0;
};

TEST_P(PagingTest, EveryPodComesOnceInPagesOf500) {
  follow([](std::size_t) {});
  EXPECT_EQ(names_.size(), std::size_t{kPods});
  EXPECT_EQ(begun_, 1);
  EXPECT_EQ(lists_, 3U);
  EXPECT_EQ(protobuf_lists_, GetParam() ? 3U : 0U);
}

TEST_P(PagingTest, APodThatComesBetweenTwoPagesIsNotMissed) {
  bool has_come = false;
  follow([&](std::size_t count) {
    if (count == 500 && !std::exchange(has_come, true)) create("a-late-one");
  });
  EXPECT_EQ(names_.size(), std::size_t{kPods} + 1);
  EXPECT_TRUE(names_.contains("a-late-one"));
  EXPECT_EQ(begun_, 2) << "the pages were of two versions, so the list began again";
}

INSTANTIATE_TEST_SUITE_P(Lists, PagingTest, ::testing::Bool(), [](const auto& encoding) {
  return std::string(encoding.param ? "protobuf" : "json");
});

}  // namespace
}  // namespace elbowroom::lab
