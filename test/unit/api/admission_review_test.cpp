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
