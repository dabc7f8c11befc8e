#include "daemon/https/tls_connections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/https/server_certificate.h"
#include "test/temporary_folder.h"
#include "test/unit/api/certificates.h"

namespace elbowroom::daemon {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using namespace std::chrono_literals;
using Clock = TlsConnections::Clock;

struct FreeTls {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

// The client's end of a connection. It never blocks.
class Peer {
 public:
  Peer(Fd socket, SSL_CTX* context) : socket_(std::move(socket)), ssl_(SSL_new(context)) {
    SSL_set_fd(ssl_.get(), socket_.get());
    SSL_set_connect_state(ssl_.get());
  }

  [[nodiscard]] SSL* ssl() { return ssl_.get(); }
  bool shakes_hands() { return SSL_do_handshake(ssl_.get()) == 1; }
  // Whether all was sent, in one record for each 16 KiB.
  bool send(std::string_view text) {
    return SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size())) ==
           static_cast<int>(text.size());
  }
  // What has arrived.
  std::string receive() {
    std::string all;
    std::array<char, 16384> block{};
    for (int got = 1; got > 0;) {
      got = SSL_read(ssl_.get(), block.data(), static_cast<int>(block.size()));
      if (got > 0) all.append(block.data(), static_cast<std::size_t>(got));
    }
    return all;
  }
  // The server's end is closed.
  bool is_closed() {
    std::array<char, 16384> block{};
    for (;;) {
      const ssize_t got = ::recv(socket_.get(), block.data(), block.size(), MSG_DONTWAIT);
      if (got <= 0) return got == 0 || errno == ECONNRESET;
    }
  }

 private:
  Fd socket_;
  std::unique_ptr<SSL, FreeTls> ssl_;
};

// One thread plays all ends, on a clock of its own.
class TlsConnectionsTest : public testing::Test {
 protected:
  TlsConnectionsTest() {
    std::signal(SIGPIPE, SIG_IGN);
    const auto issued = ours_.issue("hook", "IP:127.0.0.1");
    certificate_ = *ServerCertificate::open({folder_.write("tls.crt", issued.certificate_pem()),
                                             folder_.write("tls.key", issued.key_pem())},
                                            std::chrono::system_clock::now());
  }
  void serve(TlsConnections::Limits limits) { server_.emplace(limits); }

  // A client that has connected; its handshake has not begun.
  std::unique_ptr<Peer> connect() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    if (server_->has_room(now_))
      server_->add(Fd(ends[0]), certificate_->context(), now_);
    else
      waiting_.emplace_back(ends[0]);
    return std::make_unique<Peer>(Fd(ends[1]), client_.get());
  }
  std::unique_ptr<Peer> session() {
    auto peer = connect();
    for (int i = 0; i < 10 && !peer->shakes_hands(); ++i) turn();
    turn();
    return peer;
  }
  void turn() {
    std::vector<pollfd> polled;
    server_->append_polls(polled);
    ::poll(polled.data(), polled.size(), 0);
    for (auto& each : server_->turn(polled.data(), now_)) asked_.push_back(std::move(each));
  }
  void answer_all(int status = 200) {
    for (const HttpsRequest& each : std::exchange(asked_, {})) {
      server_->respond(each.number, {.status = status, .body = "yes"}, now_);
    }
    turn();
  }
  std::string answer_to(Peer& peer, std::string_view request) {
    if (!peer.send(request)) return "not sent";
    turn();
    answer_all();
    return peer.receive();
  }
  // Sends as much as fits and lets the server read it, until all is sent or the server closes.
  bool sends_all(Peer& peer, std::string_view text, std::size_t record) {
    for (int i = 0; !text.empty() && i < 100'000; ++i) {
      const std::string_view next = text.substr(0, record);
      if (peer.send(next)) {
        text.remove_prefix(next.size());
        continue;
      }
      if (SSL_get_error(peer.ssl(), -1) != SSL_ERROR_WANT_WRITE) return false;
      turn();
    }
    return text.empty();
  }
  static std::string post(std::size_t length) {
    return "POST /review HTTP/1.1\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
  }

  test::TemporaryFolder folder_;
  api::Authority ours_{"ours"};
  std::optional<ServerCertificate> certificate_{};
  std::unique_ptr<SSL_CTX, FreeTls> client_{SSL_CTX_new(TLS_client_method())};
  Clock::time_point now_{std::chrono::hours(1)};
  std::optional<TlsConnections> server_{};
  std::vector<HttpsRequest> asked_{};
  std::vector<Fd> waiting_{};  // in the listen backlog
};

const std::string kGet = "GET /a HTTP/1.1\r\n\r\n";

// ---- more connections than the limit ----

