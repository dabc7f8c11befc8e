// How a watch ends on a server that sends nothing any more, on its own clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "api/codec/protobuf_object.h"
#include "api/watch/watch_loop.h"

namespace elbowroom::api {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

// One server: lists are answered at once, watches as the test says.
class ByHand final : public Transport {
 public:
  void send(Request, Done) override { ADD_FAILURE() << "nobody sends"; }
  Ticket stream(Request request, StreamCallbacks callbacks) override {
    open_ = std::move(callbacks);
    is_watch_ = request.query.front().first == "watch";
    accepted_ = request.accept;
    watches_ += is_watch_ ? 1 : 0;
    if (!is_watch_) due_.emplace(now_, std::pair{0, [this] { list(); }});
    return Ticket([this, number = ++streams_] {
      if (number == streams_) open_ = {};
    });
  }
  Ticket after(Clock::duration delay, std::move_only_function<void()> f) override {
    const int number = ++timers_;
    due_.emplace(now_ + delay, std::pair{number, std::move(f)});
    return Ticket([this, number] {
      std::erase_if(due_, [&](const auto& entry) { return entry.second.first == number; });
    });
  }
  void post(std::move_only_function<void()>) override {}
  void run_once(Clock::duration) override {}
  [[nodiscard]] Clock::time_point now() const override { return now_; }
  [[nodiscard]] policy::Time wall() const override { return {}; }

  void pass(Clock::duration time) {
    const Clock::time_point until = now_ + time;
    while (!due_.empty() && due_.begin()->first <= until) {
      auto next = due_.extract(due_.begin());
      now_ = std::max(now_, next.key());
      next.mapped().second();
    }
    now_ = until;
  }
  void open() { open_.opened({.status = 200}); }
  void send_nonsense_in_protobuf() {
    Response head{.status = 200};
    head.content_type = kProtobuf;
    open_.opened(head);
    open_.chunk("\x7f\xff\xff\xff");
  }
  [[nodiscard]] const std::string& accepted() const { return accepted_; }
  void bookmark() {
    open_.chunk(
        "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":"
        "\"7\"}}}\n");
  }
  void end() {
    auto done = std::move(open_.done);
    done(Response{.status = 200});
  }
  [[nodiscard]] int watches() const { return watches_; }

 private:
  void list() {
    auto done = std::move(open_.done);
    auto chunk = std::move(open_.chunk);
    chunk(R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[]})");
    done(Response{.status = 200});
  }

  Clock::time_point now_{1h};
  std::multimap<Clock::time_point, std::pair<int, std::move_only_function<void()>>> due_;
  StreamCallbacks open_;
  bool is_watch_ = false;
  std::string accepted_{};  // by the last request
  int watches_ = 0;
  int streams_ = 0;
  int timers_ = 0;
};

class WatchSilence : public testing::Test {
 protected:
  WatchSilence() {
    loop_.start();
    server_.pass(0s);
    EXPECT_EQ(server_.watches(), 1);
  }
  bool is_stale() const { return loop_.freshness().is_stale; }
  // The server opens each watch, and sends nothing.
  void pass_in_silence(int seconds) {
    for (int second = 0; second < seconds; ++second) {
      const int before = server_.watches();
      server_.pass(1s);
      if (server_.watches() != before) server_.open();
    }
  }

  ByHand server_;
  std::string why_{};
  WatchLoop loop_{server_,
                  {"/api/v1/pods", "Pod", "", ""},
                  {},
                  {.stale = [this](const Error& error) { why_ = error.message; }}};
};

TEST_F(WatchSilence, AfterABookmarkAHungServerIsReportedAfter150Seconds) {
  server_.open();
  server_.pass(60s);
  server_.bookmark();
  server_.pass(75s);
  EXPECT_EQ(server_.watches(), 2);
  server_.open();
  server_.pass(74s);
  EXPECT_FALSE(is_stale());
  server_.pass(1s);
  EXPECT_TRUE(is_stale()) << "a hung server's silence is no normal end";
  EXPECT_THAT(why_, HasSubstr("nothing came for 150000 ms"));
}

