#include "api/watch/list_items.h"

#include <gtest/gtest.h>

#include <string>

#include "api/watch/lines.h"

namespace elbowroom::api {
namespace {

// "item|item|head" or the error, with the text fed in pieces of that size.
std::string cut(std::string_view text, std::size_t piece, ListLimits limits = {}) {
  ListItems items(limits);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const auto fed = items.feed(text.substr(at, piece), [&](std::string_view item) {
      out += std::string(item) + "|";
      return true;
    });
    if (!fed) return "error: " + fed.error().message;
  }
  const auto head = items.head();
  return out + (head ? *head : "error: " + head.error().message);
}

TEST(ListItems, CutsItemsHoweverTheTextComes) {
  struct Case {
    std::string text, expected;
  };
  for (const Case& c : {
           Case{R"({"items":[{"a":1},{"b":[2,{"items":[3]}]}],"x":1})",
                R"({"a":1}|{"b":[2,{"items":[3]}]}|{"items":[],"x":1})"},
           Case{R"({"metadata":{"items":[1]},"items":[ {"a":"],}\""} , 5 ]})",
                R"({"a":"],}\""}|5|{"metadata":{"items":[1]},"items":[]})"},
           Case{R"({"items":[{"a":"x\n\u00e4"},{"b":"\\"},{"c":"\"}\t"}]})",
                R"({"a":"x\n\u00e4"}|{"b":"\\"}|{"c":"\"}\t"}|{"items":[]})"},
           Case{R"({"items":[]})", R"({"items":[]})"},
           Case{R"({"items":null})", R"({"items":null})"},
           Case{R"({"kind":"items","x":[1]})", R"({"kind":"items","x":[1]})"},
           Case{R"({"items":["a","b"]})", R"("a"|"b"|{"items":[]})"},
           Case{"", "error: the list ends in the middle"},
           Case{R"({"items":[1)", "error: the list ends in the middle"},
           Case{R"({"items":[1}])", "error: the list's brackets do not match"},
           Case{R"({"items":[],"items":[]})", "error: the list has two members \"items\""},
       }) {
    for (std::size_t piece = 1; piece <= c.text.size() + 1; ++piece) {
      EXPECT_EQ(cut(c.text, piece), c.expected) << c.text << " in pieces of " << piece;
    }
  }
}

TEST(ListItems, KeepsItsLimits) {
  EXPECT_EQ(cut(R"({"items":[123456]})", 3, {.item_bytes = 5}),
            "error: an item of the list is larger than 5 bytes");
  for (const std::size_t piece : {1U, 3U, 100U}) {
    EXPECT_EQ(cut(R"({"items":[{"a":"345"}]})", piece, {.item_bytes = 11}),
              R"({"a":"345"}|{"items":[]})");
    EXPECT_EQ(cut(R"({"items":[{"a":"345"}]})", piece, {.item_bytes = 10}),
              "error: an item of the list is larger than 10 bytes");
  }
  EXPECT_EQ(cut(R"({"items":[1]})", 3, {.head_bytes = 5}),
            "error: the head of the list is larger than 5 bytes");
  EXPECT_EQ(cut(R"({"items":[1]})", 3, {.bytes = 5}), "error: the list is larger than 5 bytes");
  EXPECT_EQ(cut(std::string(20'001, '['), 20'001),
            "error: the list is nested more than 20000 deep");
}

TEST(Lines, AnySplitGivesTheSameLines) {
  const std::string text = "one\r\n\ntwo\n\r\nthree\nrest";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    Lines lines(100);
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      ASSERT_TRUE(lines.feed(std::string_view(text).substr(at, piece), [&](std::string_view line) {
        out += std::string(line) + "|";
        return true;
      }));
    }
    EXPECT_EQ(out, "one|two|three|") << piece;
    EXPECT_EQ(lines.rest(), "rest");
  }
}

TEST(Lines, ALineThatIsTooLongIsExhausted) {
  Lines lines(4);
  const auto any = [](std::string_view) { return true; };
  EXPECT_TRUE(lines.feed("1234\n123", any));
  EXPECT_TRUE(lines.feed("4", any));
  const auto fed = lines.feed("5", any);
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().code, Code::Exhausted);
}

}  // namespace
}  // namespace elbowroom::api
