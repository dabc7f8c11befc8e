#include "policy/placement/cluster_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "test/pods.h"

namespace elbowroom::policy {
namespace {

// Two objects of one uid: each holds what it holds, and takes that with it.
TEST(ClusterRoom, ATwinTakesItsOwnRoomWithIt) {
  ClusterRoom room(RuleSet::Elbowroom);
  room.put(test::node(4000));
  const Pod first = test::running_pod("first", 300);
  Pod twin = test::running_pod("twin", 600);
  twin.uid = first.uid;
  room.add(first);
  room.add(twin);
  room.remove(twin);
  const auto node = room.find_node("node-1");
  ASSERT_TRUE(node);
  EXPECT_EQ(room.nodes()[*node].used.cpu.value, 300);
  room.add(twin);
  room.remove(first);
  EXPECT_EQ(room.nodes()[*node].used.cpu.value, 600);
}

// A label whose value changes all the time: what it was is forgotten.
TEST(ClusterRoom, ALabelsColumnKeepsABoundedNumberOfValues) {
  ClusterRoom room(RuleSet::Elbowroom);
  Node node = test::node(4000);
  std::size_t most = 0;
  for (int i = 0; i < 1'100; ++i) {
    node.labels["now"] = std::to_string(i);
    room.put(node);
    most = std::max(most, room.column("now").values.size());
  }
  EXPECT_EQ(most, 1'002U) << "2 per node and 1,000";
}

}  // namespace
}  // namespace elbowroom::policy
