#include "api/transport/secrets_in_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/base64.h"
#include "api/transport/curl_transport.h"
#include "certificates.h"
#include "loopback.h"

namespace elbowroom::api {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kToken = "eyJhbGciOiJSUzI1NiJ9.payload.signature-1";

std::string redacted(const SecretsInUse& secrets, std::string text) {
  secrets.redact(text);
  return text;
}
std::string redacted_objects(const SecretsInUse& secrets, std::string text) {
  secrets.redact_objects(text);
  return text;
}
SecretsInUse with_token(std::string_view token) {
  SecretsInUse secrets;
  secrets.add_token(token);
  return secrets;
}

TEST(SecretsInUse, ATokenIsOverwrittenInItsPlace) {
  const SecretsInUse secrets = with_token(kToken);
  const std::string text = "a " + std::string(kToken) + std::string(kToken) + " b";
  const std::string mark = "[redacted" + std::string(kToken.size() - 10, '*') + "]";
  EXPECT_EQ(redacted(secrets, text), "a " + mark + mark + " b");
  EXPECT_EQ(redacted_objects(secrets, text), "a " + mark + mark + " b");
}

TEST(SecretsInUse, WithoutSecretsNothingChanges) {
  const SecretsInUse secrets;
  EXPECT_EQ(redacted(secrets, "text"), "text");
  EXPECT_EQ(redacted_objects(secrets, ""), "");
  EXPECT_FALSE(secrets.seeks_in_objects());
}

// Otherwise a password could make names and labels of objects unreadable.
TEST(SecretsInUse, AShortSecretIsSoughtInFailuresOnly) {
  const SecretsInUse secrets = with_token("kubernetes");
  EXPECT_EQ(redacted(secrets, "no kubernetes"), "no [redacted]");
  EXPECT_EQ(redacted_objects(secrets, "kubernetes.io/hostname"), "kubernetes.io/hostname");
  EXPECT_EQ(redacted(with_token("abc"), "abc"), "abc");
  EXPECT_EQ(redacted(with_token("abcd"), "abcd"), "****");
}

TEST(SecretsInUse, ThoseThatRotatedAreKnownForAWhile) {
  SecretsInUse secrets;
  for (int n = 0; n < 9; ++n) secrets.add_token("the-token-of-number-" + std::to_string(n));
  secrets.add_token("the-token-of-number-1");
  EXPECT_EQ(redacted_objects(secrets, "the-token-of-number-0"), "the-token-of-number-0");
  for (int n = 1; n < 9; ++n) {
    const std::string token = "the-token-of-number-" + std::to_string(n);
    EXPECT_THAT(redacted_objects(secrets, token), HasSubstr("[redacted")) << token;
    EXPECT_THAT(redacted(secrets, token), HasSubstr("[redacted")) << token;
  }
}

TEST(SecretsInUse, RotatedTokensDoNotPushOutKeysOrPasswords) {
  SecretsInUse secrets;
  secrets.add_proxy("http://me:the-password-of-mine@proxy.example:3128");
  for (int n = 0; n < 20; ++n) secrets.add_token("the-token-of-number-" + std::to_string(n));
  EXPECT_THAT(redacted(secrets, "the-password-of-mine"), HasSubstr("[redacted"));
}

TEST(SecretsInUse, APrivateKeyIsKnownByItsLinesAndACertificateIsNone) {
  const Issued me = Authority("ours").issue("me", "DNS:me");
  SecretsInUse secrets;
  secrets.add_keys(me.certificate_pem() + me.key_pem());
  const std::string key = me.key_pem();
  const std::size_t begin = key.find('\n') + 1;
  const std::string line = key.substr(begin, key.find('\n', begin) - begin);
  ASSERT_GE(line.size(), 16U);
  EXPECT_THAT(redacted_objects(secrets, "x " + line + "\\n"), Not(HasSubstr(line)));
  EXPECT_EQ(redacted(secrets, me.certificate_pem()), me.certificate_pem());
}

TEST(SecretsInUse, AProxysPasswordIsKnownInEachOfItsForms) {
  SecretsInUse secrets;
  secrets.add_proxy("http://me:a%2Fpass%22word@proxy.example:3128");
  for (const std::string& form :
       {std::string("a/pass\"word"), std::string("a%2Fpass%22word"), std::string("a/pass\\\"word"),
        encode_base64("me:a/pass\"word")}) {
    EXPECT_THAT(redacted(secrets, "<" + form + ">"), Not(HasSubstr(form)));
  }
  SecretsInUse none;
  for (const char* url : {"", "http://proxy.example:3128", "http://me@proxy.example", "http://@"}) {
    none.add_proxy(url);
  }
  EXPECT_EQ(redacted(none, "proxy.example"), "proxy.example");
}

// Each text by itself, compared with a search that knows no window.
TEST(SecretsInUse, EveryPlaceIsFoundInAnyTextAndAnySplitOfIt) {
  std::mt19937 random(7);
  const auto up_to = [&](std::size_t most) {
    return static_cast<std::size_t>(random()) % (most + 1);
  };
  const auto letters = [&](std::size_t size, int of) {
    std::string text;
    while (text.size() < size)
      text += static_cast<char>('a' + random() % static_cast<unsigned>(of));
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    SecretsInUse secrets;
    const std::string secret = letters(16 + up_to(40), 2 + static_cast<int>(up_to(4)));
    secrets.add_token(secret);
    std::string text = letters(up_to(60), 3);
    for (std::size_t n = up_to(3); n > 0; --n) text += secret + letters(up_to(20), 3);
    text += secret.substr(0, up_to(secret.size()));

    std::string expected = text;
    for (std::size_t at = expected.find(secret); at != std::string::npos;
         at = expected.find(secret)) {
      expected.replace(at, secret.size(), "[redacted" + std::string(secret.size() - 10, '*') + "]");
    }
    ASSERT_EQ(redacted_objects(secrets, text), expected);

    RedactedStream stream;
    std::string told;
    for (std::string_view left = text; !left.empty();) {
      std::string chunk(left.substr(0, 1 + up_to(30)));
      left.remove_prefix(chunk.size());
      told += stream.pass(secrets, chunk);
    }
    told += stream.rest();
    ASSERT_EQ(told.size(), text.size());
    ASSERT_EQ(told.find(secret), std::string::npos) << text;
    // At most the first three bytes were shown before it could be known what they begin.
    for (std::size_t at = 0; at < told.size(); ++at) {
      ASSERT_TRUE(told[at] == text[at] || expected[at] != text[at]) << text << "\n" << told;
    }
  }
}

TEST(SecretsInUse, WhatLooksLikeTheBeginningOfOneIsToldInTheEnd) {
  const SecretsInUse secrets = with_token(kToken);
  RedactedStream stream;
  std::string chunk = "{\"a\":\"" + std::string(kToken.substr(0, 10));
  EXPECT_EQ(stream.pass(secrets, chunk), "{\"a\":\"");
  EXPECT_EQ(stream.rest(), kToken.substr(0, 10));
  EXPECT_EQ(stream.rest(), "");
  chunk = "no more than " + std::string(kToken.substr(0, 3));
  EXPECT_EQ(stream.pass(secrets, chunk), "no more than eyJ")
      << "nothing is held back for so little";
}

// A server that echoes whatever it receives.
class Echo : public testing::Test {
 protected:
  Echo() {
    auto server = std::make_unique<httplib::SSLServer>(identity_.certificate.get(),
                                                       identity_.key.get(), nullptr);
    server_ = std::make_unique<Loopback>(std::move(server), "https", [this](httplib::Server& http) {
      http.Get("/first", [this](const httplib::Request& in, httplib::Response& out) {
        if (first_.empty()) first_ = in.get_header_value("Authorization");
        out.status = 403;
        out.set_content(first_, "text/plain");
      });
      http.Get(R"(/(\d+))", [](const httplib::Request& in, httplib::Response& out) {
        const std::string shown = in.get_header_value("Authorization");
        out.status = std::stoi(in.matches[1]);
        out.reason = shown;
        out.set_header("Warning", "299 - \"" + shown + "\"");
        out.set_header("Date", shown);
        out.set_header("Location", "https://elsewhere.example/" + shown);
        out.set_content(R"({"kind":"Status","message":")" + shown + R"("})", shown.c_str());
      });
    });
    access_ = server_->access();
    access_.authority_pem = ours_.pem();
    access_.token = kToken;
  }

