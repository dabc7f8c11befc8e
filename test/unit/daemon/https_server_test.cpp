#include "daemon/https/https_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "test/temporary_folder.h"
#include "test/unit/api/certificates.h"

namespace elbowroom::daemon {
namespace {

using api::Authority;
using api::Issued;
using testing::HasSubstr;
using namespace std::chrono_literals;

class HttpsServerTest : public testing::Test {
 protected:
  // The client writes to connections that the server has closed.
  HttpsServerTest() { std::signal(SIGPIPE, SIG_IGN); }

  void show(const Issued& issued) {
    folder_.write("tls.crt", issued.certificate_pem());
    folder_.write("tls.key", issued.key_pem());
  }
  void start(TlsConnections::Limits limits = {}) {
    auto made = HttpsServer::start(
        {.listen = {"127.0.0.1", 0},
         .files = {folder_.path("tls.crt"), folder_.path("tls.key")},
         .limits = limits,
         .look_every = 1ms,
         .alive = [this] { ++turns_; }},
        [this](HttpsRequest request) -> std::optional<Reply> {
          if (!request.cut.empty()) return refusal(413, request.cut);
          if (request.path == "/never") return std::nullopt;
          if (request.path == "/hang") {
            while (!may_go_on_) std::this_thread::yield();
          }
          if (request.path == "/later") {
            const std::uint64_t number = request.number;
            later_.emplace_back([this, number] { server_->respond(number, {.body = "later"}); });
            return std::nullopt;
          }
          return Reply{.body = request.method + " " + request.path + " " + request.body};
        });
    ASSERT_TRUE(made) << made.error().message;
    server_ = *std::move(made);
  }
  [[nodiscard]] std::unique_ptr<httplib::SSLClient> client(const Authority& trusted) {
    auto made = std::make_unique<httplib::SSLClient>("127.0.0.1", server_->address().port);
    made->set_ca_cert_path(folder_.write("ca.crt", trusted.pem()).c_str());
    made->enable_server_certificate_verification(true);
    made->set_keep_alive(true);
    made->set_tcp_nodelay(true);
    return made;
  }
  static std::string post(httplib::SSLClient& to, const std::string& path,
                          const std::string& body) {
    const auto answer = to.Post(path.c_str(), body, "application/json");
    return answer ? std::to_string(answer->status) + " " + answer->body
                  : "error " + httplib::to_string(answer.error());
  }
  template <class Is>
  bool comes_true(Is is) {
    for (const auto until = std::chrono::steady_clock::now() + 20s;
         std::chrono::steady_clock::now() < until;) {
      if (is()) return true;
      std::this_thread::yield();
    }
    return false;
  }

