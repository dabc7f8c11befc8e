#include "daemon/http/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "daemon/http/endpoints.h"
#include "daemon/http/host_header.h"

namespace elbowroom::daemon {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

Endpoints endpoints() {
  return {
      .live = [] { return std::vector<Check>{{"reactor", true, ""}}; },
      .ready =
          [] {
            return std::vector<Check>{{"api", true, "synced"},
                                      {"runtime", false, "no answer\nfrom \x1b[31mit"}};
          },
      .metrics = [] { return Reply{.type = "text/plain; version=0.0.4", .body = "up 1\n"}; },
      .configz = [] { return Reply{.body = std::string(1 << 20, 'c')}; },
      .explain = [](const std::string& ns,
                    const std::string& name) { return Reply{.body = ns + " and " + name}; },
  };
}

Reply asked(std::string path, std::map<std::string, std::string> parameters = {},
            std::string method = "GET") {
  return answer(endpoints(), {std::move(method), std::move(path), std::move(parameters)});
}

TEST(Endpoints, HealthIsShortWhenAllIsWellAndTellsEveryCheckElse) {
  EXPECT_EQ(asked("/livez").body, "ok\n");
  EXPECT_EQ(asked("/livez", {{"verbose", ""}}).body, "[+]reactor ok\nlivez check passed\n");
  const Reply ready = asked("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(ready.body,
            "[+]api ok: synced\n[-]runtime failed: no answer\\x0afrom \\x1b[31mit\n"
            "readyz check failed\n");
  EXPECT_EQ(answer({}, {"GET", "/readyz", {}}).status, 200);
}

TEST(Endpoints, ExplainWantsOneWellFormedPod) {
  EXPECT_EQ(asked("/explain", {{"pod", "default/web-0"}}).body, "default and web-0");
  for (const auto* pod : {"", "web", "a/", "/b", "a/b/c", "A/b", "a/../b", "a/b\n", "a/<script>"}) {
    EXPECT_EQ(asked("/explain", {{"pod", pod}}).status, 400) << pod;
  }
  EXPECT_EQ(asked("/explain").status, 400);
  EXPECT_EQ(asked("/explain", {{"pod", "a/" + std::string(254, 'b')}}).status, 400);
}

TEST(Endpoints, ExplainIsOfAGroupWhereTheDaemonKnowsThem) {
  Endpoints with = endpoints();
  with.explain_group = [](const std::string& ns, const std::string& name) {
    return Reply{.body = "group " + name + " of " + ns};
  };
  const auto ask = [&](std::map<std::string, std::string> parameters) {
    return answer(with, {"GET", "/explain", std::move(parameters)});
  };
  EXPECT_EQ(ask({{"group", "default/train"}}).body, "group train of default");
  EXPECT_EQ(ask({{"pod", "default/web"}}).body, "default and web");
  EXPECT_EQ(ask({{"group", "train"}}).status, 400);
  EXPECT_EQ(ask({{"group", "A/b"}}).status, 400);
  EXPECT_EQ(ask({{"group", "a/b"}, {"pod", "a/b"}}).status, 400);
  EXPECT_EQ(asked("/explain", {{"group", "a/b"}}).status, 400);
}

TEST(Endpoints, ThePageIsForLocalRequestsAlone) {
  Endpoints with = endpoints();
  with.ui = [](const Request& request) { return Reply{.body = "page at " + request.path}; };
  with.overview = [] { return Reply{.body = "{}"}; };
  const auto ask = [&](std::string path, bool is_local) {
    return answer(with, {.method = "GET", .path = std::move(path), .is_local = is_local});
  };
  EXPECT_EQ(ask("/ui", true).body, "page at /ui");
  EXPECT_EQ(ask("/ui/style.css", true).body, "page at /ui/style.css");
  EXPECT_EQ(ask("/overview", true).body, "{}");
  EXPECT_EQ(ask("/uix", true).status, 404);
  EXPECT_EQ(ask("/overview/", true).status, 404);
  for (const auto* path : {"/ui", "/ui/style.css", "/overview"}) {
    EXPECT_EQ(ask(path, false).status, 403) << path;
    EXPECT_EQ(answer({}, {.method = "GET", .path = path, .is_local = true}).status, 404) << path;
    EXPECT_EQ(answer(with, {.method = "POST", .path = path, .is_local = true}).status, 405) << path;
  }
}

TEST(Endpoints, OnlyWhatIsThereAndOnlyToBeRead) {
  EXPECT_EQ(asked("/metrics").body, "up 1\n");
  EXPECT_EQ(asked("/").status, 404);
  EXPECT_EQ(asked("/metrics/").status, 404);
  EXPECT_EQ(answer({}, {"GET", "/metrics", {}}).status, 404);
  EXPECT_EQ(asked("/metrics", {}, "POST").status, 405);
  EXPECT_EQ(asked("/metrics", {}, "HEAD").status, 200);
}

// No connection of such a server ends because time passes: what is served at all waits for none.
constexpr HttpServer::Limits kPatient{.request = 1h, .response = 1h, .drain = 1h};

std::unique_ptr<HttpServer> started(Endpoints with = endpoints(),
                                    const HttpServer::Limits& limits = {}) {
  auto server = HttpServer::start({"127.0.0.1", 0}, std::move(with), limits);
  EXPECT_TRUE(server) << server.error().message;
  return std::move(*server);
}

// An IPv4 address of this machine that is not loopback; "" where it has none.
std::string other_address() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return "";
  std::string found;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    const in_addr address = reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr;
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &address, text.data(), text.size());
    if (!std::string_view(text.data()).starts_with("127.")) found = text.data();
  }
  ::freeifaddrs(all);
  return found;
}

