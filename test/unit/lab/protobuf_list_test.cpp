#include "lab/schema/protobuf_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/apiserver/api_service.h"
#include "lab/schema/protobuf_object.h"
#include "lab/schema/schema.h"
#include "lab/schema/wire_numbers.h"
#include "test/unit/lab/lab_fixture.h"
#include "test/wire_bytes.h"

namespace elbowroom::lab {
namespace {

using test::amount;
using test::bytes;
using test::entry;
using test::number;

constexpr const char* kBoth = "application/vnd.kubernetes.protobuf, application/json";

ApiRequest asks(const std::string& accept) {
  return {.method = "GET", .path = "/api/v1/pods", .headers = {{"accept", accept}}};
}

TEST(ProtobufList, TheFirstClauseThatCanBeServedCounts) {
  EXPECT_TRUE(wants_protobuf(asks(kBoth)));
  EXPECT_TRUE(wants_protobuf(asks("text/odd, application/vnd.kubernetes.protobuf;q=0.9")));
  EXPECT_FALSE(wants_protobuf(asks("application/json, application/vnd.kubernetes.protobuf")));
  EXPECT_FALSE(wants_protobuf(asks("application/vnd.kubernetes.protobuf;as=Table")));
  EXPECT_FALSE(wants_protobuf(asks("")));
}

// Field by field as Go's encoder writes it: a field that is no pointer is written even when empty.
TEST(ProtobufList, AnObjectByHand) {
  const Json node = {{"metadata", {{"name", "n1"}, {"labels", {{"a", "b"}}}}},
                     {"spec", {{"podPreemptionPolicy", {{"disableResizePreemption", {"x.io/y"}}}}}},
                     {"status", {{"allocatable", {{"cpu", "2"}, {"pods", 110}}}}}};
  const std::string metadata = bytes(1, "n1") + bytes(2, "") + bytes(3, "") + bytes(4, "") +
                               bytes(5, "") + bytes(6, "") + number(7, 0) + bytes(8, "") +
                               entry(11, "a", "b");
  const std::string spec =
      bytes(1, "") + bytes(2, "") + bytes(3, "") + number(4, 0) + bytes(8, bytes(1, "x.io/y"));
  std::string info;
  for (std::uint32_t field = 1; field <= 10; ++field) info += bytes(field, "");
  const std::string status = amount(2, "cpu", "2") + amount(2, "pods", "110") + bytes(3, "") +
                             bytes(6, bytes(1, number(1, 0))) + bytes(7, info);
  const auto message = protobuf_item(*find_kind("", "v1", "nodes"), node);
  ASSERT_TRUE(message);
  EXPECT_EQ(*message, bytes(1, metadata) + bytes(2, spec) + bytes(3, status));
}

TEST(ProtobufList, WhatHasNoNumberHereGoesOutAsJson) {
  const Kind& pods = *find_kind("", "v1", "pods");
  EXPECT_TRUE(protobuf_list(pods, {{"items", Json::array({{{"spec", {{"hostname", "a"}}}}})}}));
  EXPECT_FALSE(protobuf_list(pods, {{"items", Json::array({{{"spec", {{"odd", "a"}}}}})}}));
  EXPECT_FALSE(protobuf_list(*find_kind("", "v1", "configmaps"),
                             {{"items", Json::array({{{"data", {{"a", "b"}}}}})}}));
}

TEST(ProtobufList, EveryNumberIsOfAFieldOfTheSchema) {
  for (const auto& [name, schema] : all_schemas()) {
    const WireNumbers* numbers = wire_numbers(name);
    if (numbers == nullptr) continue;
    for (const WireNumber& each : *numbers) {
      EXPECT_NE(schema.field(each.field), nullptr) << name << " " << each.field;
      EXPECT_FALSE(each.path.empty());
    }
    EXPECT_TRUE(std::ranges::is_sorted(*numbers, {}, &WireNumber::path)) << name;
  }
  ASSERT_NE(wire_numbers("core.v1.PodDisruptionBudget"), wire_numbers("core.v1.Pod"));
  EXPECT_EQ(wire_numbers("core.v1.Volume")->front().path, std::vector<std::uint32_t>{1});
  EXPECT_EQ(wire_numbers("core.v1.PodSpec")->size(), 43U);
}

}  // namespace
}  // namespace elbowroom::lab
