#include "api/watch/list_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;

// One action in a few letters; waits and watch lengths are checked elsewhere.
std::string shown(const ListWatchAction& action) {
  if (const auto* page = std::get_if<FetchPage>(&action)) {
    return "list(rv=" + page->resource_version + " limit=" + std::to_string(page->limit) +
           (page->continue_token.empty() ? "" : " continue=" + page->continue_token) +
           (page->is_first ? "" : " more") + ")";
  }
  if (const auto* watch = std::get_if<OpenWatch>(&action)) {
    return "watch(" + watch->resource_version + ")";
  }
  if (std::get_if<Wait>(&action) != nullptr) return "wait";
  if (std::get_if<DeliverList>(&action) != nullptr) return "replaced";
  if (std::get_if<DeliverUpsert>(&action) != nullptr) return "upserted";
  if (std::get_if<DeliverRemoval>(&action) != nullptr) return "removed";
  if (std::get_if<ReportFresh>(&action) != nullptr) return "fresh";
  return "stale";
}

ListWatchFailure failed(FailureKind kind) { return {kind, {Code::Unavailable, "x", {}}}; }

class ListWatchTest : public testing::Test {
 protected:
  std::string after(const ListWatchInput& input, Clock::duration later = 5s) {
    now_ += later;
    std::string out;
    for (const auto& action : machine_.handle(input, now_)) {
      if (const auto* wait = std::get_if<Wait>(&action)) wait_ = wait->delay;
      if (const auto* watch = std::get_if<OpenWatch>(&action)) watch_ = watch->timeout;
      out += (out.empty() ? "" : " ") + shown(action);
    }
    return out;
  }
  std::string page(std::string version, std::string more = {}) {
    return after(PageArrived{std::move(version), std::move(more), false});
  }
  std::string list_fails(FailureKind kind) { return after(ListFailed{failed(kind)}); }
  std::string watch_fails(FailureKind kind) { return after(WatchFailed{failed(kind)}); }
  std::string event(EventType type, std::string version) {
    return after(EventArrived{type, std::move(version), true, {}});
  }
  std::string error_event(FailureKind kind) {
    return after(EventArrived{EventType::Error, "", true, failed(kind)});
  }
  void sync(const std::string& version) {
    after(Begin{});
    page(version);
    after(WatchOpened{});
  }

  Clock::time_point now_{1h};
  ListWatch machine_{ListWatchOptions{}};
  std::chrono::milliseconds wait_{0};
  std::chrono::seconds watch_{0};
};

TEST_F(ListWatchTest, ListsThenWatchesFromTheListsVersion) {
  EXPECT_EQ(after(Begin{}), "list(rv=0 limit=500)");
  EXPECT_FALSE(machine_.is_synced());
  EXPECT_EQ(page("100"), "replaced watch(100)");
  EXPECT_TRUE(machine_.is_synced());
  EXPECT_GE(watch_, 300s);
  EXPECT_LE(watch_, 600s);
  EXPECT_EQ(after(WatchOpened{}), "");
  EXPECT_EQ(event(EventType::Added, "101"), "upserted");
  EXPECT_EQ(event(EventType::Modified, "102"), "upserted");
  EXPECT_EQ(event(EventType::Deleted, "103"), "removed");
  EXPECT_EQ(event(EventType::Bookmark, "200"), "");
  EXPECT_EQ(after(WatchEnded{}), "watch(200)");
}

TEST_F(ListWatchTest, FollowsPagesWithoutAVersionAndKeepsThatOfTheFirst) {
  after(Begin{});
  EXPECT_EQ(page("100", "c1"), "list(rv= limit=500 continue=c1 more)");
  EXPECT_EQ(page("101", "c2"), "list(rv= limit=500 continue=c2 more)");
  EXPECT_EQ(page("102"), "replaced watch(100)");
}

TEST_F(ListWatchTest, PagesHoldFewerObjectsWhereTheseAreLarge) {
  constexpr std::size_t kMib = std::size_t{1} << 20;
  const auto sized = [&](std::size_t bytes, std::size_t items) {
    return after(PageArrived{"100", "c", false, bytes, items});
  };
  after(Begin{});
  EXPECT_EQ(sized(500 * kMib, 500), "list(rv= limit=16 continue=c more)");
  EXPECT_EQ(sized(160 * kMib, 16), "list(rv= limit=10 continue=c more)") << "not less";
  EXPECT_EQ(sized(kMib, 10), "list(rv= limit=160 continue=c more)");
  EXPECT_EQ(sized(0, 0), "list(rv= limit=160 continue=c more)");
  EXPECT_EQ(sized(kMib, 1000), "list(rv= limit=500 continue=c more)");
}

