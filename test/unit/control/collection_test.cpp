#include "control/collection.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace elbowroom::control {
namespace {

const api::ObjectRef kRef{"default", "web", "uid-1"};
constexpr CollectionRow kPods{.name = "pods", .version = "v1", .resource = "pods", .kind = "Pod"};
constexpr CollectionRow kBudgets{.name = "budgets",
                                 .group = "policy",
                                 .version = "v1",
                                 .resource = "poddisruptionbudgets",
                                 .kind = "PodDisruptionBudget",
                                 .why = "all",
                                 .by_protobuf = true};

TEST(Collection, IsAskedForByItsRow) {
  EXPECT_EQ(path_of(kPods), "/api/v1/pods");
  EXPECT_EQ(path_of(kBudgets), "/apis/policy/v1/poddisruptionbudgets");
  EXPECT_EQ(target_of(kBudgets).kind, "PodDisruptionBudget");
  EXPECT_TRUE(target_of(kBudgets).by_protobuf);
  EXPECT_EQ(target_of(kBudgets).version, "v1");
  EXPECT_EQ(path_of(kBudgets, "v1beta1"), "/apis/policy/v1beta1/poddisruptionbudgets");
}

TEST(Collection, TakesTwoRights) {
  const api::RbacRule list = right_to_list(kBudgets);
  EXPECT_EQ(list.verb, "list");
  EXPECT_EQ(list.group, "policy");
  EXPECT_EQ(list.resource, "poddisruptionbudgets");
  EXPECT_EQ(list.why, "all");
  EXPECT_EQ(right_to_watch(kBudgets).verb, "watch");
}

TEST(Collection, AListNamesWhatCouldNotBeRead) {
  EXPECT_EQ(listed_as<int>({7}, {kRef}),
            (Listed<int>{.objects = {7}, .unreadable = {"default/web"}}));
}

TEST(Collection, WhatIsGoneIsNamedByKeyAndUid) {
  EXPECT_EQ(gone_as<int>(kRef), (Gone<int>{.key = "default/web", .uid = "uid-1"}));
}

}  // namespace
}  // namespace elbowroom::control
