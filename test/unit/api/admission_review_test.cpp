#include "api/codec/admission_review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace elbowroom::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string review(const std::string& request) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{)" + request +
         "}}";
}
const std::string kEviction =
    R"("uid":"r-1","resource":{"group":"","version":"v1","resource":"pods"},)"
    R"("subResource":"eviction","operation":"CREATE","namespace":"default","name":"web",)"
    R"("userInfo":{"username":"jane","groups":["ops","system:authenticated"]})";

std::string refused(const std::string& body) {
  const auto decoded = decode_admission_review(body);
  return decoded ? "" : decoded.error().message;
}

TEST(AdmissionReview, AnEvictionIsRead) {
  const auto read = decode_admission_review(
      review(kEviction + R"(,"dryRun":false,"object":{"apiVersion":"policy/v1","kind":"Eviction",)"
                         R"("deleteOptions":{"preconditions":{"uid":"u-1"}}})"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->is_eviction());
  EXPECT_EQ(read->uid, "r-1");
  EXPECT_EQ(read->ns, "default");
  EXPECT_EQ(read->name, "web");
  EXPECT_EQ(read->pod_uid, "u-1");
  EXPECT_FALSE(read->dry_run);
  EXPECT_EQ(read->user, "jane");
  EXPECT_THAT(read->groups, ElementsAre("ops", "system:authenticated"));
}

TEST(AdmissionReview, ADryRunIsOneByTheRequestOrByTheEviction) {
  EXPECT_TRUE(decode_admission_review(review(kEviction + R"(,"dryRun":true)"))->dry_run);
  EXPECT_TRUE(decode_admission_review(
                  review(kEviction + R"(,"object":{"deleteOptions":{"dryRun":["All"]}})"))
                  ->dry_run);
}

TEST(AdmissionReview, ADeleteIsAboutTheObjectThatIsThere) {
  const auto read = decode_admission_review(
      review(R"("uid":"r-2","resource":{"resource":"pods"},"operation":"DELETE",)"
             R"("namespace":"default","name":"web","object":null,)"
             R"("oldObject":{"metadata":{"name":"web","uid":"u-2"}})"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->is_delete());
  EXPECT_EQ(read->pod_uid, "u-2");
}

// As the server asks for each pod of a deletecollection.
TEST(AdmissionReview, ADeleteWithoutANameTakesItFromTheObject) {
  const auto read = decode_admission_review(
      review(R"("uid":"r-2","resource":{"resource":"pods"},"operation":"DELETE",)"
             R"("namespace":"default","oldObject":{"metadata":{"name":"web","uid":"u-2"}})"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->name, "web");
}

TEST(AdmissionReview, PodsOfAnotherGroupAreNotPods) {
  const auto read = decode_admission_review(
      review(R"("uid":"r-3","resource":{"group":"example.com","resource":"pods"},)"
             R"("operation":"DELETE","namespace":"default","name":"web")"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->is_delete());
  EXPECT_FALSE(read->is_eviction());
}

TEST(AdmissionReview, WhatIsWrongIsNamed) {
  EXPECT_THAT(refused(""), Not(""));
  EXPECT_THAT(refused("[]"), Not(""));
  EXPECT_THAT(refused(R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"})"),
              HasSubstr("apiVersion"));
  EXPECT_THAT(refused(R"({"apiVersion":"admission.k8s.io/v1","kind":"Pod"})"), HasSubstr("kind"));
  EXPECT_THAT(refused(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"})"),
              HasSubstr("request"));
  EXPECT_THAT(refused(review(R"("resource":{"resource":"pods"})")), HasSubstr("request.uid"));
  EXPECT_THAT(refused(review(R"("uid":"r","resource":{"resource":"pods"},"operation":"DELETE",)"
                             R"("namespace":"default")")),
              HasSubstr("request.name"));
  EXPECT_THAT(refused(review(R"("uid":"r","userInfo":{"groups":"ops"})")), HasSubstr("groups"));
  EXPECT_THAT(refused(std::string(kMostReviewBytes + 1, ' ')), HasSubstr("larger"));
}

// What the server takes in an Eviction must not decide whether the eviction is reviewed.
std::string padded(const std::string& metadata) {
  return review(kEviction +
                R"(,"object":{"apiVersion":"policy/v1","kind":"Eviction","metadata":{)" + metadata +
                R"(},"deleteOptions":{"preconditions":{"uid":"u-1"}}},"dryRun":false)");
}
std::string repeated(std::string_view text, std::size_t times) {
  std::string made;
  made.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) made += text;
  return made;
}
std::string pod_uid_of(const std::string& body) {
  const auto read = decode_admission_review(body);
  return read ? read->pod_uid : read.error().message;
}

TEST(AdmissionReview, AnEvictionOfAnySizeThatTheServerTakesIsRead) {
  // Go writes `<` as six bytes, and the server takes 3 MiB of them.
  const std::string body =
      padded(R"("annotations":{"a":")" + repeated("\\u003c", std::size_t{3} << 20) + "\"}");
  ASSERT_LT(body.size(), kMostReviewBytes);
  EXPECT_EQ(pod_uid_of(body), "u-1");
}

TEST(AdmissionReview, AnEvictionWithAnyNumberOfValuesIsRead) {
  EXPECT_EQ(pod_uid_of(padded(R"("finalizers":["")" + repeated(",\"a/b\"", 600'000) + "]")), "u-1");
  EXPECT_EQ(pod_uid_of(padded(R"("annotations":{"":"")" + repeated(R"(,"a":"")", 1'000'000) + "}")),
            "u-1");
}

TEST(AdmissionReview, WhatIsSkippedMayHoldWhatTheServerTakes) {
  EXPECT_EQ(pod_uid_of(padded("\"annotations\":{\"a\":\"\x7f\"}")), "u-1");
  EXPECT_EQ(pod_uid_of(padded("\"annotations\":{\"a\":\"\xff\"}")), "u-1");
  EXPECT_EQ(pod_uid_of(padded(R"("managedFields":[{"fieldsV1":)" + repeated(R"({"f:a":)", 9'990) +
                              "{}" + std::string(9'990, '}') + "}]")),
            "u-1");
}

TEST(AdmissionReview, ManyDryRunsAreOne) {
  const auto read =
      decode_admission_review(review(kEviction + R"(,"object":{"deleteOptions":{"dryRun":["All")" +
                                     repeated(R"(,"All")", 600'000) + "]}}"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->dry_run);
}

TEST(AdmissionReview, AUidOrNameThatNoServerSendsIsRefused) {
  EXPECT_THAT(refused(review(R"("uid":")" + std::string(129, 'u') + "\"")),
              HasSubstr("request.uid"));
  EXPECT_THAT(refused(review(R"("uid":"r","resource":{"resource":"pods"},"operation":"DELETE",)"
                             R"("namespace":"default","name":")" +
                             std::string(254, 'n') + "\"")),
              HasSubstr("request.name"));
}

TEST(AdmissionReview, WhatHasBegunIsReadAsFarAsItCame) {
  const std::string whole = padded(R"("annotations":{"a":"b"})");
  const std::size_t object = whole.find("\"object\"");
  for (std::size_t cut = object; cut < whole.size(); ++cut) {
    const AdmissionReview begun = begun_review(std::string_view(whole).substr(0, cut));
    EXPECT_EQ(begun.uid, "r-1") << cut;
    EXPECT_TRUE(begun.is_eviction()) << cut;
    EXPECT_EQ(begun.ns + "/" + begun.name, "default/web") << cut;
  }
  for (std::size_t cut = 0; cut < object; ++cut) {
    const AdmissionReview begun = begun_review(std::string_view(whole).substr(0, cut));
    EXPECT_THAT(begun.uid, testing::AnyOf("", "r-1")) << cut;
  }
  EXPECT_EQ(begun_review("").uid, "");
  EXPECT_EQ(begun_review("[]").uid, "");
  EXPECT_EQ(begun_review(R"({"apiVersion":"v1","request":{"uid":"r-1")").uid, "");
}

TEST(AdmissionReview, WhatIsNotJsonIsReadAsFarAsItIs) {
  const AdmissionReview begun = begun_review(padded(R"("annotations":{"a":b})"));
  EXPECT_EQ(begun.uid, "r-1");
  EXPECT_TRUE(begun.is_eviction());
}

TEST(AdmissionReview, TheAnswerSaysWhatTheServerHandsOn) {
  EXPECT_EQ(encode_review_answer("r-1", {}),
            R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
            R"("response":{"uid":"r-1","allowed":true}})");
  const std::string refusal = encode_review_answer("r-1", {.allowed = false,
                                                           .code = 429,
                                                           .message = "later",
                                                           .retry_after = std::chrono::seconds(7),
                                                           .budget = "default/web"});
  EXPECT_THAT(refusal, HasSubstr(R"("code":429,"reason":"TooManyRequests","message":"later")"));
  EXPECT_THAT(refusal, HasSubstr(R"("retryAfterSeconds":7)"));
  EXPECT_THAT(refusal, HasSubstr(R"("reason":"DisruptionBudget")"));
}

}  // namespace
}  // namespace elbowroom::api
