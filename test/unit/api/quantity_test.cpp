#include "api/codec/quantity.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace elbowroom::api {
namespace {

struct Row {
  std::string_view text;
  Unit unit;
  std::string want;
};

std::string parsed(std::string_view text, Unit unit) {
  const auto amount = parse_quantity(text, unit);
  return amount ? std::to_string(*amount) : "error";
}

TEST(Quantity, WhatIsTooLargeIsToldSoHoweverManyDigitsItHas) {
  for (const std::string_view text :
       {"9223372036854775808", "99999999999999999999", "123456789012345678901", "8Ei", "1e300",
        "1234567890123456789012345678901234567890", "123456789012345678901Ki"}) {
    const auto amount = parse_quantity(text, Unit::Base);
    ASSERT_FALSE(amount) << text;
    EXPECT_NE(amount.error().message.find("is above 2^63-1"), std::string::npos)
        << amount.error().message;
  }
}

// As API servers take them, and give them back: to a thousandth of a unit.
TEST(Quantity, DigitsBeyondTheUnitOnlyRoundUp) {
  const Row rows[] = {
      {"1.23456789012345678901", Unit::Base, "2"},
      {"1.23456789012345678901", Unit::Milli, "1235"},
      {"1.00000000000000000000", Unit::Milli, "1000"},
      {"9223372036854775806501m", Unit::Base, "9223372036854775807"},
      {"9223372036854775807001m", Unit::Base, "error"},
      {"9223372036854775805999999999n", Unit::Base, "9223372036854775806"},
      {"9223372036854775.80600000000000000001", Unit::Milli, "9223372036854775807"},
      {"9223372036854775.80700000000000000001", Unit::Milli, "error"},
      {"1.000000000000000000000000000001Ki", Unit::Base, "1025"},
      {"0.333333333333333333333333333333Ki", Unit::Base, "342"},
      {"7.99999999999999999999999999999999Ei", Unit::Base, "error"},
      {"7.9999999999999999991326382620115Ei", Unit::Base, "9223372036854775807"},
      {"123456789012345678901n", Unit::Base, "123456789013"},
  };
  for (const Row& row : rows) EXPECT_EQ(parsed(row.text, row.unit), row.want) << row.text;
  const std::string zeros(100'000, '0');
  EXPECT_EQ(parsed("0." + zeros + "1", Unit::Base), "1");
  EXPECT_EQ(parsed("0." + zeros + "1e100001", Unit::Base), "1");
  EXPECT_EQ(parsed("0." + zeros + "1e100010", Unit::Base), "1000000000");
  EXPECT_EQ(parsed("1" + zeros + "e-100000", Unit::Base), "1");
  EXPECT_EQ(parsed("1." + zeros + "1", Unit::Base), "2");
  EXPECT_EQ(parsed("1" + zeros, Unit::Base), "error");
}

TEST(Quantity, ParsesExactlyAndRoundsUp) {
  const Row rows[] = {
      {"2", Unit::Milli, "2000"},
      {"1500m", Unit::Milli, "1500"},
      {"0.5", Unit::Milli, "500"},
      {".5", Unit::Milli, "500"},
      {"1.", Unit::Milli, "1000"},
      {"+1", Unit::Milli, "1000"},
      {"100u", Unit::Milli, "1"},
      {"1n", Unit::Milli, "1"},
      {"1000001n", Unit::Milli, "2"},
      {"0.0001", Unit::Milli, "1"},
      {"0", Unit::Milli, "0"},
      {"-0", Unit::Milli, "0"},
      {"0.000", Unit::Base, "0"},
      {"0n", Unit::Base, "0"},
      {"1e3", Unit::Base, "1000"},
      {"1E3", Unit::Base, "1000"},
      {"1E", Unit::Base, "1000000000000000000"},
      {"2e-1", Unit::Milli, "200"},
      {"1500M", Unit::Base, "1500000000"},
      {"2Gi", Unit::Base, "2147483648"},
      {"1.5Gi", Unit::Base, "1610612736"},
      {"0.1Ki", Unit::Base, "103"},
      {"129M", Unit::Base, "129000000"},
      {"128974848000m", Unit::Base, "128974848"},
      {"9223372036854775807", Unit::Base, "9223372036854775807"},
      {"9223372036854775808", Unit::Base, "error"},
      {"9223372036854775806.1", Unit::Base, "9223372036854775807"},
      {"9223372036854775807.1", Unit::Base, "error"},
      {"9223372036854775807m", Unit::Milli, "9223372036854775807"},
      {"9223372036854775808m", Unit::Milli, "error"},
      {"9223372036854775807", Unit::Milli, "error"},
      {"7.9999999999999999999Ei", Unit::Base, "error"},
      {"7.999999Ei", Unit::Base, "9223370883933271202"},
      {"8Ei", Unit::Base, "error"},
      {"99999999999999999999Ei", Unit::Base, "error"},
      {"1e1000000000000", Unit::Base, "error"},
      {"1e-1000000000000", Unit::Base, "1"},
      {"0e99999", Unit::Base, "0"},
      {"1000000000000000000000000n", Unit::Base, "1000000000000000"},
  };
  for (const Row& row : rows) EXPECT_EQ(parsed(row.text, row.unit), row.want) << row.text;
}

TEST(Quantity, RefusesWhatIsMalformed) {
  for (const std::string_view text :
       {"",     " ",     "-1",   "-1m", "--1",  "m",   "Gi", ".",    "-",       "+",
        "1 ",   " 1",    "1GiB", "1gi", "1K",   "1g",  "1e", "1e+",  "1ee3",    "1.2.3",
        "0x10", "1_000", "1,5",  "nan", ".inf", "1\n", "e3", "1Ki3", "\xC2\xB5"}) {
    EXPECT_EQ(parsed(text, Unit::Base), "error") << '"' << text << '"';
  }
  EXPECT_EQ(parsed(std::string(1'000'000, '1'), Unit::Base), "error");
  EXPECT_EQ(parsed("1" + std::string(200, '0'), Unit::Base), "error");
}

TEST(Quantity, PrintsTheCanonicalForm) {
  EXPECT_EQ(format_quantity("cpu", 1500), "1500m");
  EXPECT_EQ(format_quantity("cpu", 2000), "2");
  EXPECT_EQ(format_quantity("cpu", 2000000), "2k");
  EXPECT_EQ(format_quantity("cpu", 0), "0");
  EXPECT_EQ(format_quantity("memory", 2147483648), "2Gi");
  EXPECT_EQ(format_quantity("memory", 524288000), "500Mi");
  EXPECT_EQ(format_quantity("memory", 1500000000), "1500M");
  EXPECT_EQ(format_quantity("memory", 1), "1");
  EXPECT_EQ(format_quantity("memory", 0), "0");
  EXPECT_EQ(format_quantity("hugepages-2Mi", 4194304), "4Mi");
  EXPECT_EQ(format_quantity("example.com/gpu", 1024), "1024");
  EXPECT_EQ(format_quantity("example.com/gpu", 3000), "3k");
  EXPECT_EQ(format_quantity("memory", std::int64_t{1} << 62), "4Ei");
}

TEST(Quantity, PrintedAmountsParseToThemselves) {
  for (std::int64_t amount = 1; amount < (std::int64_t{1} << 61); amount = amount * 3 / 2 + 1) {
    for (const std::string_view resource : {"cpu", "memory", "example.com/gpu"}) {
      EXPECT_EQ(parsed(format_quantity(resource, amount), unit_of(resource)),
                std::to_string(amount));
    }
  }
}

}  // namespace
}  // namespace elbowroom::api