// API servers skip a bookmark now and then.
TEST_F(WatchSilence, ASkippedBookmarkIsNoFailure) {
  server_.open();
  server_.bookmark();
  for (int gap = 0; gap < 4; ++gap) {
    server_.pass(75s);
    server_.open();
    server_.pass(45s);
    EXPECT_FALSE(is_stale());
    server_.bookmark();
  }
  EXPECT_EQ(loop_.freshness().failures, 0U);
}

// A connection that is dead hides what happens.
TEST_F(WatchSilence, ASilentWatchIsOpenedAgainAfter75Seconds) {
  server_.open();
  server_.bookmark();
  server_.pass(74s);
  EXPECT_EQ(server_.watches(), 1);
  server_.pass(1s);
  EXPECT_EQ(server_.watches(), 2);
  EXPECT_FALSE(is_stale());
  server_.open();
  server_.bookmark();
  server_.pass(74s);
  EXPECT_EQ(server_.watches(), 2) << "the bookmark ended the silence";
}

// It answers, so it does not hang.
TEST_F(WatchSilence, AServerThatEndsASilentWatchGetsTheWholeTimeAgain) {
  server_.open();
  server_.bookmark();
  pass_in_silence(140);
  server_.end();
  server_.pass(0s);
  server_.open();
  pass_in_silence(140);
  EXPECT_FALSE(is_stale());
}

TEST_F(WatchSilence, BookmarksKeepAWatchForItsWholeLife) {
  server_.open();
  for (int minute = 0; minute < 9; ++minute) {
    server_.pass(62s);
    server_.bookmark();
  }
  EXPECT_EQ(server_.watches(), 1);
  EXPECT_EQ(loop_.freshness().failures, 0U);
}

TEST_F(WatchSilence, WhereNoBookmarkWasSeenItMayBeSilentForThreeMinutes) {
  server_.open();
  for (int renewal = 1; renewal <= 2; ++renewal) {
    server_.pass(75s);
    EXPECT_EQ(server_.watches(), 1 + renewal);
    server_.open();
  }
  server_.pass(29s);
  EXPECT_FALSE(is_stale());
  server_.pass(1s);
  EXPECT_TRUE(is_stale());
}

TEST_F(WatchSilence, AWatchThatDoesNotBeginIsToldAfter30Seconds) {
  server_.pass(29s);
  EXPECT_FALSE(is_stale());
  server_.pass(1s);
  EXPECT_TRUE(is_stale());
  // Each later one has 30 s as well, and the first that opens is followed again.
  server_.pass(5min);
  EXPECT_GE(server_.watches(), 5);
  while (server_.watches() < 20) server_.pass(1s);
  server_.open();
  EXPECT_FALSE(is_stale());
}

// An error of one object does not count against the encoding for ever.
TEST(WatchEncoding, ProtobufIsTriedAgainAnHourAfterItMadeNoSense) {
  ByHand server;
  WatchLoop loop(server, {.path = "/api/v1/pods", .kind = "Pod", .by_protobuf = true}, {}, {});
  loop.start();
  server.pass(0s);
  EXPECT_EQ(server.accepted(), kReadsProtobuf);
  server.send_nonsense_in_protobuf();
  server.pass(50min);
  EXPECT_EQ(server.accepted(), Request{}.accept);
  server.pass(11min);
  EXPECT_EQ(server.accepted(), kReadsProtobuf);
}

TEST_F(WatchSilence, AServerWhoseBookmarksStoppedGetsTheLongerTimeAgain) {
  server_.open();
  server_.bookmark();
  pass_in_silence(149);
  EXPECT_FALSE(is_stale());
  pass_in_silence(1);
  EXPECT_TRUE(is_stale());
  while (is_stale()) pass_in_silence(1);
  pass_in_silence(178);
  EXPECT_FALSE(is_stale());
  pass_in_silence(2);
  EXPECT_TRUE(is_stale());
}

}  // namespace
}  // namespace elbowroom::api
