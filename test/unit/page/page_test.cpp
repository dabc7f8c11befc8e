#include "page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/document_text.h"

namespace elbowroom::page {
namespace {

using policy::NodeOverview;
using policy::ResizeWait;
using policy::Resources;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kGi = 1LL << 30;
const policy::Time kNow = policy::Time(seconds(1'800'000'000));

NodeOverview node_named(std::string name) {
  return {.node = std::move(name),
          .ready = policy::NodeReady::True,
          .pods = 2,
          .allocatable = {.cpu = {4000}, .memory = {8 * kGi}},
          .held = {.cpu = {3000}, .memory = {2 * kGi}},
          .promised = {.cpu = {500}},
          .free = {.cpu = {1000}, .memory = {6 * kGi}}};
}

View one_node() {
  View view{.program = "elbowroom-scheduler"};
  view.of.now = kNow;
  view.of.nodes = {node_named("node1")};
  view.holders["node1"] = {
      {.pod = "default/web", .priority = 10, .held = {.cpu = {2000}, .memory = {kGi}}},
      {.pod = "default/old", .leaves = true, .held = {.cpu = {1000}, .memory = {kGi}}}};
  return view;
}

std::size_t count_of(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(Page, SaysWhatWaitsForWhatAndWhatIsNext) {
  View view = one_node();
  view.of.waiting = {{.pod = "default/web",
                      .node = "node1",
                      .wait = ResizeWait::Deferred,
                      .since = kNow - seconds(90),
                      .lacking = {.cpu = {500}},
                      .victims = {"default/low"},
                      .why = "It lacks 500m of cpu.",
                      .next = "The scheduler removes default/low.",
                      .expected = kNow + seconds(30)}};
  view.explained = {"default/web"};
  const std::string page = page_of(view);
  EXPECT_THAT(page, AllOf(HasSubstr("Deferred"), HasSubstr("90s ago"), HasSubstr("cpu 500m"),
                          HasSubstr("It lacks 500m of cpu."),
                          HasSubstr("The scheduler removes default/low."), HasSubstr("in 30s"),
                          HasSubstr("href=\"ui?pod=default%2Fweb\"")));
}

TEST(Page, LinksOnlyPodsThatHaveAPage) {
  View view = one_node();
  view.of.waiting = {{.pod = "default/web", .node = "node1"}};
  view.of.leaving = {{.pod = "default/old", .node = "node1", .for_pod = "default/web"}};
  view.decisions = {{.at = kNow, .pod = "default/gone", .text = "Why."}};
  for (const std::string& page : {page_of(view), node_page_of(view)}) {
    EXPECT_EQ(count_of(page, "?pod="), 0U);
    EXPECT_THAT(page, HasSubstr("<bdi>default/gone</bdi>"));
  }
  view.explained = {"default/web"};
  EXPECT_EQ(count_of(page_of(view), "ui?pod=default%2Fweb"), 2U);
  EXPECT_EQ(count_of(node_page_of(view), "ui?pod=default%2Fweb"), 3U);  // as a holder, too
  EXPECT_EQ(count_of(node_page_of(view), "?pod="), 3U);
}

TEST(Page, SaysThatTheDaemonDoesNotAct) {
  View view = one_node();
  EXPECT_THAT(page_of(view), Not(HasSubstr("does not act")));
  view.idle_because = "scheduler-2 leads";
  for (const std::string& page : {page_of(view), node_page_of(view)}) {
    EXPECT_THAT(page, HasSubstr("This daemon does not act: scheduler-2 leads.</p>"));
  }
}

TEST(Page, NamesVictimsOnce) {
  View view = one_node();
  view.of.waiting = {
      {.pod = "default/a", .victims = {"default/low"}, .next = "Removes default/low."}};
  EXPECT_THAT(page_of(view), Not(HasSubstr("Victims:")));
  view.of.waiting[0].next = "Removes a pod.";
  EXPECT_THAT(page_of(view), HasSubstr("Victims: <bdi>default/low</bdi>"));
}

TEST(Page, ListsTheResizeThatWaitsLongestFirst) {
  View view = one_node();
  view.of.waiting = {{.pod = "default/unknown"},
                     {.pod = "default/young", .since = kNow - seconds(1)},
                     {.pod = "default/old", .since = kNow - seconds(100)}};
  const std::string page = page_of(view);
  const std::string rows = page.substr(page.find("id=\"resizes\""));
  EXPECT_LT(rows.find("default/old"), rows.find("default/young"));
  EXPECT_LT(rows.find("default/young"), rows.find("default/unknown"));
}

TEST(Page, DrawsWhoHoldsANode) {
  const std::string page = page_of(one_node());
  EXPECT_THAT(page, HasSubstr("<rect class=\"pod\" x=\"0\" width=\"500\" height=\"16\"><title>"
                              "default/web: cpu 2</title></rect>"));
  EXPECT_THAT(page, HasSubstr("<rect class=\"leaving\" x=\"500\" width=\"250\" height=\"16\">"
                              "<title>default/old: cpu 1</title></rect>"));
  EXPECT_THAT(page, HasSubstr("<rect class=\"promised\" x=\"750\" width=\"125\""));
  EXPECT_THAT(page, HasSubstr("3 of 4, 500m promised"));
}

TEST(Page, DrawsFurtherHoldersAsOne) {
  View view = one_node();
  view.holders["node1"].clear();
  for (int at = 0; at < 20; ++at) {
    view.holders["node1"].push_back(
        {.pod = "default/p" + std::to_string(at), .held = {.cpu = {100}}});
  }
  const std::string page = page_of(view);
  EXPECT_THAT(page, AllOf(HasSubstr("default/p7:"), Not(HasSubstr("default/p8:"))));
  // 3 cpus are held, 8 pods of 100m are drawn.
  EXPECT_THAT(page, HasSubstr("<rect class=\"rest\" x=\"200\" width=\"550\" height=\"16\"><title>"
                              "other pods: cpu 2200m</title>"));
}

TEST(Page, MarksWhatANodeHasWhereMoreIsPromised) {
  View view = one_node();
  view.of.nodes[0].promised = {.cpu = {5000}};
  EXPECT_THAT(page_of(view), HasSubstr("<rect class=\"end\" x=\"500\""));
}

TEST(Page, HasNoMarkupOfOthers) {
  const std::string bad = "</title><script>alert(1)</script>\"'&\xE2\x80\xAE";
  View view = one_node();
  view.of.nodes = {node_named(bad)};
  view.of.nodes[0].policy_owners = {bad};
  view.holders[bad] = {{.pod = bad, .held = {.cpu = {2000}, .others = {{bad, 1}}}}};
  view.of.nodes[0].held.others[bad] = 1;
  view.of.waiting = {{.pod = bad,
                      .node = bad,
                      .lacking = {.others = {{bad, 3}}},
                      .victims = {bad},
                      .why = bad,
                      .next = bad}};
  view.of.leaving = {{.pod = bad, .node = bad, .for_pod = bad, .frees = {.others = {{bad, 3}}}}};
  view.of.budgets = {{.budget = bad}};
  view.of.removals = {{.pod = bad, .by = bad, .budget = bad}};
  view.decisions = {{.at = kNow, .reason = bad, .pod = bad, .text = bad},
                    {.at = kNow, .reason = bad, .node = bad, .text = bad}};
  view.explained = {bad};
  const std::string said = to_json(
      map_value({member("message", text_value(bad)), member(bad, list_value({text_value(bad)}))}));
  for (const std::string& page : {page_of(view), node_page_of(view), page_without_view(bad, bad),
                                  pod_page_of(view, bad, said), pod_page_of(view, bad, bad)}) {
    EXPECT_EQ(count_of(page, "<script"), 1U);  // the page's own, from this server
    EXPECT_EQ(count_of(page, "alert(1)</script"), 0U);
    EXPECT_EQ(count_of(page, "\xE2\x80\xAE"), 0U);
  }
}

// The policy of the page forbids both.
TEST(Page, HasNoStyleAndNoScriptOfItsOwn) {
  for (const std::string& page : {page_of(one_node()), node_page_of(one_node())}) {
    EXPECT_EQ(count_of(page, " style="), 0U);
    EXPECT_EQ(count_of(page, "<style"), 0U);
    EXPECT_EQ(count_of(page, " onclick"), 0U);
    EXPECT_EQ(count_of(page, "http:"), 0U);
    EXPECT_EQ(count_of(page, "https:"), 0U);
  }
}

TEST(Page, DrawsDecisionsByReasonAndMinute) {
  View view = one_node();
  view.decisions = {
      {.at = kNow - seconds(10), .reason = "ResizeDeferred", .pod = "default/a", .text = "Why a."},
      {.at = kNow - seconds(20), .reason = "ResizeDeferred", .pod = "default/b", .text = "Why b."},
      {.at = kNow - std::chrono::minutes(59),
       .warning = true,
       .reason = "Preempted",
       .pod = "default/c",
       .text = "Why c."}};
  view.explained = {"default/c"};
  const std::string page = page_of(view);
  EXPECT_THAT(page, AllOf(HasSubstr("<a href=\"#d0\"><rect class=\"tick\" x=\"591\" y=\"10\" "
                                    "width=\"8\" height=\"6\"><title>2, 0 min ago</title>"),
                          HasSubstr("<a href=\"#d2\"><rect class=\"warning\" x=\"1\""),
                          HasSubstr("<tr id=\"d2\">"), HasSubstr("Why c."),
                          HasSubstr("ui?pod=default%2Fc")));
}

TEST(Page, ADecisionAfterTheViewWasReadIsNotOfTheFuture) {
  View view = one_node();
  view.decisions = {{.at = kNow + seconds(40), .text = "New."},
                    {.at = kNow - seconds(10), .text = "Old."}};
  EXPECT_THAT(page_of(view), AllOf(HasSubstr(">0s ago<"), HasSubstr(">50s ago<"),
                                   Not(HasSubstr("in "
                                                 "40s"))));
}

TEST(Page, SumsUp) {
  EXPECT_THAT(
      page_of(one_node()),
      HasSubstr("<p class=\"summary\"><strong>0</strong> resizes wait, <strong>0</strong> pods "
                "terminate. <strong>2</strong> pods on <strong>1</strong> node: cpu 3 of 4 (75 "
                "%), memory 2Gi of 8Gi (25 %) held.</p>"));
}

TEST(Page, SaysThatNoNodeIsKnown) {
  View view;
  view.of.now = kNow;
  EXPECT_THAT(page_of(view), HasSubstr("No node is known here yet."));
}

TEST(Page, SaysWhatItLeavesOut) {
  View view = one_node();
  view.of.nodes.clear();
  for (int at = 0; at < 700; ++at) view.of.nodes.push_back(node_named("n" + std::to_string(at)));
  view.of.waiting.assign(300, {.pod = "default/a", .node = "n699"});
  view.decisions.assign(250, {.at = kNow, .reason = "ResizeDeferred", .text = "Why."});
  view.forgets_older = true;
  view.unread = 11;
  const std::string page = page_of(view);
  EXPECT_EQ(count_of(page, "<article"), 500U);
  EXPECT_THAT(page, AllOf(HasSubstr("200 more are not shown"), HasSubstr("100 more are not shown"),
                          HasSubstr("50 more are not shown"),
                          HasSubstr("11 further nodes are not read yet"),
                          HasSubstr("Older ones of that hour")));
  // Something waits there.
  EXPECT_THAT(page, AllOf(HasSubstr("<article class=\"node busy\"><h3><a href=\"ui?node=n699\""),
                          Not(HasSubstr("ui?node=n698\""))));
}

TEST(Page, IsBounded) {
  const std::string name(253, '&');
  View view;
  view.of.now = kNow;
  for (int at = 0; at < 5000; ++at) {
    view.of.nodes.push_back(node_named(name + std::to_string(at)));
    view.holders[view.of.nodes.back().node].assign(30, {.pod = name, .held = {.cpu = {100}}});
  }
  const std::string text(10'000, '&');
  view.of.waiting.assign(300, {.pod = name, .node = name, .why = text, .next = text});
  view.decisions.assign(300, {.at = kNow, .reason = name, .pod = name, .text = text});
  EXPECT_LT(page_of(view).size(), std::size_t{3} << 20);
  std::string lines;
  while (lines.size() < std::size_t{4} << 20) lines += "&&&&\n";
  const std::string page = pod_page_of({}, name, lines);
  EXPECT_LT(page.size(), std::size_t{3} << 20);
  EXPECT_THAT(page, HasSubstr("The rest is not shown"));
}

TEST(NodePage, ListsThePodsOfTheNode) {
  EXPECT_THAT(node_page_of(one_node()),
              AllOf(HasSubstr("<bdi>default/web</bdi>"), HasSubstr("cpu 2, memory 1Gi"),
                    HasSubstr("terminating"), HasSubstr("free: cpu 1, memory 6Gi")));
}

TEST(PodPage, IsForPeople) {
  View view{.program = "elbowroom-scheduler"};
  view.of.now = kNow;
  view.of.waiting = {{.pod = "default/web", .why = "It lacks cpu.", .next = "Pods leave."}};
  view.decisions = {{.at = kNow, .pod = "default/web", .text = "Room is made."}};
  const std::string page = pod_page_of(
      view, "default/web",
      R"({"message":"no cpu","explanation":{"summary":"it waits","next":{"text":"wait"}}})");
  EXPECT_THAT(page, AllOf(HasSubstr("Pod <bdi>default/web</bdi>"), HasSubstr("It lacks cpu."),
                          HasSubstr("Pods leave."), HasSubstr("Room is made.")));
  EXPECT_THAT(page, HasSubstr("<p>it waits</p>\n<p>no cpu</p>\n<p>wait</p>\n"
                              "<pre>message: &quot;no cpu&quot;\nexplanation:\n"
                              "  summary: &quot;it waits&quot;\n"));
  EXPECT_THAT(page, Not(HasSubstr("{")));
}

TEST(PodPage, SaysThatThereIsNothingToSay) {
  EXPECT_THAT(pod_page_of({}, "default/web", ""), HasSubstr("Nothing now."));
}

}  // namespace
}  // namespace elbowroom::page
