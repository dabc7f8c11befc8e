#include "api/transport/proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace elbowroom::api {
namespace {

using testing::HasSubstr;
using testing::Not;

// Whether NO_PROXY keeps that server from the proxy.
bool is_direct(const std::string& none, const std::string& server) {
  const auto url = parse_server_url(server);
  if (!url) return false;
  const auto proxy = proxy_for(*url, {.https = "p:3128", .http = "p:3128", .none = none});
  return proxy && proxy->empty();
}

TEST(Proxy, EachSchemeHasItsOwn) {
  const ProxyEnvironment both{.https = "https://s:1", .http = "socks5://h:2"};
  EXPECT_EQ(*proxy_for({"https", "api", 6443, ""}, both), "https://s:1");
  EXPECT_EQ(*proxy_for({"http", "api", 80, ""}, both), "socks5h://h:2");
  EXPECT_EQ(*proxy_for({"https", "api", 6443, ""}, {}), "");
  EXPECT_EQ(*proxy_for({"https", "api", 6443, ""}, {.https = "p:3128"}), "http://p:3128");
}

TEST(Proxy, NeverForLoopback) {
  for (const std::string server : {"https://localhost:6443", "https://LOCALHOST", "https://[::1]:1",
                                   "https://127.0.0.1:6443", "http://127.255.0.9"}) {
    EXPECT_TRUE(is_direct("", server)) << server;
  }
  EXPECT_FALSE(is_direct("", "https://localhost.example"));
  EXPECT_FALSE(is_direct("", "https://128.0.0.1"));
}

// Rows as in Go's own test, golang.org/x/net/http/httpproxy/proxy_test.go.
TEST(Proxy, NoProxyIsReadAsGoReadsIt) {
  struct Row {
    std::string none, server;
    bool direct;
  };
  for (const Row& row : {
           Row{"*", "https://a", true},
           Row{"a.example", "https://a.example", true},
           Row{"A.Example", "https://a.example", true},
           Row{"a.example", "https://x.a.example", true},
           Row{"a.example", "https://ba.example", false},
           Row{".a.example", "https://a.example", false},
           Row{".a.example", "https://x.a.example", true},
           Row{"*.a.example", "https://x.a.example", true},
           Row{"*.a.example", "https://a.example", false},
           Row{"b, a.example ,", "https://a.example", true},
           Row{"a.example:6443", "https://a.example:6443", true},
           Row{"a.example:6443", "https://a.example:443", false},
           Row{"a.example:443", "https://a.example", true},
           Row{"10.0.0.1", "https://10.0.0.1:6443", true},
           Row{"10.0.0.1:6443", "https://10.0.0.1:6443", true},
           Row{"10.0.0.1:80", "https://10.0.0.1:6443", false},
           Row{"10.0.0.0/8", "https://10.250.0.1:6443", true},
           Row{"10.0.0.0/8", "https://11.0.0.1:6443", false},
           Row{"10.96.0.0/12", "https://10.111.255.255", true},
           Row{"10.96.0.0/12", "https://10.112.0.0", false},
           Row{"0.0.0.0/0", "https://1.2.3.4", true},
           Row{"0.0.0.0/0", "https://a.example", false},
           Row{"10.0.0.0/33", "https://10.0.0.0", false},
           Row{"10.0.0.0/x", "https://10.0.0.0", false},
           Row{"fd00::/8", "https://[fd12::1]:6443", true},
           Row{"fd00::/8", "https://[fe00::1]:6443", false},
           Row{"fd00::1", "https://[fd00:0::1]:6443", true},
           Row{"[fd00::1]:6443", "https://[fd00::1]:6443", true},
           Row{"[fd00::1]:80", "https://[fd00::1]:6443", false},
           Row{"10.0.0.1", "https://[::ffff:10.0.0.1]", true},
           Row{",,:,[,[]:1,/", "https://a.example", false},
       }) {
    EXPECT_EQ(is_direct(row.none, row.server), row.direct) << row.none << " " << row.server;
  }
}

TEST(Proxy, AnAddressIsMadeReadyForTheTransport) {
  EXPECT_EQ(*proxy_url_from("proxy:3128"), "http://proxy:3128");
  EXPECT_EQ(*proxy_url_from("HTTP://proxy/"), "http://proxy");
  EXPECT_EQ(*proxy_url_from("https://u:p@proxy:443/x?y"), "https://u:p@proxy:443");
  EXPECT_EQ(*proxy_url_from("socks5://[fd00::1]:1080"), "socks5h://[fd00::1]:1080");
  EXPECT_EQ(*proxy_url_from("socks5h://h:1"), "socks5h://h:1");
}

TEST(Proxy, WhatIsNoProxyIsRefusedWithoutItsPassword) {
  for (const std::string text :
       {"ftp://me:hush@proxy", "http://me:hush@", "http://me:hush@p:99999", "http://me:hu sh@p",
        "socks4://me:hush@p", "://me:hush@p", "http://me:hush@p:x", "http://me:hush@fd00::1"}) {
    const auto url = proxy_url_from(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, Code::Invalid);
    EXPECT_THAT(url.error().message, HasSubstr("write it like http://proxy.example.com:3128"));
    EXPECT_THAT(url.error().message, Not(HasSubstr("hu")));
  }
  const auto proxy = proxy_for({"https", "api", 443, ""}, {.https = "ftp://me:hush@p"});
  ASSERT_FALSE(proxy);
  EXPECT_THAT(proxy.error().message, HasSubstr("HTTPS_PROXY: proxy: neither http, https nor"));
}

}  // namespace
}  // namespace elbowroom::api
