#include "base/duration.h"

#include <gtest/gtest.h>

namespace elbowroom {
namespace {

using std::chrono::milliseconds;

TEST(Duration, IsReadFromItsParts) {
  struct Row {
    const char* text;
    std::int64_t ms;
  };
  for (const Row& row : {Row{"0", 0}, Row{"0s", 0}, Row{"90s", 90'000}, Row{"5m", 300'000},
                         Row{"250ms", 250}, Row{"1h30m", 5'400'000}, Row{"1s500ms", 1'500},
                         Row{"1m1ms", 60'001}, Row{"8760h", 31'536'000'000}}) {
    EXPECT_EQ(parse_duration(row.text), milliseconds(row.ms)) << row.text;
  }
}

TEST(Duration, AnythingElseIsRefused) {
  for (const char* text : {"", "s", "1", "-1s", "+1s", "1.5s", "1d", "1s1m", "1s1s", " 1s", "1s ",
                           "8761h", "99999999999999999999s", "9223372036854775807h", "1h8760h"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Duration, IsWrittenInSeconds) {
  EXPECT_EQ(format_duration(milliseconds(0)), "0s");
  EXPECT_EQ(format_duration(milliseconds(60'000)), "60s");
  EXPECT_EQ(format_duration(milliseconds(1'500)), "1s500ms");
  EXPECT_EQ(format_duration(milliseconds(7)), "7ms");
}

}  // namespace
}  // namespace elbowroom