TEST_F(ListWatchTest, APageThatWasCutOffIsAskedForInSmallerParts) {
  after(Begin{});
  EXPECT_EQ(after(ListFailed{failed(FailureKind::Unreachable), std::size_t{100} << 20}),
            "stale wait");
  EXPECT_EQ(after(WaitOver{}), "list(rv=0 limit=125)");
  EXPECT_EQ(after(ListFailed{failed(FailureKind::Unreachable), 100}), "stale wait");
  EXPECT_EQ(after(WaitOver{}), "list(rv=0 limit=125)");
}

TEST_F(ListWatchTest, APageThatExpiredStartsOverWithoutPages) {
  after(Begin{});
  page("100", "c1");
  EXPECT_EQ(list_fails(FailureKind::Expired), "list(rv=0 limit=0)");
  EXPECT_EQ(page("105"), "replaced watch(105)");
}

TEST_F(ListWatchTest, AnExpiredVersionIsListedAgainAsMostRecentAtOnceAndOnce) {
  for (const FailureKind kind : {FailureKind::Expired, FailureKind::TooLarge}) {
    machine_ = ListWatch(ListWatchOptions{});
    sync("100");
    EXPECT_EQ(error_event(FailureKind::Expired), "list(rv=100 limit=0)");
    EXPECT_EQ(list_fails(kind), "list(rv= limit=500)");
    EXPECT_EQ(list_fails(kind), "stale wait");
    EXPECT_EQ(after(WaitOver{}), "list(rv= limit=500)");
    EXPECT_EQ(page("300"), "replaced watch(300)");
    EXPECT_EQ(error_event(FailureKind::Other), "stale wait");
    EXPECT_EQ(after(WaitOver{}), "list(rv=300 limit=0)") << "available again";
  }
}

TEST_F(ListWatchTest, TwoHundredThenAnErrorEventIsTheNormalFormOf410) {
  sync("100");
  EXPECT_EQ(error_event(FailureKind::Expired), "list(rv=100 limit=0)");
  EXPECT_EQ(page("150"), "replaced watch(150)");
  EXPECT_EQ(error_event(FailureKind::Expired), "stale wait") << "at once only once";
  EXPECT_EQ(after(WaitOver{}), "list(rv=150 limit=0)");
}

TEST_F(ListWatchTest, AStartRefusedWith410ListsAtOnce) {
  sync("100");
  after(WatchEnded{});
  EXPECT_EQ(watch_fails(FailureKind::Expired), "list(rv=100 limit=0)");
}

TEST_F(ListWatchTest, A410InTheMiddleOfAWatchListsAtOnceEvenAfterAnEarlierOne) {
  sync("100");
  error_event(FailureKind::Expired);
  page("150");
  event(EventType::Modified, "160");
  EXPECT_EQ(error_event(FailureKind::Expired), "list(rv=160 limit=0)");
}

TEST_F(ListWatchTest, ABusyOrUnreachableServerIsWatchedAgainNotListed) {
  sync("100");
  EXPECT_EQ(error_event(FailureKind::Busy), "stale wait");
  EXPECT_EQ(after(WaitOver{}), "watch(100)");
  EXPECT_EQ(watch_fails(FailureKind::Unreachable), "stale wait");
  EXPECT_EQ(after(WaitOver{}), "watch(100)");
  EXPECT_EQ(after(WatchOpened{}), "fresh");
  EXPECT_EQ(after(WatchOpened{}), "");
}

TEST_F(ListWatchTest, AServersWishToWaitIsHeardUpToAMinute) {
  sync("100");
  auto busy = failed(FailureKind::Busy);
  busy.error.retry_after = 20s;
  after(WatchFailed{busy});
  EXPECT_EQ(wait_, 20s);
  after(WaitOver{});
  busy.error.retry_after = 3h;
  after(WatchFailed{busy});
  EXPECT_EQ(wait_, 60s);
}

