#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/codec/json.h"
#include "api/write/event_correlator.h"
#include "api/write/event_recorder.h"
#include "loopback.h"

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

EventNote note(const std::string& pod, const std::string& text) {
  EventNote out;
  out.regarding.ref = {"prod", pod, "u-" + pod};
  out.reason = "ResizeDeferred";
  out.action = "Resizing";
  out.severity = EventSeverity::Warning;
  out.note = text;
  return out;
}

class EventFoldTest : public testing::Test {
 protected:
  std::vector<EventWrite> record(const EventNote& what) {
    auto write = fold_.record(
        what,
        policy::Time(std::chrono::duration_cast<policy::Time::duration>(now_.time_since_epoch())),
        now_);
    std::vector<EventWrite> writes;
    if (write) writes.push_back(*std::move(write));
    return writes;
  }

  Clock::time_point now_{1'000'000s};
  EventCorrelator fold_{{.controller = "elbowroom.dev/agent", .instance = "n1"}};
};

TEST_F(EventFoldTest, WhatAnObjectIsToldOnceHasTheSameNameInEveryProcess) {
  EventNote preempted = note("web", "preempted by pod u-1");
  preempted.reason = "Preempted";
  preempted.once = true;
  const auto first = record(preempted);
  ASSERT_EQ(first.size(), 1U);
  EventCorrelator another({.controller = "elbowroom.dev/agent", .instance = "n2"});
  preempted.note = "in other words";
  const auto second = another.record(preempted, policy::Time(std::chrono::hours(1)), now_ + 1h);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->method, Method::Post);
  EXPECT_EQ(second->name, first[0].name);
  EXPECT_TRUE(first[0].name.starts_with("web."));
  preempted.regarding.ref.uid = "u-of-its-successor";
  EXPECT_NE(another.record(preempted, {}, now_ + 2h)->name, first[0].name);
}

TEST_F(EventFoldTest, AnEventHasTheLabelOfItsAuthor) {
  EXPECT_THAT(record(note("web", "x")).at(0).body, testing::Not(HasSubstr("labels")));
  EventCorrelator labelled({.label = "elbowroom.dev/by-agent"});
  const auto write = labelled.record(note("web", "x"), {}, now_);
  ASSERT_TRUE(write);
  EXPECT_THAT(write->body, HasSubstr(R"("labels":{"elbowroom.dev/by-agent":"true"})"));
}

TEST_F(EventFoldTest, MoreThanTenThatDifferInTheirNoteAreToldAsOne) {
  for (int i = 0; i < 10; ++i) {
    const auto writes = record(note("web", "usage " + std::to_string(i)));
    ASSERT_EQ(writes.size(), 1U);
    EXPECT_EQ(writes[0].method, Method::Post);
  }
  const auto combined = record(note("web", "usage 10"));
  ASSERT_EQ(combined.size(), 1U);
  EXPECT_THAT(combined[0].body, HasSubstr("\"note\":\"(combined from similar events): usage 10\""));
  EXPECT_EQ(record(note("web", "usage 11")).at(0).method, Method::Patch) << "a series";
  EXPECT_TRUE(record(note("web", "usage 12")).empty()) << "counted only";
  EXPECT_THAT(record(note("other", "usage 13")).at(0).body, HasSubstr("\"note\":\"usage 13\""));
  now_ += 601s;
  EXPECT_THAT(record(note("web", "usage 14")).at(0).body, HasSubstr("\"note\":\"usage 14\""));
}

