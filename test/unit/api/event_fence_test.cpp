// Events of whoever writes under a lease.
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "api/event_recorder.h"

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;

// Keeps what it was asked for; the test answers, and moves the clock.
class Kept final : public Transport {
 public:
  void send(Request, Done) override { ADD_FAILURE() << "events can be cut off"; }
  Ticket stream(Request request, StreamCallbacks callbacks) override {
    const int id = ++last_;
    requests[id] = std::move(request);
    open[id] = std::move(callbacks);
    return Ticket([this, id] { open.erase(id); });
  }
  Ticket after(Clock::duration, std::move_only_function<void()> f) override {
    timers.push_back(std::move(f));
    return {};
  }
  void post(std::move_only_function<void()>) override {}
  void run_once(Clock::duration) override {}
  [[nodiscard]] Clock::time_point now() const override { return clock; }
  [[nodiscard]] policy::Time wall() const override { return {}; }

  void answer(int id, Result<Response> outcome) {
    auto callbacks = std::move(open.at(id));
    open.erase(id);
    callbacks.done(std::move(outcome));
  }

  Clock::time_point clock{1s};
  std::map<int, Request> requests{};
  std::map<int, StreamCallbacks> open{};
  std::deque<std::move_only_function<void()>> timers{};

 private:
  int last_ = 0;
};

EventNote note(const std::string& text) {
  EventNote out;
  out.regarding.ref = {"prod", "web", "u-web"};
  out.reason = "Preempting";
  out.note = text;
  return out;
}

class EventFence : public testing::Test {
 protected:
  Kept transport_;
  Clock::time_point fence_{11s};
  EventRecorder recorder_{transport_, {.end_by = [this] { return fence_; }}};
};

TEST_F(EventFence, EachWriteEndsByTheFenceOfItsTime) {
  recorder_.record(note("a"));
  recorder_.record(note("b"));
  ASSERT_EQ(transport_.requests.size(), 1U);
  EXPECT_EQ(transport_.requests[1].not_after, Clock::time_point(11s));
  fence_ = Clock::time_point(13s);  // the lease was renewed
  transport_.answer(1, Response{.status = 201});
  ASSERT_EQ(transport_.requests.size(), 2U);
  EXPECT_EQ(transport_.requests[2].not_after, Clock::time_point(13s));
}

TEST_F(EventFence, NothingIsSentFromThenOn) {
  recorder_.record(note("a"));
  recorder_.record(note("b"));
  transport_.clock = fence_;
  transport_.answer(1, std::unexpected(Error{Code::Unavailable, "late", {}}));
  while (!transport_.timers.empty()) {
    auto next = std::move(transport_.timers.front());
    transport_.timers.pop_front();
    if (recorder_.queued() > 0) next();
  }
  EXPECT_EQ(transport_.requests.size(), 1U);
  EXPECT_EQ(recorder_.queued(), 0U);
  EXPECT_EQ(recorder_.dropped(), 2U);
}

TEST_F(EventFence, WhatIsStoppedIsCutOff) {
  recorder_.record(note("a"));
  recorder_.record(note("b"));
  EXPECT_EQ(transport_.open.size(), 1U);
  recorder_.stop();
  EXPECT_TRUE(transport_.open.empty());
  EXPECT_EQ(recorder_.dropped(), 2U);
  recorder_.record(note("c"));
  EXPECT_EQ(transport_.requests.size(), 1U);
  EXPECT_EQ(recorder_.dropped(), 3U);
}

}  // namespace
}  // namespace elbowroom::api
