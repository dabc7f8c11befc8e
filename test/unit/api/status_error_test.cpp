#include "api/transport/status_error.h"

#include <gtest/gtest.h>

#include <string>

namespace elbowroom::api {
namespace {

Response response(int status, std::string body = {}) {
  Response out;
  out.status = status;
  out.body = std::move(body);
  return out;
}

std::string status_body(const std::string& members) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure",)" + members + "}";
}

TEST(StatusError, EveryAnswerHasACodeForTheCaller) {
  struct Row {
    Response response;
    Method method;
    Code code;
    std::string message;
  };
  const Row rows[] = {
      {response(404,
                status_body(R"("code":404,"reason":"NotFound","message":"pods \"x\" not found")")),
       Method::Get, Code::NotFound, "404 NotFound: pods \"x\" not found"},
      {response(409), Method::Patch, Code::Conflict, "409 Conflict"},
      {response(409), Method::Post, Code::Conflict, "409 AlreadyExists"},
      {response(410), Method::Get, Code::Gone, "410 Gone"},
      {response(401), Method::Get, Code::Denied, "401 Unauthorized"},
      {response(403, status_body(R"("code":403,"reason":"Forbidden","message":"no.")")),
       Method::Get, Code::Denied, "403 Forbidden: no"},
      {response(
           422,
           status_body(
               R"("reason":"Invalid","message":"m","details":{"causes":[{"reason":"x","message":"field is immutable","field":"metadata.uid"}]})")),
       Method::Patch, Code::Conflict, "422 Invalid: m"},
      {response(
           422,
           status_body(
               R"("reason":"Invalid","message":"m","details":{"causes":[{"field":"status.conditions[0].type"}]})")),
       Method::Patch, Code::Invalid, "422 Invalid: m"},
      {response(429, "Too many requests, please try again later."), Method::Get, Code::Unavailable,
       "429 TooManyRequests: Too many requests, please try again later"},
      {response(500), Method::Get, Code::Unavailable, "500 InternalError"},
      {response(502, "<html>\r\n<b>Bad\tGateway</b>"), Method::Get, Code::Unavailable,
       "502 InternalError: <html> <b>Bad Gateway</b>"},
      {response(504), Method::Get, Code::Unavailable, "504 Timeout"},
      {response(400), Method::Get, Code::Invalid, "400 BadRequest"},
      {response(307), Method::Get, Code::Invalid,
       "307 Unknown: the server redirects elsewhere, which is never followed"},
      {response(500, status_body(R"("reason":"NotFound")")), Method::Get, Code::NotFound,
       "500 NotFound"},
      {response(410, status_body(R"("reason":"SomethingElse")")), Method::Get, Code::Gone,
       "410 SomethingElse"},
      {response(404, "{\"kind\":"), Method::Get, Code::NotFound, "404 NotFound: {\"kind\":"},
      {response(404, "{\"kind\":[1]}"), Method::Get, Code::NotFound,
       "404 NotFound: {\"kind\":[1]}"},
  };
  for (const Row& row : rows) {
    const Error error = error_from(row.response, row.method);
    EXPECT_EQ(error.code, row.code) << row.message;
    EXPECT_EQ(error.message, row.message);
  }
}

TEST(StatusError, TheServersWishToWaitIsKept) {
  Response busy = response(429, "later");
  busy.retry_after = std::chrono::seconds(7);
  EXPECT_EQ(error_from(busy, Method::Get).retry_after, std::chrono::seconds(7));
  const Response said =
      response(504, status_body(R"("reason":"Timeout","details":{"retryAfterSeconds":3})"));
  EXPECT_EQ(error_from(said, Method::Get).retry_after, std::chrono::seconds(3));
  const Response nonsense = response(
      504,
      status_body(R"("reason":"Timeout","details":{"retryAfterSeconds":-99999999999999999999})"));
  EXPECT_EQ(error_from(nonsense, Method::Get).retry_after, std::chrono::seconds(0));
  const Response slow = response(504, status_body(R"("reason":"ServerTimeout")"));
  EXPECT_EQ(error_from(slow, Method::Get).retry_after, std::chrono::seconds(1));
}

TEST(StatusError, LongAndHostileBodiesAreCutAndCleaned) {
  const std::string long_text =
      error_from(response(500, std::string(100'000, 'x')), Method::Get).message;
  EXPECT_LT(long_text.size(), 2100U);
  const std::string dirty =
      error_from(response(500, std::string("a\x1b[31mb\xff\n\0c", 11)), Method::Get).message;
  EXPECT_EQ(dirty, "500 InternalError: a [31mb? c");
}

TEST(StatusError, RecognizesWhatListsActOn) {
  EXPECT_TRUE(is_expired(status_from(response(410), Method::Get)));
  EXPECT_TRUE(is_version_too_large(status_from(
      response(
          504,
          status_body(
              R"("reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge"}]})")),
      Method::Get)));
  EXPECT_TRUE(is_already_exists(status_from(response(409), Method::Post)));
  EXPECT_FALSE(is_already_exists(status_from(response(409), Method::Put)));
}

}  // namespace
}  // namespace elbowroom::api
