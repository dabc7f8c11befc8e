#include "base/text.h"

#include <gtest/gtest.h>

#include <string>

#include "base/utf8.h"

namespace elbowroom {
namespace {

TEST(Sanitize, KeepsTextAndEscapesControls) {
  EXPECT_EQ(sanitize("a\tb\n\xC3\xA9\xE2\x82\xAC"), "a\tb\n\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(sanitize("\x1b[31mred\r\x7f"), "\\x1b[31mred\\x0d\\x7f");
  EXPECT_EQ(sanitize(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(sanitize("\xC2\x9B"
                     "1m"),
            "\\xc2\\x9b1m");
  EXPECT_EQ(sanitize("\xE2\x80\xAE"
                     "gpj"),
            "\\xe2\\x80\\xaegpj");
  EXPECT_EQ(sanitize("\xff\xE2\x82"), "\\xff\\xe2\\x82");
  EXPECT_EQ(sanitize_line("a\nb\t"), "a\\x0ab\\x09");
}

TEST(Sanitize, CutsBetweenCharacters) {
  EXPECT_EQ(sanitize(std::string(kMaxTextBytes, 'x')).size(), kMaxTextBytes);
  for (const std::string unit : {"x", "\xC3\xA9", "\xE2\x82\xAC", "\x01", "\xff"}) {
    std::string text;
    while (text.size() < kMaxTextBytes + 10) text += unit;
    const std::string out = sanitize(text);
    EXPECT_LE(out.size(), kMaxTextBytes);
    EXPECT_GT(out.size(), kMaxTextBytes - 10);
    EXPECT_TRUE(out.ends_with("..."));
    EXPECT_EQ(first_invalid_utf8(out), out.size());
  }
  EXPECT_EQ(clipped("abcdef", 6), "abcdef");
  EXPECT_EQ(clipped("abcdefg", 6), "abc...");
  EXPECT_EQ(clipped("ab\xC3\xA9xyz", 6), "ab...");
}

}  // namespace
}  // namespace elbowroom
