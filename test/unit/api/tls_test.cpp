#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "api/transport/certificate.h"
#include "api/transport/curl_transport.h"
#include "api/transport/proxy.h"
#include "api/transport/status_error.h"
#include "certificates.h"
#include "loopback.h"
#include "test/temporary_folder.h"
#include "tunnel.h"

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

// Of each header of that name, with a space after it.
std::string values_of(const httplib::Request& request, const std::string& name) {
  std::string values;
  auto [at, last] = request.headers.equal_range(name);
  for (; at != last; ++at) values += at->second + " ";
  return values;
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
  test::TemporaryFolder folder_;
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
  EXPECT_THAT(answer(access), HasSubstr("Denied: GET /x: read " + folder_.path("missing")));
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

// --- An error names the file and the remedy ---

TEST_F(TlsTest, AServerThatCannotBeTrustedIsToldWithTheRemedy) {
  const Authority stale("stale", {.from = -7200, .until = -3600});
  struct Row {
    std::string what;
    Issued server;
    std::string authority;
    std::vector<std::string> message;
  };
  const std::string file = folder_.path("ca.crt");
  std::vector<Row> rows;
  rows.push_back({"wrong CA",
                  ours_.issue("api", "IP:127.0.0.1"),
                  theirs_.pem(),
                  {"nobody in " + file + " vouches for the server: put the certificate of the"}});
  rows.push_back({"self-signed",
                  Authority::self_signed("api", "IP:127.0.0.1"),
                  ours_.pem(),
                  {"self-signed", "nobody in " + file + " vouches"}});
  rows.push_back({"expired",
                  ours_.issue("api", "IP:127.0.0.1", {-7200, -3600}),
                  ours_.pem(),
                  {"certificate has expired", "renew the server's certificate", "clock says 2"}});
  rows.push_back({"expired CA",
                  stale.issue("api", "IP:127.0.0.1"),
                  stale.pem(),
                  {"certificate has expired", "or its authority's"}});
  rows.push_back({"not yet valid",
                  ours_.issue("api", "IP:127.0.0.1", {3600, 7200}),
                  ours_.pem(),
                  {"not yet valid", "this machine's clock says 2", "set it if that is behind"}});
  rows.push_back({"wrong name",
                  ours_.issue("api", "DNS:api.example"),
                  ours_.pem(),
                  {"the certificate is for other names", "tls-server-name"}});
  for (const Row& row : rows) {
    const auto server = serve(row.server);
    Access access = server->access();
    access.authority_file = folder_.write("ca.crt", row.authority);
    access.token = "hush-hush";
    const std::string said = answer(access);
    EXPECT_THAT(said, HasSubstr("Denied: GET /x: ")) << row.what;
    for (const std::string& part : row.message) EXPECT_THAT(said, HasSubstr(part)) << row.what;
    EXPECT_THAT(said, testing::Not(HasSubstr("hush"))) << row.what;
  }
}

TEST_F(TlsTest, AServerWithoutTlsOrWithAnOldOneIsTold) {
  const Loopback plain([](httplib::Server&) {});
  Access access = plain.access();
  access.server.scheme = "https";
  EXPECT_THAT(answer(access), HasSubstr("the server does not speak TLS there"));

  const Issued identity = ours_.issue("api", "IP:127.0.0.1");
  auto server =
      std::make_unique<httplib::SSLServer>(identity.certificate.get(), identity.key.get());
  SSL_CTX_set_min_proto_version(server->ssl_context(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(server->ssl_context(), TLS1_1_VERSION);
  SSL_CTX_set_security_level(server->ssl_context(), 0);
  const Loopback old(std::move(server), "https", [](httplib::Server& http) {
    http.Get("/x", [](const auto&, httplib::Response&) {});
  });
  EXPECT_THAT(answer(trusting(old, ours_.pem())),
              HasSubstr("the server must speak TLS 1.2 or newer"));
}

TEST_F(TlsTest, AClientCertificateThatIsRefusedIsNamed) {
  X509_STORE* clients = X509_STORE_new();
  X509_STORE_add_cert(clients, ours_.certificate());
  const Issued identity = ours_.issue("api", "IP:127.0.0.1");
  auto http =
      std::make_unique<httplib::SSLServer>(identity.certificate.get(), identity.key.get(), clients);
  // From TLS 1.3 on the refusal comes after the handshake, and the close may overtake it.
  SSL_CTX_set_max_proto_version(http->ssl_context(), TLS1_2_VERSION);
  const auto server = std::make_unique<Loopback>(std::move(http), "https", [](httplib::Server&) {});
  Access access = trusting(*server, ours_.pem());
  const Issued old = ours_.issue("me", "DNS:me", {-7200, -3600});
  access.certificate_file = folder_.write("me.crt", old.certificate_pem());
  access.key_file = folder_.write("me.key", old.key_pem());
  EXPECT_THAT(answer(access),
              HasSubstr("client certificate " + access.certificate_file + " expired at 2"));
  const Issued stranger = theirs_.issue("me", "DNS:me");
  access.certificate_file = folder_.write("me.crt", stranger.certificate_pem());
  access.key_file = folder_.write("me.key", stranger.key_pem());
  EXPECT_THAT(answer(access),
              HasSubstr("the server does not take client certificate " + access.certificate_file));
}

TEST_F(TlsTest, WhenTheClientCertificateExpiresIsKnownOnceItWasShown) {
  const auto server = serve(ours_.issue("api", "IP:127.0.0.1"));
  Access access = trusting(*server, ours_.pem());
  CurlTransport transport(access, {});
  EXPECT_EQ(answer(transport), "200 []");
  EXPECT_EQ(transport.certificate_expires(), std::nullopt) << "none was shown";
  const auto show = [&](long lasts) {
    const Issued me = ours_.issue("me", "DNS:me", {-7200, lasts});
    access.certificate_pem = me.certificate_pem();
    access.key_pem = me.key_pem();
    transport.use(access);
    EXPECT_EQ(answer(transport), "200 []");
    const auto expires = transport.certificate_expires();
    return expires ? std::chrono::round<std::chrono::minutes>(*expires - transport.wall()) : 0min;
  };
  EXPECT_EQ(show(3600), 60min);
  EXPECT_EQ(show(7200), 120min) << "the new one";
  access.certificate_pem.reset();
  access.key_pem.reset();
  transport.use(access);
  EXPECT_EQ(answer(transport), "200 []");
  EXPECT_EQ(transport.certificate_expires(), std::nullopt) << "it is shown no more";
}

TEST_F(TlsTest, ARefusalSaysWhatWasWrongWithTheCredentials) {
  const Issued identity = ours_.issue("api", "IP:127.0.0.1");
  const Loopback server(
      std::make_unique<httplib::SSLServer>(identity.certificate.get(), identity.key.get()), "https",
      [](httplib::Server& http) {
        http.Get("/x", [](const auto&, httplib::Response& out) { out.status = 401; });
      });
  const auto remark = [](const Access& access) {
    CurlTransport transport(access, {});
    std::optional<Result<Response>> outcome;
    transport.send({.path = "/x"}, [&](Result<Response> came) { outcome = std::move(came); });
    run_until(transport, [&] { return outcome.has_value(); });
    return error_from(**outcome, Method::Get).message;
  };
  Access access = trusting(server, ours_.pem());
  EXPECT_THAT(remark(access), HasSubstr("401 Unauthorized; no credentials were shown"));
  access.token = "old";
  EXPECT_THAT(remark(access), HasSubstr("does not take the credentials: put new ones into"));
  const Issued old = ours_.issue("me", "DNS:me", {-7200, -3600});
  access.certificate_file = folder_.write("me.crt", old.certificate_pem());
  access.key_file = folder_.write("me.key", old.key_pem());
  EXPECT_THAT(remark(access),
              HasSubstr("client certificate " + access.certificate_file + " expired at 2"));
}

// --- Through proxies ---

TEST_F(TlsTest, AProxyIsAskedForATunnel) {
  const auto server = serve(ours_.issue("api", "DNS:api.example"));
  Access access = trusting(*server, ours_.pem());
  access.server.host = "api.example";  // only the proxy knows where that is
  access.token = "t";
  {
    Tunnel proxy(Tunnel::Kind::Connect, server->port());
    access.proxy_url = *proxy_url_from("http://me:hush@" + proxy.address());
    EXPECT_EQ(answer(access), "200 [Bearer t]");
    ASSERT_EQ(proxy.asked().size(), 1U);
    const std::string head = proxy.asked().front();
    EXPECT_THAT(head, HasSubstr("CONNECT api.example:" + std::to_string(server->port()) + " "));
    EXPECT_THAT(head, HasSubstr("Proxy-Authorization: Basic bWU6aHVzaA==")) << "me:hush";
    EXPECT_THAT(head, testing::Not(HasSubstr("Bearer"))) << "that is for the server alone";
  }
  {
    Tunnel proxy(Tunnel::Kind::Socks, server->port());
    access.proxy_url = *proxy_url_from("socks5://" + proxy.address());
    EXPECT_EQ(answer(access), "200 [Bearer t]");
    EXPECT_THAT(proxy.asked(), ElementsAre("api.example:" + std::to_string(server->port())));
  }
}

TEST_F(TlsTest, AProxyThatRefusesIsToldWithoutItsPassword) {
  Access access;
  access.server = {"https", "api.example", 6443, ""};
  std::string address;
  {
    Tunnel proxy(Tunnel::Kind::Refusing, 1);
    address = proxy.address();
    access.proxy_url = *proxy_url_from("http://me:hush@" + address);
    const std::string refused = answer(access);
    EXPECT_THAT(refused, HasSubstr("Unavailable: GET /x: "));
    EXPECT_THAT(refused, HasSubstr("407"));
    EXPECT_THAT(refused, testing::Not(HasSubstr("hush")));
  }
  for (const std::string& proxy :
       {"http://me:hush@" + address, "socks5://me:hush@" + address, "https://me:hush@" + address}) {
    access.proxy_url = *proxy_url_from(proxy);
    EXPECT_THAT(answer(access), testing::Not(HasSubstr("hush"))) << "nobody there";
  }
}

TEST_F(TlsTest, TheEnvironmentIsNotAskedASecondTime) {
  const auto server = serve(ours_.issue("api", "IP:127.0.0.1"));
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"}) {
    ::setenv(name, "http://127.0.0.1:1", 1);
  }
  const std::string said = answer(trusting(*server, ours_.pem()));
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"}) {
    ::unsetenv(name);
  }
  EXPECT_EQ(said, "200 []");
}

// --- Rotation under a running transport ---

// The serial numbers of the client certificates that were shown, one for each handshake.
TEST_F(TlsTest, AConnectionWithTheOldCertificateIsNotUsedAgain) {
  X509_STORE* clients = X509_STORE_new();
  X509_STORE_add_cert(clients, ours_.certificate());
  std::vector<std::string> shown;
  const Issued identity = ours_.issue("api", "IP:127.0.0.1");
  const Loopback server(
      std::make_unique<httplib::SSLServer>(identity.certificate.get(), identity.key.get(), clients),
      "https", [&](httplib::Server& http) {
        http.Get("/x", [&](const httplib::Request& in, httplib::Response&) {
          X509* peer = SSL_get_peer_certificate(in.ssl);
          std::array<char, 64> name{};
          X509_NAME_get_text_by_NID(X509_get_subject_name(peer), NID_commonName, name.data(),
                                    static_cast<int>(name.size()));
          X509_free(peer);
          shown.emplace_back(name.data());
        });
      });
  const Issued one = ours_.issue("one", "DNS:me");
  const Issued two = ours_.issue("two", "DNS:me");
  Access access = trusting(server, ours_.pem());
  access.certificate_pem = one.certificate_pem();
  access.key_pem = one.key_pem();
  CurlTransport transport(access, {});
  EXPECT_EQ(answer(transport), "200 ");
  EXPECT_EQ(answer(transport), "200 ");
  access.certificate_pem = two.certificate_pem();
  access.key_pem = two.key_pem();
  transport.use(access);
  EXPECT_EQ(answer(transport), "200 ");
  access.authority_pem = theirs_.pem();
  transport.use(access);
  EXPECT_THAT(answer(transport), HasSubstr("vouches for the server")) << "no old connection";
  EXPECT_THAT(shown, ElementsAre("one", "one", "two"));
}

TEST_F(TlsTest, ACredentialProgramIsAskedBeforeTheFirstRequestAndAfterA401) {
  std::vector<std::string> seen;
  std::string accepted = "Bearer t1";
  const Issued identity = ours_.issue("api", "IP:127.0.0.1");
  const Loopback server(
      std::make_unique<httplib::SSLServer>(identity.certificate.get(), identity.key.get()), "https",
      [&](httplib::Server& http) {
        http.Get("/x", [&](const httplib::Request& in, httplib::Response& out) {
          seen.push_back(in.get_header_value("Authorization") + " " +
                         in.get_header_value("Impersonate-User") + " " +
                         values_of(in, "Impersonate-Group") +
                         in.get_header_value("Impersonate-Extra-a%2Fb"));
          out.status = in.get_header_value("Authorization") == accepted ? 200 : 401;
        });
      });
  Access access = trusting(server, ours_.pem());
  access.impersonation = {.user = "root", .groups = {"g", "h"}, .extra = {{"a/b", "c"}}};
  access.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1", .command = "/bin/sh"};
  access.exec->arguments = {
      "-c", "echo run >> " + folder_.path("runs") +
                R"(; echo "{\"apiVersion\": \"client.authentication.k8s.io/v1\", \"kind\": )"
                R"(\"ExecCredential\", \"status\": {\"token\": \"t$(wc -l < )" +
                folder_.path("runs") + ")\\\"}}\""};
  CurlTransport transport(access, {});
  EXPECT_EQ(answer(transport), "200 ");
  EXPECT_EQ(answer(transport), "200 ");
  accepted = "Bearer t2";
  EXPECT_EQ(answer(transport), "401 ") << "a brand new answer is not asked for again";
  EXPECT_THAT(seen, testing::Each(HasSubstr("Bearer t1 root g h c")));

  access.exec->arguments = {"-c", "echo no session >&2; exit 9"};
  EXPECT_THAT(answer(access), HasSubstr("Unavailable: GET /x: credential program /bin/sh: exit "
                                        "status 9; run it by hand"));
}

TEST_F(TlsTest, ASlowCredentialProgramDoesNotHoldUpTheTransport) {
  Access access;
  access.server = {"https", "127.0.0.1", 1, ""};
  access.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1",
                           .command = "/bin/sh",
                           .arguments = {"-c", "exec sleep 600"}};
  CurlTransport transport(access, {});
  bool is_over = false;
  transport.send({.path = "/x"}, [&](const Result<Response>&) { is_over = true; });
  int ticks = 0;
  const Ticket one = transport.after(1ms, [&] { ++ticks; });
  const Ticket two = transport.after(100ms, [&] { ++ticks; });
  const auto begin = Clock::now();
  ASSERT_TRUE(run_until(transport, [&] { return ticks == 2; }));
  EXPECT_LT(Clock::now() - begin, 5s);
  EXPECT_FALSE(is_over);
}

// --- Rotation, by Credentials alone, with the test's own clock ---

class CredentialsTest : public testing::Test {
 protected:
  Clock::time_point now_{1h};
  test::TemporaryFolder folder_;
  Authority authority_{"ours"};
};

TEST_F(CredentialsTest, ATokenFileIsReadAgainAfterFiveSeconds) {
  Access access;
  access.token_file = folder_.write("token", " one \n");
  Credentials credentials(access);
  EXPECT_EQ(*credentials.token(now_), "one");
  folder_.write("token", "two");
  EXPECT_EQ(*credentials.token(now_ + 4s), "one");
  EXPECT_EQ(*credentials.token(now_ + 5s), "two");
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

TEST_F(CredentialsTest, APairIsTakenWhenBothFilesAreNew) {
  const Issued one = authority_.issue("one", "DNS:one");
  const Issued two = authority_.issue("two", "DNS:two");
  // As a kubelet mounts secrets: one link decides for both files.
  for (const auto& [folder, pair] : {std::pair("v1", &one), std::pair("v2", &two)}) {
    std::filesystem::create_directory(folder_.path(folder));
    folder_.write(std::string(folder) + "/tls.crt", pair->certificate_pem());
    folder_.write(std::string(folder) + "/tls.key", pair->key_pem());
  }
  std::filesystem::create_symlink("v1", folder_.path("..data"));
  Access access;
  access.certificate_file = folder_.path("..data/tls.crt");
  access.key_file = folder_.path("..data/tls.key");
  Credentials swapped(access);
  EXPECT_EQ(swapped.tls(now_)->certificate, one.certificate_pem());
  std::filesystem::create_symlink("v2", folder_.path("..new"));
  std::filesystem::rename(folder_.path("..new"), folder_.path("..data"));
  now_ += 60s;
  EXPECT_EQ(swapped.tls(now_)->key, two.key_pem());

  // One file after the other, each by rename: between them they do not belong together.
  const auto put = [&](const std::string& name, const std::string& text) {
    std::filesystem::rename(folder_.write(name + ".new", text), folder_.path(name));
  };
  put("c.pem", one.certificate_pem());
  put("k.pem", one.key_pem());
  access.certificate_file = folder_.path("c.pem");
  access.key_file = folder_.path("k.pem");
  Credentials renamed(access);
  EXPECT_EQ(renamed.tls(now_)->certificate, one.certificate_pem());
  put("c.pem", two.certificate_pem());
  now_ += 60s;
  EXPECT_EQ(renamed.tls(now_)->certificate, one.certificate_pem());
  EXPECT_EQ(renamed.tls(now_)->key, one.key_pem());
  ASSERT_TRUE(renamed.problem());
  EXPECT_EQ(renamed.problem()->message, folder_.path("c.pem") + " and " + folder_.path("k.pem") +
                                            ": the key is not the certificate's; replace both");
  put("k.pem", two.key_pem());
  now_ += 1s;
  EXPECT_EQ(renamed.tls(now_)->certificate, two.certificate_pem()) << "looked at again soon";
  EXPECT_EQ(renamed.tls(now_)->key, two.key_pem());
  EXPECT_FALSE(renamed.problem());
}

TEST_F(CredentialsTest, APairThatNeverBelongedTogetherIsRefused) {
  const Issued one = authority_.issue("one", "DNS:one");
  const Issued two = authority_.issue("two", "DNS:two");
  Access access;
  access.certificate_file = folder_.write("c.pem", one.certificate_pem());
  access.key_file = folder_.write("k.pem", two.key_pem());
  Credentials credentials(access);
  const auto refused = credentials.tls(now_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Denied);
  EXPECT_FALSE(credentials.tls(now_)) << "also from what was kept";
  folder_.write("k.pem", one.key_pem());
  EXPECT_TRUE(credentials.tls(now_ + 1s));
  EXPECT_EQ(credentials.expires(), validity_of(one.certificate_pem())->until);
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
