// Many events at once, in virtual time: the events of each object arrive, the most important first,
// at a rate that an API server accepts, and none is lost while it is away.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/codec/json.h"
#include "api/write/event_recorder.h"

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;

// An API server that takes its time for each answer, behind the rate of the events' lane.
class SlowServer final : public Transport {
 public:
  explicit SlowServer(Rate rate) : lane_(rate) {}

  void send(Request /*request*/, Done /*done*/) override { ADD_FAILURE() << "events are streamed"; }
  Ticket stream(Request request, StreamCallbacks callbacks) override {
    const std::uint64_t id = ++last_;
    waiting_.push_back({id, std::move(request), std::move(callbacks)});
    return Ticket([this, id] {
      std::erase_if(waiting_, [&](const Asked& each) { return each.id == id; });
      std::erase_if(asked_, [&](const auto& each) { return each.second.id == id; });
    });
  }
  Ticket after(Clock::duration wait, std::move_only_function<void()> f) override {
    const std::uint64_t id = ++last_;
    timers_.emplace(std::pair(clock_ + wait, id), std::move(f));
    return Ticket([this, id] {
      std::erase_if(timers_, [&](const auto& each) { return each.first.second == id; });
    });
  }
  void post(std::move_only_function<void()> /*f*/) override {}
  void run_once(Clock::duration longest) override { pass(longest); }
  [[nodiscard]] Clock::time_point now() const override { return clock_; }
  [[nodiscard]] policy::Time wall() const override {
    return policy::Time(
        std::chrono::duration_cast<policy::Time::duration>(clock_.time_since_epoch()));
  }

  // Millisecond by millisecond.
  void pass(Clock::duration span) {
    for (const auto end = clock_ + span; clock_ < end; clock_ += 1ms) {
      while (!waiting_.empty() && lane_.take(clock_)) {
        asked_.emplace(clock_ + latency, std::move(waiting_.front()));
        waiting_.erase(waiting_.begin());
      }
      while (!asked_.empty() && asked_.begin()->first <= clock_) answer_first();
      while (!timers_.empty() && timers_.begin()->first.first <= clock_) {
        auto next = std::move(timers_.begin()->second);
        timers_.erase(timers_.begin());
        next();
      }
    }
  }

  Clock::duration latency = 100ms;
  Response answers{.status = 201};
  std::vector<std::string> taken{};  // "REASON POD", in order
  std::size_t asked_for = 0;

 private:
  struct Asked {
    std::uint64_t id = 0;
    Request request{};
    StreamCallbacks callbacks{};
  };

  void answer_first() {
    Asked asked = std::move(asked_.begin()->second);
    asked_.erase(asked_.begin());
    ++asked_for;
    if (answers.status == 201) {
      const auto event = parse_json(asked.request.body);
      taken.push_back(std::string(text_at(*event, "reason")) + " " +
                      std::string(text_at(*event->find("regarding"), "name")));
    }
    asked.callbacks.done(Response(answers));
  }

