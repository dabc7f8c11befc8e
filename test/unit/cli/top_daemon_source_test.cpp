// One daemon's overview, asked for again and again, from a scripted server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "api/codec/encode_overview.h"
#include "api/codec/json.h"
#include "cli/top/daemon_source.h"
#include "command_line.h"
#include "daemon/http/http_server.h"
#include "top_world.h"

namespace elbowroom::cli::top {
namespace {

using daemon::Reply;
using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Reply overview_reply(const policy::Overview& overview) {
  return {.type = "application/json", .body = api::to_json(api::encode_overview(overview))};
}

// Answers with what the test says next.
class ScriptedDaemon {
 public:
  ScriptedDaemon() { start({.host = "127.0.0.1", .port = 0}); }

  void says(Reply reply) {
    const std::scoped_lock lock(mutex_);
    overview_ = std::move(reply);
  }
  void explains(Reply reply) {
    const std::scoped_lock lock(mutex_);
    explanation_ = std::move(reply);
  }
  [[nodiscard]] int asked() const {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }
  [[nodiscard]] std::string asked_about() const {
    const std::scoped_lock lock(mutex_);
    return asked_about_;
  }
  void end() { http_.reset(); }
  void begin_again() { start(address_); }

  [[nodiscard]] std::string url() const { return "http://" + daemon::to_string(address_); }
  [[nodiscard]] api::ServerUrl server() const { return *api::parse_server_url(url()); }

 private:
  void start(const daemon::Address& at) {
    daemon::Endpoints endpoints;
    endpoints.overview = [this] {
      const std::scoped_lock lock(mutex_);
      ++asked_;
      return overview_;
    };
    endpoints.explain = [this](const std::string& ns, const std::string& name) {
      const std::scoped_lock lock(mutex_);
      asked_about_ = ns + "/" + name;
      return explanation_;
    };
    auto http = daemon::HttpServer::start(at, std::move(endpoints));
    ASSERT_TRUE(http) << http.error().message;
    http_ = std::move(*http);
    address_ = http_->address();
  }

  mutable std::mutex mutex_;
  Reply overview_ = overview_reply(small_cluster());
  Reply explanation_{.status = 404, .body = "no such pod\n"};
  int asked_ = 0;
  std::string asked_about_{};
  daemon::Address address_{};
  std::unique_ptr<daemon::HttpServer> http_;
};

class DaemonSourceTest : public testing::Test {
 protected:
  static constexpr DaemonSource::Pace kPace{.between = milliseconds(20),
                                            .while_unread = milliseconds(20)};

  void open(DaemonSource::Pace pace = kPace) {
    auto opened = DaemonSource::open(daemon.server(), [] {}, pace);
    ASSERT_TRUE(opened) << opened.error().message;
    source = std::move(*opened);
  }
  // The first sight that is as wanted.
  Sight until(const std::function<bool(const Sight&)>& is_wanted) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < deadline) {
      const auto sight = source->last();
      if (is_wanted(*sight)) return *sight;
      std::this_thread::yield();
    }
    ADD_FAILURE() << "no such sight within 30 s";
    return *source->last();
  }

  ScriptedDaemon daemon{};
  std::unique_ptr<DaemonSource> source{};
};

bool has_notes(const Sight& sight) { return !sight.notes.empty(); }

policy::Overview later_cluster() {
  policy::Overview later = small_cluster();
  later.now += std::chrono::seconds(2);
  later.nodes.resize(1);
  return later;
}

TEST_F(DaemonSourceTest, ShowsWhatTheDaemonSaysAndWhatItSaysNext) {
  open();
  EXPECT_EQ(source->name(), daemon.url());
  const auto first = source->last();
  EXPECT_TRUE(first->is_complete);
  EXPECT_EQ(first->overview, small_cluster());
  EXPECT_THAT(first->notes, IsEmpty());
  daemon.says(overview_reply(later_cluster()));
  const Sight next =
      until([](const Sight& sight) { return sight.overview.now == later_cluster().now; });
  EXPECT_EQ(next.overview, later_cluster());
}

TEST_F(DaemonSourceTest, NobodyAnswersAtTheStart) {
  daemon.end();
  const auto opened = DaemonSource::open(daemon.server(), [] {}, kPace);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::Unavailable);
  EXPECT_THAT(opened.error().message, StartsWith("ask " + daemon.url() + "/overview: "));
}

TEST_F(DaemonSourceTest, AnAnswerThatIsNoOverviewIsRefusedAtTheStart) {
  daemon.says({.type = "application/json", .body = R"({"kind": "Status"})"});
  const auto odd = DaemonSource::open(daemon.server(), [] {}, kPace);
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error().code, Code::Invalid);
  EXPECT_THAT(odd.error().message, HasSubstr("apiVersion: must be elbowroom.dev/v1alpha1"));
  daemon.says({.status = 404, .body = "not found\n"});
  const auto none = DaemonSource::open(daemon.server(), [] {}, kPace);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::NotFound);
}

