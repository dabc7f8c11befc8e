#include "api/codec/ledger_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "api/codec/json.h"
#include "api/write/debit.h"
#include "api/write/eviction.h"
#include "base/document.h"

namespace elbowroom::api {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Value object(const std::string& status) {
  const auto parsed = parse_json(R"({"metadata": {"name": "b"}, "status": )" + status + "}");
  EXPECT_TRUE(parsed);
  return *parsed;
}

TEST(LedgerEntries, AreReadAndWrittenTheSame) {
  const std::string list =
      R"([{"pod":"a","uid":"u","time":"2026-01-01T00:00:00Z","by":"elbowroom"},)"
      R"({"pod":"b","uid":"v","time":"2026-01-01T00:00:01Z"}])";
  const auto ledger = decode_ledger(object(R"({"recentDisruptions": )" + list + "}"));
  ASSERT_TRUE(ledger) << ledger.error().message;
  ASSERT_EQ(ledger->size(), 2U);
  EXPECT_EQ((*ledger)[0].by, "elbowroom");
  EXPECT_EQ(api::to_json(encode_ledger(*ledger)), list);
}

TEST(LedgerEntries, AreNoneWithoutAStatus) {
  const auto none = decode_ledger(object("{}"));
  ASSERT_TRUE(none);
  EXPECT_THAT(*none, IsEmpty());
}

TEST(LedgerEntries, StrangeOnesAreRefusedWithTheirField) {
  const auto why = [](const std::string& entries) {
    const auto read = decode_ledger(object(R"({"recentDisruptions": )" + entries + "}"));
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_THAT(why(R"([{"pod": "a", "time": "2026-01-01T00:00:00Z"}])"),
              HasSubstr("status.recentDisruptions[0].uid"));
  EXPECT_THAT(why(R"([{"pod": "a", "uid": "u"}])"), HasSubstr("recentDisruptions[0].time"));
  EXPECT_THAT(why(R"([{"uid": "u", "time": "soon"}])"), HasSubstr("recentDisruptions[0].time"));
  EXPECT_THAT(why("7"), HasSubstr("status.recentDisruptions"));
  std::string many = R"([{"uid": "u", "time": "2026-01-01T00:00:00Z"})";
  for (int i = 0; i < 1'000; ++i) many += R"(,{"uid": "u", "time": "2026-01-01T00:00:00Z"})";
  EXPECT_THAT(why(many + "]"), HasSubstr("more than 1000 entries"));
}

TEST(DebitRequest, HasTheVersionAndTheUidAsPreconditions) {
  const auto request = debit_request({.ns = "default", .name = "b", .uid = "b-1"}, "7", {});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path,
            "/apis/elbowroom.dev/v1alpha1/namespaces/default/disruptionbudgets/b/status");
  EXPECT_EQ(
      request->body,
      R"({"metadata":{"uid":"b-1","resourceVersion":"7"},"status":{"recentDisruptions":[]}})");
  EXPECT_FALSE(debit_request({.ns = "default", .name = "b", .uid = "b-1"}, "", {}));
}

TEST(EvictionRequest, HasTheUidAsPrecondition) {
  const auto request = eviction_request({.ns = "default", .name = "a", .uid = "u"},
                                        {.grace = std::chrono::seconds(5), .dry_run = true});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path, "/api/v1/namespaces/default/pods/a/eviction");
  EXPECT_THAT(request->body, HasSubstr(R"("preconditions":{"uid":"u"})"));
  EXPECT_THAT(request->body, HasSubstr(R"("gracePeriodSeconds":5)"));
  EXPECT_EQ(request->query, (Query{{"dryRun", "All"}}));
  EXPECT_FALSE(eviction_request({.ns = "default", .name = "a"}, {}));
}

}  // namespace
}  // namespace elbowroom::api
