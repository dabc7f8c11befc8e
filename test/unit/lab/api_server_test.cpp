#include "lab/apiserver/api_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "api/codec/timestamp.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::node_object;
using testing::nodes;
using testing::pod_object;
using testing::pods;

constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kJson = "application/json";

class ApiServerTest : public ::testing::Test {
 protected:
  ApiServerTest() {
    EXPECT_TRUE(server_.start());
    client_ = std::make_unique<httplib::Client>("127.0.0.1", server_.port());
    client_->set_read_timeout(10s);
    server_.with_world(
        [](World& world) { EXPECT_TRUE(world.create(nodes(), "", node_object("n"))); });
  }

  Json create(const std::string& name) {
    return *server_.with_world(
        [&](World& world) { return world.create(pods(), "default", pod_object(name, "n")); });
  }

  std::uint64_t version() {
    return server_.with_world([](World& world) { return world.version(); });
  }

  // The first `count` events of a watch, as "TYPE NAME" (or "ERROR CODE"), then hangs up.
  std::vector<std::string> watch(const std::string& query, std::size_t count,
                                 const std::function<void()>& meanwhile = {}) {
    std::vector<std::string> seen;
    std::string rest;
    bool begun = false;
    httplib::Client client("127.0.0.1", server_.port());
    client.set_read_timeout(10s);
    (void)client.Get(
        "/api/v1/pods?watch=1&" + query,
        [&](const httplib::Response&) {
          if (!begun && meanwhile) meanwhile();
          begun = true;
          return true;
        },
        [&](const char* bytes, std::size_t size) {
          rest.append(bytes, size);
          for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
            const Json event = Json::parse(rest.substr(0, end));
            rest.erase(0, end + 1);
            const auto code = integer_at(event, {"object", "code"});
            seen.push_back(
                text_at(event, {"type"}) + " " +
                (code ? std::to_string(*code) : text_at(event, {"object", "metadata", "name"})));
          }
          return seen.size() < count;
        });
    return seen;
  }

  World world_{{}};
  ApiServer server_{world_, {}};
  std::unique_ptr<httplib::Client> client_;
};

TEST_F(ApiServerTest, ServesItsOwnPages) {
  EXPECT_EQ(client_->Get("/readyz")->body, "ok");
  EXPECT_EQ(text_at(Json::parse(client_->Get("/version")->body), {"major"}), "1");
  EXPECT_THAT(client_->Get("/api/v1")->body, HasSubstr("pods/resize"));
  EXPECT_THAT(client_->Get("/apis")->body, HasSubstr("policy/v1"));
  EXPECT_EQ(client_->Get("/nonsense")->status, 404);
  EXPECT_EQ(client_->Get("/api/v1/" + std::string(1100, 'x'))->status, 400);
}

