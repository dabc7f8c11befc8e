#include "lab/world/app_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/apiserver/discovery.h"
#include "lab/apiserver/table.h"
#include "test/unit/lab/app_fixture.h"

namespace elbowroom::lab {
namespace {

using testing::app_kind;
using testing::app_object;
using testing::message_of;
using testing::outcome;

class AppRulesTest : public ::testing::Test {
 protected:
  Answer<Object> make(const char* plural, const Json& changes = Json::object()) {
    return world_.create(app_kind(plural), "default",
                         merge_patched(app_object(plural, "web", 3), changes));
  }

  World world_{{}};
};

TEST_F(AppRulesTest, DefaultsAreUpstreams) {
  Json plain = app_object("deployments", "web", 3);
  plain["spec"].erase("replicas");
  const auto made = world_.create(app_kind("deployments"), "default", plain);
  ASSERT_EQ(outcome(made), "ok");
  const Json spec = (*made)["spec"];
  EXPECT_EQ(spec["replicas"], 1);
  EXPECT_EQ(spec["strategy"], Json::parse(R"({"type":"RollingUpdate",
      "rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}})"));
  EXPECT_EQ(spec["revisionHistoryLimit"], 10);
  EXPECT_EQ(spec["progressDeadlineSeconds"], 600);
  EXPECT_EQ(spec["template"]["spec"]["restartPolicy"], "Always");
  EXPECT_EQ((*made)["metadata"]["generation"], 1);

  const Json sts = (*make("statefulsets"))["spec"];
  EXPECT_EQ(sts["podManagementPolicy"], "OrderedReady");
  EXPECT_EQ(sts["updateStrategy"]["rollingUpdate"]["partition"], 0);
  const Json ds = (*make("daemonsets"))["spec"];
  EXPECT_EQ(ds["updateStrategy"]["rollingUpdate"]["maxUnavailable"], 1);
  EXPECT_FALSE(ds.contains("replicas") && ds["replicas"] == 1);
}

TEST_F(AppRulesTest, RefusesWhatNoControllerCanFollow) {
  struct Case {
    const char* changes;
    const char* said;
  };
  for (const Case& each : {
           Case{R"({"spec":{"selector":null}})", "spec.selector: Required value"},
           Case{R"({"spec":{"selector":{"matchLabels":null}}})", "empty selector is invalid"},
           Case{R"({"spec":{"selector":{"matchLabels":{"app":"other"}}}})",
                "`selector` does not match template `labels`"},
           Case{R"({"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"Near"}]}}})",
                "not a valid selector operator"},
           Case{R"({"spec":{"replicas":-1}})", "must be greater than or equal to 0"},
           Case{R"({"spec":{"replicas":"three"}})", "spec.replicas"},
           Case{R"({"spec":{"minReadySeconds":-1}})", "spec.minReadySeconds"},
           Case{R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":"0%","maxUnavailable":0}}}})",
                "may not be 0 when `maxSurge` is 0"},
           Case{R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":"some"}}}})",
                "must be an integer or percentage"},
           Case{R"({"spec":{"template":{"spec":{"restartPolicy":"Never"}}}})", "restartPolicy"},
           Case{R"({"spec":{"template":{"spec":null}}})", "spec.template.spec.containers"},
           Case{R"({"spec":{"template":{"spec":{"containers":[{"name":"a","resources":
                {"requests":{"cpu":"lots"}}}]}}}})",
                "spec.template.spec"},
       }) {
    const auto made = make("deployments", Json::parse(each.changes));
    EXPECT_EQ(outcome(made), "422 Invalid") << each.changes;
    EXPECT_THAT(message_of(made), ::testing::HasSubstr(each.said));
  }
}

TEST_F(AppRulesTest, AChangedSelectorIsRefusedAndAChangedSpecCounted) {
  ASSERT_EQ(outcome(make("replicasets")), "ok");
  const Target target{&app_kind("replicasets"), "default", "web"};
  EXPECT_EQ(outcome(world_.patch(target, PatchType::Merge,
                                 Json::parse(R"({"spec":{"selector":{"matchLabels":{"app":"b"}},
                  "template":{"metadata":{"labels":{"app":"b"}}}}})"))),
            "422 Invalid");
  const auto scaled = world_.patch(target, PatchType::Merge, {{"spec", {{"replicas", 5}}}});
  ASSERT_EQ(outcome(scaled), "ok");
  EXPECT_EQ((*scaled)["metadata"]["generation"], 2);
  EXPECT_EQ(outcome(world_.patch(target, PatchType::Merge, {{"spec", {{"replicas", -5}}}})),
            "422 Invalid");
}

TEST_F(AppRulesTest, KubectlFindsThemAndTheirColumns) {
  const auto found = discovery("/apis/apps/v1", GroupVersions::All);
  ASSERT_TRUE(found);
  std::vector<std::string> names;
  for (const Json& each : (*found)["resources"]) names.push_back(text_at(each, {"name"}));
  EXPECT_THAT(names, ::testing::IsSupersetOf({"deployments", "deployments/status", "replicasets",
                                              "statefulsets", "daemonsets"}));

  Json object = *make("deployments");
  object["status"] = {{"readyReplicas", 2}, {"updatedReplicas", 3}, {"availableReplicas", 1}};
  const Json table = table_of(app_kind("deployments"), object, RowObject::None, {});
  const Json cells = table["rows"][0]["cells"];
  EXPECT_EQ(cells[0], "web");
  EXPECT_EQ(cells[1], "2/3");
  EXPECT_EQ(cells[2], 3);
  EXPECT_EQ(cells[3], 1);
  EXPECT_EQ(cells[7], "app=web");
}

}  // namespace
}  // namespace elbowroom::lab
