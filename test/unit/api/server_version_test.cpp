// The version of Kubernetes, and when it is requested.
#include "api/watch/server_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/scripted_server.h"
#include "test/unit/api/loopback.h"

namespace elbowroom::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string document(const std::string& minor) {
  return R"({"major":"1","minor":")" + minor + R"(","gitVersion":"v1.)" + minor + R"(.9"})";
}

TEST(ServerVersion, IsReadAsFarAsItCanBe) {
  const ServerVersion read = server_version_from(document("31+"));
  EXPECT_EQ(read.text, "v1.31+.9");
  EXPECT_EQ(read.major, 1);
  EXPECT_EQ(read.minor, 31);
  for (const char* odd : {"", "{", "[]", "7", R"({"major":1})", R"({"minor":"x"})"}) {
    EXPECT_EQ(server_version_from(odd).minor, 0) << odd;
    EXPECT_EQ(too_old(server_version_from(odd)), "") << odd;
  }
}

TEST(ServerVersion, BeforeThirtyThreeIsTooOld) {
  EXPECT_THAT(too_old(server_version_from(document("32"))),
              HasSubstr("v1.32.9 is too old: pods are resized in place from 1.33 on: upgrade"));
  EXPECT_EQ(too_old(server_version_from(document("33"))), "");
  EXPECT_EQ(too_old(server_version_from(document("40"))), "");
}

TEST(VersionCheck, AsksWhenTheServerIsReachedAndWhenItIsAgain) {
  std::string said = document("31");
  int status = 200;
  int answered = 0;
  const Loopback server([&](httplib::Server& http) {
    http.Get("/version", [&](const auto&, httplib::Response& out) {
      out.status = status;
      out.set_content(said, "application/json");
    });
  });
  CurlTransport transport(server.access(), {.called = [&](const RequestOutcome&) { ++answered; }});
  std::vector<std::string> told;
  VersionCheck look(transport, [&](const std::string& trouble) { told.push_back(trouble); });
  const auto see = [&](const Freshness& followed, int times) {
    look.look(followed);
    return run_until(transport, [&] { return answered == times; });
  };
  const Freshness unseen;
  const Freshness fresh{.is_synced = true};
  const Freshness stale{.is_synced = true, .is_stale = true};
  EXPECT_TRUE(see(unseen, 0));
  EXPECT_TRUE(see(stale, 1)) << "reached, whatever came then";
  EXPECT_TRUE(run_until(transport, [&] { return !told.empty(); }));
  EXPECT_TRUE(see(stale, 1));
  EXPECT_TRUE(see(fresh, 2)) << "again";
  EXPECT_TRUE(see(fresh, 2));
  said = document("30");
  EXPECT_TRUE(see(stale, 2) && see(fresh, 3));
  EXPECT_TRUE(run_until(transport, [&] { return told.size() == 2; }));
  status = 403;
  EXPECT_TRUE(see(stale, 3) && see(fresh, 4));
  status = 200;
  said = document("33");
  EXPECT_TRUE(see(stale, 4) && see(fresh, 5));
  transport.run_once(std::chrono::milliseconds(50));
  EXPECT_THAT(told, ElementsAre(HasSubstr("v1.31.9 is too old"), HasSubstr("v1.30.9 is too old")));
}

TEST(VersionCheck, ReportsAnotherVersionAfterAWatchWasOpenedAgain) {
  test::ScriptedServer server;
  const auto runs = [&](const char* minor) {
    server.answers["/version"] = {.status = 200, .body = document(minor)};
  };
  int changes = 0;
  VersionCheck check(server, [](const std::string&) {}, [&] { ++changes; });
  const auto watches = [&](std::uint64_t opened) {
    check.look({.is_synced = true, .watches = opened});
    server.pass(std::chrono::seconds(1));
    return changes;
  };
  runs("37");
  EXPECT_EQ(watches(1), 0) << "the first one is no change";
  EXPECT_EQ(watches(2), 0);
  runs("38");
  EXPECT_EQ(watches(2), 0) << "the watch goes on";
  EXPECT_EQ(watches(3), 1);
  EXPECT_EQ(watches(4), 1);
}

}  // namespace
}  // namespace elbowroom::api
