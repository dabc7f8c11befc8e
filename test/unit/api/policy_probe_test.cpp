#include "api/write/policy_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "test/scripted_server.h"

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

// A server whose gate is opened or closed while the daemon runs.
class RepeatedProbe : public testing::Test {
 protected:
  RepeatedProbe() { keeps(false); }

  void keeps(bool field) {
    server_.answers["PATCH /api/v1/nodes/n"] = *answer(
        field ? R"({"podPreemptionPolicy":{"disableResizePreemption":["elbowroom.dev/probe"]}})"
              : "{}");
  }
  void refuses(int status) { server_.answers["PATCH /api/v1/nodes/n"] = {.status = status}; }
  std::size_t asked() const { return server_.written.size(); }

  test::ScriptedServer server_;
  Client client_{server_, "test"};
  std::vector<bool> told_;
  PolicyProbe probe_{server_, client_, [this](bool keeps) { told_.push_back(keeps); }};
};

using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(RepeatedProbe, AsksEveryTenMinutesAndReportsChanges) {
  server_.pass(10min);
  EXPECT_EQ(asked(), 0U) << "no Node was seen";
  for (int i = 0; i < 3; ++i) probe_.seen("n");
  server_.pass(10min - 1s);
  EXPECT_THAT(server_.written, ElementsAre("PATCH /api/v1/nodes/n (dry run)"));
  keeps(true);
  server_.pass(1s);
  EXPECT_THAT(told_, ElementsAre(false, true));
  server_.pass(30min);
  EXPECT_EQ(asked(), 5U);
  EXPECT_THAT(server_.written, Each("PATCH /api/v1/nodes/n (dry run)"));
  EXPECT_THAT(told_, ElementsAre(false, true)) << "the same answer is not reported again";
}

TEST_F(RepeatedProbe, AsksAtOnceWhenTheServerHasChanged) {
  probe_.server_changed();
  server_.pass(1s);
  EXPECT_EQ(asked(), 0U) << "no Node was seen";
  probe_.seen("n");
  server_.pass(1s);
  keeps(true);
  probe_.server_changed();
  server_.pass(0s);
  EXPECT_THAT(told_, ElementsAre(false, true));
}

TEST_F(RepeatedProbe, AsksAgainWhereTheServerChangedDuringAQuestion) {
  probe_.seen("n");
  probe_.server_changed();
  probe_.server_changed();
  server_.pass(1s);
  EXPECT_EQ(asked(), 2U);
}

TEST_F(RepeatedProbe, AsksSoonAfterAnAnswerThatTellsNothing) {
  refuses(500);
  probe_.seen("n");
  server_.pass(4s);
  EXPECT_EQ(asked(), 1U);
  server_.pass(1s);
  EXPECT_EQ(asked(), 2U);
  refuses(403);
  server_.pass(5s);
  EXPECT_EQ(asked(), 3U);
  server_.pass(9min);
  EXPECT_EQ(asked(), 3U) << "the right may be granted later";
  server_.pass(1min);
  EXPECT_EQ(asked(), 4U);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(RepeatedProbe, AsksAboutAnotherNodeAfterADeletion) {
  refuses(404);
  probe_.seen("n");
  server_.pass(1min);
  server_.answers["PATCH /api/v1/nodes/m"] = *answer("{}");
  probe_.seen("m");
  server_.pass(1min);
  EXPECT_THAT(told_, ElementsAre(false));
}

}  // namespace
}  // namespace elbowroom::api
