#include "base/document_text.h"

#include <gtest/gtest.h>

#include <string>

namespace elbowroom {
namespace {

Value sample() {
  return map_value({
      member("kind", text_value("ResizeDecision")),
      member("pod", text_value("default/web")),
      member("version", text_value("1.2")),
      member("no", text_value("no")),
      member("empty", text_value("")),
      member("nothing", Value{}),
      member("count", number_value(-7)),
      member("truth", bool_value(true)),
      member("map", map_value({})),
      member("list", list_value({})),
      member("nested", list_value({map_value({member("a", text_value("x: y")),
                                              member("b", list_value({number_value(1)}))}),
                                   list_value({text_value("# c"), map_value({})})})),
      member("weird key\n", text_value("tab\t \"quote\" \x1b[31m \xC2\x9B \xE2\x80\xAE \xff")),
  });
}

TEST(DocumentText, WhatIsWrittenReadsBackTheSame) {
  const std::string json = to_json(sample());
  const auto from_json = parse_json(json);
  ASSERT_TRUE(from_json) << from_json.error().message;
  const auto from_line = parse_json(to_json_line(sample()));
  ASSERT_TRUE(from_line);
  const auto from_yaml = parse_yaml(to_yaml(sample()));
  ASSERT_TRUE(from_yaml) << from_yaml.error().message << "\n" << to_yaml(sample());
  ASSERT_EQ(from_yaml->size(), 1U);
  EXPECT_EQ(to_json((*from_yaml)[0]), json);
  EXPECT_EQ(to_json(*from_json), json);
  EXPECT_EQ(to_json(*from_line), json);
  EXPECT_EQ(from_json->find("weird key\n")->text,
            "tab\t \"quote\" \x1b[31m \xC2\x9B \xE2\x80\xAE \xEF\xBF\xBD");
}

TEST(DocumentText, NoControlCharacterButNewline) {
  for (const std::string& text : {to_json(sample()), to_yaml(sample()), to_json_line(sample())}) {
    for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
    EXPECT_EQ(text.find("\xC2\x9B"), std::string::npos);
    EXPECT_EQ(text.find("\xE2\x80\xAE"), std::string::npos);
  }
}

TEST(DocumentText, YamlLooksAsKubectlPrintsIt) {
  EXPECT_EQ(to_yaml(map_value({member("kind", text_value("Pod")),
                               member("list", list_value({map_value({member("a", number_value(1)),
                                                                     member("b", Value{})})}))})),
            "kind: Pod\nlist:\n- a: 1\n  b: null\n");
  EXPECT_EQ(to_json(map_value({member("a", list_value({number_value(1), number_value(2)}))})),
            "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n");
}

// Found by the fuzz target of JSON.
TEST(DocumentText, AKeyTooLongForASimpleOneIsReadBackFromYaml) {
  const std::string key(1100, 'k');
  for (const std::string value : {"1", "[1, {\"a\": [2]}]", "{\"a\": {\"b\": [3]}}", "{}"}) {
    const std::string json = "{\"before\": {\"" + key + "\": " + value + "}, \"after\": 1}";
    const auto document = parse_json(json);
    ASSERT_TRUE(document);
    const auto again = parse_yaml(to_yaml(*document));
    ASSERT_TRUE(again) << value << ": " << again.error().message;
    EXPECT_EQ(to_json_line(again->front()), to_json_line(*document));
  }
}

}  // namespace
}  // namespace elbowroom
