#include "api/transport/fenced_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>

namespace elbowroom::api {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

// Keeps what it was asked for; the test answers.
class Kept final : public Transport {
 public:
  void send(Request, Done) override { ADD_FAILURE() << "what is fenced can be cut off"; }
  Ticket stream(Request request, StreamCallbacks callbacks) override {
    const int id = ++last_;
    requests[id] = std::move(request);
    open[id] = std::move(callbacks);
    return Ticket([this, id] { open.erase(id); });
  }
  Ticket after(Clock::duration, std::move_only_function<void()>) override { return {}; }
  void post(std::move_only_function<void()> f) override { posted_.push_back(std::move(f)); }
  void run_once(Clock::duration) override {
    for (auto& f : std::exchange(posted_, {})) f();
  }
  [[nodiscard]] Clock::time_point now() const override { return {}; }
  [[nodiscard]] policy::Time wall() const override { return {}; }

  void answer(int id, std::string body) {
    auto callbacks = std::move(open.at(id));
    if (callbacks.opened) callbacks.opened({.status = 200});
    if (!body.empty()) callbacks.chunk(body);
    callbacks.done(Response{.status = 200});
  }

  std::map<int, Request> requests{};
  std::map<int, StreamCallbacks> open{};

 private:
  int last_ = 0;
  std::deque<std::move_only_function<void()>> posted_{};
};

struct Told {
  std::deque<Result<Response>> answers{};
  Transport::Done done() {
    return [this](Result<Response> answer) { answers.push_back(std::move(answer)); };
  }
};

TEST(FencedTransport, WhatIsSentEndsByTheFenceAndBringsItsBody) {
  Kept inner;
  FencedTransport fenced(inner);
  Told told;
  fenced.end_by(Clock::time_point(7s));
  fenced.send({.path = "/a"}, told.done());
  EXPECT_EQ(inner.requests.at(1).not_after, Clock::time_point(7s));
  inner.answer(1, "body");
  ASSERT_EQ(told.answers.size(), 1U);
  EXPECT_EQ(told.answers[0]->body, "body");
  EXPECT_EQ(told.answers[0]->status, 200);
}

TEST(FencedTransport, ALaneOfItsOwnIsThatOfAllRequests) {
  Kept inner;
  FencedTransport fenced(inner, Lane::Unlimited);
  Told told;
  fenced.send({.path = "/a"}, told.done());
  const Ticket streamed = fenced.stream({.path = "/b"}, {});
  EXPECT_EQ(inner.requests.at(1).lane, Lane::Unlimited);
  EXPECT_EQ(inner.requests.at(2).lane, Lane::Unlimited);
  FencedTransport plain(inner);
  plain.send({.path = "/c", .lane = Lane::Events}, told.done());
  EXPECT_EQ(inner.requests.at(3).lane, Lane::Events);
}

TEST(FencedTransport, AnAnswerThatIsTooLongIsNone) {
  Kept inner;
  FencedTransport fenced(inner);
  Told told;
  fenced.send({.path = "/a", .max_body = 3}, told.done());
  inner.answer(1, "body");
  ASSERT_FALSE(told.answers.at(0));
  EXPECT_EQ(told.answers[0].error().code, Code::Exhausted);
}

TEST(FencedTransport, WhatIsGivenUpIsCutOffAndToldOnce) {
  Kept inner;
  FencedTransport fenced(inner);
  Told told;
  fenced.send({.path = "/a"}, told.done());
  fenced.send({.path = "/b"}, told.done());
  inner.answer(1, "");
  fenced.give_up();
  EXPECT_TRUE(inner.open.empty()) << "cut off";
  EXPECT_EQ(told.answers.size(), 1U) << "never from inside the call";
  inner.run_once({});
  ASSERT_EQ(told.answers.size(), 2U);
  ASSERT_FALSE(told.answers[1]);
  EXPECT_EQ(told.answers[1].error().code, Code::Unavailable);
  EXPECT_THAT(told.answers[1].error().message, HasSubstr("it may be done or not"));
  fenced.send({.path = "/c"}, told.done());
  inner.answer(3, "later");
  EXPECT_EQ(told.answers.at(2)->body, "later");
}

// The second step of a write: another write, or an event, may have been begun meanwhile.
TEST(FencedTransport, WhatIsSentFromAnAnswerEndsWithWhatWasAnswered) {
  Kept inner;
  FencedTransport fenced(inner);
  const Clock::time_point own{std::chrono::hours(2)};
  fenced.end_by(own);
  fenced.send({.path = "/a"}, [&](const Result<Response>&) { fenced.send({.path = "/b"}, {}); });
  fenced.end_by({});
  inner.answer(1, "");
  ASSERT_TRUE(inner.requests.contains(2));
  EXPECT_EQ(inner.requests.at(2).not_after, own);
  fenced.send({.path = "/c"}, {});
  EXPECT_EQ(inner.requests.at(3).not_after, Clock::time_point{}) << "as it was set last";
}

}  // namespace
}  // namespace elbowroom::api
