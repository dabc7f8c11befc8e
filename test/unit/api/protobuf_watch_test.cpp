// Lists and watches that are requested in protobuf: every format of the server's answer is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/protobuf_object.h"
#include "api/watch/watcher.h"
#include "loopback.h"
#include "test/wire_bytes.h"

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

struct Reply {
  std::string body{};
  std::string type{kProtobuf};
  int status = 200;
};

// The replies to one kind of request, one after the other; behind the last one nothing is answered.
class Replies {
 public:
  explicit Replies(std::vector<Reply> replies) : replies_(std::move(replies)) {}

  void answer(const httplib::Request& in, httplib::Response& out) {
    const std::lock_guard lock(mutex_);
    if (replies_.empty()) return;
    accepted_.push_back(in.get_header_value("Accept"));
    since_.push_back(in.get_param_value("resourceVersion"));
    const Reply reply = replies_.front();
    replies_.erase(replies_.begin());
    out.status = reply.status;
    out.set_content(reply.body, reply.type);
  }

  [[nodiscard]] std::vector<std::string> accepted() {
    const std::lock_guard lock(mutex_);
    return accepted_;
  }
  [[nodiscard]] std::vector<std::string> since() {
    const std::lock_guard lock(mutex_);
    return since_;
  }

 private:
  std::mutex mutex_;
  std::vector<Reply> replies_;
  std::vector<std::string> accepted_{};
  std::vector<std::string> since_{};
};

using News = WatchReport<std::string>;  // of names

// Follows the pods of the server until it is done.
Freshness followed(const Loopback& server, const std::function<void(const News&)>& tell,
                   const std::function<bool()>& is_done) {
  CurlTransport transport(server.access(), {.calls = {1ms, 100}});
  ListWatchOptions options;
  options.backoff = {1ms, 4ms, 1h};
  Watcher<std::string> watcher(
      transport, {.path = "/api/v1/pods", .kind = "Pod", .by_protobuf = true}, options,
      [](const Value& value) -> Result<std::string> { return to_string(ref_of(value)); }, tell);
  watcher.start();
  EXPECT_TRUE(run_until(transport, is_done));
  return watcher.freshness();
}

struct Told {
  std::vector<std::string> accepted{};  // by each list
  std::vector<std::string> names{};     // listed at last
  std::vector<std::string> odd{};       // ... which cannot be read
  std::vector<std::string> stale{};
  Freshness freshness{};
};

// Lists once, with the replies one after the other; watches stay empty.
Told list(std::vector<Reply> replies) {
  Replies lists(std::move(replies));
  const Loopback server([&](httplib::Server& http) {
    http.Get("/api/v1/pods", [&](const httplib::Request& in, httplib::Response& out) {
      if (!in.has_param("watch")) lists.answer(in, out);
    });
  });
  Told told;
  bool is_listed = false;
  const auto tell = [&](const News& news) {
    if (const auto* all = std::get_if<Replaced<std::string>>(&news)) {
      told.names = all->objects;
      for (const Malformed& each : all->malformed) {
        told.odd.push_back(to_string(each.ref) + " on " + each.node + ": " + each.error.message);
      }
      is_listed = true;
    }
    if (const auto* stale = std::get_if<Stale>(&news)) told.stale.push_back(stale->error.message);
  };
  told.freshness = followed(server, tell, [&] { return is_listed; });
  told.accepted = lists.accepted();
  return told;
}

// No table says which fields are read: all of them are.
TEST(ProtobufWatch, WhatHasNoTableIsReadWhole) {
  const Loopback server([&](httplib::Server& http) {
    http.Get("/api/v1/configmaps", [&](const httplib::Request& in, httplib::Response& out) {
      if (in.has_param("watch")) return;
      out.set_content(R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"7"},)"
                      R"("items":[{"metadata":{"name":"a"},"data":{"x":"y"}}]})",
                      "application/json");
    });
  });
  CurlTransport transport(server.access(), {.calls = {1ms, 100}});
  std::vector<std::string> data;
  Watcher<std::string> watcher(
      transport, {.path = "/api/v1/configmaps", .kind = "ConfigMap", .by_protobuf = true}, {},
      [](const Value& value) -> Result<std::string> {
        const Value* const at = value.find("data");
        return at == nullptr ? "none" : at->members.front().value.text;
      },
      [&](const WatchReport<std::string>& news) {
        const auto* all = std::get_if<Replaced<std::string>>(&news);
        if (all != nullptr) data = all->objects;
      });
  watcher.start();
  EXPECT_TRUE(run_until(transport, [&] { return !data.empty(); }));
  EXPECT_THAT(data, ElementsAre("y"));
}

