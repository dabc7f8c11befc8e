#include "api/watch/watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "loopback.h"

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// Answers every list and every watch with the next text of its script; then lists fail with 503 and
// watches stay silent.
class Script {
 public:
  struct Reply {
    int status = 200;
    std::string body{};
  };

  Script(std::vector<Reply> lists, std::vector<Reply> watches)
      : lists_(std::move(lists)), watches_(std::move(watches)) {}
  ~Script() { release(); }

  void serve(httplib::Server& http) {
    http.Get("/api/v1/pods", [this](const httplib::Request& in, httplib::Response& out) {
      const bool is_watch = in.has_param("watch");
      const std::lock_guard lock(mutex_);
      asked_.push_back((is_watch ? "watch " : "list ") + in.get_param_value("resourceVersion") +
                       (in.has_param("limit") ? " limit" : "") +
                       (in.has_param("continue") ? " " + in.get_param_value("continue") : "") +
                       (in.get_param_value("fieldSelector") == "spec.nodeName=n 1" ? "" : "?"));
      auto& script = is_watch ? watches_ : lists_;
      if (script.empty() && is_watch) return stay_silent(out);
      Reply reply{503, ""};
      if (!script.empty()) {
        reply = script.front();
        script.erase(script.begin());
      }
      out.status = reply.status;
      out.set_content(reply.body, "application/json");
    });
  }
  // Lets silent watches end.
  void release() {
    released_ = true;
    released_.notify_all();
  }
  std::vector<std::string> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  void stay_silent(httplib::Response& out) {
    out.set_chunked_content_provider("application/json",
                                     [this](std::size_t, httplib::DataSink& sink) {
                                       released_.wait(false);
                                       sink.done();
                                       return true;
                                     });
  }

  std::mutex mutex_;
  std::vector<Reply> lists_;
  std::vector<Reply> watches_;
  std::vector<std::string> asked_;
  std::atomic<bool> released_ = false;
};

std::string pod(const std::string& name, const std::string& version) {
  return R"({"kind":"Pod","metadata":{"name":")" + name + R"(","namespace":"ns","uid":"u-)" + name +
         R"(","resourceVersion":")" + version + R"("}})";
}
std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
std::string list(const std::string& version, const std::string& items,
                 const std::string& more = {}) {
  return R"({"kind":"PodList","items":[)" + items + R"(],"metadata":{"resourceVersion":")" +
         version + R"(","continue":")" + more + R"("}})";
}
std::string status(int code, const std::string& reason) {
  return R"({"kind":"Status","status":"Failure","code":)" + std::to_string(code) +
         R"(,"reason":")" + reason + R"(","message":"because"})";
}

std::string shown(const WatchReport<std::string>& news) {
  if (const auto* all = std::get_if<Replaced<std::string>>(&news)) {
    std::string out = "all:";
    for (const std::string& name : all->objects) out += " " + name;
    for (const Malformed& bad : all->malformed) out += " !" + to_string(bad.ref);
    return out;
  }
  if (const auto* one = std::get_if<Upserted<std::string>>(&news)) return "+" + one->object;
  if (const auto* gone = std::get_if<Removed>(&news)) return "-" + to_string(gone->ref);
  if (const auto* bad = std::get_if<Malformed>(&news)) return "!" + to_string(bad->ref);
  if (const auto* stale = std::get_if<Stale>(&news)) return "stale: " + stale->error.message;
  return "fresh";
}

struct Told {
  std::vector<std::string> news{};
  std::vector<std::string> asked{};
  Freshness freshness{};
};

