#include "agent/health_news.h"

#include <gtest/gtest.h>

namespace elbowroom::agent {
namespace {

std::string told(HealthNews& news, const std::vector<ReadyCheck>& checks) {
  std::string all;
  for (const ReadyCheck& each : news.take(checks)) {
    all += each.name + (each.ok ? " back" : " lost: " + each.why) + ";";
  }
  return all;
}

TEST(HealthNews, ALossAndItsEndAreEachToldOnce) {
  HealthNews news;
  EXPECT_EQ(told(news, {{"api", true, ""}, {"disk", true, ""}}), "");
  EXPECT_EQ(told(news, {{"api", false, "refused"}, {"disk", true, ""}}), "api lost: refused;");
  EXPECT_EQ(told(news, {{"api", false, "refused"}, {"disk", true, ""}}), "");
  EXPECT_EQ(told(news, {{"api", false, "timed out"}, {"disk", false, "full"}}), "disk lost: full;");
  EXPECT_EQ(told(news, {{"api", true, ""}, {"disk", false, "full"}}), "api back;");
  EXPECT_EQ(told(news, {{"api", true, ""}, {"disk", true, ""}}), "disk back;");
  EXPECT_EQ(told(news, {{"api", true, ""}, {"disk", true, ""}}), "");
}

TEST(HealthNews, WhatAStartWaitsForIsNoLoss) {
  HealthNews news;
  EXPECT_EQ(told(news, {{"runtime", false, "it has not answered yet"}}), "");
  EXPECT_EQ(told(news, {{"runtime", false, "it has not answered yet"}}), "");
  EXPECT_EQ(told(news, {{"runtime", true, ""}}), "");
  HealthNews other;
  EXPECT_EQ(told(other, {{"runtime", false, "it has not answered yet"}}), "");
  EXPECT_EQ(told(other, {{"runtime", false, "no such socket"}}), "runtime lost: no such socket;");
  EXPECT_EQ(told(other, {{"runtime", true, ""}}), "runtime back;");
}

}  // namespace
}  // namespace elbowroom::agent
