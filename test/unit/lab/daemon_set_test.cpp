#include "lab/controllers/daemon_set.h"

#include "test/unit/lab/controllers_fixture.h"

namespace elbowroom::lab {
namespace {

using ::testing::ElementsAre;

class DaemonSetTest : public testing::ControllersTest {
 protected:
  DaemonSetTest() {
    for (const char* name : {"a", "b", "c"}) {
      EXPECT_TRUE(world_.create(testing::nodes(), "", testing::node_object(name)));
    }
    cordon("c", true);
  }
  void cordon(const std::string& node, bool on) {
    EXPECT_TRUE(world_.patch({&testing::nodes(), "", node}, PatchType::Merge,
                             {{"spec", {{"unschedulable", on}}}}));
  }
  [[nodiscard]] std::vector<std::string> nodes_with_pods() const {
    std::vector<std::string> names;
    for (const std::string& name : active()) {
      names.push_back(text_at(pod(name), {"spec", "nodeName"}));
    }
    std::ranges::sort(names);
    return names;
  }
};

TEST_F(DaemonSetTest, OnePodOnEachNodeThatIsSchedulable) {
  make("daemonsets", "log", 0);
  settle();
  EXPECT_THAT(nodes_with_pods(), ElementsAre("a", "b"));
  const Json status = status_of("daemonsets", "log");
  EXPECT_EQ(status["desiredNumberScheduled"], 2);
  EXPECT_EQ(status["numberAvailable"], 2);
  EXPECT_EQ(status["numberMisscheduled"], 0);
  cordon("c", false);
  cordon("a", true);
  settle();
  EXPECT_THAT(nodes_with_pods(), ElementsAre("a", "b", "c"));
}

TEST_F(DaemonSetTest, ANodeThatIsNotSelectedLosesItsPod) {
  make("daemonsets", "log", 0);
  settle();
  ASSERT_TRUE(world_.patch({&testing::nodes(), "", "b"}, PatchType::Merge,
                           Json::parse(R"({"metadata":{"labels":{"disk":"ssd"}}})")));
  change("daemonsets", "log",
         Json::parse(R"({"spec":{"template":{"spec":{"nodeSelector":{"disk":"ssd"}}}}})"));
  settle();
  EXPECT_THAT(nodes_with_pods(), ElementsAre("b"));
}

TEST_F(DaemonSetTest, APodThatTerminatesKeepsItsPlaceUntilItIsGone) {
  make("daemonsets", "log", 0);
  settle();
  remove(active()[0]);
  rest();
  EXPECT_THAT(nodes_with_pods(), ::testing::SizeIs(1));
  settle();
  EXPECT_THAT(nodes_with_pods(), ElementsAre("a", "b"));
}

TEST_F(DaemonSetTest, AnUpdateTakesOneNodeAfterTheOther) {
  make("daemonsets", "log", 0);
  settle();
  change("daemonsets", "log",
         Json::parse(R"({"spec":{"template":{"metadata":{"annotations":{"a":"b"}}}}})"));
  rest();
  EXPECT_THAT(nodes_with_pods(), ::testing::SizeIs(1));
  settle();
  EXPECT_THAT(nodes_with_pods(), ElementsAre("a", "b"));
  EXPECT_EQ(status_of("daemonsets", "log")["updatedNumberScheduled"], 2);
}

}  // namespace
}  // namespace elbowroom::lab
