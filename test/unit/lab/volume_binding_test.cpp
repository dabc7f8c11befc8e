#include "lab/controllers/volume_binding.h"

#include "test/unit/lab/controllers_fixture.h"

namespace elbowroom::lab {
namespace {

class EphemeralClaimTest : public testing::ControllersTest {
 protected:
  static const Kind& claims() { return *find_kind("", "v1", "persistentvolumeclaims"); }
  void make_pod_with_claim(const std::string& name) {
    Json pod = testing::pod_object(name);
    pod["spec"]["volumes"] =
        Json::array({{{"name", "data"},
                      {"ephemeral",
                       {{"volumeClaimTemplate",
                         {{"spec",
                           {{"accessModes", Json::array({"ReadWriteOnce"})},
                            {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}}}}}}});
    const auto made = world_.create(testing::pods(), "default", pod);
    ASSERT_EQ(testing::outcome(made), "ok") << testing::message_of(made);
  }
  [[nodiscard]] const Json* claim_of(const std::string& pod) const {
    return world_.peek(claims(), "default", pod + "-data");
  }
};

TEST_F(EphemeralClaimTest, APodOwnsTheClaimThatIsMadeForIt) {
  make_pod_with_claim("a");
  rest();
  ASSERT_NE(claim_of("a"), nullptr);
  EXPECT_EQ(text_at(*controller_of(*claim_of("a")), {"uid"}),
            text_at(pod("a"), {"metadata", "uid"}));
  make_pod_with_claim("b");
  rest();
  EXPECT_NE(claim_of("b"), nullptr);
}

TEST_F(EphemeralClaimTest, AClaimThatIsRemovedIsMadeAgain) {
  make_pod_with_claim("a");
  rest();
  ASSERT_TRUE(world_.remove({.kind = &claims(), .ns = "default", .name = "a-data"}, {}));
  rest();
  EXPECT_NE(claim_of("a"), nullptr);
}

// Else the next pod of that name would find a claim that is not its own.
TEST_F(EphemeralClaimTest, AClaimGoesWithItsPod) {
  make_pod_with_claim("a");
  rest();
  const std::string first = text_at(*claim_of("a"), {"metadata", "uid"});
  ASSERT_TRUE(world_.remove(testing::pod_target("a"), {.grace_seconds = 0}));
  rest();
  EXPECT_EQ(claim_of("a"), nullptr);
  make_pod_with_claim("a");
  rest();
  ASSERT_NE(claim_of("a"), nullptr);
  EXPECT_NE(text_at(*claim_of("a"), {"metadata", "uid"}), first);
}

}  // namespace
}  // namespace elbowroom::lab
