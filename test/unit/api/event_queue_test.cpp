#include "api/write/event_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr Clock::time_point kNow{1s};

EventNote note(const std::string& pod, const std::string& reason, const std::string& text) {
  EventNote out;
  out.regarding.ref = {"prod", pod, "u-" + pod};
  out.reason = reason;
  out.action = "Acting";
  out.note = text;
  return out;
}

EventNote removal(const std::string& pod, const std::string& text) {
  EventNote out = note(pod, "Preempted", text);
  out.rank = EventRank::Removal;
  return out;
}

std::vector<std::string> drain(EventQueue& queue, Clock::time_point now = kNow) {
  std::vector<std::string> texts;
  while (auto next = queue.take({}, now)) {
    std::string text = next->note.regarding.ref.name + " " + next->note.note;
    if (next->times > 1) text += " x" + std::to_string(next->times);
    texts.push_back(std::move(text));
  }
  return texts;
}

TEST(EventQueue, WhatComesOutIsWhatWentIn) {
  EventQueue queue({});
  EventNote what = note("web", "ResizeDeferred", "no room");
  what.severity = EventSeverity::Warning;
  what.related = EventObject{"v1", "Node", {"", "n1", "u-n1"}};
  EventNote plain = removal("api", "");
  static_cast<void>(queue.add(what, policy::Time(5s)));
  static_cast<void>(queue.add(plain, policy::Time(6s)));
  EXPECT_EQ(queue.size(), 2U);
  auto first = queue.take({}, kNow);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->note, plain);
  EXPECT_EQ(first->wall, policy::Time(6s));
  auto second = queue.take({}, kNow);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->note, what);
  EXPECT_EQ(second->wall, policy::Time(5s));
  EXPECT_FALSE(queue.take({}, kNow));
}

TEST(EventQueue, RemovalsGoFirstAndEachKindInItsOrder) {
  EventQueue queue({});
  static_cast<void>(queue.add(note("a", "R", "1"), {}));
  static_cast<void>(queue.add(removal("b", "2"), {}));
  static_cast<void>(queue.add(note("c", "R", "3"), {}));
  static_cast<void>(queue.add(removal("d", "4"), {}));
  EXPECT_THAT(drain(queue), ElementsAre("b 2", "d 4", "a 1", "c 3"));
}

TEST(EventQueue, OfAnObjectAndReasonOnlyTheNewestWaitsAtItsPlace) {
  EventQueue queue({});
  static_cast<void>(queue.add(note("a", "R", "old"), {}));
  static_cast<void>(queue.add(note("b", "R", "1"), {}));
  EXPECT_EQ(queue.add(note("a", "R", "new"), {}).superseded, 1U);
  EXPECT_EQ(queue.add(note("a", "R", "new"), {}).superseded, 0U) << "the same once more";
  EXPECT_EQ(queue.add(note("a", "S", "another reason"), {}).superseded, 0U);
  EXPECT_THAT(drain(queue), ElementsAre("a new x2", "b 1", "a another reason"));
}

TEST(EventQueue, OfABusyObjectAndReasonNothingIsTaken) {
  EventQueue queue({});
  static_cast<void>(queue.add(note("a", "R", "1"), {}));
  static_cast<void>(queue.add(note("b", "R", "2"), {}));
  const auto next = queue.take({EventQueue::key_of(note("a", "R", ""))}, kNow);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->note.note, "2");
}

TEST(EventQueue, WhatIsPutOffWaitsForItsTimeUnlessANewerOneCame) {
  EventQueue queue({});
  static_cast<void>(queue.add(note("a", "R", "1"), {}));
  auto taken = queue.take({}, kNow);
  ASSERT_TRUE(taken);
  taken->times = 4;
  queue.put_off(*taken, kNow + 5s);
  EXPECT_EQ(queue.next(), kNow + 5s);
  EXPECT_TRUE(drain(queue).empty());
  EXPECT_THAT(drain(queue, kNow + 5s), ElementsAre("a 1 x4"));
  queue.put_off(*taken, kNow + 5s);
  static_cast<void>(queue.add(note("a", "R", "2"), {}));
  EXPECT_TRUE(drain(queue).empty()) << "it waits as the older one had to";
  EXPECT_THAT(drain(queue, kNow + 5s), ElementsAre("a 2"));
  static_cast<void>(queue.add(note("a", "R", "3"), {}));
  queue.put_off(*taken, kNow + 9s);
  EXPECT_THAT(drain(queue), ElementsAre("a 3"));
}

TEST(EventQueue, WithoutRoomTheNewestOfTheLeastImportantGo) {
  EventQueue queue({.max_events = 2});
  static_cast<void>(queue.add(note("a", "R", "1"), {}));
  static_cast<void>(queue.add(note("b", "R", "2"), {}));
  EXPECT_EQ(queue.add(note("c", "R", "3"), {}).dropped, 1U);
  EXPECT_EQ(queue.add(removal("d", "4"), {}).dropped, 1U);
  EXPECT_THAT(drain(queue), ElementsAre("d 4", "a 1"));
}

// A hundred thousand victims of usual names, and as many notes as long as the API takes them.
TEST(EventQueue, HoldsAHundredThousandInLittleMemory) {
  EventQueue queue({});
  const std::string text = "Preempted by pod 0b6a8f34-6b1e-4c5f-9f7e-0d8f4f1c2a3b on node n1";
  std::uint64_t dropped = 0;
  for (int i = 0; i < 100'001; ++i) {
    EventNote each = removal("deployment-7c5ddbdf54-" + std::to_string(i), text);
    each.regarding.ref.uid = "5d3e0c4e-8f5c-4d6b-9a55-" + std::to_string(100'000'000'000 + i);
    dropped += queue.add(std::move(each), {}).dropped;
  }
  EXPECT_EQ(queue.size(), 100'000U);
  EXPECT_EQ(dropped, 1U);

  EventQueue full({});
  dropped = 0;
  for (int i = 0; i < 100'000; ++i) {
    dropped += full.add(removal(std::to_string(i), std::string(5000, 'x')), {}).dropped;
  }
  EXPECT_LT(full.size() * 2048, std::size_t{48} << 20);
  EXPECT_EQ(dropped, 100'000 - full.size());
}

}  // namespace
}  // namespace elbowroom::api
