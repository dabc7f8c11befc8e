#include "api/codec/decode_move_policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace elbowroom::api {
namespace {

using testing::HasSubstr;

const std::string kHead = "apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\n";

std::string refused(const std::string& rest) {
  const auto decoded = decode_move_policies(kHead + rest);
  return decoded ? "" : decoded.error().message;
}

TEST(DecodeMovePolicies, TheDefaultsStandWhereNothingIsSaid) {
  const auto decoded = decode_move_policies(kHead);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, policy::MovePolicies{});
}

TEST(DecodeMovePolicies, EveryKeyIsRead) {
  const auto decoded = decode_move_policies(
      kHead +
      "interval: 5m\n"
      "policies:\n"
      "  underutilizedNode: {enabled: true, threshold: 10, target: 60, maxMovesPerPass: 3, "
      "minGain: 2}\n"
      "  affinityPreference: {enabled: true, minGain: 40}\n");
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded,
            (policy::MovePolicies{
                .underutilized_node =
                    {.enabled = true, .threshold = 10, .target = 60, .max_moves = 3, .min_gain = 2},
                .affinity_preference = {.enabled = true, .min_gain = 40}}));
}

TEST(DecodeMovePolicies, WhatIsWrongIsNamedWithItsKey) {
  EXPECT_THAT(refused("polices: {}\n"), HasSubstr("polices"));
  EXPECT_THAT(refused("policies: {underutilizedNode: {treshold: 1}}\n"),
              HasSubstr("policies.underutilizedNode.treshold"));
  EXPECT_THAT(refused("policies: {underutilizedNode: {threshold: 101}}\n"),
              HasSubstr("policies.underutilizedNode.threshold"));
  EXPECT_THAT(refused("policies: {underutilizedNode: {threshold: low}}\n"), HasSubstr("threshold"));
  EXPECT_THAT(refused("policies: {underutilizedNode: {threshold: 60, target: 50}}\n"),
              HasSubstr("above target"));
  EXPECT_THAT(refused("policies: {affinityPreference: {minGain: 0}}\n"), HasSubstr("minGain"));
  EXPECT_THAT(refused("policies: [1]\n"), HasSubstr("policies"));
  EXPECT_THAT(refused("interval: soon\n"), HasSubstr("interval"));
  EXPECT_THAT(refused("interval: 1s\n"), HasSubstr("interval"));
  EXPECT_FALSE(decode_move_policies("kind: ReschedulerConfiguration\n"));
  EXPECT_FALSE(decode_move_policies(""));
  EXPECT_FALSE(decode_move_policies(kHead + "---\n" + kHead));
  EXPECT_FALSE(decode_move_policies(std::string(2U << 20U, 'a')));
}

}  // namespace
}  // namespace elbowroom::api