TEST_F(EventFoldTest, ANoteIsOnePrintableLine) {
  EXPECT_THAT(record(note("web", "a\x1b[31m\nb\xff")).at(0).body,
              HasSubstr(R"("note":"a\\x1b[31m\\x0ab\\xff")"));
}

TEST_F(EventFoldTest, TheFirstOccurrenceIsAnEvent) {
  EventNote what = note("web", "no room");
  what.related = EventObject{"v1", "Node", {"", "n1", "u-n1"}};
  const auto writes = record(what);
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_EQ(writes[0].method, Method::Post);
  EXPECT_EQ(writes[0].ns, "prod");
  EXPECT_EQ(writes[0].name, "web.38d7ea4c68000");
  EXPECT_EQ(writes[0].body,
            R"({"apiVersion":"events.k8s.io/v1","kind":"Event",)"
            R"("metadata":{"name":"web.38d7ea4c68000","namespace":"prod"},)"
            R"("eventTime":"1970-01-12T13:46:40.000000Z",)"
            R"("reportingController":"elbowroom.dev/agent","reportingInstance":"n1",)"
            R"("action":"Resizing","reason":"ResizeDeferred","type":"Warning",)"
            R"("regarding":{"apiVersion":"v1","kind":"Pod","name":"web","namespace":"prod",)"
            R"("uid":"u-web"},"note":"no room",)"
            R"("related":{"apiVersion":"v1","kind":"Node","name":"n1","uid":"u-n1"}})");
}

TEST_F(EventFoldTest, RepetitionsBecomeOneSeries) {
  const std::string name = record(note("web", "no room"))[0].name;
  now_ += 10s;
  const auto second = record(note("web", "no room"));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].method, Method::Patch);
  EXPECT_EQ(second[0].name, name);
  EXPECT_EQ(second[0].body,
            R"({"series":{"count":2,"lastObservedTime":"1970-01-12T13:46:50.000000Z"}})");
  EXPECT_THAT(second[0].creation, HasSubstr(R"("count":2)"));
  EXPECT_TRUE(record(note("web", "no room")).empty());
  EXPECT_TRUE(fold_.sweep(now_).empty());
  now_ += 6min;
  const auto last = fold_.sweep(now_);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_THAT(last[0].body, HasSubstr(R"("count":3)"));
  EXPECT_EQ(fold_.kept(), 0U);
  EXPECT_EQ(record(note("web", "no room"))[0].method, Method::Post) << "a new event by now";
}

TEST_F(EventFoldTest, ASeriesThatGoesOnIsRefreshed) {
  record(note("web", "x"));
  record(note("web", "x"));
  int writes = 0;
  for (int minute = 0; minute < 61; ++minute) {
    now_ += 1min;
    EXPECT_TRUE(record(note("web", "x")).empty());
    writes += static_cast<int>(fold_.sweep(now_).size());
  }
  EXPECT_EQ(writes, 2);
}

TEST_F(EventFoldTest, ASingleOneIsForgottenWithoutAnotherWrite) {
  record(note("web", "x"));
  now_ += 6min;
  EXPECT_TRUE(fold_.sweep(now_).empty());
  EXPECT_EQ(fold_.kept(), 0U);
}

TEST_F(EventFoldTest, OneObjectIsToldOfSoOftenButForRemovals) {
  const auto nth = [](int i) {
    EventNote what = note("web", "x");
    what.reason += std::to_string(i);  // events that differ in their note alone would be merged
    return what;
  };
  for (int i = 0; i < 25; ++i) {
    EXPECT_EQ(fold_.wait(nth(i), now_), 0s) << i;
    EXPECT_EQ(record(nth(i)).size(), 1U);
  }
  EXPECT_EQ(fold_.wait(nth(25), now_), 300s);
  EXPECT_EQ(fold_.wait(nth(25), now_ + 299s), 1s);
  EXPECT_EQ(fold_.wait(nth(3), now_), 0s) << "which is only counted";
  EXPECT_EQ(fold_.wait(note("other", "x"), now_), 0s);
  EventNote removal = nth(26);
  removal.rank = EventRank::Removal;
  EXPECT_EQ(fold_.wait(removal, now_), 0s);
}

TEST_F(EventFoldTest, OccurrencesThatWaitedAreCountedTogether) {
  const auto write = fold_.record(note("web", "no room"), {}, now_, 3);
  ASSERT_TRUE(write);
  EXPECT_EQ(write->method, Method::Post);
  EXPECT_THAT(write->body, HasSubstr(R"("count":3)"));
  EXPECT_FALSE(fold_.record(note("web", "no room"), {}, now_, 2)) << "counted only";
}

TEST_F(EventFoldTest, WhatIsKeptIsBounded) {
  fold_ = EventCorrelator({.max_kept = 10});
  for (int i = 0; i < 100; ++i) {
    now_ += 1s;
    record(note("pod" + std::to_string(i), "x"));
  }
  EXPECT_EQ(fold_.kept(), 10U);
  EXPECT_EQ(record(note("pod99", "x"))[0].method, Method::Patch) << "the oldest went";
}