TEST_F(DaemonSourceTest, ADaemonThatStillReadsIsAskedAgain) {
  daemon.says({.status = 503, .body = "7 nodes are not read yet: ask again, until all are\n"});
  open();
  EXPECT_FALSE(source->last()->is_complete);
  EXPECT_THAT(source->last()->notes,
              ElementsAre(AllOf(StartsWith("nothing is seen yet: "), HasSubstr("7 nodes"))));
  daemon.says(overview_reply(small_cluster()));
  const Sight seen = until([](const Sight& sight) { return sight.is_complete; });
  EXPECT_EQ(seen.overview, small_cluster());
  EXPECT_THAT(seen.notes, IsEmpty());
}

TEST_F(DaemonSourceTest, ADaemonThatNeverHasOneIsNotWaitedForLonger) {
  daemon.says({.status = 503, .body = "the reactor did not answer in time\n"});
  open({.between = milliseconds(20),
        .while_unread = milliseconds(20),
        .first_within = milliseconds(100)});
  const Sight given_up = until([](const Sight& sight) { return sight.is_complete; });
  EXPECT_TRUE(given_up.sees_nothing);
  EXPECT_THAT(given_up.notes, ElementsAre(HasSubstr("the reactor did not answer in time")));
}

TEST_F(DaemonSourceTest, TheLastOverviewStaysAndIsDated) {
  open();
  daemon.says({.status = 503, .body = "the reactor did not answer in time\n"});
  Sight stays = until(has_notes);
  EXPECT_EQ(stays.overview, small_cluster());
  EXPECT_TRUE(stays.is_complete);
  EXPECT_THAT(stays.notes,
              ElementsAre(AllOf(StartsWith("all is as last seen at 2026-11-28T12:00:00Z: "),
                                HasSubstr("the reactor did not answer in time"))));
  daemon.says(overview_reply(later_cluster()));
  until([](const Sight& sight) { return !has_notes(sight); });
  daemon.end();
  stays = until(has_notes);
  EXPECT_EQ(stays.overview, later_cluster());
  EXPECT_THAT(stays.notes,
              ElementsAre(StartsWith("all is as last seen at 2026-11-28T12:00:02Z: ")));
  daemon.begin_again();
  until([](const Sight& sight) { return !has_notes(sight); });
}

TEST_F(DaemonSourceTest, AnOverviewThatGrowsOldIsDated) {
  open({.between = milliseconds(20), .old_after = milliseconds(200)});
  EXPECT_THAT(until(has_notes).notes,
              ElementsAre("all is as last seen at 2026-11-28T12:00:00Z: the daemon has no newer "
                          "overview"));
  daemon.says(overview_reply(later_cluster()));
  until([](const Sight& sight) { return !has_notes(sight); });
}

TEST_F(DaemonSourceTest, ExplainsAPodAsTheDaemonDoes) {
  daemon.explains(
      {.type = "application/json", .body = R"({"kind": "PodExplanation", "pod": "default/web-1",
                               "summary": "pod default/web-1 waits"})"});
  open();
  source->explain("default/web-1");
  const Sight explained =
      until([](const Sight& sight) { return sight.explained.pod == "default/web-1"; });
  EXPECT_THAT(explained.explained.text, HasSubstr("pod default/web-1 waits"));
  EXPECT_EQ(daemon.asked_about(), "default/web-1");
  daemon.explains({.status = 404, .body = "no such pod\n"});
  const Sight gone = until(has_notes);
  EXPECT_EQ(gone.explained.pod, "") << "the detail is what the overview says";
  EXPECT_THAT(gone.notes, ElementsAre(AllOf(StartsWith("pod default/web-1 is not explained: "),
                                            HasSubstr("no such pod"))));
  source->explain("");
  until([](const Sight& sight) { return !has_notes(sight); });
}

// ---- the verb ----

TEST_F(DaemonSourceTest, APipeGetsPlainTables) {
  const Outcome got = run({"top", "--server", daemon.url()});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(got.err, "");
  EXPECT_THAT(got.out, AllOf(HasSubstr("node10"), HasSubstr("default/web-1")));
}

TEST_F(DaemonSourceTest, NobodyAnswersTheVerb) {
  daemon.end();
  const Outcome got = run({"top", "--once", "--server", daemon.url()});
  EXPECT_EQ(got.status, 69);
  EXPECT_EQ(got.out, "");
  EXPECT_THAT(got.err, HasSubstr(daemon.url()));
}

TEST_F(DaemonSourceTest, AClusterAndADaemonExcludeEachOther) {
  for (const char* option : {"--kubeconfig", "--context"}) {
    const Outcome got = run({"top", "--server", daemon.url(), option, "x"});
    EXPECT_EQ(got.status, 2);
    EXPECT_THAT(got.err, HasSubstr(std::string(option) + " and --server exclude each other"));
  }
  EXPECT_EQ(run({"top", "--server", "ftp://x"}).status, 2);
  EXPECT_EQ(daemon.asked(), 0);
}

}  // namespace
}  // namespace elbowroom::cli::top