Fd connected(const HttpServer& server, const std::string& address = "127.0.0.1") {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(server.address().port);
  EXPECT_EQ(::inet_pton(AF_INET, address.c_str(), &to.sin_addr), 1);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  return socket;
}

void say(const Fd& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the server has read enough
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// Everything until the server closes; stops after 20 s.
std::string heard(const Fd& socket) {
  std::string all;
  std::array<char, 65536> block{};
  const auto deadline = Clock::now() + 20s;
  while (Clock::now() < deadline) {
    pollfd polled{socket.get(), POLLIN, 0};
    if (::poll(&polled, 1, 100) <= 0) continue;
    const ssize_t got = ::recv(socket.get(), block.data(), block.size(), 0);
    if (got <= 0) return all;
    all.append(block.data(), static_cast<std::size_t>(got));
  }
  return all + "(still open)";
}

std::string exchanged(const HttpServer& server, std::string_view bytes) {
  const Fd socket = connected(server);
  say(socket, bytes);
  return heard(socket);
}

std::string body_of(const std::string& response) {
  const std::size_t at = response.find("\r\n\r\n");
  return at == std::string::npos ? "(none)" : response.substr(at + 4);
}

// A server that says whether a request is local, on every address of this machine.
std::unique_ptr<HttpServer> on_every_address() {
  Endpoints with;
  with.ui = [](const Request& request) {
    return Reply{.body = request.is_local ? "local" : "from elsewhere",
                 .headers = {{"Content-Security-Policy", "default-src 'none'"}}};
  };
  auto server = HttpServer::start({"0.0.0.0", 0}, std::move(with));
  EXPECT_TRUE(server) << server.error().message;
  return std::move(*server);
}

TEST(HttpServer, ALocalRequestComesOverLoopbackAndAsksForThisMachine) {
  const auto server = on_every_address();
  const auto ask = [&](std::string_view hosts) {
    return exchanged(*server, "GET /ui HTTP/1.1\r\n" + std::string(hosts) + "\r\n");
  };
  for (const auto* host : {"Host: localhost:8080\r\n", "Host: 127.0.0.1\r\n",
                           "Host: 127.0.0.6:1\r\n", "Host: [::1]:1\r\n"}) {
    EXPECT_EQ(body_of(ask(host)), "local") << host;
  }
  // What a page asks for that points a name of its own to 127.0.0.1.
  for (const auto* hosts :
       {"Host: evil.example:8080\r\n", "Host: localhost\r\nHost: evil.example\r\n", "",
        // For another client, through a proxy on this machine.
        "Host: 10.0.0.7:10361\r\n", "Host: [2001:db8::1]:1\r\n", "Host: 127.evil.example\r\n"}) {
    EXPECT_EQ(ask(hosts).substr(0, 12), "HTTP/1.1 403") << hosts;
  }
  // Headers do not make a request local, nor one from elsewhere.
  EXPECT_EQ(
      body_of(ask("Host: localhost\r\nREMOTE_ADDR: 192.0.2.1\r\nX-Forwarded-For: 192.0.2.1\r\n")),
      "local");
}

TEST(HttpServer, ARequestFromAnotherAddressIsNotLocal) {
  const auto server = on_every_address();
  const std::string address = other_address();
  if (address.empty()) GTEST_SKIP() << "this machine has no address but loopback";
  const Fd socket = connected(*server, address);
  say(socket, "GET /ui HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(heard(socket).substr(0, 12), "HTTP/1.1 403");
}

TEST(HttpServer, AReplyHasItsHeaders) {
  const auto server = on_every_address();
  const std::string response = exchanged(*server, "GET /ui HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(response.find("\r\nContent-Security-Policy: default-src 'none'\r\n"), std::string::npos)
      << response;
  EXPECT_NE(response.find("\r\nCache-Control: no-store\r\n"), std::string::npos) << response;
}

TEST(HttpServer, AnswersOnTheRealPort) {
  const auto server = started();
  EXPECT_NE(server->address().port, 0);
  const std::string response =
      exchanged(*server, "GET /metrics HTTP/1.1\r\nHost: localhost:1\r\n\r\n");
  EXPECT_TRUE(response.starts_with("HTTP/1.1 200 OK\r\n")) << response;
  EXPECT_NE(response.find("Content-Type: text/plain; version=0.0.4\r\n"), std::string::npos);
  EXPECT_NE(response.find("Connection: close\r\n"), std::string::npos);
  EXPECT_EQ(body_of(response), "up 1\n");
}

TEST(HttpServer, QueriesAreDecoded) {
  const auto server = started();
  EXPECT_EQ(body_of(exchanged(*server, "GET /explain?pod=default%2Fweb HTTP/1.1\r\n\r\n")),
            "default and web");
  EXPECT_EQ(body_of(exchanged(*server, "GET /livez?verbose HTTP/1.1\r\n\r\n")),
            "[+]reactor ok\nlivez check passed\n");
  EXPECT_TRUE(exchanged(*server, "GET /readyz HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 503 "));
}

// Of several parameters with one name the first counts; a plus sign is a space; a percent sign
// without digits stays.
TEST(HttpServer, AQueryIsReadAsAForm) {
  Endpoints shows;
  shows.ui = [](const Request& request) {
    std::string all = request.path;
    for (const auto& [name, value] : request.parameters) all.append("|" + name + "=" + value);
    return Reply{.body = all};
  };
  const auto server = started(std::move(shows));
  const auto read = [&](const std::string& target) {
    return body_of(exchanged(*server, "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  };
  EXPECT_EQ(read("/ui"), "/ui");
  EXPECT_EQ(read("/ui?"), "/ui");
  EXPECT_EQ(read("/u%69/%41?a=1&b=2&a=3"), "/ui/A|a=1|b=2");
  EXPECT_EQ(read("/ui?&&a&b==&%61+b=c%2b+d%2F%"), "/ui|a=|a b=c+ d/%|b==");
  EXPECT_EQ(read("/ui/a+b?c=%zz?%4"), "/ui/a+b|c=%zz?%4");
}

TEST(HttpServer, AHeadIsReadStrictly) {
  const auto server = started();
  struct Case {
    std::string_view head;
    std::string_view status;
  };
  for (const auto& [head, status] : {
           Case{"GET /livez HTTP/1.1\r\n", "200 OK"},
           Case{"GET /livez HTTP/1.0\r\n", "200 OK"},
           Case{"GET /%6civez?verbose HTTP/1.1\r\nA:b\r\nC:\td \r\n", "200 OK"},
           Case{"GET /metrics HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n", "200 OK"},
           Case{"GET /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n", "200 OK"},
           Case{"GET /none HTTP/1.1\r\n", "404 Not Found"},
           Case{"POST /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n",
                "405 Method Not Allowed"},
           Case{"M-SEARCH * HTTP/1.1\r\n", "405 Method Not Allowed"},
           Case{"GET /livez HTTP/2.0\r\n", "505 HTTP Version Not Supported"},
           Case{"GET /livez\r\n", "400 Bad Request"},
           Case{"GET  /livez HTTP/1.1\r\n", "400 Bad Request"},
           Case{"GET /livez HTTP/1.1 \r\n", "400 Bad Request"},
           Case{"G\x01T /livez HTTP/1.1\r\n", "400 Bad Request"},
           Case{"GET /li\x7fvez HTTP/1.1\r\n", "400 Bad Request"},
           Case{"GET /livez HTTP/1.1\r\nA: b\nHost: evil\r\n", "400 Bad Request"},
           Case{"GET /livez HTTP/1.1\r\nno header\r\n", "400 Bad Request"},
           Case{"GET /livez HTTP/1.1\r\nA: b\r\n folded: c\r\n", "400 Bad Request"},
           Case{"GET /livez HTTP/1.1\r\nHost : localhost\r\n", "400 Bad Request"},
           Case{"GET /livez HTTP/1.1\r\n: nameless\r\n", "400 Bad Request"},
       }) {
    const std::string response = exchanged(*server, std::string(head) + "\r\n");
    EXPECT_EQ(response.substr(0, response.find("\r\n")), "HTTP/1.1 " + std::string(status)) << head;
  }
}

TEST(HttpServer, EveryResponseEndsItsConnectionAndIsNotKept) {
  const auto server = started();
  for (const auto* request :
       {"GET /metrics HTTP/1.1\r\n\r\n", "GET /none HTTP/1.1\r\n\r\n",
        "PUT /livez HTTP/1.1\r\nConnection: keep-alive\r\n\r\n", "nothing\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: evil.example\r\n\r\n"}) {
    const std::string response = exchanged(*server, request);
    for (const auto* header :
         {"\r\nConnection: close\r\n", "\r\nCache-Control: no-store\r\n",
          "\r\nX-Content-Type-Options: nosniff\r\n", "\r\nContent-Type: text/plain"}) {
      EXPECT_NE(response.find(header), std::string::npos) << header << response;
    }
  }
}

TEST(HttpServer, HeadHasNoBodyAndPostIsRefused) {
  const auto server = started();
  const std::string head = exchanged(*server, "HEAD /metrics HTTP/1.1\r\n\r\n");
  EXPECT_NE(head.find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_EQ(body_of(head), "");
  EXPECT_EQ(body_of(exchanged(*server, "HEAD /none HTTP/1.1\r\n\r\n")), "");
  const std::string post =
      exchanged(*server, "POST /metrics HTTP/1.1\r\nContent-Length: 9999999\r\n\r\nabc");
  EXPECT_TRUE(post.starts_with("HTTP/1.1 405 ")) << post;
  EXPECT_NE(post.find("Allow: GET, HEAD\r\n"), std::string::npos);
}

TEST(HttpServer, ALargeAnswerArrivesWholeAndUncompressed) {
  const auto server = started();
  const std::string response = exchanged(
      *server, "GET /configz HTTP/1.1\r\nAccept-Encoding: gzip, br\r\nRange: bytes=0-3\r\n\r\n");
  EXPECT_TRUE(response.starts_with("HTTP/1.1 200 ")) << response.substr(0, 200);
  EXPECT_EQ(body_of(response), std::string(1 << 20, 'c'));
}

TEST(HttpServer, HostileRequestsEndAndItGoesOn) {
  const auto server = started(endpoints(), kPatient);
  std::string ranges = "GET /livez HTTP/1.1\r\nRange: bytes=0-0";
  while (ranges.size() < 4000) ranges += ",1-1";
  std::string many = "GET /livez HTTP/1.1\r\n";
  for (int i = 0; i < 20'000; ++i) many += "A: b\r\n";
  const std::vector<std::string> hostile = {
      ranges + "\r\n\r\n",
      many,
      "GET /" + std::string(1 << 20, 'a') + " HTTP/1.1\r\n\r\n",
      "GET /livez HTTP/1.1\r\nX: " + std::string(1 << 20, 'a'),
      std::string(100'000, '\0'),
      "GET /livez HTTP/9.9\r\n\r\n",
      "GET %zz%00%ff?%&=&& HTTP/1.1\r\n\r\n",
      "\x16\x03\x01\x02\r\n\r\n",
      "GET /livez HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: "
      "100-continue\r\n\r\nffffffff\r\n",
  };
  for (const std::string& bytes : hostile) {
    const std::string response = exchanged(*server, bytes);
    EXPECT_FALSE(response.ends_with("(still open)")) << bytes.substr(0, 60);
    EXPECT_LT(response.size(), 1000U);
  }
  EXPECT_EQ(body_of(exchanged(*server, "GET /livez HTTP/1.1\r\n\r\n")), "ok\n");
}

TEST(HttpServer, ACallbackThatThrowsIsAnError500) {
  const auto server =
      started({.metrics = []() -> Reply { throw std::runtime_error("from a library"); }});
  const std::string response = exchanged(*server, "GET /metrics HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(response.starts_with("HTTP/1.1 500 ")) << response;
  EXPECT_EQ(response.find("from a library"), std::string::npos);
}

// The half request is in progress when a later one has been answered: connections are taken in
// their order.
TEST(HttpServer, StoppingWaitsForNobody) {
  auto server = started(endpoints(), kPatient);
  const Fd half = connected(*server);
  say(half, "GET /livez HTT");
  EXPECT_EQ(body_of(exchanged(*server, "GET /livez HTTP/1.1\r\n\r\n")), "ok\n");
  server.reset();
  EXPECT_EQ(heard(half), "");
}

TEST(HttpServer, ManyAskAtOnce) {
  const auto server = started();
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < 8; ++i) {
      clients.emplace_back([&] {
        for (int n = 0; n < 20; ++n) {
          if (body_of(exchanged(*server, "GET /livez HTTP/1.1\r\n\r\n")) == "ok\n") ++good;
        }
      });
    }
  }
  EXPECT_EQ(good, 160);
}

void expect_livez(const HttpServer& server) {
  EXPECT_EQ(body_of(exchanged(server, "GET /livez HTTP/1.1\r\n\r\n")), "ok\n");
}

// Four of them made /livez unavailable for 12 s, when each held a thread.
TEST(HttpServer, ThoseWhoSayNothingHoldNobodyUp) {
  const auto server = started(endpoints(), kPatient);
  std::vector<Fd> silent;
  for (int i = 0; i < 200; ++i) {
    silent.push_back(connected(*server));
    say(silent.back(), "G");
  }
  expect_livez(*server);
  // The oldest connection was closed, the newest is still served.
  EXPECT_EQ(heard(silent.front()), "");
  say(silent.back(), "ET /metrics HTTP/1.1\r\n\r\n");
  EXPECT_EQ(body_of(heard(silent.back())), "up 1\n");
}

TEST(HttpServer, ThoseWhoDoNotListenHoldNobodyUp) {
  Endpoints large = endpoints();
  large.metrics = [] { return Reply{.body = std::string(std::size_t{12} << 20, 'm')}; };
  const auto server = started(std::move(large), kPatient);
  std::vector<Fd> deaf;
  for (int i = 0; i < 80; ++i) {
    deaf.push_back(connected(*server));
    say(deaf.back(), "GET /metrics HTTP/1.1\r\n\r\n");
  }
  expect_livez(*server);
}

TEST(HttpServer, AnAnswerThatTakesLongHoldsUpNoLivez) {
  std::atomic<bool> may_go = false;
  Endpoints slow = endpoints();
  slow.explain = [&](const std::string&, const std::string&) {
    may_go.wait(false);
    return Reply{.body = "done"};
  };
  const auto server = started(std::move(slow), kPatient);
  std::vector<Fd> asking;
  for (int i = 0; i < 20; ++i) {
    asking.push_back(connected(*server));
    say(asking.back(), "GET /explain?pod=a/b HTTP/1.1\r\n\r\n");
  }
  expect_livez(*server);
  // As many as may wait do; the others are refused at once.
  EXPECT_TRUE(heard(asking.back()).starts_with("HTTP/1.1 503 "));
  may_go = true;
  may_go.notify_all();
  EXPECT_EQ(body_of(heard(asking.front())), "done");
}

TEST(HttpServer, WhatIsTooLongIsToldSo) {
  const auto server = started();
  const std::string longer(5000, 'a');
  EXPECT_TRUE(exchanged(*server, "GET /explain?pod=" + longer + " HTTP/1.1\r\n\r\n")
                  .starts_with("HTTP/1.1 414 "));
  EXPECT_TRUE(exchanged(*server, "GET /livez HTTP/1.1\r\nX: " + longer + "\r\n\r\n")
                  .starts_with("HTTP/1.1 431 "));
}

// A web page may use a name of its own for the address 127.0.0.1.
TEST(HttpServer, OnLoopbackOnlyWhoMeansUsIsAnswered) {
  const auto server = started();
  const auto asked_for = [&](const std::string& host) {
    return exchanged(*server, "GET /metrics HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  };
  for (const auto* ours : {"127.0.0.1:10361", "localhost", "LocalHost:1", "[::1]:80", "10.0.0.7"}) {
    EXPECT_EQ(body_of(asked_for(ours)), "up 1\n") << ours;
  }
  for (const auto* other : {"evil.example", "evil.example:10361", "127.0.0.1.evil.example",
                            "localhost.evil.example", "localhost\r\nHost: evil.example"}) {
    EXPECT_TRUE(asked_for(other).starts_with("HTTP/1.1 421 ")) << other;
  }
}

TEST(HostHeader, IsOursAsAnAddressLocalhostOrTheNameWeListenOn) {
  EXPECT_TRUE(names_us("node-7:10361", "node-7"));
  EXPECT_TRUE(names_us("NODE-7", "node-7"));
  EXPECT_TRUE(names_us("[fe80::1]", "::1"));
  for (const auto* other : {"", ":80", "node-8", "[::1", "[]", "[::1]x", "1.2.3", "1.2.3.4:80:90",
                            "1.2.3.4:x", "[1.2.3.4]", "localhost:123456", "::1"}) {
    EXPECT_FALSE(names_us(other, "node-7")) << other;
  }
  EXPECT_FALSE(names_us(std::string("localhost\0.evil", 15), "node-7"));
}

TEST(HttpServer, AnAddressThatCannotBeHadIsNamed) {
  const auto server = started();
  const auto second = HttpServer::start(server->address(), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::Unavailable);
  EXPECT_EQ(second.error().message,
            "listen on " + to_string(server->address()) +
                ": the address is in use: stop who uses it, or choose another --listen");
  EXPECT_EQ(HttpServer::start({"192.0.2.1", 0}, {}).error().code, Code::Invalid);
}

}  // namespace
}  // namespace elbowroom::daemon