TEST_F(EventFoldTest, TextsKeepTheApisLimits) {
  EventNote what = note(std::string(300, 'p'), std::string(1023, 'n') + "é");
  what.reason = std::string(200, 'r');
  const auto writes = record(what);
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_EQ(writes[0].name.size(), 253U);
  const auto event = parse_json(writes[0].body);
  ASSERT_TRUE(event);
  EXPECT_EQ(text_at(*event, "note"), std::string(1023, 'n')) << "no half character";
  EXPECT_EQ(text_at(*event, "reason").size(), 128U);
}

TEST_F(EventFoldTest, NamesDifferWithinOneMoment) {
  EXPECT_NE(record(note("web", "a"))[0].name, record(note("web", "b"))[0].name);
}

// --- The recorder, against a server that answers from a list of status codes ---

struct Sent {
  std::vector<std::string> requests{};
  std::uint64_t dropped = 0;
  std::uint64_t superseded = 0;
};

Sent record_all(std::vector<int> answers, const std::vector<EventNote>& notes, std::size_t requests,
                EventRecorderOptions options = {}) {
  Sent sent;
  const auto answer = [&](const httplib::Request& in, httplib::Response& out) {
    const auto event = parse_json(in.body);
    sent.requests.push_back(in.method + " " + std::string(text_at(*event, "note")));
    out.status = answers.empty() ? 201 : answers.front();
    if (!answers.empty()) answers.erase(answers.begin());
  };
  const Loopback server([&](httplib::Server& http) {
    http.Post("/apis/events.k8s.io/v1/namespaces/prod/events", answer);
    http.Patch(R"(/apis/events.k8s.io/v1/namespaces/prod/events/[a-z0-9.]+)", answer);
  });
  options.retry = {1ms, 2ms, 1h};
  CurlTransport transport(server.access(), {.events = {1ms, 1000}});
  EventRecorder recorder(transport, options);
  for (const EventNote& what : notes) recorder.record(what);
  EXPECT_TRUE(run_until(
      transport, [&] { return recorder.queued() == 0 && sent.requests.size() >= requests; }));
  sent.dropped = recorder.dropped();
  sent.superseded = recorder.superseded();
  return sent;
}

// The first is in flight when the others come.
TEST(EventRecorder, SendsTheNewestOfAnObjectAndReasonAndCountsRepetitions) {
  const Sent sent =
      record_all({}, {note("a", "1"), note("a", "2"), note("a", "1"), note("a", "1")}, 2);
  EXPECT_THAT(sent.requests, ElementsAre("POST 1", "PATCH "));
  EXPECT_EQ(sent.superseded, 1U);
}

TEST(EventRecorder, TriesAgainWhileTheServerIsAway) {
  const Sent sent = record_all({503, 429, 201}, {note("a", "1")}, 3);
  EXPECT_THAT(sent.requests, ElementsAre("POST 1", "POST 1", "POST 1"));
  EXPECT_EQ(sent.dropped, 0U);
}

TEST(EventRecorder, GivesUpAfterSomeTriesAndOnRefusals) {
  EventRecorderOptions options;
  options.max_tries = 3;
  const Sent away = record_all({503, 429, 503, 503, 201}, {note("a", "1")}, 5, options);
  EXPECT_EQ(away.dropped, 0U) << "that is not because of it";
  const Sent tried = record_all({500, 500, 500}, {note("a", "1"), note("a", "2")}, 4, options);
  EXPECT_THAT(tried.requests, ElementsAre("POST 1", "POST 1", "POST 1", "POST 2"));
  EXPECT_EQ(tried.dropped, 1U);
  const Sent refused = record_all({403, 422}, {note("a", "1"), note("a", "2")}, 2);
  EXPECT_EQ(refused.dropped, 2U);
}

TEST(EventRecorder, AnEventTheServerForgotIsToldAgainAndATakenNameIsOurOwn) {
  const Sent sent = record_all({409, 404}, {note("a", "1"), note("a", "1")}, 3);
  EXPECT_THAT(sent.requests, ElementsAre("POST 1", "PATCH ", "POST 1"));
  EXPECT_EQ(sent.dropped, 0U);
}

TEST(EventRecorder, AFullQueueDrops) {
  EventRecorderOptions options;
  options.at_once = 1;
  options.queue.max_events = 2;
  const Sent sent =
      record_all({}, {note("a", "1"), note("b", "2"), note("c", "3"), note("d", "4")}, 3, options);
  EXPECT_THAT(sent.requests, ElementsAre("POST 1", "POST 2", "POST 3"));
  EXPECT_EQ(sent.dropped, 1U);
}

}  // namespace
}  // namespace elbowroom::api