TEST_F(ListWatchTest, AVeryShortEmptyWatchLeavesTheLoopAndSlowsDown) {
  sync("100");
  std::chrono::milliseconds last = 0ms;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(after(WatchEnded{}, i == 0 ? 5s : 100ms), i == 0 ? "watch(100)" : "stale wait");
    if (i == 0) continue;
    EXPECT_EQ(after(WaitOver{}, wait_), "list(rv=100 limit=0)");
    EXPECT_EQ(after(PageArrived{"100", "", false}, 1ms), "replaced watch(100)");
    EXPECT_GE(wait_ * 2, last);
    last = wait_;
  }
  EXPECT_GE(wait_, 30s);
  EXPECT_LE(wait_, 60s);
}

TEST_F(ListWatchTest, WatchesThatEndAtOnceWithEventsSlowDownToo) {
  sync("100");
  after(WatchEnded{});
  std::string last;
  for (int i = 0; i < 4; ++i) {
    after(EventArrived{EventType::Modified, "10" + std::to_string(i), true, {}}, 1ms);
    last = after(WatchEnded{}, 1ms);
  }
  EXPECT_EQ(last, "stale wait");
  EXPECT_EQ(after(WaitOver{}), "watch(103)");
}

// kube-apiserver does so to a client that does not keep up with a burst.
TEST_F(ListWatchTest, WatchesThatBringMuchGoOnHoweverSoonTheyEnd) {
  sync("100");
  after(WatchEnded{});
  int version = 100;
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 10; ++j) {
      after(EventArrived{EventType::Modified, std::to_string(++version), true, {}}, 1ms);
    }
    EXPECT_EQ(after(WatchEnded{}, 1ms), "watch(" + std::to_string(version) + ")");
  }
}

TEST_F(ListWatchTest, WatchesThatBringTheSameOverAndOverSlowDown) {
  sync("100");
  after(WatchEnded{});
  std::string last;
  for (int i = 0; i < 6; ++i) {
    for (int version = 101; version <= 110; ++version) {
      after(EventArrived{EventType::Modified, std::to_string(version), true, {}}, 1ms);
    }
    last = after(WatchEnded{}, 1ms);
    if (last == "stale wait") break;
  }
  EXPECT_EQ(last, "stale wait");
}

TEST_F(ListWatchTest, WhatMakesNoSenseIsNeverApplied) {
  sync("100");
  EXPECT_EQ(after(EventArrived{EventType::Added, "101", false, {}}), "") << "another kind";
  EXPECT_EQ(event(EventType::Unknown, "101"), "");
  EXPECT_EQ(machine_.resource_version(), "100");
  EXPECT_EQ(event(EventType::Modified, ""), "stale wait") << "no version";
  EXPECT_EQ(after(WaitOver{}), "list(rv=100 limit=0)");
  EXPECT_EQ(after(PageArrived{"", "", false}), "stale wait");
  after(WaitOver{});
  EXPECT_EQ(after(PageArrived{"101", "", true}), "stale wait") << "one shard only";
  after(WaitOver{});
  EXPECT_EQ(after(PageArrived{std::string(257, '1'), "", false}), "stale wait");
}

TEST_F(ListWatchTest, AListWithoutEndIsGivenUp) {
  after(Begin{});
  std::string last;
  for (int i = 0; i < 10'001 && last != "stale wait"; ++i) last = page("100", "c");
  EXPECT_EQ(last, "stale wait");
}

TEST_F(ListWatchTest, WhatComesTooLateChangesNothing) {
  sync("100");
  EXPECT_EQ(page("7"), "");
  EXPECT_EQ(list_fails(FailureKind::Other), "");
  EXPECT_EQ(after(WaitOver{}), "");
  watch_fails(FailureKind::Other);
  EXPECT_EQ(event(EventType::Added, "101"), "");
  EXPECT_EQ(after(WatchEnded{}), "");
}

TEST(ListWatchFailure, SaysWhichKindAStatusIs) {
  const auto kind = [](const Status& status) { return failure_from(status).kind; };
  EXPECT_EQ(kind({.code = 410, .reason = "Expired"}), FailureKind::Expired);
  EXPECT_EQ(kind({.code = 410, .reason = "Gone"}), FailureKind::Expired);
  EXPECT_EQ(kind({.code = 429, .reason = "TooManyRequests"}), FailureKind::Busy);
  EXPECT_EQ(kind({.code = 504, .reason = "Timeout"}), FailureKind::Other);
  EXPECT_EQ(
      kind({.code = 504, .reason = "Timeout", .causes = {{"ResourceVersionTooLarge", "", ""}}}),
      FailureKind::TooLarge);
}

}  // namespace
}  // namespace elbowroom::api
