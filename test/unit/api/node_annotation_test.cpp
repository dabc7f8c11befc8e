// A write of one annotation of a Node under its own value as precondition.
#include "api/write/node_annotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace elbowroom::api {
namespace {

constexpr std::string_view kKey = "example.com/a~b";

NodeAnnotation read_of(const std::string& annotations) {
  const auto node = parse_json(R"({"metadata":{"name":"n 1","uid":"u-1")" + annotations + "}}");
  EXPECT_TRUE(node);
  const auto read = annotation_in(*node, kKey);
  EXPECT_TRUE(read);
  return read ? *read : NodeAnnotation{};
}

TEST(NodeAnnotation, ItsOldValueIsThePrecondition) {
  const Request changed = annotation_request(read_of(R"(,"annotations":{"example.com/a~b":"old"})"),
                                             std::string("new"));
  EXPECT_EQ(changed.path, "/api/v1/nodes/n%201");
  EXPECT_EQ(changed.content_type, kJsonPatch);
  EXPECT_EQ(changed.body,
            R"([{"op":"test","path":"/metadata/uid","value":"u-1"},)"
            R"({"op":"test","path":"/metadata/annotations/example.com~1a~0b","value":"old"},)"
            R"({"op":"add","path":"/metadata/annotations/example.com~1a~0b","value":"new"}])");
}

TEST(NodeAnnotation, ThatItIsAbsentIsAPreconditionToo) {
  const Request first =
      annotation_request(read_of(R"(,"annotations":{"other":"x"})"), std::string("new"));
  EXPECT_EQ(first.body,
            R"([{"op":"test","path":"/metadata/uid","value":"u-1"},)"
            R"({"op":"test","path":"/metadata/annotations/example.com~1a~0b","value":null},)"
            R"({"op":"add","path":"/metadata/annotations/example.com~1a~0b","value":"new"}])");
  const Request only = annotation_request(read_of(""), std::string("new"));
  EXPECT_EQ(only.body,
            R"([{"op":"test","path":"/metadata/uid","value":"u-1"},)"
            R"({"op":"test","path":"/metadata/annotations","value":null},)"
            R"({"op":"add","path":"/metadata/annotations","value":{"example.com/a~b":"new"}}])");
}

TEST(NodeAnnotation, ItIsTakenAway) {
  const Request gone =
      annotation_request(read_of(R"(,"annotations":{"example.com/a~b":"old"})"), std::nullopt);
  EXPECT_EQ(gone.body,
            R"([{"op":"test","path":"/metadata/uid","value":"u-1"},)"
            R"({"op":"test","path":"/metadata/annotations/example.com~1a~0b","value":"old"},)"
            R"({"op":"remove","path":"/metadata/annotations/example.com~1a~0b"}])");
}

TEST(NodeAnnotation, AnOddNodeIsAnError) {
  EXPECT_FALSE(annotation_in(*parse_json(R"({"metadata":{"name":"n"}})"), kKey));
  EXPECT_FALSE(annotation_in(
      *parse_json(R"({"metadata":{"name":"n","uid":"u","annotations":{"example.com/a~b":7}}})"),
      kKey));
}

}  // namespace
}  // namespace elbowroom::api
