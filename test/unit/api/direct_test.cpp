// Single requests over the connection of our own: what is answered, and what happens where it is
// not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <csignal>
#include <map>
#include <optional>
#include <string>

#include "api/transport/curl_transport.h"
#include "http2_server.h"
#include "loopback.h"

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Direct : public ::testing::Test {
 protected:
  Direct() { std::signal(SIGPIPE, SIG_IGN); }  // as programs do

  void begin(bool is_direct = true) {
    Access access = server_.access();
    access.token = "secret-token-of-a-client";
    transport_.emplace(access, TransportOptions{.calls = {1ms, 1000}, .direct = is_direct});
    ASSERT_THAT(get("/first"), StartsWith("1: GET")) << "libcurl comes first";
    // It is open soon.
    run_until(*transport_, [&] { return !is_direct || get("/again").starts_with("2: GET"); });
  }

  // "" until it is answered.
  void send(Request request, std::string& said) {
    request.accept = "text/plain";
    transport_->send(std::move(request), [&said](const Result<Response>& outcome) {
      if (!outcome) said = "failed: " + outcome.error().message;
      if (outcome) said = outcome->body;
      if (outcome && outcome->status != 200) said = std::to_string(outcome->status);
    });
  }
  std::string ask(Request request) {
    std::string said;
    send(std::move(request), said);
    run_until(*transport_, [&] { return !said.empty(); });
    return said;
  }
  std::string get(const std::string& path) { return ask({.path = path}); }

  Authority authority_{"authority"};
  Issued identity_ = authority_.issue("server", "IP:127.0.0.1");
  Http2Server server_{authority_, identity_};
  std::optional<CurlTransport> transport_{};
};

TEST_F(Direct, RequestsOfEveryKindAreAnsweredOverIt) {
  begin();
  EXPECT_EQ(get("/x"), "2: GET Bearer [redacted**************]");
  EXPECT_EQ(ask({.method = Method::Delete, .path = "/x"}),
            "2: DELETE Bearer [redacted**************]");
  EXPECT_EQ(ask({.method = Method::Post, .path = "/x"}), "2: POST Bearer [redacted**************]");
  EXPECT_EQ(ask({.method = Method::Patch,
                 .path = "/x",
                 .content_type = "application/json",
                 .body = "{}"}),
            "2: PATCH application/json Bearer [redacted**************] {}");
  EXPECT_EQ(get("/denied"), "403");
  EXPECT_EQ(get("/big").size(), std::size_t{3} << 20) << "larger than its window";
}

TEST_F(Direct, TheHeadIsRead) {
  begin();
  std::optional<Response> came;
  transport_->send({.path = "/x"}, [&](Result<Response> outcome) { came = *std::move(outcome); });
  run_until(*transport_, [&] { return came.has_value(); });
  EXPECT_EQ(came->status, 200);
  EXPECT_EQ(came->content_type, "text/plain");
  EXPECT_EQ(came->date, "Fri, 24 Jul 2026 10:00:00 GMT");
  EXPECT_EQ(came->warning, "299 - \"w\"");
}

TEST_F(Direct, NothingGoesOverItThatDidNotAskForIt) {
  begin(false);
  for (int i = 0; i < 20; ++i) EXPECT_THAT(get("/x"), StartsWith("1: "));
}

TEST_F(Direct, ManyAtATimeAreAnsweredEach) {
  begin();
  std::map<int, std::string> said;
  for (int i = 0; i < 300; ++i) {
    send({.method = Method::Post, .path = "/x", .body = "body " + std::to_string(i)}, said[i]);
  }
  run_until(*transport_, [&] {
    return std::ranges::none_of(said, [](const auto& each) { return each.second.empty(); });
  });
  for (const auto& [i, body] : said) EXPECT_THAT(body, HasSubstr(" body " + std::to_string(i)));
}

TEST_F(Direct, WhatTheServerDidNotTouchIsSentAgainByLibcurl) {
  begin();
  EXPECT_THAT(get("/refused"), StartsWith("1: GET"));
  EXPECT_THAT(get("/x"), StartsWith("2: GET")) << "it is only that request";
  EXPECT_THAT(get("/goaway"), StartsWith("1: GET"));
  EXPECT_THAT(get("/x"), StartsWith("1: GET")) << "it goes away";
}

TEST_F(Direct, AConnectionThatBreaksIsNoAnswer) {
  begin();
  std::string broken;
  std::string beside;
  send({.path = "/late"}, beside);
  send({.path = "/broken"}, broken);
  run_until(*transport_, [&] { return !broken.empty(); });
  EXPECT_THAT(broken, StartsWith("1: GET"));
  EXPECT_EQ(beside, "") << "by libcurl it is not answered either";
}

TEST_F(Direct, AnAnswerThatIsCutOffIsAnError) {
  begin();
  EXPECT_THAT(get("/cut"), HasSubstr("the connection broke before the end of the answer"));
  EXPECT_THAT(get("/x"), StartsWith("2: GET"));
}

