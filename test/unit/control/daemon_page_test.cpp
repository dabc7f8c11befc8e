#include "control/daemon_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "page/page.h"

namespace elbowroom::control {
namespace {

using daemon::LogEntry;
using daemon::LogLevel;
using daemon::Reply;
using page::PageAsked;
using page::PagePart;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const policy::Time kNow = policy::Time(std::chrono::seconds(1'800'000'000));

policy::Pod pod_named(const std::string& name, std::int64_t cpu) {
  policy::Pod pod;
  pod.ns = "default";
  pod.name = pod.uid = name;
  pod.phase = policy::Phase::Running;
  policy::Container main;
  main.name = "main";
  main.desired.requests.cpu = {cpu};
  pod.containers = {main};
  return pod;
}

// A daemon's state, which answers at most `at_once` names of a question.
struct State {
  std::map<std::string, std::vector<policy::Pod>> nodes{};
  std::size_t at_once = 1'000;
  bool answers = true;
  std::vector<PageAsked> asked{};
  std::map<std::string, std::string> says{};  // by pod

  std::optional<PagePart> part(const PageAsked& question) {
    asked.push_back(question);
    if (!answers) return std::nullopt;
    PagePart part{.now = kNow};
    if (question.kind == PageAsked::Kind::Names) {
      for (const auto& [name, pods] : nodes) part.nodes.push_back(name);
      return part;
    }
    for (const std::string& each : question.names) {
      if (part.done == at_once) break;
      ++part.done;
      if (!nodes.contains(each)) continue;
      page::NodeCopy copy{.pods = nodes.at(each)};
      copy.node.name = each;
      copy.node.allocatable.cpu = {4000};
      part.copies.push_back(std::move(copy));
    }
    return part;
  }

  std::optional<std::string> explanation(const std::string& pod) {
    if (!answers) return std::nullopt;
    return says.contains(pod) ? says.at(pod) : "";
  }
};

struct Page {
  State state{};
  DaemonPage::Clock::time_point now{};
  std::chrono::milliseconds each_look{0};  // the time goes on by so much when it is looked at
  DaemonPage page{"elbowroom-toy", [this](const PageAsked& asked) { return state.part(asked); },
                  [this](const std::string& pod) { return state.explanation(pod); },
                  [this] { return now += each_look; }};

  Reply get(std::string path, std::map<std::string, std::string> parameters = {}) {
    return page.answer(
        {.method = "GET", .path = std::move(path), .parameters = std::move(parameters)});
  }
};

std::string header_of(const Reply& reply, std::string_view name) {
  const auto at =
      std::ranges::find(reply.headers, name, &std::pair<std::string, std::string>::first);
  return at == reply.headers.end() ? "" : at->second;
}

TEST(DaemonPage, ShowsEveryNodePartByPart) {
  Page daemon;
  daemon.state.at_once = 3;
  for (int at = 0; at < 100; ++at) {
    daemon.state.nodes["n" + std::to_string(at)] = {pod_named("p" + std::to_string(at), 1000)};
  }
  const Reply reply = daemon.get("/ui");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(header_of(reply, "Content-Security-Policy"), page::kContentPolicy);
  EXPECT_EQ(header_of(reply, "Referrer-Policy"), "no-referrer");
  for (int at = 0; at < 100; ++at) {
    EXPECT_THAT(reply.body, HasSubstr("default/p" + std::to_string(at) + ": cpu 1<"));
  }
  EXPECT_LT(reply.body.find("ui?node=n2\""), reply.body.find("ui?node=n10\""));
  EXPECT_THAT(reply.body, Not(HasSubstr("not read yet")));
  for (const PageAsked& each : daemon.state.asked) EXPECT_LE(each.names.size(), 64U);
}

TEST(DaemonPage, AsksTheReactorOnceForManyRequestsInARow) {
  Page daemon;
  daemon.state.nodes["n1"] = {};
  static_cast<void>(daemon.get("/ui"));
  const std::size_t asked = daemon.state.asked.size();
  for (int at = 0; at < 10; ++at) {
    EXPECT_EQ(daemon.get("/ui").status, 200);
    EXPECT_EQ(daemon.page.overview().status, 200);
    EXPECT_EQ(daemon.get("/ui/style.css").status, 200);
  }
  EXPECT_EQ(daemon.state.asked.size(), asked);
}

TEST(DaemonPage, AsksAgainAfterASecond) {
  Page daemon;
  static_cast<void>(daemon.get("/ui"));
  daemon.state.nodes["n1"] = {};
  daemon.now += std::chrono::milliseconds(999);
  EXPECT_THAT(daemon.get("/ui").body, Not(HasSubstr("ui?node=n1")));
  daemon.now += std::chrono::milliseconds(1);
  EXPECT_THAT(daemon.get("/ui").body, HasSubstr("ui?node=n1"));
}

TEST(DaemonPage, ReadsALargeClusterOverSeveralRequests) {
  Page daemon;
  daemon.state.at_once = 1;
  daemon.each_look = std::chrono::milliseconds(100);
  for (int at = 0; at < 5; ++at) daemon.state.nodes["n" + std::to_string(at)] = {};
  const Reply first = daemon.get("/ui");
  EXPECT_THAT(first.body, AllOf(HasSubstr("ui?node=n0"), Not(HasSubstr("ui?node=n4")),
                                HasSubstr("further nodes are not read yet")));
  EXPECT_EQ(daemon.page.overview().status, 503);
  int requests = 2;
  while (requests < 10 && daemon.page.overview().status == 503) ++requests;
  EXPECT_LT(requests, 10);
  EXPECT_THAT(daemon.get("/ui").body,
              AllOf(HasSubstr("ui?node=n4"), Not(HasSubstr("further nodes are not read yet"))));
}

TEST(DaemonPage, ShowsWhatWasReadLastWhereTheReactorDoesNotAnswer) {
  Page daemon;
  daemon.state.nodes["n1"] = {};
  EXPECT_THAT(daemon.get("/ui").body, Not(HasSubstr("does not answer")));
  daemon.state.answers = false;
  daemon.now += std::chrono::minutes(1);
  const Reply reply = daemon.get("/ui");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body, AllOf(HasSubstr("ui?node=n1"), HasSubstr("does not answer")));
}

TEST(DaemonPage, SaysThatTheReactorDoesNotAnswer) {
  Page daemon;
  daemon.state.answers = false;
  for (const Reply& reply : {daemon.get("/ui"), daemon.get("/ui", {{"node", "n1"}}),
                             daemon.get("/ui", {{"pod", "default/a"}}), daemon.page.overview()}) {
    EXPECT_EQ(reply.status, 503);
    EXPECT_THAT(reply.body, HasSubstr("did not answer in time"));
  }
}

TEST(DaemonPage, ANodeHasAPageOfItsOwn) {
  Page daemon;
  daemon.state.nodes["n1"] = {pod_named("small", 100), pod_named("large", 2000)};
  daemon.page.note(
      {{.message = "Because of large.", .pod = "default/large", .reason = "ResizeDeferred"},
       {.message = "Of another node.", .pod = "default/other", .reason = "ResizeDeferred"}},
      kNow);
  const Reply reply = daemon.get("/ui", {{"node", "n1"}});
  EXPECT_EQ(reply.status, 200);
  EXPECT_LT(reply.body.find("default%2Flarge"), reply.body.find("default%2Fsmall"));
  EXPECT_THAT(reply.body,
              AllOf(HasSubstr("Because of large."), Not(HasSubstr("Of another node."))));
  EXPECT_EQ(daemon.get("/ui", {{"node", "<script>"}}).status, 404);
  EXPECT_EQ(daemon.get("/ui", {{"node", ""}}).status, 400);
  EXPECT_EQ(daemon.get("/ui", {{"node", std::string(254, 'n')}}).status, 400);
  EXPECT_EQ(daemon.get("/ui/other").status, 404);
}

TEST(DaemonPage, APodHasAPageWhereSomethingIsSaidOfIt) {
  Page daemon;
  daemon.state.nodes["n1"] = {pod_named("told", 100)};
  daemon.state.says = {{"default/told", R"({"message":"it waits"})"}};
  daemon.page.note({{.message = "It went.", .pod = "default/gone"},
                    {.message = "Of another.", .pod = "default/other"}},
                   kNow);
  const Reply told = daemon.get("/ui", {{"pod", "default/told"}});
  EXPECT_EQ(told.status, 200);
  EXPECT_EQ(told.type, "text/html; charset=utf-8");
  EXPECT_EQ(header_of(told, "Content-Security-Policy"), page::kContentPolicy);
  EXPECT_THAT(told.body,
              AllOf(HasSubstr("<pre>message: &quot;it waits&quot;\n"), Not(HasSubstr("It went."))));
  const Reply gone = daemon.get("/ui", {{"pod", "default/gone"}});
  EXPECT_EQ(gone.status, 200);
  EXPECT_THAT(gone.body, AllOf(HasSubstr("It went."), Not(HasSubstr("Of another."))));
  EXPECT_EQ(daemon.get("/ui", {{"pod", "default/unknown"}}).status, 404);
  EXPECT_EQ(daemon.get("/ui", {{"pod", "told"}}).status, 400);
  EXPECT_EQ(daemon.get("/ui", {{"pod", "a/" + std::string(600, 'n')}}).status, 400);
}

// Every link to a pod leads to a page of it.
TEST(DaemonPage, PodsThatADecisionIsAboutAreLinked) {
  Page daemon;
  daemon.page.note({{.message = "It went.", .pod = "default/gone"}}, kNow);
  EXPECT_THAT(daemon.get("/ui").body, HasSubstr("href=\"ui?pod=default%2Fgone\""));
}

TEST(DaemonPage, DecisionsAreWhatTheLogTellsOfPodsAndNodes) {
  Page daemon;
  daemon.page.note({{.level = LogLevel::Debug, .message = "Below.", .pod = "default/a"},
                    {.level = LogLevel::Info, .message = "Of nothing."},
                    {.level = LogLevel::Warn,
                     .message = "Why so.",
                     .pod = "default/a",
                     .uid = "u",
                     .reason = "Preempted"}},
                   kNow);
  daemon.page.note({{.message = "Long ago.", .pod = "default/a"}}, kNow - std::chrono::hours(2));
  const Reply reply = daemon.get("/ui");
  EXPECT_THAT(reply.body,
              AllOf(HasSubstr("Why so."), HasSubstr("Preempted"), Not(HasSubstr("Below.")),
                    Not(HasSubstr("Of nothing.")), Not(HasSubstr("Long ago."))));
}

TEST(DaemonPage, TheLastThousandDecisionsAreKept) {
  Page daemon;
  for (int at = 0; at < 3'000; ++at) {
    daemon.page.note({{.message = "Number " + std::to_string(at) + ".", .pod = "default/a"}}, kNow);
    if (at == 500) static_cast<void>(daemon.get("/ui"));
  }
  const Reply reply = daemon.get("/ui");
  EXPECT_THAT(reply.body,
              AllOf(HasSubstr("Number 2999."), HasSubstr("Number 2800."),
                    HasSubstr("800 more are not shown"), HasSubstr("Older ones of that hour")));
}

TEST(DaemonPage, OverviewIsADocument) {
  Page daemon;
  daemon.state.nodes["n1"] = {pod_named("a", 1500)};
  const Reply reply = daemon.page.overview();
  EXPECT_EQ(reply.type, "application/json");
  EXPECT_THAT(reply.body,
              AllOf(HasSubstr("\"Overview\""), HasSubstr("\"n1\""), HasSubstr("1500m")));
}

}  // namespace
}  // namespace elbowroom::control