TEST_F(ApiServerTest, TellsTheTime) {
  server_.stop();
  ApiServer server(world_, {.clock = [] { return *api::parse_timestamp("1994-11-06T08:49:37Z"); }});
  ASSERT_TRUE(server.start());
  httplib::Client client("127.0.0.1", server.port());
  EXPECT_EQ(client.Get("/api/v1/nodes")->get_header_value("Date"), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST_F(ApiServerTest, CreatesReadsPatchesAndDeletes) {
  auto reply = client_->Post(kPods, pod_object("web", "n").dump(), kJson);
  ASSERT_EQ(reply->status, 201) << reply->body;
  const std::string path = std::string(kPods) + "/web";
  EXPECT_EQ(client_->Get(path)->status, 200);
  reply = client_->Patch(path + "/resize",
                         R"({"spec":{"containers":[{"name":"app",)"
                         R"("resources":{"requests":{"cpu":"2"}}}]}})",
                         "application/strategic-merge-patch+json");
  EXPECT_EQ(reply->status, 200) << reply->body;
  EXPECT_EQ(integer_at(Json::parse(reply->body), {"metadata", "generation"}), 2);
  reply = client_->Get(path + "/resize");
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(text_at(Json::parse(reply->body), {"kind"}), "Pod");
  reply = client_->Patch(path,
                         R"({"spec":{"containers":[{"name":"app",)"
                         R"("resources":{"requests":{"cpu":"3"}}}]}})",
                         "application/strategic-merge-patch+json");
  EXPECT_EQ(reply->status, 422);
  EXPECT_THAT(reply->body, HasSubstr("pod updates may not change fields other than"));
  reply = client_->Patch(path + "/status", R"([{"op":"add","path":"/status/x","value":1}])",
                         "application/json-patch+json");
  EXPECT_EQ(reply->status, 200) << reply->body;
  EXPECT_EQ(client_->Patch(path, "{}", "text/plain")->status, 415);
  EXPECT_EQ(client_->Delete(path, R"({"preconditions":{"uid":"x"}})", kJson)->status, 409);
  reply = client_->Delete(path);
  EXPECT_EQ(reply->status, 200);
  EXPECT_THAT(reply->body, HasSubstr("deletionTimestamp"));
  EXPECT_EQ(client_->Delete(path + "?gracePeriodSeconds=0")->status, 200);
  EXPECT_EQ(client_->Get(path)->status, 404);
}

TEST_F(ApiServerTest, BindsThroughTheSubresource) {
  (void)client_->Post(kPods, pod_object("web").dump(), kJson);
  const std::string binding = R"({"target":{"name":"n"}})";
  const std::string path = std::string(kPods) + "/web/binding";
  EXPECT_EQ(client_->Post(path, binding, kJson)->status, 201);
  EXPECT_EQ(client_->Post(path, binding, kJson)->status, 409);
}

TEST_F(ApiServerTest, HostileBodiesAreAnswers) {
  EXPECT_EQ(client_->Post(kPods, std::string(100'000, '['), kJson)->status, 400);
  EXPECT_EQ(client_->Post(kPods, "{", kJson)->status, 400);
  EXPECT_EQ(client_->Post(kPods, "[]", kJson)->status, 400);
  EXPECT_EQ(client_->Post(kPods, "\xff\xfe", kJson)->status, 400);
  EXPECT_EQ(client_->Post(kPods, R"({"metadata":{"name":"\ud800"}})", kJson)->status, 400);
  EXPECT_EQ(client_->Put(std::string(kPods) + "/x", "{}", kJson)->status, 404);
  EXPECT_EQ(client_->Patch(std::string(kPods) + "/x", "}{", "application/merge-patch+json")->status,
            400);
}

TEST_F(ApiServerTest, BrowserPagesAreRefused) {
  EXPECT_EQ(client_->Get("/api/v1/nodes", {{"Origin", "http://evil.example"}})->status, 403);
  EXPECT_EQ(client_->Get("/api/v1/nodes", {{"Host", "evil.example"}})->status, 403);
}

TEST_F(ApiServerTest, SelectorsAreChecked) {
  EXPECT_EQ(client_->Get("/api/v1/pods?fieldSelector=spec.nodeName%3Dn")->status, 200);
  EXPECT_EQ(client_->Get("/api/v1/pods?fieldSelector=spec.color%3Dred")->status, 400);
  EXPECT_EQ(client_->Get("/api/v1/pods?labelSelector=a%20b")->status, 400);
}

TEST_F(ApiServerTest, WatchesResumeAndFollow) {
  create("a");
  const std::string since = std::to_string(version());
  create("b");
  EXPECT_THAT(watch("resourceVersion=" + since, 2, [&] { create("c"); }),
              ElementsAre("ADDED b", "ADDED c"));
  EXPECT_THAT(watch("", 3), ElementsAre("ADDED a", "ADDED b", "ADDED c"));
  EXPECT_THAT(watch("sendInitialEvents=true&allowWatchBookmarks=true&"
                    "resourceVersionMatch=NotOlderThan",
                    4),
              ElementsAre("ADDED a", "ADDED b", "ADDED c", "BOOKMARK "));
}

// Its watches never look by themselves.
TEST(ApiServer, AChangeWakesTheWatchThatTellsIt) {
  World world({});
  ApiServer server(world, {.peer_check = 1h});
  ASSERT_TRUE(server.start());
  httplib::Client other("127.0.0.1", server.port());
  httplib::Client client("127.0.0.1", server.port());
  client.set_read_timeout(20s);
  int changes = 0;
  const auto create = [&] {
    EXPECT_TRUE(server.with_world([&](World& of) {
      return of.create(pods(), "default", pod_object("p" + std::to_string(++changes), "n"));
    }));
  };
  create();
  (void)client.Get("/api/v1/pods?watch=1", [&](const char*, std::size_t) {
    // Meanwhile the watch has begun to wait.
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(other.Get("/readyz"));
    if (changes < 10) create();
    return changes < 10;
  });
  EXPECT_EQ(changes, 10);
}

TEST_F(ApiServerTest, AForgottenVersionIsAnErrorEvent) {
  const std::string since = std::to_string(version());
  create("a");
  server_.with_world([](World& world) { world.forget_history(); });
  EXPECT_THAT(watch("resourceVersion=" + since, 9), ElementsAre("ERROR 410"));
}

// kubectl always asks for gzip; it would wait in vain for what a compressor holds back.
TEST_F(ApiServerTest, WatchesAreNeverCompressed) {
  httplib::Client client("127.0.0.1", server_.port());
  client.set_read_timeout(10s);
  client.set_decompress(false);
  std::string encoding = "none was told";
  std::string text;
  (void)client.Get(
      "/api/v1/pods?watch=1&resourceVersion=" + std::to_string(version()),
      {{"Accept-Encoding", "gzip"}},
      [&](const httplib::Response& response) {
        encoding = response.get_header_value("Content-Encoding");
        (void)create("web");
        return true;
      },
      [&](const char* bytes, std::size_t size) {
        text.append(bytes, size);
        return text.find('\n') == std::string::npos;
      });
  EXPECT_EQ(encoding, "");
  EXPECT_THAT(text, HasSubstr("ADDED"));
}

TEST_F(ApiServerTest, WatchesEndAtTheirTimeOrWhenClosed) {
  const std::string since = std::to_string(version());
  EXPECT_THAT(watch("timeoutSeconds=1&allowWatchBookmarks=1&resourceVersion=" + since, 9),
              ElementsAre("BOOKMARK "));
  EXPECT_THAT(watch("resourceVersion=" + since, 9, [&] { server_.close_watches(); }),
              ElementsAre());
}

TEST_F(ApiServerTest, FaultsMeetTheRequestsTheyAreMeantFor) {
  server_.inject({.path_contains = "/nodes",
                  .code = 429,
                  .reason = "TooManyRequests",
                  .retry_after_seconds = 3});
  EXPECT_EQ(client_->Get("/api/v1/pods")->status, 200);
  const auto refused = client_->Get("/api/v1/nodes");
  EXPECT_EQ(refused->status, 429);
  EXPECT_EQ(refused->get_header_value("Retry-After"), "3");
  EXPECT_EQ(client_->Get("/api/v1/nodes")->status, 200);

  server_.inject({.kind = Fault::Kind::BreakOff, .method = "POST"});
  EXPECT_FALSE(client_->Post(kPods, pod_object("a", "n").dump(), kJson));
  EXPECT_EQ(client_->Get(std::string(kPods) + "/a")->status, 404);
  server_.inject({.kind = Fault::Kind::LoseReply, .method = "POST"});
  EXPECT_FALSE(client_->Post(kPods, pod_object("a", "n").dump(), kJson));
  EXPECT_EQ(client_->Get(std::string(kPods) + "/a")->status, 200);
}

TEST_F(ApiServerTest, AHangingRequestIsLetGo) {
  server_.inject({.kind = Fault::Kind::Hang, .path_contains = "/nodes"});
  client_->set_read_timeout(100ms);
  EXPECT_FALSE(client_->Get("/api/v1/nodes"));
  server_.clear_faults();
  client_->set_read_timeout(10s);
  const auto answer = client_->Get("/api/v1/nodes");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

TEST_F(ApiServerTest, AWorldOutlivesItsServer) {
  create("a");
  const int port = server_.port();
  server_.stop();
  ApiServer again(world_, {.port = port});
  ASSERT_TRUE(again.start());
  httplib::Client client("127.0.0.1", port);
  EXPECT_EQ(client.Get(std::string(kPods) + "/a")->status, 200);
  ApiServer third(world_, {.port = port});
  EXPECT_FALSE(third.start());
}

}  // namespace
}  // namespace elbowroom::lab
