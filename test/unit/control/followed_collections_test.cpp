// How a collection is followed whose kind is found by discovery, on a server and a clock of the
// test's.
#include "control/followed_collections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/object_ref.h"
#include "base/document.h"
#include "test/scripted_server.h"

namespace elbowroom::control {
namespace {

using api::Response;
using test::ScriptedServer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using namespace std::chrono_literals;

enum class Kinds { Groups };

// Puts down what is told, in words.
class Line {
 public:
  explicit Line(ScriptedServer& server) : server_(server) {}
  [[nodiscard]] api::Transport& transport() { return server_; }

  void tell(const Listed<std::string>& list) {
    std::string words = "listed";
    for (const std::string& each : list.objects) words += " " + each;
    told.push_back(words);
  }
  void tell(const Seen<std::string>& one) { told.push_back("seen " + one.object); }
  void tell(const Gone<std::string>& one) { told.push_back("gone " + one.key); }
  void tell(const Unreadable& odd) { told.push_back("unreadable " + odd.key); }
  void tell(const Lost<Kinds>& lost) { told.push_back("lost: " + lost.why); }
  void tell(const Back<Kinds>& /*back*/) { told.emplace_back("back"); }
  [[nodiscard]] std::vector<std::string> take_told() { return std::exchange(told, {}); }

  std::vector<std::string> told{};

 private:
  ScriptedServer& server_;
};

constexpr CollectionRow kGroups{.name = "groups",
                                .words = "groups",
                                .group = "example.com",
                                .version = "v1beta1",
                                .older_versions = {"v1alpha3", "v1alpha2"},
                                .resource = "groups",
                                .kind = "Group",
                                .why = "all",
                                .is_optional = true,
                                .is_discovered = true};

const std::string kGroup = "/apis/example.com";

class Discovered : public testing::Test {
 protected:
  Discovered() {
    collections_.add(Kinds::Groups,
                     Following<std::string>{
                         .row = kGroups,
                         .target = target_of(kGroups),
                         .decode = [](const Value& object) -> Result<std::string> {
                           return api::ref_of(object).name;
                         },
                         .followed = [this](std::string_view version) { version_ = version; }});
  }

  static Response ok(std::string body) { return {.status = 200, .body = std::move(body)}; }
  static Response denied(const std::string& what) {
    return {
        .status = 403,
        .body = R"({"kind":"Status","reason":"Forbidden","code":403,"message":")" + what + "\"}"};
  }
  void serve_group(const std::vector<std::string>& versions) {
    std::string list;
    for (const std::string& each : versions) {
      list += (list.empty() ? "" : ",") + (R"({"groupVersion":"example.com/)" + each) +
              R"(","version":")" + each + R"("})";
    }
    server_.answers[kGroup] = ok(R"({"kind":"APIGroup","versions":[)" + list + "]}");
  }
  void serve(const std::string& version, const std::string& name) {
    const std::string path = kGroup + "/" + version;
    server_.answers[path] = ok(
        R"({"kind":"APIResourceList","resources":[{"name":"groups"},{"name":"groups/status"}]})");
    server_.answers[path + "/groups"] = ok(
        R"({"kind":"GroupList","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":")" +
        name + "\"}}]}");
  }
  void withdraw(const std::string& version) {
    server_.answers.erase(kGroup + "/" + version);
    server_.answers.erase(kGroup + "/" + version + "/groups");
  }
  void start() {
    collections_.start();
    server_.pass(0s);
  }
  [[nodiscard]] api::Freshness freshness() const { return collections_.rounds().at(0).freshness; }

  ScriptedServer server_;
  Line line_{server_};
  std::string version_ = "unasked";
  FollowedCollections<Line, Kinds> collections_{line_, 1};
};

TEST_F(Discovered, IsFollowedInItsNewestVersion) {
  serve_group({"v1", "v1alpha3", "v1beta1"});
  serve("v1beta1", "new");
  serve("v1alpha3", "old");
  start();
  EXPECT_THAT(line_.told, ElementsAre("listed new"));
  EXPECT_EQ(version_, "v1beta1");
  EXPECT_THAT(server_.asked,
              ElementsAre(kGroup, kGroup + "/v1beta1", "list " + kGroup + "/v1beta1/groups",
                          "watch " + kGroup + "/v1beta1/groups"));
  // While it is followed nothing more is asked.
  server_.asked.clear();
  server_.pass(60s);
  EXPECT_THAT(server_.asked, IsEmpty());
}