  test::TemporaryFolder folder_;
  Authority ours_{"ours"};
  Authority theirs_{"theirs"};
  std::atomic<int> turns_ = 0;
  std::unique_ptr<HttpsServer> server_{};
  std::vector<std::jthread> later_{};
  std::atomic<bool> may_go_on_ = false;
};

TEST_F(HttpsServerTest, AnswersManyRequestsOverOneConnection) {
  show(ours_.issue("hook", "IP:127.0.0.1"));
  start();
  const auto to = client(ours_);
  for (int i = 0; i < 100; ++i) {
    const std::string body(static_cast<std::size_t>(i) * 100, 'x');
    EXPECT_EQ(post(*to, "/a", body), "200 POST /a " + body);
  }
  EXPECT_EQ(post(*to, "/later", "x"), "200 later");
  EXPECT_EQ(server_->health().handshakes_failed, 0U);
}

TEST_F(HttpsServerTest, WhatIsTooLargeIsRefusedBeforeItIsRead) {
  show(ours_.issue("hook", "IP:127.0.0.1"));
  start({.body = 1000});
  EXPECT_THAT(post(*client(ours_), "/a", std::string(1001, 'x')), HasSubstr("413"));
  EXPECT_THAT(post(*client(ours_), "/a", std::string(1000, 'x')), HasSubstr("200"));
  EXPECT_THAT(post(*client(ours_), "/" + std::string(20'000, 'a'), "x"), HasSubstr("431"));
}

TEST_F(HttpsServerTest, WhatIsNotAnsweredInTimeIsUnavailable) {
  show(ours_.issue("hook", "IP:127.0.0.1"));
  start({.answer = 20ms});
  EXPECT_THAT(post(*client(ours_), "/never", "x"), HasSubstr("503"));
  EXPECT_TRUE(comes_true([&] { return server_->health().late == 1; }));
}

TEST_F(HttpsServerTest, ARotatedCertificateIsShownToNewConnections) {
  show(ours_.issue("hook", "IP:127.0.0.1"));
  start();
  const auto old = client(ours_);
  EXPECT_EQ(post(*old, "/a", "x"), "200 POST /a x");
  show(theirs_.issue("hook", "IP:127.0.0.1"));
  EXPECT_TRUE(comes_true([&] { return server_->health().rotations > 0; }));
  EXPECT_EQ(post(*client(theirs_), "/a", "x"), "200 POST /a x");
  EXPECT_EQ(post(*old, "/a", "x"), "200 POST /a x") << "it goes on";
}

TEST_F(HttpsServerTest, ABadRotationIsToldByTheFileAndTheOneBeforeStays) {
  const Issued good = ours_.issue("hook", "IP:127.0.0.1");
  show(good);
  start();
  folder_.write("tls.key", ours_.issue("other", "IP:127.0.0.1").key_pem());
  EXPECT_TRUE(comes_true([&] { return !server_->health().trouble.empty(); }));
  EXPECT_THAT(server_->health().trouble, HasSubstr("tls.key: it is not the key"));
  EXPECT_TRUE(server_->health().is_serving);
  EXPECT_EQ(post(*client(ours_), "/a", "x"), "200 POST /a x");
  folder_.write("tls.key", good.key_pem());
  EXPECT_TRUE(comes_true([&] { return server_->health().trouble.empty(); }));
  folder_.write("tls.crt", "no certificate");
  EXPECT_TRUE(comes_true([&] {
    return server_->health().trouble.find("tls.crt: it holds no certificate") != std::string::npos;
  }));
}

TEST_F(HttpsServerTest, WithoutAUsableCertificateItSaysSoAndServesOnceThereIsOne) {
  show(ours_.issue("hook", "IP:127.0.0.1", {.from = -7200, .until = -3600}));
  start();
  EXPECT_FALSE(server_->health().is_serving);
  EXPECT_THAT(server_->health().trouble, HasSubstr("tls.crt: it has expired"));
  EXPECT_THAT(post(*client(ours_), "/a", "x"), HasSubstr("error"));
  show(ours_.issue("hook", "IP:127.0.0.1"));
  EXPECT_TRUE(comes_true([&] { return server_->health().is_serving; }));
  EXPECT_EQ(post(*client(ours_), "/a", "x"), "200 POST /a x");
}

TEST_F(HttpsServerTest, AClientWithoutTlsIsToldOf) {
  show(ours_.issue("hook", "IP:127.0.0.1"));
  start();
  httplib::Client plain("127.0.0.1", server_->address().port);
  EXPECT_FALSE(plain.Post("/a", "x", "text/plain"));
  EXPECT_TRUE(comes_true([&] { return server_->health().handshakes_failed == 1; }));
  EXPECT_THAT(server_->health().last_failure, HasSubstr("http request"));
}

TEST_F(HttpsServerTest, AThreadThatDoesNotTurnIsSeen) {
  show(ours_.issue("hook", "IP:127.0.0.1"));
  start();
  std::jthread asks([&] { post(*client(ours_), "/hang", "x"); });
  EXPECT_TRUE(comes_true([&] { return server_->health().silent_for > 1500ms; }));
  may_go_on_ = true;
  EXPECT_TRUE(comes_true([&] { return server_->health().silent_for < 1500ms; }));
}

TEST_F(HttpsServerTest, ItIsAliveInEachTurn) {
  show(ours_.issue("hook", "IP:127.0.0.1"));
  start();
  EXPECT_TRUE(comes_true([&] { return turns_ > 2; }));
}

// Each of them would be an eviction that nobody asked about.
TEST_F(HttpsServerTest, ManyMoreClientsThanTheLimitAreAllAnswered) {
  show(ours_.issue("hook", "IP:127.0.0.1"));
  start({.connections = 4});
  std::atomic<int> answered = 0;
  std::vector<std::unique_ptr<httplib::SSLClient>> clients;
  for (int i = 0; i < 40; ++i) clients.push_back(client(ours_));
  {
    std::vector<std::jthread> threads;
    for (auto& each : clients) {
      threads.emplace_back([&] {
        if (post(*each, "/later", "x") == "200 later") ++answered;
        each->stop();
      });
    }
  }
  EXPECT_EQ(answered, 40);
  EXPECT_EQ(server_->health().unanswered, 0U);
}

TEST_F(HttpsServerTest, ClientsThatWereAnsweredKeepNobodyOut) {
  show(ours_.issue("hook", "IP:127.0.0.1"));
  start({.connections = 4, .kept = 1ms});
  std::vector<std::unique_ptr<httplib::SSLClient>> idle;
  for (int i = 0; i < 8; ++i) {
    idle.push_back(client(ours_));
    EXPECT_EQ(post(*idle.back(), "/a", "x"), "200 POST /a x") << i;
  }
}

TEST(HttpHead, IsReadStrictly) {
  const auto refused = [](const std::string& head) { return parse_head(head, 10).refused; };
  EXPECT_EQ(refused("POST /a HTTP/1.1\r\nContent-Length: 10\r\n\r\n"), 0);
  EXPECT_EQ(refused("POST /a HTTP/1.1\r\nContent-Length: 11\r\n\r\n"), 413);
  EXPECT_EQ(refused("POST /a HTTP/1.1\r\ncontent-length: 99999999999999999999\r\n\r\n"), 413);
  EXPECT_EQ(refused("POST /a HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400);
  EXPECT_EQ(refused("POST /a HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(refused("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 411);
  EXPECT_EQ(refused("POST /a HTTP/1.0\r\n\r\n"), 505);
  EXPECT_EQ(refused("POST /a HTTP/1.1\r\nno header\r\n\r\n"), 400);
  EXPECT_EQ(refused("\r\n\r\n"), 400);
  EXPECT_EQ(refused("POST /a b HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refused("POST /a HTTP/1.1\r\nA: b\nContent-Length: 1\r\n\r\n"), 400);
  const HttpHead head = parse_head("GET /a?b=c HTTP/1.1\r\nConnection: Close\r\n\r\n", 10);
  EXPECT_EQ(head.path, "/a");
  EXPECT_EQ(head.query, "b=c");
  EXPECT_TRUE(head.closes);
}

}  // namespace
}  // namespace elbowroom::daemon
