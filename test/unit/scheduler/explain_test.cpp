#include "scheduler/explain.h"

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "base/document.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

TEST(SchedulerExplain, WhoWasRefusedIsNamedWithWhyAndUntilWhen) {
  test::SchedulerWorld world;
  world.put(test::node(4000));
  world.put(test::deferred(test::running_pod("web", 1000, 0, 100), 2000));
  world.put(test::running_pod("batch", 3000, 0, 10));
  world.refuse = [](const std::string& effect) -> std::optional<Error> {
    if (effect != "delete default/batch") return std::nullopt;
    return Error{Code::Denied, "a webhook says no", {}};
  };
  world.start();
  world.pass(std::chrono::seconds(5));
  const auto document =
      parse_json(explain(world.reactor(), "default/web", {world.now(), world.wall()}, false));
  ASSERT_TRUE(document);
  const Value* refused = document->find("refused");
  ASSERT_NE(refused, nullptr);
  ASSERT_EQ(refused->items.size(), 1U);
  EXPECT_EQ(api::text_at(refused->items[0], "pod"), "default/batch");
  EXPECT_EQ(api::text_at(refused->items[0], "why"), "a webhook says no");
  EXPECT_EQ(api::text_at(refused->items[0], "until"), "2026-05-28T20:27:40Z");
}

std::size_t wakes(const Value& document, std::string_view list) {
  const Value* all = document.find(list);
  return all == nullptr ? 0 : all->items.size();
}

TEST(SchedulerExplain, ADeferredResizeOnlyByWhatChangesOnItsNode) {
  test::SchedulerWorld world;
  world.put(test::node(4000));
  world.put(test::deferred(test::running_pod("web", 1000, 0, 100), 9000));
  world.start();
  world.pass(std::chrono::seconds(5));
  const auto document =
      parse_json(explain(world.reactor(), "default/web", {world.now(), world.wall()}, false));
  ASSERT_TRUE(document);
  EXPECT_GT(wakes(*document, "wakes"), 0U);
  EXPECT_EQ(wakes(*document, "wakesAnywhere"), 0U);
}

}  // namespace
}  // namespace elbowroom::scheduler
