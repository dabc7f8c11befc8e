#include "page/html.h"

#include <gtest/gtest.h>

#include <string>

namespace elbowroom::page {
namespace {

std::string text_of(std::string_view text) {
  Html html;
  html.text(text);
  return std::move(html).take();
}

std::string url_of(std::string_view text) {
  Html html;
  html.url(text);
  return std::move(html).take();
}

TEST(Html, TextNeverBecomesMarkup) {
  EXPECT_EQ(text_of(R"(<script>alert("x" & 'y')</script>)"),
            "&lt;script&gt;alert(&quot;x&quot; &amp; &#39;y&#39;)&lt;/script&gt;");
}

TEST(Html, TextHasNoControlsAndNoOverridesOfTheDirection) {
  EXPECT_EQ(text_of("a\x01 \xE2\x80\xAE z\n\xFF"), "a\\x01 \\xe2\\x80\\xae z\\x0a\\xff");
}

TEST(Html, TextOfAnotherScriptStaysAsItIs) {
  EXPECT_EQ(text_of("\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D"), "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D");
}

TEST(Html, TextIsBounded) { EXPECT_EQ(text_of(std::string(100'000, 'x')).size(), 2048U); }

TEST(Html, AnAddressHoldsOnlyUnreservedCharacters) {
  EXPECT_EQ(url_of("default/web-0.a_b~c"), "default%2Fweb-0.a_b~c");
  EXPECT_EQ(url_of("\"><script>&=#"), "%22%3E%3Cscript%3E%26%3D%23");
  EXPECT_EQ(url_of("\xD7\xA9"), "%D7%A9");
}

}  // namespace
}  // namespace elbowroom::page