// The node of a pod that cannot be understood.
TEST(ProtobufWatch, OfAPodThatIsNotUnderstoodTheNodeIsTold) {
  const auto item = [](const std::string& node, const std::string& phase) {
    return test::bytes(2, test::bytes(1, test::bytes(1, "odd") + test::bytes(3, "ns")) +
                              test::bytes(2, test::bytes(10, node)) +
                              test::bytes(3, test::bytes(1, phase)));
  };
  const std::string json =
      R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[)"
      R"({"metadata":{"name":"odd","namespace":"ns"},"spec":{"nodeName":"n1"},"status":{}}]})";
  const std::string protobuf =
      test::list_envelope("PodList", "7", "", item("n1", "Running") + item("n2", "Failed"));
  for (const bool is_json : {true, false}) {
    const Loopback server([&](httplib::Server& http) {
      http.Get("/api/v1/pods", [&](const httplib::Request& in, httplib::Response& out) {
        if (in.has_param("watch")) return;
        out.set_content(is_json ? json : protobuf,
                        is_json ? "application/json" : std::string(kProtobuf));
      });
    });
    CurlTransport transport(server.access(), {.calls = {1ms, 100}});
    std::vector<std::string> nodes;
    bool is_listed = false;
    Watcher<std::string> watcher(
        transport, {.path = "/api/v1/pods", .kind = "Pod", .by_protobuf = true}, {},
        [](const Value&) -> Result<std::string> { return failure(Code::Invalid, "odd"); },
        [&](const WatchReport<std::string>& news) {
          const auto* all = std::get_if<Replaced<std::string>>(&news);
          if (all == nullptr) return;
          for (const Malformed& each : all->malformed) nodes.push_back(each.node);
          is_listed = true;
        });
    watcher.start();
    EXPECT_TRUE(run_until(transport, [&] { return is_listed; }));
    EXPECT_EQ(nodes,
              is_json ? std::vector<std::string>{"n1"} : (std::vector<std::string>{"n1", ""}));
  }
}

std::string pod(const std::string& name) {
  return test::bytes(2, test::bytes(1, test::bytes(1, name) + test::bytes(3, "ns")));
}
std::string page(const std::string& more, const std::string& items) {
  return test::list_envelope("PodList", "7", more, items);
}

const std::string kBoth = std::string(kProtobuf) + ", application/json";
const std::string kJsonPage = R"({"kind":"PodList","metadata":{"resourceVersion":"7"},)"
                              R"("items":[{"metadata":{"name":"c","namespace":"ns"}}]})";

TEST(ProtobufWatch, PagesOfProtobufAreOneList) {
  const Told told = list({{page("more", pod("a") + pod("b"))}, {page("", pod("c"))}});
  EXPECT_THAT(told.names, ElementsAre("ns/a", "ns/b", "ns/c"));
  EXPECT_THAT(told.accepted, ElementsAre(kBoth, kBoth));
  EXPECT_EQ(told.freshness.protobuf_lists, 2U);
}

TEST(ProtobufWatch, EachPageMayBeOfItsOwnKind) {
  const Told told = list({{page("more", pod("a"))}, {kJsonPage, "application/json"}});
  EXPECT_THAT(told.names, ElementsAre("ns/a", "ns/c"));
  EXPECT_EQ(told.freshness.protobuf_lists, 1U);
}

TEST(ProtobufWatch, AServerThatSpeaksNoneIsAskedForJson) {
  const Told told = list({{"no", "text/plain", 406}, {kJsonPage, "application/json"}});
  EXPECT_THAT(told.names, ElementsAre("ns/c"));
  EXPECT_THAT(told.accepted, ElementsAre(kBoth, "application/json"));
}

TEST(ProtobufWatch, WhatMakesNoSenseIsAskedForAsJson) {
  for (const std::string& body :
       {page("", pod("a") + test::bytes(2, "\x0a\x7f")), page("", pod("a")).substr(0, 30),
        std::string("hello"), test::envelope("v1", "NodeList", pod("a"))}) {
    const Told told = list({{body}, {kJsonPage, "application/json"}});
    EXPECT_THAT(told.names, ElementsAre("ns/c"));
    EXPECT_THAT(told.accepted, ElementsAre(kBoth, "application/json"));
    EXPECT_THAT(told.stale, ElementsAre(HasSubstr("list /api/v1/pods: ")));
  }
}

