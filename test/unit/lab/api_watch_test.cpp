#include "lab/api_watch.h"

#include <gtest/gtest.h>

#include "lab/api_service.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using testing::node_object;
using testing::nodes;
using testing::pod_object;
using testing::pods;

class ApiWatchTest : public ::testing::Test {
 protected:
  ApiWatchTest() { EXPECT_TRUE(world_.create(nodes(), "", node_object("n"))); }

  // Of pods.
  ApiWatch watch(const std::string& resource_version = "") {
    auto opened =
        service_.watch({.method = "GET",
                        .path = "/api/v1/pods",
                        .query = {{"watch", "true"}, {"resourceVersion", resource_version}}},
                       {});
    EXPECT_TRUE(opened);
    return *std::move(opened);
  }
  std::string say(ApiWatch& watch) { return watch.next(world_, {}).text; }

  World world_{{}};
  ApiService service_{world_, {}};
};

TEST_F(ApiWatchTest, HasNewsOfItsKindOnly) {
  ApiWatch pods_watch = watch();
  EXPECT_TRUE(pods_watch.has_news(world_)) << "it has not begun";
  EXPECT_EQ(say(pods_watch), "");
  EXPECT_FALSE(pods_watch.has_news(world_));

  EXPECT_TRUE(world_.create(nodes(), "", node_object("m")));
  EXPECT_TRUE(pods_watch.is_behind(world_));
  EXPECT_FALSE(pods_watch.has_news(world_)) << "a node is no news for a watch of pods";

  EXPECT_TRUE(world_.create(pods(), "default", pod_object("web", "n")));
  EXPECT_TRUE(pods_watch.has_news(world_));
  EXPECT_NE(say(pods_watch).find("web"), std::string::npos);
  EXPECT_FALSE(pods_watch.has_news(world_));
}

TEST_F(ApiWatchTest, HasNewsWhereItBeganInThePast) {
  EXPECT_TRUE(world_.create(pods(), "default", pod_object("a", "n")));
  const std::string since = std::to_string(world_.version());
  ApiWatch up_to_date = watch(since);
  EXPECT_EQ(say(up_to_date), "");
  EXPECT_FALSE(up_to_date.has_news(world_));

  ApiWatch resumed = watch(since);
  EXPECT_TRUE(world_.create(pods(), "default", pod_object("b", "n")));
  EXPECT_EQ(say(resumed), "") << "what it resumes from";
  EXPECT_TRUE(resumed.has_news(world_));
}

TEST_F(ApiWatchTest, HasNewsWhereItAsksForAVersionThatIsYetToCome) {
  ApiWatch ahead = watch(std::to_string(world_.version() + 100));
  EXPECT_EQ(say(ahead), "");
  ASSERT_TRUE(ahead.has_news(world_));
  EXPECT_NE(say(ahead).find("ERROR"), std::string::npos);
}

}  // namespace
}  // namespace elbowroom::lab