TEST_F(TlsConnectionsTest, WhatIsAboveTheLimitWaitsWhileOthersAreAnswered) {
  serve({.connections = 2});
  const auto one = session();
  const auto other = session();
  EXPECT_TRUE(one->send(kGet));
  EXPECT_TRUE(other->send(kGet));
  turn();
  now_ += 4s;
  EXPECT_FALSE(server_->has_room(now_));
  answer_all();
  EXPECT_THAT(one->receive(), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(other->receive(), StartsWith("HTTP/1.1 200"));
  EXPECT_FALSE(server_->has_room(now_)) << "their clients may use them again";
  EXPECT_EQ(server_->counts().unanswered, 0U);
}

TEST_F(TlsConnectionsTest, AYoungHandshakeIsNotClosed) {
  serve({.connections = 1});
  const auto first = connect();
  const auto second = connect();
  for (int i = 0; i < 10 && !first->shakes_hands(); ++i) turn();
  EXPECT_THAT(answer_to(*first, kGet), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(waiting_, SizeIs(1));
}

// In a burst this end is the slow one.
TEST_F(TlsConnectionsTest, AHandshakeThatWaitsForThisEndIsNotClosed) {
  serve({.connections = 17});
  std::vector<std::unique_ptr<Peer>> peers;
  for (int i = 0; i < 17; ++i) {
    peers.push_back(connect());
    EXPECT_FALSE(peers.back()->shakes_hands());
  }
  now_ += 3s;
  turn();  // sixteen of them have their answers
  std::vector<std::unique_ptr<Peer>> more;
  for (int i = 0; i < 17; ++i) more.push_back(connect());
  EXPECT_THAT(waiting_, SizeIs(1));
  for (int i = 0; i < 10 && !peers.back()->shakes_hands(); ++i) turn();
  EXPECT_THAT(answer_to(*peers.back(), kGet), StartsWith("HTTP/1.1 200"));
}

TEST_F(TlsConnectionsTest, AnOldHandshakeGivesWay) {
  serve({.connections = 1});
  const auto first = connect();
  turn();
  now_ += 2s;
  EXPECT_THAT(answer_to(*session(), kGet), StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(first->is_closed());
  EXPECT_EQ(server_->counts().unanswered, 1U);
}

TEST_F(TlsConnectionsTest, ThoseThatNeverAskedGiveWayBeforeThoseThatWereAnswered) {
  serve({.connections = 2});
  const auto answered = session();
  EXPECT_THAT(answer_to(*answered, kGet), StartsWith("HTTP/1.1 200"));
  now_ += 1s;
  const auto silent = session();
  now_ += 2s;
  const auto latest = session();
  EXPECT_TRUE(silent->is_closed());
  EXPECT_THAT(answer_to(*answered, kGet), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer_to(*latest, kGet), StartsWith("HTTP/1.1 200"));
}

TEST_F(TlsConnectionsTest, WhoWasRefusedCountsAsOneThatNeverAsked) {
  serve({.connections = 2});
  const auto answered = session();
  EXPECT_THAT(answer_to(*answered, kGet), StartsWith("HTTP/1.1 200"));
  now_ += 1s;
  const auto refused = session();
  EXPECT_TRUE(refused->send(kGet));
  turn();
  answer_all(404);
  EXPECT_THAT(refused->receive(), StartsWith("HTTP/1.1 404"));
  now_ += 2s;
  const auto latest = session();
  EXPECT_THAT(answer_to(*answered, kGet), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(server_->counts().refused, 1U);
}

TEST_F(TlsConnectionsTest, AFirstRequestThatIsReadIsNotClosed) {
  serve({.connections = 1});
  const auto first = session();
  EXPECT_TRUE(first->send(post(5) + "ab"));
  turn();
  now_ += 2s;
  EXPECT_FALSE(server_->has_room(now_));
  EXPECT_TRUE(first->send("cde"));
  turn();
  EXPECT_THAT(asked_, SizeIs(1));
}

TEST_F(TlsConnectionsTest, AHeadThatDoesNotComeGivesWay) {
  serve({.connections = 1});
  const auto first = session();
  EXPECT_TRUE(first->send("POST /rev"));
  turn();
  EXPECT_FALSE(server_->has_room(now_)) << "it is young";
  now_ += 2s;
  EXPECT_THAT(answer_to(*session(), kGet), StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(first->is_closed());
  EXPECT_EQ(server_->counts().unanswered, 1U);
}

// ---- work for one connection ----

TEST_F(TlsConnectionsTest, AConnectionOfRecordsWithoutARequestIsClosed) {
  serve({});
  const auto peer = session();
  bool is_open = true;
  for (int i = 0; is_open && i < 1000; ++i) {
    is_open = SSL_key_update(peer->ssl(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1 &&
              SSL_do_handshake(peer->ssl()) == 1;
    turn();
  }
  EXPECT_FALSE(is_open);
  EXPECT_EQ(server_->size(), 0U);
}

TEST_F(TlsConnectionsTest, ATurnReadsOneSuchRecordOfAConnection) {
  serve({});
  const auto peer = session();
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(SSL_key_update(peer->ssl(), SSL_KEY_UPDATE_NOT_REQUESTED), 1);
    EXPECT_EQ(SSL_do_handshake(peer->ssl()), 1);
  }
  EXPECT_TRUE(peer->send(kGet));
  turn();
  EXPECT_THAT(asked_, IsEmpty());
  for (int i = 0; i < 50; ++i) turn();
  EXPECT_THAT(asked_, SizeIs(1));
}

TEST_F(TlsConnectionsTest, ATurnReadsSixteenRecordsOfAConnection) {
  serve({});
  const auto peer = session();
  EXPECT_TRUE(peer->send(post(20 * 2000)));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(peer->send(std::string(2000, 'x')));
  turn();
  EXPECT_THAT(asked_, IsEmpty());
  turn();
  EXPECT_THAT(asked_, SizeIs(1));
}

TEST_F(TlsConnectionsTest, ABodyOfTinyRecordsIsNotRead) {
  serve({});
  const auto peer = session();
  EXPECT_FALSE(sends_all(*peer, post(10'000) + std::string(10'000, 'x'), 1));
  EXPECT_THAT(asked_, IsEmpty());
  EXPECT_EQ(server_->counts().unanswered, 1U);
}

TEST_F(TlsConnectionsTest, ABodyOfSmallRecordsIsRead) {
  serve({});
  const auto peer = session();
  EXPECT_TRUE(sends_all(*peer, post(400'000) + std::string(400'000, 'x'), 1100));
  for (int i = 0; i < 100; ++i) turn();
  EXPECT_THAT(asked_, SizeIs(1));
}

// ---- what cannot be read to its end ----

TEST_F(TlsConnectionsTest, ABodyThatIsTooLargeIsHandedOnAsFarAsItIsRead) {
  serve({.body = 100'000});
  const auto peer = session();
  EXPECT_TRUE(peer->send(post(100'001) + std::string(60'000, 'x')));
  for (int i = 0; i < 5; ++i) turn();
  ASSERT_THAT(asked_, SizeIs(1));
  EXPECT_THAT(asked_.front().cut, HasSubstr("larger than 100000 bytes"));
  EXPECT_THAT(asked_.front().body,
              SizeIs(testing::AllOf(testing::Ge(16'000U), testing::Le(60'000U))));
  answer_all();
  EXPECT_THAT(peer->receive(), HasSubstr("Connection: close"));
}

TEST_F(TlsConnectionsTest, ABodyThatDoesNotComeInTimeIsHandedOnAsFarAsItCame) {
  serve({});
  const auto peer = session();
  EXPECT_TRUE(peer->send(post(1000) + "abc"));
  turn();
  now_ += 6s;
  turn();
  ASSERT_THAT(asked_, SizeIs(1));
  EXPECT_EQ(asked_.front().body, "abc");
  EXPECT_THAT(asked_.front().cut, HasSubstr("in time"));
}

TEST_F(TlsConnectionsTest, OneLargeBodyIsReadAtATime) {
  serve({.small = 1000});
  const auto first = session();
  EXPECT_TRUE(first->send(post(40'000) + std::string(30'000, 'a')));
  for (int i = 0; i < 5; ++i) turn();
  const auto second = session();
  EXPECT_TRUE(second->send(post(40'000) + std::string(40'000, 'b')));
  for (int i = 0; i < 5; ++i) turn();
  EXPECT_THAT(asked_, IsEmpty()) << "the second one waits";
  EXPECT_THAT(answer_to(*session(), post(2) + "ok"), StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(first->send(std::string(10'000, 'a')));
  for (int i = 0; i < 5; ++i) turn();
  ASSERT_THAT(asked_, SizeIs(1));
  EXPECT_EQ(asked_.front().body, std::string(40'000, 'a'));
  answer_all();
  for (int i = 0; i < 5; ++i) turn();
  ASSERT_THAT(asked_, SizeIs(1));
  EXPECT_EQ(asked_.front().body, std::string(40'000, 'b'));
  EXPECT_EQ(asked_.front().cut, "");
}

// ---- memory ----

TEST_F(TlsConnectionsTest, ResponsesCountForWhatIsHeld) {
  serve({.held = std::size_t{5} << 19});
  std::vector<std::unique_ptr<Peer>> peers;
  for (int i = 0; i < 4; ++i) {
    peers.push_back(session());
    EXPECT_TRUE(peers.back()->send(kGet));
    turn();
    for (const HttpsRequest& each : std::exchange(asked_, {})) {
      server_->respond(each.number, {.body = std::string(std::size_t{1} << 20, 'x')}, now_);
    }
    now_ += 1ms;
    turn();
  }
  turn();
  EXPECT_EQ(server_->size(), 2U);
}

// ---- TLS ----

TEST_F(TlsConnectionsTest, CiphersWithoutAuthenticatedEncryptionAreRefused) {
  serve({});
  SSL_CTX_set_max_proto_version(client_.get(), TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(client_.get(), "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0");
  const auto old = session();
  EXPECT_FALSE(old->shakes_hands());
  SSL_CTX_set_cipher_list(client_.get(), "ECDHE-ECDSA-AES128-GCM-SHA256");
  EXPECT_THAT(answer_to(*session(), kGet), StartsWith("HTTP/1.1 200"));
}

}  // namespace
}  // namespace elbowroom::daemon