// More values than are read, in a pod on node n.
std::string bomb_in_protobuf() {
  std::string many;
  for (int i = 0; i < 500'001; ++i) many += std::string("\x12\x00", 2);
  return test::bytes(1, test::bytes(1, "bomb") + test::bytes(3, "ns") + test::bytes(6, "9")) +
         test::bytes(2, many + test::bytes(10, "n"));
}
std::string bomb_in_json() {
  std::string many = "{}";
  for (int i = 0; i < 500'000; ++i) many += ",{}";
  return R"({"kind":"Pod","metadata":{"name":"bomb","namespace":"ns","resourceVersion":"9"},)"
         R"("spec":{"nodeName":"n","containers":[)" +
         many + "]}}";
}

TEST(ProtobufWatch, AnItemThatCannotBeReadIsThereAllTheSame) {
  const std::string in_json = R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[)" +
                              bomb_in_json() + R"(,{"metadata":{"name":"c","namespace":"ns"}}]})";
  for (const bool is_json : {false, true}) {
    const Told told =
        list({is_json ? Reply{in_json, "application/json"}
                      : Reply{page("", test::bytes(2, bomb_in_protobuf()) + pod("c"))}});
    EXPECT_THAT(told.names, ElementsAre("ns/c"));
    EXPECT_THAT(told.odd, ElementsAre(testing::AllOf(HasSubstr("ns/bomb on n: "),
                                                     HasSubstr("more than 500000 values"))));
    EXPECT_THAT(told.stale, ElementsAre());
  }
}

TEST(ProtobufWatch, ErrorsInProtobufAreUnderstood) {
  const std::string expired = test::envelope(
      "v1", "Status", test::bytes(3, "gone") + test::bytes(4, "Expired") + test::number(6, 410));
  const Told told = list(
      {{page("more", pod("a"))}, {expired, std::string(kProtobuf), 410}, {page("", pod("b"))}});
  EXPECT_THAT(told.names, ElementsAre("ns/b"));
  EXPECT_EQ(told.freshness.expired, 1U);
  EXPECT_THAT(told.stale, ElementsAre());
}

// ---- watches ----

std::string frame(const std::string& type, const std::string& enveloped) {
  const std::string event = test::bytes(1, type) + test::bytes(2, test::bytes(1, enveloped));
  const auto size = event.size();
  return std::string{'\0', static_cast<char>(size >> 16U), static_cast<char>(size >> 8U & 0xFFU),
                     static_cast<char>(size & 0xFFU)} +
         event;
}
std::string pod_frame(const std::string& type, const std::string& name,
                      const std::string& version) {
  return frame(type, test::envelope("v1", "Pod",
                                    test::bytes(1, test::bytes(1, name) + test::bytes(3, "ns") +
                                                       test::bytes(6, version))));
}

struct Followed {
  std::vector<std::string> accepted{};  // by each watch
  std::vector<std::string> since{};     // which version
  std::vector<std::string> news{};
  Freshness freshness{};
};

// The observations until there are that many changes; every list is empty.
Followed follow(std::vector<Reply> replies, std::size_t news) {
  Replies watches(std::move(replies));
  const Loopback server([&](httplib::Server& http) {
    http.Get("/api/v1/pods", [&](const httplib::Request& in, httplib::Response& out) {
      if (in.has_param("watch")) return watches.answer(in, out);
      out.set_content(page("", ""), std::string(kProtobuf));
    });
  });
  Followed told;
  const auto tell = [&](const News& one) {
    if (std::holds_alternative<Replaced<std::string>>(one)) told.news.emplace_back("list");
    if (const auto* is = std::get_if<Upserted<std::string>>(&one)) {
      told.news.push_back("+" + is->object);
    }
    if (const auto* was = std::get_if<Removed>(&one)) {
      told.news.push_back("-" + to_string(was->ref));
    }
    if (const auto* odd = std::get_if<Malformed>(&one)) {
      told.news.push_back("!" + to_string(odd->ref) + " on " + odd->node);
    }
    if (const auto* stale = std::get_if<Stale>(&one)) told.news.push_back(stale->error.message);
  };
  told.freshness = followed(server, tell, [&] { return told.news.size() >= news; });
  told.accepted = watches.accepted();
  told.since = watches.since();
  return told;
}

const std::string kFrames = std::string(kProtobuf) + ";stream=watch";
const std::string kJsonEvent =
    R"({"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"j","namespace":"ns",)"
    R"("resourceVersion":"20"}}})"
    "\n";

TEST(ProtobufWatch, EventsComeInFrames) {
  const Followed told =
      follow({{pod_frame("ADDED", "a", "8") + pod_frame("MODIFIED", "a", "9"), kFrames},
              {pod_frame("DELETED", "a", "10") + pod_frame("BOOKMARK", "", "12"), kFrames},
              {pod_frame("ADDED", "b", "13"), kFrames}},
             5);
  EXPECT_THAT(told.news, ElementsAre("list", "+ns/a", "+ns/a", "-ns/a", "+ns/b"));
  EXPECT_THAT(told.accepted, ElementsAre(kBoth, kBoth, kBoth));
  EXPECT_THAT(told.since, ElementsAre("7", "9", "12"));
  EXPECT_EQ(told.freshness.protobuf_watches, 3U);
}

TEST(ProtobufWatch, AnErrorInAFrameIsUnderstood) {
  const std::string expired = frame(
      "ERROR",
      test::envelope("v1", "Status",
                     test::bytes(3, "gone") + test::bytes(4, "Expired") + test::number(6, 410)));
  const Followed told = follow({{expired, kFrames}, {pod_frame("ADDED", "b", "8"), kFrames}}, 3);
  EXPECT_THAT(told.news, ElementsAre("list", "list", "+ns/b"));
  EXPECT_EQ(told.freshness.expired, 1U);
}

TEST(ProtobufWatch, EventsMayComeAsJsonAllTheSame) {
  const Followed told = follow({{kJsonEvent, "application/json"}}, 2);
  EXPECT_THAT(told.news, ElementsAre("list", "+ns/j"));
  EXPECT_THAT(told.accepted, ElementsAre(kBoth));
  EXPECT_EQ(told.freshness.protobuf_watches, 0U);
}

// Also of another kind, which has no table.
TEST(ProtobufWatch, FramesThatMakeNoSenseAreAskedForAsJson) {
  for (const std::string& body :
       {frame("ADDED", ""), frame("ADDED", "hello"), kJsonEvent, std::string("\x7f\xff\xff\xff", 4),
        frame("ADDED", test::envelope("v1", "Secret", pod("a"))),
        std::string("\0\0\0\2\x12\x7f", 6), std::string("\0\0\0\2\x10\x01", 6)}) {
    const Followed told = follow({{body, kFrames}, {kJsonEvent, "application/json"}}, 4);
    EXPECT_THAT(told.news, ElementsAre("list", HasSubstr("watch /api/v1/pods: "), "list", "+ns/j"));
    EXPECT_THAT(told.accepted, ElementsAre(kBoth, "application/json"));
  }
}

TEST(ProtobufWatch, AnEventThatCannotBeReadDoesNotEndTheWatch) {
  const auto event = [](const std::string& type) {
    return R"({"type":")" + type + R"(","object":)" + bomb_in_json() + "}\n";
  };
  const auto in_frame = [](const std::string& type) {
    return frame(type, test::envelope("v1", "Pod", bomb_in_protobuf()));
  };
  for (const bool is_json : {false, true}) {
    const std::string events =
        is_json ? event("ADDED") + event("DELETED") + kJsonEvent
                : in_frame("ADDED") + in_frame("DELETED") + pod_frame("ADDED", "j", "20");
    const Followed told = follow({{events, is_json ? "application/json" : kFrames}}, 4);
    EXPECT_THAT(told.news, ElementsAre("list", "!ns/bomb on n", "-ns/bomb", "+ns/j"));
    EXPECT_THAT(told.accepted, ElementsAre(kBoth));
  }
}

TEST(ProtobufWatch, AServerThatWatchesInJsonOnlyIsAskedForJson) {
  const Followed told = follow({{"no", "text/plain", 406}, {kJsonEvent, "application/json"}}, 4);
  EXPECT_EQ(told.news.back(), "+ns/j");
  EXPECT_THAT(told.accepted, ElementsAre(kBoth, "application/json"));
}

}  // namespace
}  // namespace elbowroom::api
