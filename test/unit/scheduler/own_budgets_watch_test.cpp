// The watch of a kind that may not be installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "scheduler/wire.h"
#include "test/unit/api/loopback.h"

namespace elbowroom::scheduler {
namespace {

using Seen = decltype(Observation::what);
using testing::HasSubstr;

constexpr const char* kJson = "application/json";
constexpr const char* kEmptyList = R"({"metadata":{"resourceVersion":"1"},"items":[]})";
constexpr const char* kBudgets =
    R"({"metadata":{"resourceVersion":"2"},"items":[)"
    R"({"metadata":{"name":"a","namespace":"default"},"spec":{"selector":{},"hard":true}},)"
    R"({"metadata":{"name":"b","namespace":"default"},"spec":{"hard":"perhaps"}}]})";

std::string status(int code, const std::string& reason) {
  return R"({"kind":"Status","status":"Failure","code":)" + std::to_string(code) +
         R"(,"reason":")" + reason + R"(","message":"because"})";
}

// What is reported of them while the server answers with `codes`, one after the other.
std::vector<Seen> told(const std::vector<int>& codes, std::size_t enough) {
  std::atomic<std::size_t> asked = 0;
  const api::Loopback server([&](httplib::Server& http) {
    http.Get(".*", [&](const httplib::Request& in, httplib::Response& out) {
      if (in.has_param("watch")) return;
      if (!in.path.ends_with("/disruptionbudgets")) return out.set_content(kEmptyList, kJson);
      const int code = codes[std::min(asked++, codes.size() - 1)];
      out.status = code;
      out.set_content(code == 200 ? std::string(kBudgets)
                                  : status(code, code == 404 ? "NotFound" : "Forbidden"),
                      kJson);
    });
  });
  std::vector<Seen> all;
  auto transport =
      std::make_unique<api::CurlTransport>(server.access(), ApiWorker::transport_options());
  api::CurlTransport& turned = *transport;
  ApiWorker worker(std::move(transport), {.leader_elect = false}, api::Clock::now(),
                   [&](Seen seen) {
                     const auto* odd = std::get_if<Unreadable>(&seen);
                     const auto* lost = std::get_if<Lost>(&seen);
                     const bool is_ours = std::holds_alternative<OwnBudgetsListed>(seen) ||
                                          (odd != nullptr && odd->kind == "DisruptionBudget") ||
                                          (lost != nullptr && lost->of == Collection::OwnBudgets);
                     if (is_ours) all.push_back(std::move(seen));
                   });
  worker.start();
  EXPECT_TRUE(
      api::run_until(turned, [&] { return all.size() >= enough && asked.load() >= codes.size(); }));
  return all;
}

TEST(OwnBudgetsWatch, WhereTheKindIsNotServedThereAreNoneUntilSomebodyInstallsIt) {
  const std::vector<Seen> all = told({404, 404, 200}, 3);
  ASSERT_GE(all.size(), 3U);
  EXPECT_EQ(std::get<OwnBudgetsListed>(all[0]), OwnBudgetsListed{});
  EXPECT_EQ(std::get<Unreadable>(all[1]).key, "default/b");
  const auto& listed = std::get<OwnBudgetsListed>(all[2]);
  ASSERT_EQ(listed.objects.size(), 1U);
  EXPECT_TRUE(listed.objects[0].hard);
  EXPECT_EQ(listed.unreadable.size(), 1U);
}

// The loss ends where the kind is not served.
TEST(OwnBudgetsWatch, AfterALossItIsToldAgainThatThereAreNone) {
  const std::vector<Seen> all = told({404, 403, 404, 200}, 3);
  ASSERT_GE(all.size(), 3U);
  EXPECT_EQ(std::get<OwnBudgetsListed>(all[0]), OwnBudgetsListed{});
  EXPECT_TRUE(std::holds_alternative<Lost>(all[1]));
  EXPECT_EQ(std::get<OwnBudgetsListed>(all[2]), OwnBudgetsListed{});
}

// A server of another version may serve them in another version.
TEST(OwnBudgetsWatch, WhereTheKindGoesWithItsBudgetsItIsALoss) {
  const std::vector<Seen> all = told({200, 404, 404, 200}, 6);
  ASSERT_GE(all.size(), 6U);
  EXPECT_TRUE(std::holds_alternative<OwnBudgetsListed>(all[1]));
  std::vector<std::string> lost;
  for (const Seen& each : all) {
    if (const auto* loss = std::get_if<Lost>(&each)) lost.push_back(loss->why);
    if (const auto* list = std::get_if<OwnBudgetsListed>(&each)) {
      EXPECT_FALSE(list->objects.empty());
    }
  }
  EXPECT_THAT(lost, testing::Contains(HasSubstr("our own budgets were known and may exist still")));
}

TEST(OwnBudgetsWatch, AMissingRightIsALoss) {
  const std::vector<Seen> all = told({403}, 1);
  ASSERT_FALSE(all.empty());
  EXPECT_THAT(std::get<Lost>(all[0]).why,
              HasSubstr("/apis/elbowroom.dev/v1alpha1/disruptionbudgets"));
}

}  // namespace
}  // namespace elbowroom::scheduler
