// The small pure parts: URLs, headers, JSON text, base64, rates, waits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/codec/base64.h"
#include "api/codec/json.h"
#include "api/transport/backoff.h"
#include "api/transport/http.h"
#include "api/transport/token_bucket.h"
#include "api/transport/url.h"

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::string url(std::string_view text) {
  const auto parsed = parse_server_url(text);
  return parsed ? to_string(*parsed) : "error";
}

TEST(Url, TakesServersApart) {
  EXPECT_EQ(url("https://host"), "https://host:443");
  EXPECT_EQ(url("http://127.0.0.1:8001/"), "http://127.0.0.1:8001");
  EXPECT_EQ(url("https://host:6443/k8s/c-x//?a=b#c"), "https://host:6443/k8s/c-x");
  EXPECT_EQ(url("https://[::1]:6443/p"), "https://[::1]:6443/p");
  EXPECT_EQ(url("https://[::1]"), "https://[::1]:443");
  for (const std::string_view bad :
       {"", "host", "ftp://host", "https://", "https:///p", "https://h:0", "https://h:65536",
        "https://h:1x", "https://u:p@h", "https://h/\n", "https://h /", "https://::1",
        "https://[::1", "https://h\\x"}) {
    EXPECT_EQ(url(bad), "error") << bad;
  }
  EXPECT_EQ(url("https://" + std::string(3000, 'h')), "error");
}

// NO_PROXY and the check for loopback compare the host as it is written.
TEST(Url, AHostIsWrittenAsLibcurlReadsIt) {
  EXPECT_EQ(url("https://API.example.com"), "https://API.example.com:443");
  for (const std::string_view bad :
       {"https://0x7f.1", "https://127.1:6443", "https://a%2eb", "https://2130706433"}) {
    EXPECT_EQ(url(bad), "error") << bad;
  }
}

TEST(Url, NamesCannotChangeTheShapeOfATarget) {
  EXPECT_EQ(pod_path("a/b", "..", "status"), "/api/v1/namespaces/a%2Fb/pods/%2E%2E/status");
  EXPECT_EQ(node_path("n?x#y"), "/api/v1/nodes/n%3Fx%23y");
  EXPECT_EQ(target_of("/x", {{"a", "b=c&d"}, {"e", ""}}), "/x?a=b%3Dc%26d&e=");
}

TEST(Http, ReadsTheHeadersThatCount) {
  Response response;
  for (const std::string_view line :
       {"Content-Type: Application/JSON; charset=utf-8\r\n", "RETRY-AFTER: 12 \r\n",
        "Date: Fri, 24 Jul 2026 10:00:00 GMT\r\n", "Warning: 299 - \"x\"\r\n", "no colon\r\n",
        ": \r\n"}) {
    take_header(response, line);
  }
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.retry_after, 12s);
  EXPECT_EQ(response.date, "Fri, 24 Jul 2026 10:00:00 GMT");
  EXPECT_EQ(response.warning, "299 - \"x\"");
}

TEST(Http, AWishToBeLeftAloneIsBounded) {
  // The server's date is Fri, 24 Jul 2026 10:00:00 GMT.
  struct Row {
    std::string value;
    std::chrono::seconds wait;
  };
  for (const Row& row : {
           Row{"0", 0s},
           Row{"7", 7s},
           Row{"60", 60s},
           Row{"61", 60s},
           Row{"1000000000", 60s},
           Row{"99999999999999999999999", 60s},
           Row{"-1", 0s},
           Row{"-99999999999999999999999", 0s},
           Row{"soon", 0s},
           Row{"", 0s},
           Row{"7s", 0s},
           Row{"0x10", 0s},
           Row{"1.5", 0s},
           Row{"Fri, 24 Jul 2026 10:00:09 GMT", 9s},
           Row{"Fri, 24 Jul 2026 09:00:00 GMT", 0s},
           Row{"Fri, 24 Jul 2099 10:00:00 GMT", 60s},
           Row{"Fri, 99 Jul 2026 10:00:00 GMT", 0s},
           Row{"Fri, 24 Jul 2026 10:00:09 GMT and more", 0s},
       }) {
    Response response;
    take_header(response, "Date: Fri, 24 Jul 2026 10:00:00 GMT");
    take_header(response, "Retry-After: " + row.value);
    EXPECT_EQ(response.retry_after, row.wait) << row.value;
  }
  Response dateless;
  take_header(dateless, "Retry-After: Fri, 24 Jul 2026 10:00:09 GMT");
  EXPECT_EQ(dateless.retry_after, 0s) << "our own clock may be wrong";
}