  TokenBucket lane_;
  Clock::time_point clock_{1'000s};
  std::vector<Asked> waiting_{};
  std::multimap<Clock::time_point, Asked> asked_{};
  std::map<std::pair<Clock::time_point, std::uint64_t>, std::move_only_function<void()>> timers_{};
  std::uint64_t last_ = 0;
};

EventNote told(const std::string& pod, const std::string& reason, EventRank rank,
               const std::string& text = "x") {
  EventNote out;
  out.regarding.ref = {"prod", pod, "u-" + pod};
  out.reason = reason;
  out.note = text;
  out.rank = rank;
  return out;
}

EventNote victim(int number) {
  return told("victim-" + std::to_string(number), "Preempted", EventRank::Removal);
}

constexpr Rate kRate{20ms, 100};  // the scheduler's

TEST(EventBurst, AThousandVictimsAreToldWithinAMinuteBeforeAllElse) {
  SlowServer server(kRate);
  EventRecorder recorder(server, {});
  for (int i = 0; i < 500; ++i) {
    recorder.record(told("other-" + std::to_string(i), "Scheduled", EventRank::Usual));
  }
  for (int i = 0; i < 1000; ++i) recorder.record(victim(i));
  server.pass(30s);
  const auto of_victims =
      std::ranges::count_if(server.taken, [](const auto& each) { return each.starts_with("Pre"); });
  EXPECT_EQ(of_victims, 1000);
  // The requests that were in flight before them, and those that there was time for after them.
  const auto last = std::ranges::find(server.taken, "Preempted victim-999");
  EXPECT_LT(std::count_if(server.taken.begin(), last,
                          [](const auto& each) { return each.starts_with("Sch"); }),
            10);
  server.pass(30s);
  EXPECT_EQ(server.taken.size(), 1500U);
  EXPECT_EQ(std::set(server.taken.begin(), server.taken.end()).size(), 1500U);
  EXPECT_EQ(recorder.dropped() + recorder.superseded(), 0U);
}

TEST(EventBurst, AProgramThatEndsWritesWhatWaits) {
  SlowServer server(kRate);
  EventRecorder recorder(server, {});
  for (int i = 0; i < 300; ++i) recorder.record(victim(i));
  server.pass(2s);
  EXPECT_LT(server.taken.size(), 300U);
  int turns = 0;
  recorder.finish([&] { ++turns; });
  EXPECT_EQ(std::set(server.taken.begin(), server.taken.end()).size(), 300U);
  EXPECT_EQ(recorder.dropped(), 0U);
  EXPECT_GT(turns, 10) << "the watchdog is fed meanwhile";
}

TEST(EventBurst, AProgramThatEndsDoesNotWaitForAServerThatTakesNothing) {
  SlowServer server(kRate);
  server.answers.status = 503;
  EventRecorder recorder(server, {});
  for (int i = 0; i < 300; ++i) recorder.record(victim(i));
  const Clock::time_point began = server.now();
  recorder.finish([] {});
  EXPECT_LE(server.now() - began, 3s);
  EXPECT_EQ(recorder.dropped(), 300U);
}

TEST(EventBurst, AProgramThatEndsTakesAFewSecondsAtMost) {
  SlowServer server(kRate);
  EventRecorder recorder(server, {});
  for (int i = 0; i < 5'000; ++i) recorder.record(victim(i));
  const Clock::time_point began = server.now();
  recorder.finish([] {});
  EXPECT_LE(server.now() - began, 7s);
  EXPECT_EQ(recorder.dropped() + server.taken.size(), 5'000U);
}

TEST(EventBurst, ASlowServerCostsNoRate) {
  SlowServer server(kRate);
  server.latency = 150ms;
  EventRecorder recorder(server, {});
  for (int i = 0; i < 1000; ++i) recorder.record(victim(i));
  server.pass(25s);
  EXPECT_EQ(server.taken.size(), 1000U);
}

TEST(EventBurst, WhileTheServerIsAwayOrHasTooMuchToDoAllWait) {
  for (const int status : {429, 503}) {
    SlowServer server(kRate);
    server.answers = {.status = status, .retry_after = 20s, .body = "{}"};
    EventRecorder recorder(server, {});
    for (int i = 0; i < 300; ++i) recorder.record(victim(i));
    server.pass(600s);
    EXPECT_LT(server.asked_for, 300U) << "it asked for twenty seconds each time";
    EXPECT_GT(server.asked_for, 20U);
    server.answers = {.status = 201};
    server.pass(60s);
    EXPECT_EQ(server.taken.size(), 300U) << status;
    EXPECT_EQ(recorder.dropped(), 0U);
  }
}

TEST(EventBurst, OneThatTheServerCannotTakeHoldsUpNobody) {
  SlowServer server(kRate);
  EventRecorder recorder(server, {});
  server.answers = {.status = 500, .body = "{}"};
  recorder.record(victim(0));
  server.pass(1s);
  server.answers = {.status = 201};
  recorder.record(victim(1));
  server.pass(1s);
  EXPECT_EQ(server.taken, std::vector<std::string>{"Preempted victim-1"});
  server.pass(20s);
  EXPECT_EQ(server.taken.size(), 2U);
}

// Whatever happens to one object: its newest state arrives in the end.
TEST(EventBurst, AnObjectThatIsToldOfAllTheTimeIsToldItsNewestInTheEnd) {
  SlowServer server(kRate);
  EventRecorder recorder(server, {});
  for (int i = 0; i < 200; ++i) {
    const std::string reason = "Reason" + std::to_string(i % 40);
    recorder.record(told("noisy", reason, EventRank::Usual, std::to_string(i)));
    server.pass(10ms);
  }
  server.pass(10s);
  EXPECT_LE(server.taken.size(), 25U) << "the rate of one object";
  recorder.record(told("noisy", "Preempting", EventRank::Removal));
  server.pass(1s);
  EXPECT_EQ(server.taken.back(), "Preempting noisy");
  server.pass(5h);
  EXPECT_EQ(recorder.queued(), 0U);
  EXPECT_EQ(std::set(server.taken.begin(), server.taken.end()).size(), 41U);
  EXPECT_EQ(recorder.dropped(), 0U);
}

}  // namespace
}  // namespace elbowroom::api
