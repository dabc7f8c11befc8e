// What is known of the marks on pods, and which of them must be read again.
#include "scheduler/removal/victim_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "test/pods.h"

namespace elbowroom::scheduler {
namespace {

using std::chrono::seconds;
using test::running_pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

policy::Pod marked(const std::string& name, const std::string& node, const std::string& whose) {
  policy::Pod pod = running_pod(name, 10);
  pod.node = node;
  pod.conditions.push_back(
      policy::marking_condition(pod, policy::kReasonPreemptionByScheduler, "room is made",
                                {.uid = whose, .generation = 2}, policy::Time{}));
  return pod;
}

class VictimMarksTest : public ::testing::Test {
 protected:
  VictimMarksTest() {
    for (const policy::Pod& pod : {b_, a_, c_}) marks_.saw(nullptr, &pod);
  }

  const policy::Pod a_ = marked("a", "node-1", "uid-web");
  const policy::Pod b_ = marked("b", "node-1", "uid-api");
  const policy::Pod c_ = marked("c", "node-2", "uid-web");
  VictimMarks marks_;
};

TEST_F(VictimMarksTest, NothingIsDoubtfulBeforeSomethingHappens) {
  EXPECT_THAT(marks_.take_doubtful(seconds(0)), IsEmpty());
  ASSERT_NE(marks_.find("default/a"), nullptr);
  EXPECT_EQ(marks_.find("default/a")->mark.uid, "uid-web");
}

TEST_F(VictimMarksTest, ANodesMarksAreDoubtfulOnce) {
  marks_.doubt_on("node-1");
  marks_.doubt_on("node-9");
  EXPECT_THAT(marks_.take_doubtful(seconds(0)), ElementsAre("default/a", "default/b"));
  EXPECT_THAT(marks_.take_doubtful(seconds(0)), IsEmpty());
}

TEST_F(VictimMarksTest, APreemptorsMarksAreDoubtfulWhereverTheyAre) {
  marks_.doubt_for("uid-web");
  EXPECT_THAT(marks_.take_doubtful(seconds(0)), ElementsAre("default/a", "default/b", "default/c"));
}

TEST_F(VictimMarksTest, APodThatIsTerminatingIsNoMoreMarked) {
  policy::Pod leaving = a_;
  leaving.deletion = policy::Time{};
  marks_.saw(&a_, &leaving);
  EXPECT_EQ(marks_.find("default/a"), nullptr);
  marks_.doubt_all();
  EXPECT_THAT(marks_.take_doubtful(seconds(0)), ElementsAre("default/b", "default/c"));
}

TEST_F(VictimMarksTest, AFailedRemovalIsTriedAgainAtItsTime) {
  marks_.clearing("default/c");
  EXPECT_TRUE(marks_.find("default/c")->is_clearing);
  marks_.not_cleared("default/c", seconds(10));
  EXPECT_FALSE(marks_.find("default/c")->is_clearing);
  EXPECT_EQ(marks_.find("default/c")->failures, 1U);
  EXPECT_EQ(marks_.next(), seconds(10));
  EXPECT_THAT(marks_.take_doubtful(seconds(9)), IsEmpty());
  EXPECT_THAT(marks_.take_doubtful(seconds(10)), ElementsAre("default/c"));
}

TEST_F(VictimMarksTest, WhatWasTakenBackIsForgottenWithThePod) {
  marks_.taken_back(a_.uid);
  EXPECT_TRUE(marks_.is_taken_back(a_.uid));
  marks_.saw(&a_, nullptr);
  EXPECT_FALSE(marks_.is_taken_back(a_.uid));
  EXPECT_EQ(marks_.find("default/a"), nullptr);
}

}  // namespace
}  // namespace elbowroom::scheduler