TEST(Json, WritesBackWhatWasRead) {
  const std::string text =
      R"({"a":[1,-2.50e3,true,null,{}],"b":{"c":"\"\\\u0001é","d":[]},"e":12345678901234567890})";
  EXPECT_EQ(to_json(*parse_json(text)), text);
}

TEST(Json, WhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(to_json(json_text("a\xff\xc3")), "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_TRUE(parse_json(to_json(json_text("\xed\xa0\x80 \x7f\n"))));
}

TEST(Json, ReadsIntegersOnlyWhereTheyAre) {
  const Value value = *parse_json(R"({"a":7,"b":"7","c":7.5,"d":99999999999999999999})");
  EXPECT_EQ(integer_at(value, "a"), 7);
  for (const std::string_view key : {"b", "c", "d", "e"}) EXPECT_EQ(integer_at(value, key, -1), -1);
  EXPECT_EQ(value_at(value, {"a", "b"}), nullptr);
}

TEST(Base64, Decodes) {
  EXPECT_EQ(*decode_base64(""), "");
  EXPECT_EQ(*decode_base64("Zg=="), "f");
  EXPECT_EQ(*decode_base64("Zm8="), "fo");
  EXPECT_EQ(*decode_base64("Zm9v"), "foo");
  EXPECT_EQ(*decode_base64(" Zm9v\nYmE=\n"), "fooba");
  EXPECT_EQ(*decode_base64("//+A"), "\xff\xff\x80");
  for (const std::string_view bad : {"Z", "Zg", "Zg=", "Zg===", "Zm9v=", "Z!==", "Zg==Zg=="}) {
    EXPECT_FALSE(decode_base64(bad)) << bad;
  }
}

TEST(TokenBucket, GivesItsBurstAndThenItsRate) {
  TokenBucket bucket({200ms, 3});
  Clock::time_point now{1h};
  EXPECT_TRUE(bucket.take(now) && bucket.take(now) && bucket.take(now));
  EXPECT_FALSE(bucket.take(now));
  EXPECT_EQ(bucket.wait(now), 200ms);
  now += 200ms;
  EXPECT_TRUE(bucket.take(now));
  EXPECT_FALSE(bucket.take(now));
  now += 10h;
  EXPECT_TRUE(bucket.take(now) && bucket.take(now) && bucket.take(now));
  EXPECT_FALSE(bucket.take(now)) << "never more than its burst";
}

TEST(Backoff, DoublesWithChanceUpToItsCapAndStartsAnew) {
  Backoff backoff({}, 7);
  Clock::time_point now{1h};
  std::chrono::milliseconds base = 800ms;
  for (int i = 0; i < 12; ++i) {
    const auto wait = backoff.next(now);
    EXPECT_GE(wait, base);
    EXPECT_LT(wait, base * 2);
    base = std::min(base * 2, 30'000ms);
    now += wait;
  }
  EXPECT_LT(backoff.next(now + 121s), 1600ms);
}

TEST(Backoff, TheSameSeedGivesTheSameWaits) {
  Backoff one({}, 7);
  Backoff two({}, 7);
  Backoff other({}, 8);
  bool differs = false;
  for (int i = 0; i < 5; ++i) {
    const auto wait = one.next(Clock::time_point{1h});
    EXPECT_EQ(wait, two.next(Clock::time_point{1h}));
    differs |= wait != other.next(Clock::time_point{1h});
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace elbowroom::api
