#include "daemon/log/readiness_log.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "daemon/log/error_class.h"

namespace elbowroom::daemon {
namespace {

using namespace std::chrono_literals;

class HealthNewsTest : public ::testing::Test {
 protected:
  std::string told(const std::vector<Check>& checks, std::chrono::seconds later = 1s) {
    now_ += later;
    std::string all;
    for (const Check& each : news_.take(checks, now_)) {
      all += each.name + (each.passed ? " back" : " lost: " + each.detail) + ";";
    }
    return all;
  }

  ReadinessLog news_{};
  ReadinessLog::Clock::time_point now_{};
};

TEST_F(HealthNewsTest, ALossAndItsEndAreEachToldOnce) {
  EXPECT_EQ(told({{"api", true, ""}, {"disk", true, ""}}), "");
  EXPECT_EQ(told({{"api", false, "refused"}, {"disk", true, ""}}), "api lost: refused;");
  EXPECT_EQ(told({{"api", false, "refused"}, {"disk", true, ""}}), "");
  EXPECT_EQ(told({{"api", false, "timed out"}, {"disk", false, "full"}}), "disk lost: full;");
  EXPECT_EQ(told({{"api", true, ""}, {"disk", false, "full"}}), "api back;");
  EXPECT_EQ(told({{"api", true, ""}, {"disk", true, ""}}), "disk back;");
  EXPECT_EQ(told({{"api", true, ""}, {"disk", true, ""}}), "");
}

TEST_F(HealthNewsTest, WhatAStartWaitsForIsNoLoss) {
  EXPECT_EQ(told({{"runtime", false, "it has not answered yet"}}), "");
  EXPECT_EQ(told({{"runtime", false, "it has not answered yet"}}), "");
  EXPECT_EQ(told({{"runtime", true, ""}}), "");
  news_ = {};
  EXPECT_EQ(told({{"runtime", false, "it has not answered yet"}}), "");
  EXPECT_EQ(told({{"runtime", false, "no such socket"}}), "runtime lost: no such socket;");
  EXPECT_EQ(told({{"runtime", true, ""}}), "runtime back;");
}

constexpr const char* kDown =
    "list /api/v1/pods: GET /api/v1/pods: Failed to connect to api port 1";
constexpr const char* kDenied =
    "list /api/v1/pods: 403 Forbidden: pods is forbidden: User \"x\" cannot list resource \"pods\"";
constexpr const char* kBusy = "list /api/v1/pods: 429 TooManyRequests";

// The server was down when the agent started, and then refused everything: the log said "down".
TEST_F(HealthNewsTest, AnotherCauseIsToldToo) {
  EXPECT_EQ(told({{"api", true, ""}}), "");
  EXPECT_EQ(told({{"api", false, kDown}}), std::string("api lost: ") + kDown + ";");
  EXPECT_EQ(told({{"api", false, kDenied}}), std::string("api lost: ") + kDenied + ";");
  EXPECT_EQ(told({{"api", false, kDenied}}, 10min), "");
  EXPECT_EQ(told({{"api", true, ""}}), "api back;");
}

TEST_F(HealthNewsTest, CausesThatTakeTurnsAreToldOnceAMinute) {
  EXPECT_EQ(told({{"api", true, ""}}), "");
  EXPECT_NE(told({{"api", false, kDown}}), "");
  EXPECT_NE(told({{"api", false, kDenied}}), "");
  EXPECT_EQ(told({{"api", false, kBusy}}), "");
  EXPECT_EQ(told({{"api", false, kDenied}}, 57s), "");
  EXPECT_EQ(told({{"api", false, kBusy}}), "");
  EXPECT_EQ(told({{"api", false, kBusy}}), std::string("api lost: ") + kBusy + ";");
  EXPECT_EQ(told({{"api", false, kDown}}), "");
}

TEST(CauseOfFailure, IsOfAKind) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {kDown, "connection"},
      {kDenied, "HTTP 403"},
      {kBusy, "HTTP 429"},
      {"watch /api/v1/nodes: 504 Timeout: 403 times", "HTTP 504"},
      {"GET /api/v1/nodes: Operation timed out (deadline 30000 ms)", "connection"},
      {"GET /api/v1/nodes: nothing came for 180000 ms", "connection"},
      {"GET /api/v1/nodes: Could not resolve host: api", "connection"},
      {"GET /api/v1/nodes: SSL certificate problem: certificate has expired", "TLS"},
      {"nodes are not followed: list /api/v1/nodes: 401 Unauthorized", "HTTP 401"},
      {"no space left on device", "other"},
      {"container: 4000 of 5 ", "other"},
      {"", "other"},
  };
  for (const auto& [why, kind] : rows) EXPECT_EQ(error_class(why), kind) << why;
}

}  // namespace
}  // namespace elbowroom::daemon
