#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "api/curl_transport.h"
#include "certificates.h"
#include "loopback.h"
#include "temporary_folder.h"

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// The body of GET /x, or "CODE: MESSAGE".
std::string answer(Transport& transport) {
  std::optional<Result<Response>> outcome;
  Request request;
  request.path = "/x";
  transport.send(std::move(request), [&](Result<Response> came) { outcome = std::move(came); });
  if (!run_until(transport, [&] { return outcome.has_value(); })) return "no answer";
  if (*outcome) return std::to_string((*outcome)->status) + " " + (*outcome)->body;
  return std::string(to_string(outcome->error().code)) + ": " + outcome->error().message;
}
std::string answer(const Access& access) {
  CurlTransport transport(access, {});
  return answer(transport);
}

class TlsTest : public testing::Test {
 protected:
  // Echoes the Authorization header.
  std::unique_ptr<Loopback> serve(const Issued& identity, X509_STORE* clients = nullptr) {
    auto server = std::make_unique<httplib::SSLServer>(identity.certificate.get(),
                                                       identity.key.get(), clients);
    return std::make_unique<Loopback>(std::move(server), "https", [](httplib::Server& http) {
      http.Get("/x", [](const httplib::Request& in, httplib::Response& out) {
        out.set_content("[" + in.get_header_value("Authorization") + "]", "text/plain");
      });
    });
  }
  Access trusting(const Loopback& server, const std::string& authority) {
    Access access = server.access();
    access.authority_pem = authority;
    return access;
  }

  Authority ours_{"ours"};
  Authority theirs_{"theirs"};
  TemporaryFolder folder_;
};

TEST_F(TlsTest, OnlyTheAuthorityThatWasNamedIsTrusted) {
  const auto server = serve(ours_.issue("api", "IP:127.0.0.1"));
  Access access = trusting(*server, ours_.pem());
  access.token = "t";
  EXPECT_EQ(answer(access), "200 [Bearer t]");
  EXPECT_THAT(answer(trusting(*server, theirs_.pem())), HasSubstr("Denied: GET /x: "));
  EXPECT_THAT(answer(server->access()), HasSubstr("Denied: GET /x: ")) << "system's authorities";

  access.authority_pem.reset();
  access.authority_file = folder_.write("ca.crt", "");
  EXPECT_THAT(answer(access), HasSubstr("Denied: GET /x: ")) << "an empty file trusts nobody";
  access.authority_file = folder_.path("missing");
  EXPECT_THAT(answer(access), HasSubstr("Denied: GET /x: " + folder_.path("missing")));
  access.authority_file = folder_.write("ca.crt", ours_.pem());
  EXPECT_EQ(answer(access), "200 [Bearer t]");

  access.authority_file.clear();
  access.skip_verification = true;
  EXPECT_EQ(answer(access), "200 [Bearer t]");
}

TEST_F(TlsTest, TheServersNameIsChecked) {
  const auto server = serve(ours_.issue("api", "DNS:api.example"));
  Access access = trusting(*server, ours_.pem());
  EXPECT_THAT(answer(access), HasSubstr("Denied: GET /x: "));
  access.tls_server_name = "api.example";
  EXPECT_EQ(answer(access), "200 []");
  access.tls_server_name = "other.example";
  EXPECT_THAT(answer(access), HasSubstr("Denied: GET /x: "));
}

TEST_F(TlsTest, AClientCertificateIsShown) {
  X509_STORE* clients = X509_STORE_new();
  X509_STORE_add_cert(clients, ours_.certificate());
  const auto server = serve(ours_.issue("api", "IP:127.0.0.1"), clients);
  Access access = trusting(*server, ours_.pem());
  EXPECT_THAT(answer(access), HasSubstr("GET /x: ")) << "none";
  const Issued me = ours_.issue("me", "DNS:me");
  access.certificate_pem = me.certificate_pem();
  access.key_pem = me.key_pem();
  EXPECT_EQ(answer(access), "200 []");

  // As a kubelet keeps it: certificate and key in one file, named for both.
  access.certificate_pem.reset();
  access.key_pem.reset();
  access.certificate_file = folder_.write("both.pem", me.certificate_pem() + me.key_pem());
  access.key_file = access.certificate_file;
  EXPECT_EQ(answer(access), "200 []");

  const Issued stranger = theirs_.issue("me", "DNS:me");
  access.certificate_pem = stranger.certificate_pem();
  access.key_pem = stranger.key_pem();
  EXPECT_THAT(answer(access), HasSubstr("GET /x: "));
  access.key_pem = me.key_pem();
  EXPECT_THAT(answer(access), HasSubstr("Denied: GET /x: ")) << "the key of another certificate";
}

TEST_F(TlsTest, ATokenThatRotatedIsTriedOnceAfterA401) {
  std::vector<std::string> seen;
  const Issued identity = ours_.issue("api", "IP:127.0.0.1");
  const Loopback server(
      std::make_unique<httplib::SSLServer>(identity.certificate.get(), identity.key.get()), "https",
      [&](httplib::Server& http) {
        http.Get("/x", [&](const httplib::Request& in, httplib::Response& out) {
          seen.push_back(in.get_header_value("Authorization"));
          out.status = seen.back() == "Bearer two" ? 200 : 401;
        });
      });
  Access access = trusting(server, ours_.pem());
  access.token_file = folder_.write("token", "one\n");
  CurlTransport transport(access, {});
  EXPECT_EQ(answer(transport), "401 ") << "the file has not changed";
  EXPECT_THAT(seen, ElementsAre("Bearer one"));
  folder_.write("token", "two\n");
  EXPECT_EQ(answer(transport), "200 ");
  folder_.write("token", "three\n");
  EXPECT_EQ(answer(transport), "200 ") << "read again only when it is old or refused";
  EXPECT_THAT(seen, ElementsAre("Bearer one", "Bearer one", "Bearer two", "Bearer two"));
}

