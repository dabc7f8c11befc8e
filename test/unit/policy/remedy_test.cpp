// What would help a resize, beyond the situations of tables/explain.
#include "policy/resize/remedy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "test/node_world.h"

namespace elbowroom::policy {
namespace {

using test::deferred_to;
using test::figures;
using test::kNoon;
using test::NodeWorld;
using test::pod_of_size;
using test::world_of;
using testing::ElementsAre;
using testing::StartsWith;

// Those of that kind, for the resize of "web".
std::vector<Remedy> remedies_of(const NodeWorld& world, RemedyKind kind) {
  const auto web = std::ranges::find(world.pods, "web", &Pod::name);
  const OverduePods lapsed = overdue_pods_at(world.pods, kNoon);
  const ResizeQuestion question{.node = world.node,
                                .pods = world.pods,
                                .pod = *web,
                                .nominated = world.nominated,
                                .budgets = world.budgets,
                                .lapsed = lapsed,
                                .now = kNoon};
  std::vector<Remedy> found = remedies(question, report_resize(question));
  std::erase_if(found, [&](const Remedy& each) { return each.kind != kind; });
  return found;
}

TEST(Remedies, APodThatIsFinishedHoldsNoRoom) {
  NodeWorld world = world_of(3000);
  world.pods = {deferred_to(pod_of_size("web", 100, figures(1000)), figures(2000)),
                pod_of_size("low", 0, figures(2000)), pod_of_size("done", 0, figures(2000))};
  world.pods.back().phase = Phase::Succeeded;
  EXPECT_THAT(remedies_of(world, RemedyKind::Removal),
              ElementsAre(testing::Field(&Remedy::pods, ElementsAre("default/low"))));
}

// The resize needs the room of all but the last pod, which no priority is above.
TEST(Remedies, ThirtyTwoPrioritiesAreTried) {
  const auto found = [](int pods) {
    NodeWorld world = world_of(10 * pods + 20);
    world.pods = {deferred_to(pod_of_size("web", 10, figures(10)), figures(10 * pods + 10))};
    for (int i = 0; i < pods; ++i) {
      world.pods.push_back(pod_of_size("p" + std::to_string(i), 10 + i, figures(10)));
    }
    world.pods.push_back(pod_of_size("top", std::numeric_limits<std::int32_t>::max(), figures(10)));
    return remedies_of(world, RemedyKind::Priority);
  };
  EXPECT_THAT(found(32),
              ElementsAre(testing::Field(
                  &Remedy::text, StartsWith("with a priority of at least 42 (it has 10): "))));
  EXPECT_THAT(found(33), testing::IsEmpty());
}

}  // namespace
}  // namespace elbowroom::policy