// What a watcher reports and asks until it has asked `requests` times and reported `news` times.
Told watch(std::vector<Script::Reply> lists, std::vector<Script::Reply> watches,
           std::size_t requests, std::size_t news, WatchBounds<std::string> bounds = {}) {
  Script script(std::move(lists), std::move(watches));
  const Loopback server([&](httplib::Server& http) { script.serve(http); });
  Told told;
  {
    CurlTransport transport(server.access(), {.calls = {1ms, 100}});
    ListWatchOptions options;
    options.backoff = {1ms, 4ms, 1h};
    Watcher<std::string> watcher(
        transport, {"/api/v1/pods", "Pod", "spec.nodeName=n 1", ""}, options,
        [](const Value& value) -> Result<std::string> {
          const ObjectRef ref = ref_of(value);
          if (ref.name == "bad") return failure(Code::Invalid, "bad");
          return ref.name;
        },
        [&](const WatchReport<std::string>& came) { told.news.push_back(shown(came)); },
        std::move(bounds));
    watcher.start();
    EXPECT_TRUE(run_until(
        transport, [&] { return told.news.size() >= news && script.asked().size() >= requests; }));
    told.freshness = watcher.freshness();
  }
  script.release();
  told.asked = script.asked();
  return told;
}

TEST(Watcher, ListsInPagesAndWatches) {
  const Told told = watch({{200, list("10", pod("a", "3") + ", " + pod("b", "4"), "more")},
                           {200, list("10", pod("c", "5"))}},
                          {{200, event("ADDED", pod("d", "11")) + event("DELETED", pod("a", "12")) +
                                     event("BOOKMARK", pod("", "20"))}},
                          4, 3);
  EXPECT_THAT(told.news, ElementsAre("all: a b c", "+d", "-ns/a"));
  EXPECT_THAT(told.asked, ElementsAre("list 0 limit", "list  limit more", "watch 10", "watch 20"));
  EXPECT_TRUE(told.freshness.is_synced);
  EXPECT_FALSE(told.freshness.is_stale);
  EXPECT_EQ(told.freshness.events, 3U);
}

WatchBounds<std::string> at_most(std::size_t objects) {
  return {.weigh = [](const std::string&) { return std::size_t{1} << 20U; },
          .most_bytes = objects << 20U};
}

TEST(Watcher, MoreThanIsKeptIsToldAndNotFollowed) {
  const std::string three = pod("a", "3") + "," + pod("b", "4") + "," + pod("c", "5");
  const Told told = watch({{200, list("10", three)}, {200, list("11", pod("a", "3"))}},
                          {{200, event("ADDED", pod("b", "12")) + event("ADDED", pod("c", "13")) +
                                     event("ADDED", pod("d", "14"))}},
                          3, 5, at_most(2));
  ASSERT_EQ(told.news.size(), 5U);
  EXPECT_THAT(told.news[0],
              HasSubstr("stale: list /api/v1/pods: there are more pods than this program keeps: 3 "
                        "take more than 2 MiB"));
  EXPECT_THAT(std::vector(told.news.begin() + 1, told.news.begin() + 4),
              ElementsAre("all: a", "+b", "+c"));
  EXPECT_THAT(told.news[4], HasSubstr("stale: watch /api/v1/pods: there are more pods"));
}

