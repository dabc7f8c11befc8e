#include "base/mailbox.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace elbowroom {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

Clock::time_point soon() { return Clock::now() + 30s; }
Clock::time_point past() { return Clock::now() - 1s; }

TEST(Mailbox, ValuesComeOutInOrder) {
  Mailbox<int> box(3);
  EXPECT_TRUE(box.try_put(1));
  EXPECT_TRUE(box.put(2, {}, past()));
  EXPECT_EQ(box.size(), 2U);
  EXPECT_EQ(box.take({}, past()), 1);
  EXPECT_EQ(box.try_take(), 2);
  EXPECT_EQ(box.try_take(), std::nullopt);
}

TEST(Mailbox, AFullBoxRefusesAndLeavesTheValueWithItsOwner) {
  Mailbox<std::unique_ptr<int>> box(1);
  EXPECT_TRUE(box.try_put(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);
  EXPECT_FALSE(box.try_put(std::move(second)));
  ASSERT_NE(second, nullptr);
  EXPECT_FALSE(box.put(std::move(second), {}, past()));
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(box.size(), 1U);
}

TEST(Mailbox, ManyAreTakenAsFarAsThereIsRoom) {
  Mailbox<int> box(3);
  std::deque<int> values{1, 2, 3, 4, 5};
  EXPECT_FALSE(box.put_all(values, {}, Mailbox<int>::Clock::now()));
  EXPECT_EQ(values, (std::deque<int>{4, 5}));
  EXPECT_EQ(box.try_take(), 1);
  EXPECT_EQ(box.try_take(), 2);
  EXPECT_TRUE(box.put_all(values, {}, Mailbox<int>::Clock::now()));
  EXPECT_TRUE(values.empty());
  for (const int each : {3, 4, 5}) EXPECT_EQ(box.try_take(), each);

  std::stop_source stop;
  stop.request_stop();
  values = {6};
  EXPECT_FALSE(box.put_all(values, stop.get_token(), Mailbox<int>::Clock::now()));
  EXPECT_EQ(values.size(), 1U);
}

TEST(Mailbox, TakeEndsAtItsDeadline) {
  Mailbox<int> box(1);
  const auto before = Clock::now();
  EXPECT_EQ(box.take({}, before + 20ms), std::nullopt);
  EXPECT_GE(Clock::now() - before, 20ms);
}

TEST(Mailbox, AStopWakesAWaitingConsumer) {
  Mailbox<int> box(1);
  std::optional<int> got = 7;
  std::jthread consumer([&](const std::stop_token& stop) { got = box.take(stop, soon()); });
  consumer.request_stop();
  consumer.join();
  EXPECT_EQ(got, std::nullopt);
}

TEST(Mailbox, AStopWakesAWaitingProducer) {
  Mailbox<int> box(1);
  EXPECT_TRUE(box.try_put(1));
  bool taken = true;
  std::jthread producer([&](const std::stop_token& stop) { taken = box.put(2, stop, soon()); });
  producer.request_stop();
  producer.join();
  EXPECT_FALSE(taken);
  EXPECT_EQ(box.size(), 1U);
}

TEST(Mailbox, NothingIsTakenAfterAStop) {
  Mailbox<int> box(2);
  EXPECT_TRUE(box.try_put(1));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(box.take(stop.get_token(), soon()), std::nullopt);
  EXPECT_FALSE(box.put(2, stop.get_token(), soon()));
  EXPECT_EQ(box.size(), 1U);
}

// Small boxes and many producers: every value arrives once, those of one producer in order.
TEST(Mailbox, ManyProducersLoseNothing) {
  struct Numbered {
    int producer = 0;
    int number = 0;
  };
  constexpr int kProducers = 4;
  constexpr int kEach = 2000;
  Mailbox<Numbered> box(3);
  std::vector<std::jthread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&box, p](const std::stop_token& stop) {
      for (int n = 0; n < kEach; ++n) {
        if (!box.put({p, n}, stop, soon())) return;
      }
    });
  }
  std::vector<int> next(kProducers, 0);
  for (int i = 0; i < kProducers * kEach; ++i) {
    const auto got = box.take({}, soon());
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->number, next[static_cast<std::size_t>(got->producer)]++);
    EXPECT_LE(box.size(), box.capacity());
  }
  EXPECT_EQ(box.try_take().has_value(), false);
}

}  // namespace
}  // namespace elbowroom