TEST_F(Discovered, IsFollowedInAnOlderVersionWhereTheNewerOnesAreNotServed) {
  serve_group({"v1", "v1alpha2", "v1alpha3"});
  serve("v1alpha2", "oldest");
  serve("v1alpha3", "old");
  start();
  EXPECT_THAT(line_.told, ElementsAre("listed old"));
  EXPECT_EQ(version_, "v1alpha3");
}

// A version may serve other kinds only.
TEST_F(Discovered, IsLookedForInEachVersion) {
  serve_group({"v1beta1", "v1alpha2"});
  server_.answers[kGroup + "/v1beta1"] =
      ok(R"({"kind":"APIResourceList","resources":[{"name":"others"},{"name":"groups/status"}]})");
  serve("v1alpha2", "oldest");
  start();
  EXPECT_THAT(line_.told, ElementsAre("listed oldest"));
}

TEST_F(Discovered, WhereItIsNotServedThereAreNoneUntilItIs) {
  serve_group({"v1"});
  start();
  EXPECT_THAT(line_.take_told(), ElementsAre("listed"));
  EXPECT_EQ(version_, "");
  EXPECT_TRUE(freshness().is_synced);
  EXPECT_EQ(freshness().heard, server_.now());
  // Its list is never asked for: that could take a right.
  EXPECT_THAT(server_.take_asked(), ElementsAre(kGroup));

  server_.pass(61s);
  EXPECT_THAT(server_.asked, ElementsAre(kGroup, kGroup));
  EXPECT_THAT(line_.told, IsEmpty());
  serve_group({"v1", "v1beta1"});
  serve("v1beta1", "new");
  server_.pass(30s);
  EXPECT_THAT(line_.told, ElementsAre("listed new"));
  EXPECT_EQ(version_, "v1beta1");
}

TEST_F(Discovered, AServerWithoutTheGroupHasNone) {
  start();
  EXPECT_THAT(line_.told, ElementsAre("listed"));
}

TEST_F(Discovered, AMissingRightIsALoss) {
  serve_group({"v1beta1"});
  serve("v1beta1", "new");
  server_.answers[kGroup + "/v1beta1/groups"] = denied("may not list groups");
  start();
  EXPECT_THAT(line_.told, ElementsAre(AllOf(StartsWith("lost: list " + kGroup + "/v1beta1/groups"),
                                            HasSubstr("may not list groups"))));
  serve("v1beta1", "new");
  server_.pass(10s);
  EXPECT_EQ(line_.told.back(), "listed new");
}

TEST_F(Discovered, WithoutAnAnswerItIsNotKnownWhetherThereAreAny) {
  for (const Response& odd :
       {denied("may not discover"), ok("[]"), ok("no JSON"),
        ok(R"({"kind":"APIGroupList","groups":[]})"), Response{.status = 503}}) {
    server_.answers[kGroup] = odd;
    Line line(server_);
    FollowedCollections<Line, Kinds> collections(line, 1);
    collections.add(Kinds::Groups, Following<std::string>{
                                       .row = kGroups,
                                       .target = target_of(kGroups),
                                       .decode = [](const Value& object) -> Result<std::string> {
                                         return api::ref_of(object).name;
                                       }});
    collections.start();
    server_.pass(0s);
    EXPECT_THAT(line.take_told(), ElementsAre(StartsWith("lost: GET " + kGroup + ": ")))
        << odd.body;
    server_.answers.erase(kGroup);
    server_.pass(120s);
    EXPECT_THAT(line.told, ElementsAre("listed"));
  }
  // The same of a version's resources.
  serve_group({"v1beta1"});
  server_.answers[kGroup + "/v1beta1"] = ok(R"({"kind":"APIResourceList"})");
  start();
  EXPECT_THAT(line_.told,
              ElementsAre("lost: GET " + kGroup + "/v1beta1: the answer is no APIResourceList"));
}

