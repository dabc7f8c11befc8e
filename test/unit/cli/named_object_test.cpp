// The words that name an object, one reading for all verbs.
#include "cli/named_object.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace elbowroom::cli {
namespace {

struct Row {
  std::string word{};
  std::string ns{};     // -n
  std::string meant{};  // "NAMESPACE/NAME"; "": refused
  Named what = Named::Pod;
};

TEST(NamedObject, IsANameAKindAndANameOrANamespaceAndAName) {
  const std::vector<Row> rows = {
      {"web", "", "ctx/web"},
      {"web", "shop", "shop/web"},
      {"shop/web", "", "shop/web"},
      {"shop/web", "shop", "shop/web"},
      {"shop/web", "other", ""},
      {"pod/web", "", "ctx/web"},
      {"pods/web", "shop", "shop/web"},
      {"po/web", "", "ctx/web"},
      {"web", "pod", "pod/web"},  // a namespace of that name needs -n
      {"pod/web", "pod", "pod/web"},
      {"podgroup/web", "", "podgroup/web"},  // no kind of a pod
      {"podgroup/web", "", "ctx/web", Named::PodGroup},
      {"podgroups/web", "", "ctx/web", Named::PodGroup},
      {"pod/web", "", "pod/web", Named::PodGroup},
      {"", "", ""},
      {"/", "", ""},
      {"/web", "", ""},
      {"shop/", "", ""},
      {"pod/shop/web", "", ""},
  };
  for (const Row& row : rows) {
    const auto object = object_named(row.word, row.what, row.ns, "ctx");
    EXPECT_EQ(object ? key_of(*object) : "", row.meant) << row.word << " -n " << row.ns;
  }
}

TEST(NamedObject, AnotherKindIsNamedWhereTheWordIsNoNamespace) {
  const auto deploy = object_named("deploy/web", Named::Pod, "shop", "ctx");
  ASSERT_FALSE(deploy);
  EXPECT_EQ(deploy.error().message,
            "\"deploy/web\" names a deploy, and this takes a pod: write pod/NAME | NAME | "
            "NAMESPACE/NAME");
  const auto other = object_named("other/web", Named::Pod, "shop", "ctx");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "the pod is in namespace other and -n says shop: give one of them");
  EXPECT_EQ(key_of(*object_named("deploy/web", Named::Pod, "", "ctx")), "deploy/web");
}

}  // namespace
}  // namespace elbowroom::cli