// A few heavy ones always have room.
TEST(Watcher, HeavyObjectsAreMadeSmallWhereMuchIsKeptAlready) {
  WatchBounds<std::string> bounds{
      .weigh = [](const std::string& name) { return name.size() == 5 ? 4'000U : 1U; },
      .make_small = [](const std::string& name) -> Result<std::string> {
        if (name.starts_with("heav")) return name.substr(0, 1);
        return failure(Code::Exhausted, "too large");
      },
      .usual_bytes = 1'000,
      .most_bytes = 10'000};
  const std::string items =
      pod("heavy", "3") + "," + pod("other", "4") + "," + pod("a", "5") + "," + pod("heavz", "6");
  const Told told =
      watch({{200, list("10", items)}}, {{200, event("ADDED", pod("third", "11"))}}, 3, 2, bounds);
  EXPECT_THAT(told.news, ElementsAre("all: heavy a h !ns/other", "!ns/third"));
}

TEST(Watcher, AListWithoutAnEndIsToldWhenItIsMoreThanIsKept) {
  const std::string page = list("10", pod("a", "3"), "more");
  const Told told = watch({{200, page}, {200, page}, {200, page}}, {}, 3, 1, at_most(2));
  EXPECT_THAT(told.news, ElementsAre(HasSubstr("there are more pods than this program keeps")));
}

TEST(Watcher, WhatIsGoneInItsOwnWordsIsGone) {
  WatchBounds<std::string> bounds;
  bounds.is_gone = [](const Value& value) { return ref_of(value).name == "b"; };
  const Told told = watch({{200, list("10", pod("a", "3") + "," + pod("b", "4"))}},
                          {{200, event("MODIFIED", pod("b", "11"))}}, 3, 2, std::move(bounds));
  EXPECT_THAT(told.news, ElementsAre("all: a", "-ns/b"));
}

TEST(Watcher, A410AsAnEventListsAgainAndWhatFollowsItIsDropped) {
  const Told told = watch(
      {{200, list("10", pod("a", "3"))}, {200, list("30", pod("b", "25"))}},
      {{200, event("ERROR", status(410, "Expired")) + event("ADDED", pod("ghost", "99"))}}, 4, 2);
  EXPECT_THAT(told.news, ElementsAre("all: a", "all: b"));
  EXPECT_THAT(told.asked, ElementsAre("list 0 limit", "watch 10", "list 10", "watch 30"));
  EXPECT_EQ(told.freshness.expired, 1U);
}

TEST(Watcher, A410AsAResponseListsAgain) {
  const Told told = watch(
      {{200, list("10", "")}, {410, status(410, "Expired")}, {200, list("30", pod("b", "25"))}},
      {{410, status(410, "Gone")}}, 5, 2);
  EXPECT_THAT(told.news, ElementsAre("all:", "all: b"));
  EXPECT_THAT(told.asked,
              ElementsAre("list 0 limit", "watch 10", "list 10", "list  limit", "watch 30"));
}

TEST(Watcher, A410BetweenPagesListsAllAtOnce) {
  const Told told = watch({{200, list("10", pod("a", "3"), "more")},
                           {410, status(410, "Expired")},
                           {200, list("12", pod("b", "4"))}},
                          {}, 4, 1);
  EXPECT_THAT(told.news, ElementsAre("all: b"));
  EXPECT_THAT(told.asked, ElementsAre("list 0 limit", "list  limit more", "list 0", "watch 12"));
}

TEST(Watcher, ABusyServerIsWatchedAgainFromTheSameVersion) {
  const Told told =
      watch({{200, list("10", "")}}, {{429, "Too many requests, please try again later."}}, 3, 3);
  EXPECT_THAT(
      told.news,
      ElementsAre("all:", HasSubstr("stale: watch /api/v1/pods: 429 TooManyRequests"), "fresh"));
  EXPECT_THAT(told.asked, ElementsAre("list 0 limit", "watch 10", "watch 10"));
}

TEST(Watcher, WhatCannotBeDecodedIsTold) {
  const Told told = watch({{200, list("10", pod("a", "3") + "," + pod("bad", "4"))}},
                          {{200, event("MODIFIED", pod("bad", "11"))}}, 3, 2);
  EXPECT_THAT(told.news, ElementsAre("all: a !ns/bad", "!ns/bad"));
}

TEST(Watcher, NonsenseOnTheWatchIsDroppedAndListedAnew) {
  for (const std::string nonsense :
       {"{\"type\":\"ADDED\"}\n", "not json\n", "{\"type\":\"ADDED\",\"object\":{}}\n"}) {
    const Told told = watch({{200, list("10", pod("a", "3"))}, {200, list("11", pod("b", "3"))}},
                            {{200, nonsense}}, 4, 3);
    EXPECT_THAT(told.news, ElementsAre("all: a", HasSubstr("stale: "), "all: b")) << nonsense;
  }
}

TEST(Watcher, AListThatMakesNoSenseIsTriedAgain) {
  for (const Script::Reply& bad :
       {Script::Reply{200, "{"}, Script::Reply{200, "<html>"}, Script::Reply{200, ""},
        Script::Reply{200, list("10", "{,}")}, Script::Reply{503, ""},
        Script::Reply{200, status(500, "InternalError")}, Script::Reply{403, "no"},
        Script::Reply{200, "{\"items\":[],\"items\":[]}"}}) {
    const Told told = watch({bad, {200, list("11", pod("b", "3"))}}, {}, 3, 2);
    EXPECT_THAT(told.news, ElementsAre(HasSubstr("stale: "), "all: b")) << bad.body;
  }
}

}  // namespace
}  // namespace elbowroom::api