// Its objects may exist still, as after an upgrade to a version that is not known here.
TEST_F(Discovered, AKindThatIsWithdrawnWithItsObjectsIsALossUntilItIsServedAgain) {
  serve_group({"v1beta1"});
  serve("v1beta1", "new");
  start();
  EXPECT_THAT(line_.take_told(), ElementsAre("listed new"));
  for (const auto& versions : {std::vector<std::string>{"v1"}, {"v1beta1"}}) {
    serve_group(versions);
    withdraw("v1beta1");
    server_.cut();
    server_.pass(120s);
    EXPECT_THAT(line_.told, testing::Not(testing::Contains("listed")));
    EXPECT_THAT(line_.take_told().back(),
                AllOf(StartsWith("lost: "), HasSubstr("groups were known and may exist still")));
    EXPECT_TRUE(freshness().is_stale);
    // ... and when it comes back, they are followed again.
    serve_group({"v1beta1"});
    serve("v1beta1", "again");
    server_.pass(60s);
    EXPECT_EQ(line_.take_told().back(), "listed again");
  }
}

// Nobody knows any of the other version's before it is listed.
TEST_F(Discovered, AVersionThatIsNeverListedLeavesALoss) {
  serve_group({"v1alpha3"});
  serve("v1alpha3", "same");
  start();
  serve_group({"v1beta1"});
  serve("v1beta1", "same");
  server_.answers[kGroup + "/v1beta1/groups"] = Response{.status = 503};
  withdraw("v1alpha3");
  server_.cut();
  server_.pass(60s);
  serve_group({"v1"});
  withdraw("v1beta1");
  server_.pass(120s);
  EXPECT_THAT(line_.told, testing::Not(testing::Contains("listed")));
  EXPECT_THAT(line_.told.back(), StartsWith("lost: "));
}

TEST_F(Discovered, AKindWhoseObjectsWentBeforeItHasNone) {
  serve_group({"v1beta1"});
  serve("v1beta1", "new");
  start();
  server_.answers[kGroup + "/v1beta1/groups"] =
      ok(R"({"kind":"GroupList","metadata":{"resourceVersion":"8"},"items":[]})");
  server_.cut();
  server_.pass(10s);
  EXPECT_EQ(line_.take_told().back(), "listed");
  serve_group({"v1"});
  withdraw("v1beta1");
  server_.cut();
  server_.pass(29s);
  EXPECT_EQ(line_.take_told().back(), "listed");
  EXPECT_EQ(version_, "");
  serve_group({"v1beta1"});
  serve("v1beta1", "again");
  server_.pass(60s);
  EXPECT_THAT(line_.told, ElementsAre("listed again"));
}

// What is known is kept until the other version is listed: no moment without groups.
TEST_F(Discovered, AVersionThatIsWithdrawnIsReplacedByAnother) {
  serve_group({"v1alpha3"});
  serve("v1alpha3", "same");
  start();
  line_.told.clear();
  serve_group({"v1beta1"});
  serve("v1beta1", "same");
  withdraw("v1alpha3");
  server_.cut();
  server_.pass(29s);
  EXPECT_THAT(line_.told, testing::Not(testing::Contains("listed")));
  EXPECT_EQ(line_.told.back(), "listed same");
  EXPECT_EQ(version_, "v1beta1");
}

// One of two API servers is not upgraded yet.
TEST_F(Discovered, WhereServersDisagreeItIsALossUntilItIsListed) {
  serve_group({"v1beta1"});
  serve("v1beta1", "new");
  const Response list = server_.answers.at(kGroup + "/v1beta1/groups");
  server_.answers.erase(kGroup + "/v1beta1/groups");
  start();
  EXPECT_THAT(line_.take_told(),
              ElementsAre(AllOf(StartsWith("lost: list " + kGroup), HasSubstr("404"))));
  server_.answers[kGroup + "/v1beta1/groups"] = list;
  server_.pass(10s);
  EXPECT_EQ(line_.take_told().back(), "listed new");
  // Discovery that fails later is no loss: the watch goes on.
  server_.answers[kGroup] = Response{.status = 503};
  server_.pass(60s);
  EXPECT_THAT(line_.told, IsEmpty());
}

}  // namespace
}  // namespace elbowroom::control
