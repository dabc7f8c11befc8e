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

}  // namespace
}  // namespace elbowroom::cli
