#include "base/document.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/utf8.h"

namespace elbowroom {
namespace {

// A value on one line: n, t/f, numbers bare, strings quoted.
std::string shown(const Value& value) {
  std::string out;
  switch (value.kind) {
    case Value::Kind::Null:
      return "n";
    case Value::Kind::Bool:
    case Value::Kind::Number:
      return value.text;
    case Value::Kind::String:
      return "'" + value.text + "'";
    case Value::Kind::List:
      for (const Value& item : value.items) out += (out.empty() ? "" : ",") + shown(item);
      return "[" + out + "]";
    case Value::Kind::Map:
      for (const Member& m : value.members) {
        out += (out.empty() ? "" : ",") + m.key + ":" + shown(m.value);
      }
      return "{" + out + "}";
  }
  return out;
}

std::string yaml(std::string_view text, const DocumentLimits& limits = {}) {
  const auto parsed = parse_yaml(text, limits);
  if (!parsed) return "error: " + parsed.error().message;
  std::string out;
  for (const Value& each : *parsed) out += (out.empty() ? "" : " | ") + shown(each);
  return out;
}

std::string json(std::string_view text, const DocumentLimits& limits = {}) {
  const auto parsed = parse_json(text, limits);
  return parsed ? shown(*parsed) : "error: " + parsed.error().message;
}

struct Row {
  std::string_view input;
  std::string_view want;
};

TEST(Yaml, ScalarsFollowTheCoreSchema) {
  const Row rows[] = {
      {"cpu: 2", "{cpu:2}"},
      {"cpu: '2'", "{cpu:'2'}"},
      {"cpu: 100m", "{cpu:'100m'}"},
      {"[~, null, Null, '', \"\"]", "[n,n,n,'','']"},
      {"a:", "{a:n}"},
      {"[true, True, FALSE, yes, 'true']", "[true,true,false,'yes','true']"},
      {"[-1, +1, 1.5, .5, 1., 1e3, 0x1F, 0o17, .inf, .nan]",
       "[-1,+1,1.5,.5,1.,1e3,0x1F,0o17,.inf,.nan]"},
      {"[1e, 1.2.3, 0x, -, 2Gi, 2024-01-01T00:00:00Z]",
       "['1e','1.2.3','0x','-','2Gi','2024-01-01T00:00:00Z']"},
      {"!!str 12", "'12'"},
      {"{1: a, true: b}", "{1:'a',true:'b'}"},
      {"a: |\n  x\n  y\n", "{a:'x\ny\n'}"},
      {"", ""},
      {"---\n---\na: 1\n---\n# nothing\n", "{a:1}"},
      {"a: 1\n---\nb: 2\n...\nc: 3\n", "{a:1} | {b:2} | {c:3}"},
      {"\xEF\xBB\xBF"
       "a: 1\r\nb: x\r\n",
       "{a:1,b:'x'}"},
      {"a: &x [1, 2]\nb: *x\n", "{a:[1,2],b:[1,2]}"},
      {"a: &k name\n*k : 1\n", "{a:'name',name:1}"},
      {"a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\n", "{a:{b:1,c:2},d:{c:3,b:1}}"},
      {"a: &x {b: 1}\nd: {c: 3, <<: *x}\n", "{a:{b:1},d:{c:3,b:1}}"},
      {"- &x {b: 1}\n- &y {b: 2, c: 2}\n- {<<: [*x, *y]}\n", "[{b:1},{b:2,c:2},{b:1,c:2}]"},
      {"- &x {b: 1}\n- &y {<<: *x, c: 2}\n- {<<: *y}\n", "[{b:1},{c:2,b:1},{c:2,b:1}]"},
      {"<<: {a: 1}\nb: 2\n", "{b:2,a:1}"},
      {"<<: []\nb: 2\n", "{b:2}"},
      {"\"<<\": {a: 1}\n", "{<<:{a:1}}"},
  };
  for (const Row& row : rows) EXPECT_EQ(yaml(row.input), row.want) << row.input;
}

TEST(Yaml, ErrorsSayWhereAndWhat) {
  const Row rows[] = {
      {"a: 1\nb: 2\na: 3\n", "error: line 3, column 1: duplicate key \"a\": keep one"},
      {"a: &x [*x]\n", "error: line 1, column 8: an alias refers to itself"},
      {"<<: 1\n", "error: line 1, column 1: a merge key (<<) needs a map, or a list of maps"},
      {"<<: [{a: 1}, b]\n",
       "error: line 1, column 1: a merge key (<<) needs a map, or a list of maps"},
      {"<<: {a: 1}\n<<: {b: 1}\n",
       "error: line 2, column 1: duplicate key \"<<\": keep one, with a list of maps"},
      {"a: &x {b: 1}\nc: {<<: *x, d: 1, d: 2}\n",
       "error: line 2, column 19: duplicate key \"d\": keep one"},
      {"[a, b]: 1\n", "error: line 1, column 1: a key that is no string"},
      {"a: !foo 1\n", "error: line 1, column 4: unknown tag, or a value that is not of it: !foo"},
      {"a: \xff\n", "error: line 1, column 4: not UTF-8: convert the text"},
      {"a: 1\nb: \x01\n",
       "error: line 2, column 4: a control character: remove it, or escape it in a string"},
      {"{a: 1} {b: 2}",
       "error: line 1, column 8: text after the end of a document: separate documents by a line "
       "of ---"},
  };
  for (const Row& row : rows) EXPECT_EQ(yaml(row.input), row.want) << row.input;
  EXPECT_TRUE(yaml("a: [1, 2").starts_with("error: line "));
  EXPECT_TRUE(yaml("a: b: c").starts_with("error: line 1, "));
}

TEST(Yaml, ErrorsShowNothingThatATerminalActsUpon) {
  const Row rows[] = {
      {"{\"a\\u009bb\": 1, \"a\\u009bb\": 2}",
       R"(error: line 1, column 17: duplicate key "a\xc2\x9bb": keep one)"},
      {"a: \"\\\xC2\x9B\"\n", R"(error: line 1, column 7: unknown escape character: \xc2)"},
  };
  for (const Row& row : rows) EXPECT_EQ(yaml(row.input), row.want) << row.input;
  const std::string key = std::string(99, 'k') + "\xC3\xB6l";
  EXPECT_EQ(
      yaml("{" + key + ": 1, " + key + ": 2}"),
      "error: line 1, column 109: duplicate key \"" + std::string(97, 'k') + "...\": keep one");
}

TEST(Yaml, DepthIsBounded) {
  const std::string open(65, '[');
  EXPECT_EQ(yaml(open + std::string(65, ']')),
            "error: line 1, column 65: nested more than 64 levels deep");
  EXPECT_FALSE(yaml(std::string(64, '[') + std::string(64, ']')).starts_with("error"));
  EXPECT_TRUE(yaml(std::string(100'000, '[')).starts_with("error"));
  EXPECT_TRUE(yaml(std::string(3'000'000, '{')).starts_with("error"));
  std::string block;
  for (std::size_t i = 0; i < 1000; ++i) block += std::string(i, ' ') + "a:\n";
  EXPECT_TRUE(yaml(block).starts_with("error"));
  std::string dashes;
  for (int i = 0; i < 100'000; ++i) dashes += "- ";
  EXPECT_TRUE(yaml(dashes).starts_with("error"));
  std::string questions;
  for (int i = 0; i < 100'000; ++i) questions += "? ";
  EXPECT_TRUE(yaml(questions).starts_with("error"));
}

TEST(Yaml, AliasesCountInFull) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j == 0 ? "" : ", ") + last;
    bomb += "]\n";
  }
  EXPECT_NE(yaml(bomb).find("more than 4000000 values"), std::string::npos);

  std::string deep = "- &b0 [x]\n";
  for (int i = 1; i < 100; ++i) {
    deep += "- &b" + std::to_string(i) + " [*b" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_NE(yaml(deep).find("levels deep"), std::string::npos);

  const std::string text = "a: &t " + std::string(100'000, 'x') + "\nb: [";
  std::string many = text;
  for (int i = 0; i < 1000; ++i) many += "*t, ";
  EXPECT_NE(yaml(many + "]\n").find("bytes of text"), std::string::npos);
}

TEST(Json, ReadsEveryKindAndKeepsNumbersAsWritten) {
  const Row rows[] = {
      {R"({"a": 1, "b": [true, false, null, "x\u0041\n"]})", "{a:1,b:[true,false,n,'xA\n']}"},
      {"[1.50, -0, 1e3, 18446744073709551616, -9223372036854775809]",
       "[1.50,-0,1e3,18446744073709551616,-9223372036854775809]"},
      {"12", "12"},
      {"\xEF\xBB\xBF{}\r\n", "{}"},
  };
  for (const Row& row : rows) EXPECT_EQ(json(row.input), row.want) << row.input;
}

TEST(Json, ErrorsSayWhereAndWhat) {
  const Row rows[] = {
      {"{\"a\": 1,\n \"a\": 2}", "error: line 2, column 2: duplicate key \"a\": keep one"},
      {"{\"a\": 1} x", "error: line 1, column 10: not JSON"},
      {"{\"a\": 1e999}", "error: line 1, column 7: a number above 2^63-1"},
      {R"({"a": "\udc00 alone"})", "error: line 1, column 7: not JSON: half of a surrogate pair"},
      {R"({"\udc00": 1})", "error: line 1, column 2: not JSON: half of a surrogate pair"},
      {"", "error: line 1, column 1: not JSON"},
      {"\"\xff\"", "error: line 1, column 2: not UTF-8: convert the text"},
  };
  for (const Row& row : rows) EXPECT_EQ(json(row.input), row.want) << row.input;
  EXPECT_EQ(json(std::string(65, '[')),
            "error: line 1, column 65: nested more than 64 levels deep");
  EXPECT_EQ(json("[1,2,3]", {.values = 3}),
            "error: line 1, column 6: more than 3 values (aliases counted in full): split the "
            "input");
  EXPECT_TRUE(json("[1,2,3]", {.bytes = 3}).starts_with("error"));
  const char* const refused[] = {"{\"a\": /* x */ 1}",
                                 "[1,]",
                                 "[1 2]",
                                 "{\"a\" 1}",
                                 "{a: 1}",
                                 "[01]",
                                 "[1.]",
                                 "[.5]",
                                 "[+1]",
                                 "[NaN]",
                                 "[1e]",
                                 "['a']",
                                 "[\"\\x\"]",
                                 R"(["\ud800"])",
                                 R"(["\ud800\u0041"])",
                                 "[",
                                 "{\"a\":",
                                 "\"a",
                                 "]"};
  for (const char* text : refused) EXPECT_TRUE(json(text).starts_with("error")) << text;
  EXPECT_TRUE(json("[" + std::string(400, '9') + "]").starts_with("error"));
  EXPECT_EQ(json(R"(["\ud83d\ude00\"\\"])"), "['\xF0\x9F\x98\x80\"\\']");
}

TEST(Json, PositionsPointAtTheValue) {
  const auto parsed = parse_json("{\"a\": 17,\n  \"b\\\"c\": [\"x\\\\\", null,\n true]}");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->find("a")->at, (Position{1, 7}));
  const Value* list = parsed->find("b\"c");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(parsed->members[1].at, (Position{2, 3}));
  EXPECT_EQ(list->at, (Position{2, 11}));
  EXPECT_EQ(list->items[0].at, (Position{2, 12}));
  EXPECT_EQ(list->items[1].at, (Position{2, 19}));
  EXPECT_EQ(list->items[2].at, (Position{3, 2}));
}

TEST(Json, DocumentsMayFollowOneAnother) {
  const auto two = parse_json_documents("\xEF\xBB\xBF {\"a\": 1}\n{\"b\": [2]}[3]\r\n \n");
  ASSERT_TRUE(two) << two.error().message;
  ASSERT_EQ(two->size(), 3U);
  EXPECT_EQ(two->at(0).find("a")->text, "1");
  EXPECT_EQ(two->at(1).at, (Position{2, 1}));
  EXPECT_EQ(two->at(1).find("b")->items[0].at, (Position{2, 8}));
  EXPECT_EQ(two->at(2).kind, Value::Kind::List);
  const auto refused = [](std::string_view text, const DocumentLimits& limits = {}) {
    const auto parsed = parse_json_documents(text, limits);
    return parsed ? "" : parsed.error().message;
  };
  EXPECT_EQ(refused("{}\n{} x"), "line 2, column 4: not JSON: expected { or [");
  EXPECT_EQ(refused("{} 1"), "line 1, column 4: not JSON: expected { or [");
  EXPECT_EQ(refused("{}\n{\"a\": 1, \"a\": 2}").substr(0, 6), "line 2");
  EXPECT_NE(refused(""), "");
  EXPECT_NE(refused(" \n"), "");
  EXPECT_NE(refused("{}{"), "");
  EXPECT_NE(refused("{}{}{}", {.values = 2}), "") << "the limits are those of all together";
}

TEST(Yaml, PositionsPointAtTheValue) {
  const auto parsed = parse_yaml("a: 17\nb:\n- x\n");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->at(0).find("a")->at, (Position{1, 4}));
  EXPECT_EQ(parsed->at(0).find("b")->items[0].at, (Position{3, 3}));
  EXPECT_EQ(parsed->at(0).find("c"), nullptr);
}

// Text is read eight bytes at a time: the test covers every position among them.
TEST(Utf8, WhatIsWrongIsFoundWhereverItStands) {
  for (std::size_t at = 0; at < 20; ++at) {
    for (const char wrong : {'\xff', '\x80', '\xc3'}) {
      std::string text(24, 'a');
      text[at] = wrong;
      EXPECT_EQ(first_invalid_utf8(text), at);
    }
    for (const char control : {'\0', '\x01', '\x1f', '\x7f'}) {
      std::string text = '"' + std::string(24, 'a') + '"';
      text[at + 1] = control;
      const auto parsed = parse_json(text);
      ASSERT_FALSE(parsed);
      EXPECT_EQ(parsed.error().message.find("line 1, column " + std::to_string(at + 2) +
                                            ": a control character"),
                0U)
          << parsed.error().message;
    }
    std::string sound = std::string(at, ' ') + "\t\n\"\xc3\xa9" + std::string(at, '~') + '"';
    EXPECT_TRUE(parse_json(sound)) << at;
  }
}

TEST(Utf8, OverlongSurrogatesAndTooLargeAreInvalid) {
  EXPECT_EQ(first_invalid_utf8("h\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), 10U);
  for (const std::string_view bad : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                     "\xF0\x80\x80\x80", "\x80", "\xC3", "\xE2\x82"}) {
    EXPECT_EQ(first_invalid_utf8(bad), 0U);
  }
}

}  // namespace
}  // namespace elbowroom
