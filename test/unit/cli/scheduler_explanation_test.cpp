// The text of the scheduler's answer at /explain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "base/document.h"
#include "cli/output/scheduler_explanation_text.h"
#include "daemon/http/http_server.h"
#include "scheduler/explain.h"
#include "test/scheduler_world.h"
#include "test/unit/cli/command_line.h"

namespace elbowroom::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

scheduler::Moment moment_of(const test::SchedulerWorld& world) {
  return {world.now(), world.wall()};
}

std::string answer_of(test::SchedulerWorld& world, bool is_dry_run = false) {
  return scheduler::explain(world.reactor(), "default/web", moment_of(world), is_dry_run);
}

// web wants 2 of 4 cpus, and no pod may be removed.
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
  EXPECT_THAT(text, HasSubstr("woken when: a pod arrives, "));
  EXPECT_THAT(text, Not(HasSubstr("idle:")));
}

// A later question is answered for the same moment.
TEST_F(SchedulerExplanation, SinceWhenDoesNotMove) {
  const auto since = [](const std::string& answer) {
    return std::string(api::text_at(*parse_json(answer), "since"));
  };
  const std::string first = since(answer_of(world_));
  scheduler::Moment later = moment_of(world_);  // nothing was observed meanwhile
  later.since_start += std::chrono::seconds(40);
  later.wall += std::chrono::seconds(40);
  EXPECT_EQ(since(scheduler::explain(world_.reactor(), "default/web", later, false)), first);
}

TEST(SchedulerExplanationText, ADryRunRemovesNobody) {
  for (const bool dry_run : {true, false}) {
    scheduler::ReactorOptions options = test::SchedulerWorld::usual();
    options.dry_run = dry_run;
    test::SchedulerWorld world(options);
    world.put(test::node(4000));
    world.put(test::running_pod("low", 3000));
    world.put(test::deferred(test::running_pod("web", 1000, 0, 1000), 2000));
    world.holds_back = true;
    world.start();
    const std::string text = scheduler_explanation_text(*parse_json(answer_of(world, dry_run)));
    EXPECT_THAT(text,
                HasSubstr(dry_run ? "decided:    pods would be removed for it (this is a dry "
                                    "run, which removes nobody): removing"
                                  : "decided:    pods are removed for it: removing 1 pod of"));
  }
}

TEST(SchedulerExplanationText, EveryResultAndEveryWakeHasItsWords) {
  for (const scheduler::ResultRow& row : scheduler::kResultTable) {
    std::string answer = R"({"kind": "SchedulerExplanation", "result": ")" + std::string(row.name) +
                         R"(", "wakes": [)";
    for (const std::string_view name : cluster::names_of(cluster::Changes::all())) {
      answer += (answer.ends_with('[') ? "\"" : ", \"") + std::string(name) + "\"";
    }
    const std::string text = scheduler_explanation_text(*parse_json(answer + "]}"));
    EXPECT_THAT(text, Not(HasSubstr("decided:    " + std::string(row.name) + "\n")));
    for (const std::string_view name : cluster::names_of(cluster::Changes::all())) {
      EXPECT_THAT(text, Not(HasSubstr(std::string(name))));
    }
  }
}

TEST_F(SchedulerExplanation, SaysWhyItDoesNotAct) {
  world_.tell(scheduler::Lost{scheduler::Collection::Pods, "the server is away"});
  const auto document = parse_json(answer_of(world_));
  ASSERT_TRUE(document);
  EXPECT_THAT(scheduler_explanation_text(*document),
              HasSubstr("idle:       pods are not followed: the server is away"));
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
