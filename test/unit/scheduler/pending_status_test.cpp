#include "scheduler/placing/pending_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace elbowroom::scheduler {
namespace {

const Victim kWeb{.ns = "default", .name = "web", .uid = "uid-web"};
const Victim kAnother{.ns = "default", .name = "web", .uid = "uid-2"};

WritePending nominating(const Victim& pod, std::optional<std::string> node) {
  return {.pod = pod, .nominated = std::move(node)};
}

WritePending saying(const Victim& pod, const std::string& message) {
  return {.pod = pod, .scheduled = policy::Condition{.message = message}};
}

TEST(PendingStatus, OneOfAPodIsUnderWay) {
  PendingStatus writes;
  EXPECT_EQ(writes.add(nominating(kWeb, "node-1")), nominating(kWeb, "node-1"));
  EXPECT_FALSE(writes.add(nominating(kWeb, "")));
  EXPECT_TRUE(writes.add(nominating(kAnother, "node-1"))) << "another pod";
  EXPECT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes.answered(kWeb, true), nominating(kWeb, ""));
  EXPECT_FALSE(writes.add(nominating(kWeb, "node-2"))) << "the second one is under way";
  EXPECT_EQ(writes.answered(kWeb, true), nominating(kWeb, "node-2"));
  EXPECT_FALSE(writes.answered(kWeb, true));
  EXPECT_FALSE(writes.answered(kAnother, true));
  EXPECT_EQ(writes.size(), 0U);
}

TEST(PendingStatus, WhatWaitsIsOneWriteWithTheLatestOfEach) {
  PendingStatus writes;
  EXPECT_TRUE(writes.add(saying(kWeb, "first")));
  EXPECT_FALSE(writes.add(nominating(kWeb, "node-1")));
  EXPECT_FALSE(writes.add(saying(kWeb, "second")));
  EXPECT_FALSE(writes.add(nominating(kWeb, "node-2")));
  EXPECT_FALSE(writes.add(saying(kWeb, "third")));
  WritePending both = saying(kWeb, "third");
  both.nominated = "node-2";
  EXPECT_EQ(writes.answered(kWeb, true), both);
}

TEST(PendingStatus, WhatIsNotSentIsGivenBackAndForgotten) {
  PendingStatus writes;
  EXPECT_TRUE(writes.add(saying(kWeb, "first")));
  EXPECT_FALSE(writes.add(nominating(kWeb, "node-1")));
  EXPECT_EQ(writes.answered(kWeb, false), nominating(kWeb, "node-1"));
  EXPECT_EQ(writes.size(), 0U);
  EXPECT_TRUE(writes.add(saying(kWeb, "second")));
}

}  // namespace
}  // namespace elbowroom::scheduler
