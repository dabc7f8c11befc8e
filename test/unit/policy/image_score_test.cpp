// Names of images, and which nodes have them as nodes come, change and go.
#include "policy/placement/image_score.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "policy/placement/cluster_room.h"
#include "test/cluster_world.h"

namespace elbowroom::policy {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

struct Naming {
  std::string in_pod;
  std::string on_node;
};

TEST(ImageName, WithoutATagIsTheLatest) {
  const std::vector<Naming> cases = {
      {"nginx", "nginx:latest"},
      {"nginx:1.27", "nginx:1.27"},
      {"registry:5000/team/app", "registry:5000/team/app:latest"},
      {"registry:5000/team/app:v1", "registry:5000/team/app:v1"},
      {"a/b@sha256:00ff", "a/b@sha256:00ff"},
      {"", ":latest"},
  };
  for (const Naming& each : cases) {
    EXPECT_EQ(wanted_image(each.in_pod), image_name(each.on_node)) << each.in_pod;
  }
  EXPECT_NE(wanted_image("nginx"), image_name("nginx"));
  EXPECT_NE(wanted_image("docker.io/library/nginx"), image_name("nginx:latest"));  // as upstream
}

std::vector<std::int64_t> scores(const ClusterRoom& room, const std::vector<ImageName>& wanted,
                                 std::size_t nodes) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < nodes; ++i) numbers.push_back(i);
  std::vector<std::int64_t> made(nodes, 0);
  add_image_scores(room.images(), room.known_nodes(), wanted, numbers, made);
  return made;
}

TEST(ImageScore, FollowsNodesThatComeChangeAndGo) {
  test::ClusterWorld world;
  for (const char* name : {"a", "b"}) world.node(name, 4000);
  ClusterRoom room;
  world.nodes[0].images = {{.name = 1, .bytes = 1000 * kMiB}, {.name = 2, .bytes = 200 * kMiB}};
  for (const Node& node : world.nodes) room.put(node);
  EXPECT_EQ(scores(room, {1}, 2), (std::vector<std::int64_t>{48, 0}));  // (500 - 23) / (1000 - 23)
  EXPECT_EQ(scores(room, {3}, 2), (std::vector<std::int64_t>{0, 0}));
  EXPECT_TRUE(room.nodes()[0].node.images.empty());

  world.nodes[1].images = {{.name = 1, .bytes = 2000 * kMiB}};
  room.put(world.nodes[1]);
  EXPECT_EQ(scores(room, {1}, 2), (std::vector<std::int64_t>{100, 100}));
  EXPECT_EQ(scores(room, {1, 2}, 2), (std::vector<std::int64_t>{54, 100}));

  world.nodes[0].images = {{.name = 2, .bytes = 300 * kMiB}, {.name = 4, .bytes = 1}};
  room.put(world.nodes[0]);
  EXPECT_EQ(room.images().copies_of(1).size(), 1U);
  EXPECT_EQ(room.images().copies_of(2)[0].bytes, 300 * kMiB);
  room.remove_node("a");
  EXPECT_TRUE(room.images().copies_of(2).empty());
  EXPECT_TRUE(room.images().copies_of(4).empty());
  EXPECT_EQ(scores(room, {1}, 2), (std::vector<std::int64_t>{0, 100}));
}

TEST(ImageScore, SizesBeyondAllBoundsOverflowNothing) {
  test::ClusterWorld world;
  ClusterRoom room;
  for (const char* name : {"a", "b", "c"}) {
    world.node(name, 4000).images = {{.name = 1, .bytes = kMaxAmount}};
    room.put(world.nodes.back());
  }
  EXPECT_EQ(scores(room, {1, 1, 1}, 3), (std::vector<std::int64_t>{100, 100, 100}));
}

}  // namespace
}  // namespace elbowroom::policy
