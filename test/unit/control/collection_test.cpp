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
}

TEST(Collection, TakesTwoRights) {
  const api::RbacRule list = right_to_list(kBudgets);
  EXPECT_EQ(list.verb, "list");
  EXPECT_EQ(list.group, "policy");
  EXPECT_EQ(list.resource, "poddisruptionbudgets");
  EXPECT_EQ(list.why, "all");
  EXPECT_EQ(right_to_watch(kBudgets).verb, "watch");
}

// Recordings of the scheduler have lists and removals of three shapes.
struct Bare {
  std::vector<int> numbers{};
};
struct Named {
  std::vector<int> numbers{};
  std::vector<NameParts> unreadable{};
};
struct ByName {
  std::string name{};
};
struct ByParts {
  std::string ns{};
  std::string name{};
};

TEST(Collection, AListSaysWhatCouldNotBeReadWhereThereIsAPlaceForIt) {
  EXPECT_EQ(listed_as<Bare>(std::vector<int>{1, 2}, {kRef}).numbers, (std::vector<int>{1, 2}));
  EXPECT_EQ(listed_as<Named>(std::vector<int>{}, {kRef}).unreadable,
            (std::vector<NameParts>{{"default", "web"}}));
  EXPECT_EQ(listed_as<Listed<int>>(std::vector<int>{7}, {kRef}),
            (Listed<int>{.objects = {7}, .unreadable = {"default/web"}}));
}

TEST(Collection, WhatIsGoneIsNamedAsItsKindIs) {
  EXPECT_EQ(gone_as<ByName>(kRef).name, "web");
  EXPECT_EQ(gone_as<ByParts>(kRef).ns, "default");
  EXPECT_EQ(gone_as<Gone<int>>(kRef), (Gone<int>{.key = "default/web", .uid = "uid-1"}));
}

}  // namespace
}  // namespace elbowroom::control
