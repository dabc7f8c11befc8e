#include "api/codec/decode_move_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace elbowroom::api {
namespace {

using testing::HasSubstr;

const std::string kHead = "apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\n";

std::string refused(const std::string& rest) {
  const auto decoded = decode_move_rules(kHead + rest);
  return decoded ? "" : decoded.error().message;
}

TEST(DecodeMoveRules, TheDefaultsStandWhereNothingIsSaid) {
  const auto decoded = decode_move_rules(kHead);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, policy::MoveRules{});
}

TEST(DecodeMoveRules, EveryKeyIsRead) {
  const auto decoded = decode_move_rules(
      kHead +
      "interval: 10m\n"
      "budgetReserve: 1\n"
      "coolDown: 30m\n"
      "maxMovesPerHour: 7\n"
      "maxMovesPerNodePerHour: 3\n"
      "avoidFor: 2h\n"
      "protectLocalStorage: false\n"
      "namespaces: {include: [a, b], exclude: [c]}\n"
      "policies:\n"
      "  underutilizedNode: {enabled: true, threshold: 10, target: 60, maxMovesPerPass: 3, "
      "minGain: 2}\n"
      "  affinityPreference: {enabled: true, minGain: 40}\n");
  ASSERT_TRUE(decoded) << decoded.error().message;
  const policy::MovePolicies policies{.underutilized_node = {.enabled = true,
                                                             .threshold = 10,
                                                             .target = 60,
                                                             .max_moves = 3,
                                                             .min_gain = 2},
                                      .affinity_preference = {.enabled = true, .min_gain = 40}};
  EXPECT_EQ(*decoded, (policy::MoveRules{.interval = std::chrono::minutes(10),
                                         .policies = policies,
                                         .budget_reserve = 1,
                                         .cool_down = std::chrono::minutes(30),
                                         .max_moves_per_hour = 7,
                                         .max_moves_per_node_per_hour = 3,
                                         .avoid_for = std::chrono::hours(2),
                                         .protect_local_storage = false,
                                         .namespaces = {.include = {"a", "b"}, .exclude = {"c"}}}));
}

TEST(DecodeMoveRules, WhatIsWrongIsNamedWithItsKey) {
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
  EXPECT_THAT(refused("coolDown: 25h\n"), HasSubstr("coolDown"));
  EXPECT_THAT(refused("coolDown: -1h\n"), HasSubstr("coolDown"));
  EXPECT_THAT(refused("avoidFor: 1s\n"), HasSubstr("avoidFor"));
  EXPECT_THAT(refused("budgetReserve: -1\n"), HasSubstr("budgetReserve"));
  EXPECT_THAT(refused("maxMovesPerHour: 1001\n"), HasSubstr("maxMovesPerHour"));
  EXPECT_THAT(refused("protectLocalStorage: perhaps\n"), HasSubstr("protectLocalStorage"));
  EXPECT_THAT(refused("namespaces: {includes: [a]}\n"), HasSubstr("namespaces.includes"));
  EXPECT_THAT(refused("namespaces: {include: a}\n"), HasSubstr("namespaces.include"));
  EXPECT_THAT(refused("coolDown: 1m\ncoolDown: 2m\n"), HasSubstr("coolDown"));
  EXPECT_THAT(refused("\nbudgetReserve: x\n"), HasSubstr("line 4"));
  EXPECT_FALSE(decode_move_rules("kind: ReschedulerConfiguration\n"));
  EXPECT_FALSE(decode_move_rules(""));
  EXPECT_FALSE(decode_move_rules(kHead + "---\n" + kHead));
  EXPECT_FALSE(decode_move_rules(std::string(2U << 20U, 'a')));
}

}  // namespace
}  // namespace elbowroom::api
