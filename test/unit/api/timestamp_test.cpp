#include "api/codec/timestamp.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace elbowroom::api {
namespace {

std::string through(std::string_view text) {
  const auto time = parse_timestamp(text);
  return time ? format_timestamp(*time) : "error";
}

TEST(Timestamp, ReadsOffsetsAndFractions) {
  EXPECT_EQ(through("2026-07-24T10:00:00Z"), "2026-07-24T10:00:00Z");
  EXPECT_EQ(through("2026-07-24t10:00:00z"), "2026-07-24T10:00:00Z");
  EXPECT_EQ(through("2026-07-24T10:00:00+02:30"), "2026-07-24T07:30:00Z");
  EXPECT_EQ(through("2026-12-31T23:00:00-05:00"), "2027-01-01T04:00:00Z");
  EXPECT_EQ(through("2026-07-24T10:00:00.5Z"), "2026-07-24T10:00:00.500000Z");
  EXPECT_EQ(through("2026-07-24T10:00:00.123456789Z"), "2026-07-24T10:00:00.123456Z");
  EXPECT_EQ(through("1969-12-31T23:59:59.999999Z"), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(through("0001-01-01T00:00:00Z"), "0001-01-01T00:00:00Z");
  EXPECT_EQ(through("2024-02-29T00:00:00Z"), "2024-02-29T00:00:00Z");
  EXPECT_EQ(format_micro_timestamp(*parse_timestamp("2026-07-24T10:00:00Z")),
            "2026-07-24T10:00:00.000000Z");
}

TEST(Timestamp, RefusesEverythingElse) {
  for (const std::string_view text : {"",
                                      "2026-07-24",
                                      "2026-07-24T10:00:00",
                                      "2026-07-24 10:00:00Z",
                                      "2026-7-24T10:00:00Z",
                                      "2026-02-29T00:00:00Z",
                                      "2026-13-01T00:00:00Z",
                                      "2026-00-01T00:00:00Z",
                                      "2026-07-32T00:00:00Z",
                                      "2026-07-24T24:00:00Z",
                                      "2026-07-24T10:60:00Z",
                                      "2026-07-24T10:00:60Z",
                                      "2026-07-24T10:00:00.Z",
                                      "2026-07-24T10:00:00+0200",
                                      "2026-07-24T10:00:00+24:00",
                                      "2026-07-24T10:00:00Zx",
                                      "yesterday",
                                      "1753351200",
                                      "-026-07-24T10:00:00Z",
                                      "20260724T100000Z"}) {
    EXPECT_EQ(through(text), "error") << text;
  }
}

}  // namespace
}  // namespace elbowroom::api
