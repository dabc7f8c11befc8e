// What the scheduler answers at /explain, as people read it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/json.h"
#include "base/document.h"
#include "cli/scheduler_explanation_text.h"
#include "daemon/http.h"
#include "scheduler/explain.h"
#include "test/scheduler_world.h"
#include "test/unit/cli/command_line.h"

namespace elbowroom::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string answer_of(test::SchedulerWorld& world) {
  return scheduler::explain(world.reactor(), "default/web", world.wall());
}

// web wants 2 of 4 cpus, and nobody may go.
class SchedulerExplanation : public ::testing::Test {
 protected:
  SchedulerExplanation() {
    world_.put(test::node(4000));
    policy::Pod peer = test::running_pod("peer", 3000, 0, 1000);
    world_.put(peer);
    world_.put(test::deferred(test::running_pod("web", 1000, 0, 1000), 2000));
    world_.start();
  }
  test::SchedulerWorld world_;
};

TEST_F(SchedulerExplanation, SaysWhatWasDecidedAndWhatWakesIt) {
  const auto document = parse_json(answer_of(world_));
  ASSERT_TRUE(document);
  ASSERT_TRUE(is_scheduler_explanation(*document));
  const std::string text = scheduler_explanation_text(*document);
  EXPECT_THAT(text, HasSubstr("pod default/web on node node-1: "));
  EXPECT_THAT(text, HasSubstr("decided:    nobody may go, or all who may would not be enough: "));
  EXPECT_THAT(text, HasSubstr("queue:      parked\n"));
  EXPECT_THAT(text, HasSubstr("woken by:   "));
  EXPECT_THAT(text, Not(HasSubstr("acts not")));
}

TEST_F(SchedulerExplanation, SaysWhyItDoesNotAct) {
  world_.tell(scheduler::Lost{scheduler::Collection::Pods, "the server is away"});
  const auto document = parse_json(answer_of(world_));
  ASSERT_TRUE(document);
  EXPECT_THAT(scheduler_explanation_text(*document),
              HasSubstr("acts not:   pods are not followed: the server is away"));
}

TEST_F(SchedulerExplanation, IsAskedForByServer) {
  const std::string answer = answer_of(world_);
  daemon::Endpoints endpoints;
  endpoints.explain = [&answer](const std::string&, const std::string& name) {
    if (name != "web") return daemon::Reply{.status = 404, .body = "no pod waits for room\n"};
    return daemon::Reply{.type = "application/json", .body = answer};
  };
  const auto http = daemon::HttpServer::start({.host = "127.0.0.1", .port = 0}, endpoints);
  ASSERT_TRUE(http);
  const std::string server = "http://" + daemon::to_string((*http)->address());
  const Outcome table = run({"explain", "pod", "default/web", "--server", server});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("decided:    nobody may go"));
  const Outcome json = run({"explain", "pod", "default/web", "--server", server, "-o", "json"});
  EXPECT_THAT(json.out, HasSubstr("\"SchedulerExplanation\""));
  const Outcome other = run({"explain", "pod", "default/other", "--server", server});
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, HasSubstr("no pod waits for room"));
}

TEST(SchedulerExplanationText, AnAnswerOfAnotherShapeDoesNoHarm) {
  for (const char* answer :
       {"{\"kind\": \"SchedulerExplanation\"}",
        "{\"kind\": \"SchedulerExplanation\", \"wakes\": 5, \"message\": [1], \"nextLook\": {}}",
        "{\"kind\": \"SchedulerExplanation\", \"wakes\": [null, {}], \"message\": "
        "\"\\u001b[2J\\u202e\\n\", \"result\": \"\\u0007\"}"}) {
    const auto document = parse_json(answer);
    ASSERT_TRUE(document) << answer;
    for (const char c : scheduler_explanation_text(*document)) {
      EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << answer;
    }
  }
}

}  // namespace
}  // namespace elbowroom::cli