// --- Rotation, by Credentials alone: the clock is ours there ---

class CredentialsTest : public testing::Test {
 protected:
  Clock::time_point now_{1h};
  TemporaryFolder folder_;
  Authority authority_{"ours"};
};

TEST_F(CredentialsTest, ATokenFileIsReadAgainAfterAMinute) {
  Access access;
  access.token_file = folder_.write("token", " one \n");
  Credentials credentials(access);
  EXPECT_EQ(*credentials.token(now_), "one");
  folder_.write("token", "two");
  EXPECT_EQ(*credentials.token(now_ + 59s), "one");
  EXPECT_EQ(*credentials.token(now_ + 60s), "two");
}

TEST_F(CredentialsTest, ATokenFileThatIsBadForAMomentChangesNothing) {
  Access access;
  access.token_file = folder_.write("token", "one");
  Credentials credentials(access);
  EXPECT_EQ(*credentials.token(now_), "one");
  for (const std::string_view bad : {"", "\n", "a b", "a\nHost: x"}) {
    folder_.write("token", bad);
    now_ += 60s;
    EXPECT_EQ(*credentials.token(now_), "one");
    ASSERT_TRUE(credentials.problem());
    EXPECT_THAT(credentials.problem()->message, HasSubstr("holds no token"));
  }
  std::filesystem::remove(folder_.path("token"));
  now_ += 60s;
  EXPECT_EQ(*credentials.token(now_), "one");
  folder_.write("token", "two");
  now_ += 60s;
  EXPECT_EQ(*credentials.token(now_), "two");
  EXPECT_FALSE(credentials.problem());
}

TEST_F(CredentialsTest, ATokenFileThatComesLaterIsFoundSoon) {
  Access access;
  access.token_file = folder_.path("token");
  Credentials credentials(access);
  const auto missing = credentials.token(now_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::Denied);
  folder_.write("token", "one");
  EXPECT_EQ(*credentials.token(now_ + 2s), "one");
}

TEST_F(CredentialsTest, ATokenStandsInForItsFile) {
  Access access;
  access.token = "inline";
  access.token_file = folder_.path("token");
  Credentials credentials(access);
  EXPECT_EQ(*credentials.token(now_), "inline");
  folder_.write("token", "file");
  EXPECT_EQ(*credentials.token(now_ + 2s), "file");
  access.token_file.clear();
  access.token = "a\r\nb";
  EXPECT_FALSE(Credentials(access).token(now_));
}

TEST_F(CredentialsTest, ACertificateIsReplacedOnlyTogetherWithItsKey) {
  const Issued one = authority_.issue("one", "DNS:one");
  const Issued two = authority_.issue("two", "DNS:two");
  Access access;
  access.certificate_file = folder_.write("c.pem", one.certificate_pem());
  access.key_file = folder_.write("k.pem", one.key_pem());
  Credentials credentials(access);
  EXPECT_EQ(credentials.tls(now_)->key, one.key_pem());

  folder_.write("c.pem", two.certificate_pem());
  folder_.write("k.pem", two.key_pem().substr(0, 60));
  EXPECT_EQ(credentials.tls(now_ + 59s)->certificate, one.certificate_pem());
  now_ += 60s;
  EXPECT_EQ(credentials.tls(now_)->certificate, one.certificate_pem()) << "half a key";
  EXPECT_EQ(credentials.tls(now_)->key, one.key_pem());
  EXPECT_TRUE(credentials.problem());

  folder_.write("c.pem", two.certificate_pem().substr(0, 60));
  folder_.write("k.pem", two.key_pem());
  now_ += 60s;
  EXPECT_EQ(credentials.tls(now_)->certificate, one.certificate_pem()) << "half a certificate";
  EXPECT_EQ(credentials.tls(now_)->key, one.key_pem());
  EXPECT_TRUE(credentials.problem());

  folder_.write("c.pem", two.certificate_pem());
  now_ += 60s;
  EXPECT_EQ(credentials.tls(now_)->certificate, two.certificate_pem());
  EXPECT_EQ(credentials.tls(now_)->key, two.key_pem());
  EXPECT_FALSE(credentials.problem());
}

TEST_F(CredentialsTest, AnAuthorityThatBecomesEmptyChangesNothing) {
  Access access;
  access.authority_file = folder_.write("ca.crt", authority_.pem());
  Credentials credentials(access);
  EXPECT_EQ(credentials.tls(now_)->authority, authority_.pem());
  folder_.write("ca.crt", "");
  now_ += 10min;
  EXPECT_EQ(credentials.tls(now_)->authority, authority_.pem());
  EXPECT_TRUE(credentials.problem());
}

TEST_F(CredentialsTest, WhatIsNoSmallFileIsRefused) {
  for (const std::string& path :
       {folder_.path(""), folder_.write("large", std::string((1 << 20) + 1, 'x')),
        std::string("/dev/zero")}) {
    Access access;
    access.token_file = path;
    const auto token = Credentials(access).token(now_);
    ASSERT_FALSE(token) << path;
    EXPECT_EQ(token.error().code, Code::Denied);
  }
}

}  // namespace
}  // namespace elbowroom::api
