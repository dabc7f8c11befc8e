#include "policy/placement/cluster_room.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace elbowroom::policy