  Authority ours_{"ours"};
  Issued identity_ = ours_.issue("api", "IP:127.0.0.1");
  std::string first_{};  // that it was shown; of one request at a time
  std::unique_ptr<Loopback> server_;
  Access access_;
};

TEST_F(Echo, NothingOfAnAnswerHoldsTheToken) {
  CurlTransport transport(access_, {});
  for (const char* path : {"/200", "/302", "/401", "/403", "/500"}) {
    std::optional<Result<Response>> outcome;
    transport.send({.path = path}, [&](Result<Response> came) { outcome = std::move(came); });
    ASSERT_TRUE(run_until(transport, [&] { return outcome.has_value(); }));
    ASSERT_TRUE(*outcome) << outcome->error().message;
    const Response& got = **outcome;
    EXPECT_THAT(got.body, HasSubstr("Bearer [redacted")) << path;
    EXPECT_THAT(got.warning, HasSubstr("Bearer [redacted")) << path;
    const std::string all =
        got.body + got.warning + got.date + got.content_type + got.remark + got.body;
    EXPECT_THAT(all, Not(HasSubstr(kToken))) << path;
    EXPECT_THAT(all, Not(HasSubstr("eyjhbgci"))) << path;
  }
}

TEST_F(Echo, NothingOfAStreamHoldsTheToken) {
  CurlTransport transport(access_, {});
  std::string all;
  bool is_done = false;
  const Ticket ticket =
      transport.stream({.path = "/200"},
                       {.opened = [&](const Response& head) { all += head.warning; },
                        .chunk = [&](std::string_view chunk) { all += chunk; },
                        .done = [&](const Result<Response>& came) { is_done = came.has_value(); }});
  ASSERT_TRUE(run_until(transport, [&] { return is_done; }));
  EXPECT_THAT(all, HasSubstr(R"("message":"Bearer [redacted)"));
  EXPECT_THAT(all, Not(HasSubstr(kToken)));
}

TEST_F(Echo, ATokenThatRotatedIsKnownToo) {
  CurlTransport transport(access_, {});
  Access later = access_;
  later.token = "another-token-that-came-later";
  for (const Access& access : {access_, later}) {
    transport.use(access);
    std::optional<Result<Response>> outcome;
    transport.send({.path = "/first"}, [&](Result<Response> came) { outcome = std::move(came); });
    ASSERT_TRUE(run_until(transport, [&] { return outcome.has_value(); }));
    ASSERT_TRUE(*outcome);
    EXPECT_THAT((*outcome)->body, HasSubstr("Bearer [redacted"));
    EXPECT_THAT((*outcome)->body, Not(HasSubstr(kToken)));
  }
}

}  // namespace
}  // namespace elbowroom::api
