#include "api/write/policy_probe.h"

#include <gtest/gtest.h>

#include <string>

namespace elbowroom::api {
namespace {

// What a 1.37.0 API server answers to the probe, cut to what matters. managedFields is the same
// whether the gate is on or off.
Result<Response> answer(const std::string& spec) {
  Response response;
  response.status = 200;
  response.body =
      R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"x","managedFields":[{"manager":)"
      R"("elbowroomd","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":)"
      R"({"f:spec":{"f:podPreemptionPolicy":{".":{},"f:disableResizePreemption":{".":{},)"
      R"("v:\"elbowroom.dev/probe\"":{}}}}}}]},"spec":)" +
      spec + R"(,"status":{}})";
  return response;
}

TEST(PolicyProbe, TheServerKeepsTheField) {
  EXPECT_EQ(keeps_policy_field(answer(
                R"({"podPreemptionPolicy":{"disableResizePreemption":["elbowroom.dev/probe"]}})")),
            true);
}

TEST(PolicyProbe, ADroppedFieldIsStillNamedInManagedFields) {
  EXPECT_EQ(keeps_policy_field(answer("{}")), false);
  EXPECT_EQ(keeps_policy_field(answer(R"({"podPreemptionPolicy":{}})")), false);
}

TEST(PolicyProbe, ARefusalIsANo) {
  EXPECT_EQ(keeps_policy_field(failure(Code::Invalid, "spec.podPreemptionPolicy: Forbidden")),
            false);
}

TEST(PolicyProbe, WhatIsNoAnswerTellsNothing) {
  Response response;
  for (const char* body : {"elbowroom.dev/probe", "[]", R"({"kind":"Status","spec":{}})"}) {
    response.body = body;
    EXPECT_EQ(keeps_policy_field(response).has_value(), false) << body;
  }
  EXPECT_EQ(keeps_policy_field(failure(Code::Denied, "forbidden")).error().code, Code::Denied);
}

}  // namespace
}  // namespace elbowroom::api
