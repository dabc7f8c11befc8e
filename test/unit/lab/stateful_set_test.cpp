#include "lab/controllers/stateful_set.h"

#include "test/unit/lab/controllers_fixture.h"

namespace elbowroom::lab {
namespace {

using ::testing::ElementsAre;

class StatefulSetTest : public testing::ControllersTest {};

TEST_F(StatefulSetTest, ItsPodsComeInOrder) {
  make("statefulsets", "db", 3);
  rest();
  EXPECT_THAT(active(), ElementsAre("db-0"));
  set_ready("db-0", true);
  rest();
  EXPECT_THAT(active(), ElementsAre("db-0", "db-1"));
  settle();
  EXPECT_THAT(active(), ElementsAre("db-0", "db-1", "db-2"));
  const Json labels = pod("db-2")["metadata"]["labels"];
  EXPECT_EQ(labels["statefulset.kubernetes.io/pod-name"], "db-2");
  EXPECT_EQ(labels["apps.kubernetes.io/pod-index"], "2");
  const Json status = status_of("statefulsets", "db");
  EXPECT_EQ(status["replicas"], 3);
  EXPECT_EQ(status["readyReplicas"], 3);
  EXPECT_EQ(status["currentRevision"], status["updateRevision"]);
}

TEST_F(StatefulSetTest, APodComesBackUnderItsNameOnceItIsGone) {
  make("statefulsets", "db", 2);
  settle();
  const Json uid = pod("db-0")["metadata"]["uid"];
  remove("db-0");
  rest();
  EXPECT_TRUE(is_leaving(pod("db-0")));
  EXPECT_THAT(active(), ElementsAre("db-1"));
  settle();
  EXPECT_THAT(active(), ElementsAre("db-0", "db-1"));
  EXPECT_NE(pod("db-0")["metadata"]["uid"], uid);
}

TEST_F(StatefulSetTest, AFailedPodIsReplaced) {
  make("statefulsets", "db", 1);
  settle();
  const Json uid = pod("db-0")["metadata"]["uid"];
  set_status("db-0", {{"phase", "Failed"}});
  settle();
  EXPECT_NE(pod("db-0")["metadata"]["uid"], uid);
  EXPECT_EQ(pod("db-0")["status"]["phase"], "Running");
}

TEST_F(StatefulSetTest, ShrinksFromTheEndOneByOne) {
  make("statefulsets", "db", 3);
  settle();
  change("statefulsets", "db", {{"spec", {{"replicas", 1}}}});
  rest();
  EXPECT_THAT(active(), ElementsAre("db-0", "db-1"));
  settle();
  EXPECT_THAT(active(), ElementsAre("db-0"));
}

TEST_F(StatefulSetTest, ParallelOnesComeAndGoTogether) {
  make("statefulsets", "db", 3, {{"spec", {{"podManagementPolicy", "Parallel"}}}});
  rest();
  EXPECT_THAT(active(), ElementsAre("db-0", "db-1", "db-2"));
  change("statefulsets", "db", {{"spec", {{"replicas", 0}}}});
  rest();
  EXPECT_THAT(active(), ElementsAre());
}

TEST_F(StatefulSetTest, AnUpdateReplacesFromTheEndToThePartition) {
  make("statefulsets", "db", 3);
  settle();
  const Json first = pod("db-0")["metadata"]["uid"];
  const Json last = pod("db-2")["metadata"]["uid"];
  change("statefulsets", "db", Json::parse(R"({"spec":{
      "updateStrategy":{"rollingUpdate":{"partition":1}},
      "template":{"metadata":{"annotations":{"a":"b"}}}}})"));
  rest();
  EXPECT_THAT(active(), ElementsAre("db-0", "db-1"));
  settle();
  EXPECT_NE(pod("db-2")["metadata"]["uid"], last);
  EXPECT_EQ(pod("db-0")["metadata"]["uid"], first);
  EXPECT_EQ(status_of("statefulsets", "db")["updatedReplicas"], 2);
}

}  // namespace
}  // namespace elbowroom::lab
