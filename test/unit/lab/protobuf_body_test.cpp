#include "lab/schema/protobuf_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/apiserver/api_body.h"

namespace elbowroom::lab {
namespace {

using namespace std::string_literals;

// A field of bytes, of a length below 128.
std::string bytes(int number, const std::string& value) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(value.size())) + value;
}
std::string number(int field, char value) {
  return std::string(1, static_cast<char>(field << 3)) + value;
}
std::string envelope(const std::string& version, const std::string& kind, const std::string& raw) {
  return "k8s\0"s + bytes(1, bytes(1, version) + bytes(2, kind)) + bytes(2, raw) + bytes(3, "") +
         bytes(4, "");
}

TEST(ProtobufBody, WhatKubectlWritesIsRead) {
  const std::string entry = bytes(1, "k") + bytes(2, "v");
  const std::string binary = bytes(1, "b") + bytes(2, "\0\1\2\3"s);
  const auto map =
      decode_protobuf(envelope("v1", "ConfigMap",
                               bytes(1, bytes(1, "a") + bytes(2, "") + bytes(11, entry)) +
                                   bytes(2, entry) + bytes(3, binary)));
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(to_text(*map), R"({"apiVersion":"v1","binaryData":{"b":"AAECAw=="},"data":{"k":"v"},)"
                           R"("kind":"ConfigMap","metadata":{"labels":{"k":"v"},"name":"a"}})");

  const auto budget = decode_protobuf(envelope(
      "policy/v1", "PodDisruptionBudget",
      bytes(2, bytes(1, number(1, 0) + number(2, 2) + bytes(3, "")) + bytes(2, bytes(1, entry)) +
                   bytes(3, number(1, 1) + number(2, 0) + bytes(3, "25%")))));
  ASSERT_TRUE(budget);
  EXPECT_EQ(to_text((*budget)["spec"]),
            R"({"maxUnavailable":"25%","minAvailable":2,"selector":{"matchLabels":{"k":"v"}}})");

  const auto eviction = decode_protobuf(
      envelope("policy/v1", "Eviction",
               bytes(1, bytes(1, "web")) + bytes(2, number(1, 0) + bytes(2, bytes(1, "u")))));
  ASSERT_TRUE(eviction);
  EXPECT_EQ(to_text((*eviction)["deleteOptions"]),
            R"({"gracePeriodSeconds":0,"preconditions":{"uid":"u"}})");
}

TEST(ProtobufBody, BrokenBytesAreErrors) {
  const std::string whole = envelope("v1", "ConfigMap", bytes(1, bytes(1, "a")));
  for (std::size_t size = 0; size < whole.size() - 4; ++size) {
    // Where it breaks off between two fields, the part that arrived is whole.
    const auto part = decode_protobuf(std::string_view(whole).substr(0, size));
    EXPECT_FALSE(part && part->contains("metadata")) << size;
  }
  EXPECT_FALSE(decode_protobuf(envelope("v1", "Secret", "")));
  EXPECT_FALSE(decode_protobuf("k8s\0\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s));
}

TEST(ApiBody, OtherTypesAreRefused) {
  for (const char* type :
       {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""}) {
    const auto body = decoded_body({.method = "POST", .headers = {{"content-type", type}}});
    ASSERT_FALSE(body);
    EXPECT_EQ(body.error().code, 415) << type;
  }
  EXPECT_TRUE(decoded_body({.method = "DELETE", .body = "{}"}));
}

}  // namespace
}  // namespace elbowroom::lab
