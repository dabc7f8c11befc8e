#include "lab/controllers/owner_collector.h"

#include "test/unit/lab/controllers_fixture.h"

namespace elbowroom::lab {
namespace {

using ::testing::ElementsAre;

class OwnerCollectorTest : public testing::ControllersTest {
 protected:
  void make_owned(const std::string& name, const Json& owners) {
    Json pod = testing::pod_object(name);
    pod["metadata"]["ownerReferences"] = owners;
    ASSERT_TRUE(world_.create(testing::pods(), "default", pod));
  }
  static Json owner(const char* version, const char* kind, const char* name, const Json& uid) {
    return {{"apiVersion", version}, {"kind", kind}, {"name", name}, {"uid", uid}};
  }
};

TEST_F(OwnerCollectorTest, RemovesWhatHasNoOwnerLeft) {
  ASSERT_TRUE(world_.create(*find_kind("", "v1", "configmaps"), "default",
                            {{"metadata", {{"name", "here"}}}}));
  const Json uid =
      (*world_.peek(*find_kind("", "v1", "configmaps"), "default", "here"))["metadata"]["uid"];
  const Json here = owner("v1", "ConfigMap", "here", uid);
  const Json other = owner("v1", "ConfigMap", "here", "another-uid");
  const Json gone = owner("apps/v1", "ReplicaSet", "gone", "u");
  make_owned("kept", Json::array({gone, here}));
  make_owned("lost", Json::array({gone, other}));
  make_owned("unknown", Json::array({owner("batch/v1", "Job", "job", "u")}));
  make_owned("free", Json::array());
  rest();
  EXPECT_THAT(active(), ElementsAre("free", "kept", "unknown"));
}

// A ring stays as long as all of it is there, and goes when one of it does.
TEST_F(OwnerCollectorTest, EndsWhereOwnersAreARing) {
  const auto load = [this](const std::string& name, const std::string& of) {
    Json pod = testing::pod_object(name);
    pod["metadata"]["uid"] = "uid-" + name;
    pod["metadata"]["ownerReferences"] = Json::array({owner("v1", "Pod", of.c_str(), "uid-" + of)});
    ASSERT_TRUE(world_.load(pod));
  };
  load("own", "own");
  load("a", "b");
  load("b", "c");
  load("c", "a");
  rest();
  EXPECT_THAT(active(), ElementsAre("a", "b", "c", "own"));
  remove("b");
  rest();
  EXPECT_THAT(active(), ElementsAre("own"));
}

}  // namespace
}  // namespace elbowroom::lab