TEST_F(Direct, AnAnswerThatIsTooLargeIsAnError) {
  begin();
  EXPECT_THAT(ask({.path = "/big", .max_body = 1000}), HasSubstr("larger than 1000 bytes"));
  EXPECT_THAT(get("/x"), StartsWith("2: GET"));
}

TEST_F(Direct, ALateAnswerIsAnErrorAndLibcurlIsAskedThen) {
  begin();
  EXPECT_THAT(ask({.path = "/late", .deadline = 100ms}), HasSubstr("(deadline 100 ms)"));
  EXPECT_THAT(get("/x"), StartsWith("1: GET"));
}

TEST_F(Direct, WhatIsCancelledIsNotAnswered) {
  begin();
  bool is_told = false;
  StreamCallbacks callbacks;
  callbacks.done = [&](const Result<Response>&) { is_told = true; };
  Ticket ticket =
      transport_->stream({.method = Method::Post, .path = "/x", .body = std::string(1 << 20, 'b')},
                         std::move(callbacks));
  transport_->run_once(0ms);  // it is on its way
  ticket.cancel();
  EXPECT_THAT(get("/x"), StartsWith("2: GET"));
  EXPECT_FALSE(is_told);
}

TEST_F(Direct, OtherCredentialsOpenAnotherConnection) {
  begin();
  Access access = server_.access();
  access.token = "another-token-of-a-client";
  transport_->use(access);
  EXPECT_THAT(get("/x"), StartsWith("1: GET")) << "libcurl, once more: the old connection ends";
  EXPECT_TRUE(run_until(*transport_, [&] { return get("/x").starts_with("3: GET"); }));
}

TEST_F(Direct, AServerThatIsSilentIsGivenUp) {
  server_.keep_silent(2);
  transport_.emplace(server_.access(), TransportOptions{.connect_timeout = 500ms, .direct = true});
  EXPECT_THAT(get("/x"), StartsWith("1: GET"));
  EXPECT_TRUE(run_until(*transport_, [&] { return server_.was_left(); }));
  EXPECT_THAT(get("/x"), StartsWith("1: GET"));
}

TEST_F(Direct, CredentialsThatAreReplacedEndTheHandshakeToo) {
  server_.keep_silent(1);
  Http2Connection connection({.address = "127.0.0.1",
                              .port = server_.access().server.port,
                              .name = "127.0.0.1",
                              .authorities = authority_.pem()});
  EXPECT_TRUE(connection.is_connecting());
  connection.retire();
  EXPECT_TRUE(connection.is_over());
}

// Whether a connection to that peer comes to be.
bool comes_to_be(const Http2Peer& peer) {
  Http2Connection connection(peer);
  const auto until = Clock::now() + 10s;
  while (!connection.is_open() && !connection.is_over() && Clock::now() < until) {
    const auto events = static_cast<short>(POLLIN | (connection.wants_write() ? POLLOUT : 0));
    pollfd one{.fd = connection.socket(), .events = events, .revents = 0};
    ::poll(&one, 1, 100);
    connection.act();
  }
  EXPECT_NE(connection.is_open(), connection.is_over());
  return connection.is_open();
}

TEST_F(Direct, ItIsOpenedToNobodyElse) {
  const Authority other("other");
  const Issued me = other.issue("me", "DNS:me");
  const Http2Peer right{.address = "127.0.0.1",
                        .port = server_.access().server.port,
                        .name = "127.0.0.1",
                        .authorities = authority_.pem()};
  EXPECT_TRUE(comes_to_be(right));
  Http2Peer wrong = right;
  wrong.authorities = other.pem();
  EXPECT_FALSE(comes_to_be(wrong)) << "an authority that did not sign it";
  wrong.authorities = "";
  EXPECT_FALSE(comes_to_be(wrong)) << "nobody is trusted";
  wrong.skip_verification = true;
  EXPECT_TRUE(comes_to_be(wrong));
  wrong = right;
  wrong.name = "127.0.0.2";
  EXPECT_FALSE(comes_to_be(wrong)) << "an address that it does not have";
  wrong.name = "server";
  EXPECT_FALSE(comes_to_be(wrong)) << "a name that it does not have";
  wrong = right;
  wrong.certificate = me.certificate_pem();
  wrong.key = me.key_pem();
  EXPECT_TRUE(comes_to_be(wrong));
  wrong.key = identity_.key_pem();
  EXPECT_FALSE(comes_to_be(wrong)) << "the key of another certificate";
  wrong = right;
  wrong.address = "localhost";
  EXPECT_FALSE(comes_to_be(wrong)) << "no address";
}

TEST_F(Direct, AStreamStaysWithLibcurl) {
  begin();
  std::string said;
  bool is_done = false;
  StreamCallbacks callbacks;
  callbacks.opened = [](const Response&) {};
  callbacks.chunk = [&](std::string_view chunk) { said += chunk; };
  callbacks.done = [&](const Result<Response>&) { is_done = true; };
  const Ticket ticket = transport_->stream({.path = "/x"}, std::move(callbacks));
  run_until(*transport_, [&] { return is_done; });
  EXPECT_THAT(said, StartsWith("1: GET"));
}

}  // namespace
}  // namespace elbowroom::api
