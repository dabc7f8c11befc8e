#include "recording/json_fields.h"

#include <gtest/gtest.h>

namespace elbowroom::recording {
namespace {

enum class Color { Red, Green };

struct Inner {
  int most = 30;
  std::optional<bool> maybe{};
  friend bool operator==(const Inner&, const Inner&) = default;
};

struct Outer {
  std::string name{};
  Color color = Color::Red;
  Inner inner{};
  std::map<std::string, Inner, std::less<>> by_name{};
  std::map<std::uint64_t, std::string> by_number{};
  std::vector<std::int64_t> numbers{};
  std::set<std::string> words{};
  std::variant<Inner, std::string> either{};
  std::chrono::milliseconds time{7};
  std::optional<Inner> there{};
  std::uint64_t large = 0;
  friend bool operator==(const Outer&, const Outer&) = default;
};

}  // namespace

template <>
struct Names<Color> {
  static constexpr std::array<std::string_view, 2> kAll = {"Red", "Green"};
};
template <>
struct Names<std::variant<Inner, std::string>> {
  static constexpr std::array<std::string_view, 2> kAll = {"inner", "text"};
};
template <>
struct Fields<Inner> {
  static void list(auto& io, auto& of) {
    auto& [most, maybe] = of;
    io("most", most)("maybe", maybe);
  }
};
template <>
struct Fields<Outer> {
  static void list(auto& io, auto& of) {
    auto& [name, color, inner, by_name, by_number, numbers, words, either, time, there, large] = of;
    io("name", name)("color", color)("inner", inner)("byName", by_name)("byNumber", by_number)(
        "numbers", numbers)("words", words)("either", either)("time", time)("there", there)("large",
                                                                                            large);
  }
};

namespace {

Result<Outer> read(const std::string& text) {
  const auto parsed = parse_json(text);
  if (!parsed) return std::unexpected(parsed.error());
  return from_value<Outer>(*parsed);
}

std::string why(const std::string& text) {
  const auto made = read(text);
  return made ? "" : made.error().message;
}

TEST(Fields, WhatIsZeroOrEmptyIsLeftOut) {
  Outer zero;
  zero.inner.most = 0;
  zero.time = {};
  EXPECT_EQ(to_text(zero), R"({"either":{"inner":{"most":30}}})");
  const auto again = read(to_text(zero));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, zero) << "and is zero again, whatever the initializers say";
}

TEST(Fields, EverythingComesBackAsItWas) {
  Outer full{.name = std::string("a\0\x1a\xff\"\\\n\xE2\x80\xAE end", 14),
             .color = Color::Green,
             .inner = {.most = -1, .maybe = false},
             .by_name = {{"\xfe key", {}}, {"b", {.most = 0}}},
             .by_number = {{2, "two"}, {10, "ten"}},
             .numbers = {0, INT64_MIN, INT64_MAX},
             .words = {"", "x"},
             .either = std::string(),
             .time = std::chrono::milliseconds(-5),
             .there = Inner{.most = 0},
             .large = UINT64_MAX};
  const std::string text = to_text(full);
  const auto again = read(text);
  ASSERT_TRUE(again) << again.error().message << "\n" << text;
  EXPECT_EQ(*again, full) << text;
  EXPECT_EQ(to_text(*again), text);
}

TEST(Fields, AnErrorNamesThePlace) {
  EXPECT_EQ(why(R"({"inner":{"most":"x"}})"), ".inner.most is not a number");
  EXPECT_EQ(why(R"({"byName":{"b":{"most":1.5}}})"),
            R"(.byName["b"].most is not a whole number from -2147483648 to 2147483647)");
  EXPECT_EQ(why(R"({"numbers":[1,9223372036854775808]})"),
            ".numbers[1] is not a whole number from -9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(why(R"({"either":{"text":""},"colour":"Red"})"),
            R"(it has a member "colour" that this version does not know)");
  EXPECT_EQ(why(R"({"inner":{"least":1}})"),
            R"(.inner has a member "least" that this version does not know)");
  EXPECT_EQ(why(R"({"color":"Blue"})"),
            R"(.color "Blue" is none of the names that are known here)");
  EXPECT_EQ(why(R"({"either":{"neither":{}}})"),
            R"(.either "neither" is none of the names that are known here)");
  EXPECT_EQ(why("{}"), ".either is missing");
  EXPECT_EQ(why(R"({"either":{}})"), ".either is not an object of one member");
  EXPECT_EQ(why(R"({"either":{"text":""},"time":1000000000000001})"),
            ".time is more than 1000000000000000");
  EXPECT_EQ(why(R"({"name":"\u001a"})"),
            ".name holds a control character 0x1A without two hex digits behind it");
  EXPECT_EQ(why("[]"), "it is not an object");
  EXPECT_EQ(why(R"({"byNumber":{"x":"y"}})"),
            ".byNumber[\"x\"] is not a whole number from 0 to 18446744073709551615");
}

TEST(Fields, BytesThatAreNotTextAreArmoured) {
  EXPECT_EQ(armoured("plain \xC3\xA4"), "plain \xC3\xA4");
  EXPECT_EQ(armoured("\xff\x1a"),
            "\x1a"
            "ff\x1a"
            "1a");
  EXPECT_EQ(bare("\x1a"
                 "ff\x1a"
                 "1a"),
            "\xff\x1a");
  EXPECT_EQ(bare("\x1a"
                 "f"),
            std::nullopt);
  EXPECT_EQ(bare("\x1a"
                 "FF"),
            std::nullopt);
}

}  // namespace
}  // namespace elbowroom::recording
