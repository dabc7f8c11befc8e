#include "cluster/page_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "test/pods.h"

namespace elbowroom::cluster {
namespace {

using page::PageAsked;
using page::PagePart;
using testing::ElementsAre;
using testing::IsEmpty;

policy::Pod deferred(const std::string& name) {
  policy::Pod pod = test::resized(test::running_pod(name, 1000), 3000);
  pod.conditions.push_back(
      {.type = std::string(policy::kPodResizePending), .status = "True", .reason = "Deferred"});
  return pod;
}

class PageParts : public testing::Test {
 protected:
  void put(const policy::Pod& pod) { snapshot_.put(PackedPod::packed(pod)); }
  void put_node(const std::string& name) {
    policy::Node node = test::node(4000);
    node.name = name;
    snapshot_.put(node);
  }
  void put_budget(const std::string& name) {
    policy::PodDisruptionBudget budget;
    budget.ns = "default";
    budget.name = name;
    budget.selector = policy::LabelSelector{};
    snapshot_.put(budget);
  }
  PagePart part(const PageAsked& asked) {
    return page_part({.snapshot = snapshot_,
                      .view_of =
                          [this](const std::string& node) {
                            ++views_;
                            return snapshot_.view(node);
                          }},
                     asked);
  }

  Snapshot snapshot_{};
  int views_ = 0;
};

TEST_F(PageParts, NamesTheNodesThatAreKnownAndTheNamespacesOfBudgets) {
  put_node("node-1");
  policy::Pod lost = test::running_pod("a", 100);
  lost.node = "node-2";  // has no Node object
  put(lost);
  put_budget("one");
  put_budget("two");
  const PagePart names = part({});
  EXPECT_THAT(names.nodes, ElementsAre("node-1"));
  EXPECT_THAT(names.namespaces, ElementsAre("default"));
}

TEST_F(PageParts, CopiesTheNodesThatAreAskedFor) {
  put_node("node-1");
  put_node("node-2");
  put(test::running_pod("a", 100));
  put(test::running_pod("b", 100));
  const PagePart nodes = part({.kind = PageAsked::Kind::Nodes, .names = {"node-1", "other"}});
  EXPECT_EQ(nodes.done, 2U);
  ASSERT_EQ(nodes.copies.size(), 1U);
  EXPECT_EQ(nodes.copies[0].node.name, "node-1");
  EXPECT_EQ(nodes.copies[0].pods.size(), 2U);
  EXPECT_EQ(views_, 0);
}

TEST_F(PageParts, TakesAViewOnlyOfANodeWhereAResizeWaits) {
  put_node("node-1");
  put_node("node-2");
  put_budget("one");
  put(deferred("a"));
  const PagePart nodes = part({.kind = PageAsked::Kind::Nodes, .names = {"node-1", "node-2"}});
  EXPECT_EQ(views_, 1);
  ASSERT_EQ(nodes.copies.size(), 2U);
  EXPECT_EQ(nodes.copies[0].budgets.upstream.size(), 1U);
  EXPECT_THAT(nodes.copies[1].budgets.upstream, IsEmpty());
}

TEST_F(PageParts, HasTheBudgetsOfANamespace) {
  put_budget("one");
  put_budget("two");
  const PagePart budgets = part({.kind = PageAsked::Kind::Budgets, .names = {"default", "other"}});
  EXPECT_EQ(budgets.done, 2U);
  EXPECT_EQ(budgets.budgets.upstream.size(), 2U);
}

TEST_F(PageParts, EndsLongBeforeAllIsCopiedWhereThereIsMuch) {
  PageAsked asked{.kind = PageAsked::Kind::Nodes};
  for (int node = 0; node < 100; ++node) {
    asked.names.push_back("node-" + std::to_string(node));
    put_node(asked.names.back());
    for (int at = 0; at < 100; ++at) {
      policy::Pod pod =
          test::running_pod("p" + std::to_string(node) + "-" + std::to_string(at), 10);
      pod.node = asked.names.back();
      put(pod);
    }
  }
  const PagePart nodes = part(asked);
  EXPECT_GE(nodes.done, 1U);
  EXPECT_LT(nodes.done, asked.names.size());
  EXPECT_EQ(nodes.copies.size(), nodes.done);
}

}  // namespace
}  // namespace elbowroom::cluster
