#include "lab/apiserver/api_watch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "api/codec/protobuf_object.h"
#include "api/watch/frames.h"
#include "api/watch/lines.h"
#include "api/watch/watch_event.h"
#include "lab/apiserver/api_service.h"
#include "lab/schema/protobuf_object.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using testing::node_object;
using testing::nodes;
using testing::pod_object;
using testing::pods;

class ApiWatchTest : public ::testing::Test {
 protected:
  ApiWatchTest() { EXPECT_TRUE(world_.create(nodes(), "", node_object("n"))); }

  // Of pods.
  ApiWatch watch(const std::string& resource_version = "", const std::string& accept = "") {
    auto opened = service_.watch({.method = "GET",
                                  .path = "/api/v1/pods",
                                  .query = {{"watch", "true"},
                                            {"resourceVersion", resource_version},
                                            {"allowWatchBookmarks", "true"}},
                                  .headers = {{"accept", accept}}},
                                 {});
    EXPECT_TRUE(opened);
    return *std::move(opened);
  }
  std::string say(ApiWatch& watch) { return watch.next(world_, {}).text; }

  World world_{{}};
  ApiService service_{world_, {}};
};

TEST_F(ApiWatchTest, HasNewsOfItsKindOnly) {
  ApiWatch pods_watch = watch();
  EXPECT_TRUE(pods_watch.has_news(world_)) << "it has not begun";
  EXPECT_EQ(say(pods_watch), "");
  EXPECT_FALSE(pods_watch.has_news(world_));

  EXPECT_TRUE(world_.create(nodes(), "", node_object("m")));
  EXPECT_TRUE(pods_watch.is_behind(world_));
  EXPECT_FALSE(pods_watch.has_news(world_)) << "a node is no news for a watch of pods";

  EXPECT_TRUE(world_.create(pods(), "default", pod_object("web", "n")));
  EXPECT_TRUE(pods_watch.has_news(world_));
  EXPECT_NE(say(pods_watch).find("web"), std::string::npos);
  EXPECT_FALSE(pods_watch.has_news(world_));
}

TEST_F(ApiWatchTest, HasNewsWhereItBeganInThePast) {
  EXPECT_TRUE(world_.create(pods(), "default", pod_object("a", "n")));
  const std::string since = std::to_string(world_.version());
  ApiWatch up_to_date = watch(since);
  EXPECT_EQ(say(up_to_date), "");
  EXPECT_FALSE(up_to_date.has_news(world_));

  ApiWatch resumed = watch(since);
  EXPECT_TRUE(world_.create(pods(), "default", pod_object("b", "n")));
  EXPECT_EQ(say(resumed), "") << "what it resumes from";
  EXPECT_TRUE(resumed.has_news(world_));
}

TEST_F(ApiWatchTest, HasNewsWhereItAsksForAVersionThatIsYetToCome) {
  ApiWatch ahead = watch(std::to_string(world_.version() + 100));
  EXPECT_EQ(say(ahead), "");
  ASSERT_TRUE(ahead.has_news(world_));
  EXPECT_NE(say(ahead).find("ERROR"), std::string::npos);
}

// Each event and what it is about: as the clients of either encoding read it.
std::vector<std::string> shown(const Result<api::WatchEvent>& event) {
  if (!event) return {event.error().message};
  const Value* code = event->object.find("code");
  return {event->type, std::string(api::text_at(event->object, "kind")),
          api::to_string(api::ref_of(event->object)), code == nullptr ? "" : code->text};
}

TEST_F(ApiWatchTest, SaysTheSameAsTrees) {
  ApiWatch in_text = watch();
  ApiWatch in_trees = watch();
  EXPECT_EQ(say(in_text), in_trees.next_as_trees(world_, {}).text) << "what it begins with is text";
  ASSERT_TRUE(world_.create(pods(), "default", pod_object("web", "n")));
  ASSERT_TRUE(world_.create(pods(), "default", pod_object("db", "n")));
  const ApiWatch::Step step = in_trees.next_as_trees(world_, {});
  EXPECT_EQ(step.text, "");
  EXPECT_FALSE(step.over);
  std::string lines;
  for (const WatchEvent& each : step.events) lines += ApiWatch::line_of(each);
  EXPECT_EQ(step.events.size(), 2U);
  EXPECT_EQ(lines, say(in_text));
  EXPECT_FALSE(in_trees.is_behind(world_));
}

TEST_F(ApiWatchTest, TablesAndProtobufAreNoTrees) {
  for (const char* accept :
       {"application/json;as=Table;v=v1;g=meta.k8s.io", "application/vnd.kubernetes.protobuf"}) {
    ApiWatch all = watch("", accept);
    (void)all.next_as_trees(world_, {});
    ASSERT_TRUE(world_.create(pods(), "default",
                              pod_object("web" + std::to_string(std::string(accept).size()), "n")));
    const ApiWatch::Step step = all.next_as_trees(world_, {});
    EXPECT_TRUE(step.events.empty());
    EXPECT_NE(step.text, "");
  }
}

TEST_F(ApiWatchTest, SaysTheSameInProtobuf) {
  const std::string since = std::to_string(world_.version());
  ApiWatch in_json = watch(since);
  ApiWatch in_protobuf = watch(since, std::string(api::kReadsProtobuf));
  EXPECT_EQ(in_json.media_type(), "application/json");
  EXPECT_EQ(in_protobuf.media_type(), api::kProtobuf);
  EXPECT_EQ(say(in_json) + say(in_protobuf), "");

  ASSERT_TRUE(world_.create(pods(), "default", pod_object("web", "n")));
  ASSERT_TRUE(world_.create(pods(), "default", pod_object("db", "n")));
  ASSERT_TRUE(
      world_.remove({.kind = &pods(), .ns = "default", .name = "db"}, {.grace_seconds = 0}));
  const auto later = ApiWatch::Clock::time_point{} + std::chrono::minutes(2);  // a bookmark too
  std::string lines = in_json.next(world_, later).text;
  std::string frames = in_protobuf.next(world_, later).text;
  world_.forget_history();
  ASSERT_TRUE(world_.create(nodes(), "", node_object("m")));
  ApiWatch late = watch("1");
  ApiWatch late_too = watch("1", std::string(api::kReadsProtobuf));
  EXPECT_EQ(say(late) + say(late_too), "") << "what they resume from";
  lines += say(late);
  frames += say(late_too);

  std::vector<std::vector<std::string>> by_json;
  std::vector<std::vector<std::string>> by_protobuf;
  EXPECT_TRUE(api::Lines(1 << 20).feed(lines, [&](std::string_view line) {
    by_json.push_back(shown(api::event_in_json(line, std::nullopt)));
    return true;
  }));
  EXPECT_TRUE(api::Frames(1 << 20).feed(frames, [&](std::string_view frame) {
    by_protobuf.push_back(shown(api::event_in_protobuf(frame)));
    return true;
  }));
  EXPECT_EQ(by_json, by_protobuf);
  ASSERT_EQ(by_json.size(), 5U);
  EXPECT_EQ(by_json[3][0], "BOOKMARK");
  EXPECT_EQ(by_json[4][3], "410");
}

TEST_F(ApiWatchTest, SpeaksProtobufOfKindsWhoseNumbersAreKnown) {
  for (const Kind& kind : all_kinds()) {
    const bool is_ours = kind.name == "Pod" || kind.name == "Node" ||
                         kind.name == "PodDisruptionBudget" || is_of_groups(kind);
    EXPECT_EQ(supports_protobuf(kind), is_ours) << kind.name;
  }
}

}  // namespace
}  // namespace elbowroom::lab
