// Which victims are owed an event.
#include "scheduler/removal/victim_events.h"

#include <gtest/gtest.h>

#include "scheduler/removal/set_removal.h"
#include "test/pods.h"

namespace elbowroom::scheduler {
namespace {

using policy::Pod;

VictimEvent event_of(const Pod& victim) {
  return {.victim = victim_of(victim),
          .preemptor = {.uid = "uid-web", .node = "node-1", .name = "default/web"}};
}

TEST(VictimEvents, OneIsWrittenForAPodWhateverBecomesOfItsMark) {
  VictimEvents events;
  const Pod pod = test::running_pod("a", 1000);
  EXPECT_TRUE(events.accepted(event_of(pod)));
  EXPECT_FALSE(events.saw(&pod, &pod)) << "it has no mark, and is not shown terminating";
  EXPECT_FALSE(events.accepted(event_of(pod)));
}

TEST(VictimEvents, APodThatIsNotToGoIsOwedNone) {
  VictimEvents events;
  const Pod pod = test::running_pod("a", 1000);
  const Pod other = test::running_pod("other", 1000);
  EXPECT_FALSE(events.unanswered(event_of(pod)));
  EXPECT_FALSE(events.saw(nullptr, &other));
  EXPECT_TRUE(events.is_unanswered(pod.uid));
  EXPECT_EQ(events.saw(&pod, nullptr), event_of(pod)) << "its delete was carried out";
}

}  // namespace
}  // namespace elbowroom::scheduler
