#include "lab/controllers/owner_collector.h"

#include <algorithm>
#include <map>
#include <random>
#include <ranges>
#include <string>
#include <vector>

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

  static const Kind& maps() { return *find_kind("", "v1", "configmaps"); }
  void make_map(const std::string& name) {
    ASSERT_TRUE(world_.create(maps(), "default", {{"metadata", {{"name", name}}}}));
  }
  void remove_map(const std::string& name) {
    ASSERT_TRUE(world_.remove({.kind = &maps(), .ns = "default", .name = name}, {}));
  }
  Json uid_of_map(const std::string& name) {
    return (*world_.peek(maps(), "default", name))["metadata"]["uid"];
  }
  Json map_owner(const std::string& name) {
    return owner("v1", "ConfigMap", name.c_str(), uid_of_map(name));
  }
};

TEST_F(OwnerCollectorTest, RemovesWhatHasNoOwnerLeft) {
  make_map("here");
  const Json here = map_owner("here");
  const Json other = owner("v1", "ConfigMap", "here", "another-uid");
  const Json gone = owner("apps/v1", "ReplicaSet", "gone", "u");
  make_owned("kept", Json::array({gone, here}));
  make_owned("lost", Json::array({gone, other}));
  make_owned("unknown", Json::array({owner("batch/v1", "Job", "job", "u")}));
  make_owned("free", Json::array());
  rest();
  EXPECT_THAT(active(), ElementsAre("free", "kept", "unknown"));
}

// A ConfigMap concerns no controller, so that a pod has to change beside it.
TEST_F(OwnerCollectorTest, DependantsGoWithTheirOwner) {
  make_map("a");
  make_map("b");
  make_owned("of-a", Json::array({map_owner("a")}));
  make_owned("of-both", Json::array({map_owner("a"), map_owner("b")}));
  rest();
  EXPECT_THAT(active(), ElementsAre("of-a", "of-both"));
  remove_map("a");
  make_owned("free", Json::array());
  rest();
  EXPECT_THAT(active(), ElementsAre("free", "of-both"));
  remove_map("b");
  make_map("b");  // another one of the same name
  make_owned("free-too", Json::array());
  rest();
  EXPECT_THAT(active(), ElementsAre("free", "free-too"));
}

TEST_F(OwnerCollectorTest, AShortHistoryHidesNothing) {
  make_map("a");
  make_owned("of-a", Json::array({map_owner("a")}));
  rest();
  remove_map("a");
  make_owned("free", Json::array());
  world_.forget_history();
  rest();
  EXPECT_THAT(active(), ElementsAre("free"));
}

// What stays is counted from the objects alone.
TEST_F(OwnerCollectorTest, RandomChangesLeaveWhatHasAnOwner) {
  std::mt19937 random(7);                                         // one sequence for all runs
  std::map<std::string, std::string> maps_there;                  // uids by name
  std::map<std::string, std::vector<std::string>> uids_owning{};  // by pod
  for (int i = 0; i < 300; ++i) {
    const std::string name = "m-" + std::to_string(random() % 6);
    if (!maps_there.contains(name)) {
      make_map(name);
      maps_there[name] = uid_of_map(name);
    } else if (random() % 2 == 0) {
      remove_map(name);
      maps_there.erase(name);
    }
    if (random() % 20 == 0) world_.forget_history();
    const std::string pod = "p-" + std::to_string(100 + i);
    Json owners = Json::array();
    for (const auto& [map, uid] : maps_there) {
      if (random() % 3 != 0) continue;
      owners.push_back(owner("v1", "ConfigMap", map.c_str(), uid));
      uids_owning[pod].push_back(uid);
    }
    if (owners.empty()) uids_owning[pod] = {""};  // it has no owner to lose
    make_owned(pod, owners);
    rest();
    const auto is_lost = [&](const auto& entry) {
      return std::ranges::none_of(entry.second, [&](const std::string& uid) {
        const auto values = std::views::values(maps_there);
        return uid.empty() || std::ranges::find(values, uid) != values.end();
      });
    };
    std::erase_if(uids_owning, is_lost);
    const auto left = std::views::keys(uids_owning);
    EXPECT_THAT(active(), ::testing::ElementsAreArray(left.begin(), left.end()));
  }
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
