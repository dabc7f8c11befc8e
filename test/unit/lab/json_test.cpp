#include "lab/world/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace elbowroom::lab {
namespace {

TEST(ToText, IsWhatTheLibraryWrites) {
  const Json rows[] = {
      nullptr,
      true,
      false,
      0,
      -1,
      std::numeric_limits<std::int64_t>::min(),
      std::numeric_limits<std::uint64_t>::max(),
      1.5,
      1e300,
      std::numeric_limits<double>::infinity(),
      "",
      "plain",
      "a \"quoted\" \\ text\n\x01\x7F",
      "\xC3\xA4 and \xFF no UTF-8",
      Json::array(),
      Json::object(),
      Json::array({1, "two", Json::array(), {{"a", 1}}}),
      {{"", nullptr}, {"a\"b", {{"c", Json::object()}}}, {"\xFF", 1}},
  };
  for (const Json& row : rows) {
    EXPECT_EQ(to_text(row), row.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

// Texts are looked at eight bytes at a time.
TEST(ToText, SpellsOddCharactersWhereverTheyStand) {
  for (std::size_t length = 1; length <= 20; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (const char odd : {'"', '\\', '\n', '\x1F', '\x20', '~', '\x7F', '\xFF', '!', '#', '['}) {
        std::string text(length, 'a');
        text[at] = odd;
        const Json tree = {{text, text}};
        EXPECT_EQ(to_text(tree), tree.dump(-1, ' ', false, Json::error_handler_t::replace));
      }
    }
  }
}

TEST(ToValue, AndBackIsTheSame) {
  const Json tree = Json::parse(
      R"({"a":[1,-2,18446744073709551615,"x",true,false,null,{}],"b":{"c":[]},"d":1.5})");
  EXPECT_EQ(to_tree(to_value(tree)), tree);
}

}  // namespace
}  // namespace elbowroom::lab
