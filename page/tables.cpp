#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/timestamp.h"
#include "page/amount.h"
#include "page/parts.h"

namespace elbowroom::page {
namespace {

using policy::ResizeWait;
using policy::Time;
using policy::WaitingResize;

std::string distance_text(std::chrono::seconds distance) {
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  const std::int64_t seconds = distance.count();
  if (seconds < 2 * kMinute) return std::to_string(seconds) + "s";
  if (seconds < 2 * kHour) return std::to_string(seconds / kMinute) + "m";
  if (seconds < 2 * kDay) return std::to_string(seconds / kHour) + "h";
  return std::to_string(seconds / kDay) + "d";
}

Markup badge_of(ResizeWait wait) {
  switch (wait) {
    case ResizeWait::Unjudged:
      return "<span class=\"badge\">not judged yet</span>";
    case ResizeWait::Deferred:
      return "<span class=\"badge waits\">Deferred</span>";
    case ResizeWait::Infeasible:
      return "<span class=\"badge bad\">Infeasible</span>";
    case ResizeWait::InProgress:
      return "<span class=\"badge good\">in progress</span>";
  }
  return "";
}

void write_node_link(Html& html, std::string_view node) {
  html.put("<a href=\"ui?node=").url(node).put("\"><bdi>").text(node).put("</bdi></a>");
}

void write_sentence(Html& html, std::string_view text) {
  if (!text.empty()) html.put("<p>").text(text).put("</p>");
}

// Unless what is next names them.
void write_victims(Html& html, const WaitingResize& resize) {
  if (resize.victims.empty() || resize.next.contains(resize.victims.front())) return;
  constexpr std::size_t kMostNamed = 10;
  html.put("<p>Victims: ");
  const std::size_t named = std::min(resize.victims.size(), kMostNamed);
  for (std::size_t at = 0; at < named; ++at) {
    if (at > 0) html.put(", ");
    html.put("<bdi>").text(resize.victims[at]).put("</bdi>");
  }
  if (resize.victims.size() > named) {
    html.put(" and ").number(static_cast<std::int64_t>(resize.victims.size() - named)).put(" more");
  }
  html.put("</p>");
}

void write_resize(Html& html, const View& view, const WaitingResize& resize) {
  const Time now = view.of.now;
  html.put("<tr><td data-label=\"Pod\">");
  write_pod(html, view, resize.pod);
  html.put(" ").put(badge_of(resize.wait)).put("</td><td data-label=\"Node\">");
  write_node_link(html, resize.node);
  html.put("</td><td data-label=\"Waits since\">");
  if (resize.since) write_time(html, *resize.since, now);
  html.put("</td><td data-label=\"Lacks\">").text(amounts_text(resize.lacking));
  html.put("</td><td class=\"wide\" data-label=\"Why, and what is next\">");
  write_sentence(html, resize.why);
  write_sentence(html, resize.next);
  write_victims(html, resize);
  if (resize.expected) {
    html.put("<p>Expected ");
    write_time(html, *resize.expected, now);
    html.put("</p>");
  }
  html.put("</td></tr>\n");
}

// The longest first; those of an unknown age last.
std::vector<const WaitingResize*> by_age(const std::vector<WaitingResize>& all) {
  std::vector<const WaitingResize*> sorted;
  for (const WaitingResize& each : all) sorted.push_back(&each);
  std::ranges::stable_sort(sorted, [](const WaitingResize* a, const WaitingResize* b) {
    return a->since.value_or(Time::max()) < b->since.value_or(Time::max());
  });
  return sorted;
}

void write_heading(Html& html, Markup opening, std::size_t count) {
  html.put(opening).put(" <span class=\"count\">").number(static_cast<std::int64_t>(count));
  html.put("</span></h2>\n");
}

// The rows that fit, each by `write`; then how many do not.
template <class Rows, class Write>
void write_rows(Html& html, const Rows& rows, Markup how, Write write) {
  std::size_t shown = 0;
  while (shown < std::min(rows.size(), kMostRows) && html.size() < kMostPageBytes) {
    write(rows[shown++]);
  }
  html.put("</tbody></table>\n");
  write_left_out(html, rows.size() - shown, how);
}

}  // namespace

void write_pod(Html& html, const View& view, std::string_view pod) {
  const bool has_page = view.explained.contains(pod);
  if (has_page) html.put("<a href=\"ui?pod=").url(pod).put("\">");
  html.put("<bdi>").text(pod).put("</bdi>");
  if (has_page) html.put("</a>");
}

void write_time(Html& html, Time time, Time now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const std::string whole = api::format_timestamp(seconds);
  html.put("<time datetime=\"").text(whole).put("\" title=\"").text(whole).put("\">");
  const auto ago = std::chrono::floor<std::chrono::seconds>(now - time);
  html.text(ago.count() >= 0 ? distance_text(ago) + " ago" : "in " + distance_text(-ago));
  html.put("</time>");
}

void write_left_out(Html& html, std::size_t more, Markup how) {
  if (more == 0) return;
  html.put("<p class=\"more\">").number(static_cast<std::int64_t>(more));
  html.put(" more are not shown: ").put(how).put("</p>\n");
}

void write_waiting(Html& html, const View& view) {
  const auto& all = view.of.waiting;
  write_heading(html, "<section id=\"resizes\"><h2>Resizes that wait", all.size());
  if (all.empty()) {
    html.put("<p class=\"none\">No resize waits.</p></section>\n");
    return;
  }
  html.put(
      "<table><thead><tr><th>Pod</th><th>Node</th><th>Waits since</th><th>Lacks</th>"
      "<th>Why, and what is next</th></tr></thead><tbody>\n");
  write_rows(html, by_age(all), "<code>elbowroom explain pod NAMESPACE/NAME</code> tells of each.",
             [&](const WaitingResize* each) { write_resize(html, view, *each); });
  html.put("</section>\n");
}

void write_leaving(Html& html, const View& view) {
  const auto& all = view.of.leaving;
  if (all.empty()) return;
  write_heading(html, "<section id=\"leaving\"><h2>Terminating pods that hold room", all.size());
  html.put(
      "<table><thead><tr><th>Pod</th><th>Node</th><th>Frees</th><th>Makes room for</th>"
      "<th>Deadline</th></tr></thead><tbody>\n");
  write_rows(html, all, "each node's page has its own.", [&](const policy::LeavingPod& each) {
    html.put("<tr><td data-label=\"Pod\">");
    write_pod(html, view, each.pod);
    html.put("</td><td data-label=\"Node\">");
    write_node_link(html, each.node);
    html.put("</td><td data-label=\"Frees\">").text(amounts_text(each.frees));
    html.put("</td><td data-label=\"Makes room for\">");
    if (each.for_pod.empty()) {
      html.put("-");
    } else {
      write_pod(html, view, each.for_pod);
    }
    html.put("</td><td data-label=\"Deadline\">");
    if (each.deadline) write_time(html, *each.deadline, view.of.now);
    if (each.overdue) html.put(" <span class=\"badge bad\">overdue</span>");
    html.put("</td></tr>\n");
  });
  html.put("</section>\n");
}

void write_budgets(Html& html, const View& view) {
  const auto& all = view.of.budgets;
  if (view.uncounted_budgets > 0) {
    html.put("<section id=\"budgets\"><h2>Disruption budgets</h2>\n<p class=\"more\">");
    html.number(static_cast<std::int64_t>(view.uncounted_budgets));
    html.put(" budgets are too many to count their pods here: <code>elbowroom explain pod");
    html.put(" NAMESPACE/NAME</code> tells of those of a pod.</p></section>\n");
    return;
  }
  if (all.empty()) return;
  write_heading(html, "<section id=\"budgets\"><h2>Disruption budgets", all.size());
  html.put(
      "<table><thead><tr><th>Budget</th><th>Covers</th><th>Allows now</th><th>More</th></tr>"
      "</thead><tbody>\n");
  write_rows(html, all, "<code>kubectl get pdb,disruptionbudgets -A</code> lists them.",
             [&](const policy::BudgetOverview& each) {
               html.put("<tr><td data-label=\"Budget\"><bdi>").text(each.budget).put("</bdi>");
               if (each.hard) html.put(" <span class=\"badge\">hard</span>");
               html.put("</td><td data-label=\"Covers\">").number(each.pods).put(" pods");
               html.put("</td><td data-label=\"Allows now\">");
               if (each.allowed) {
                 html.number(*each.allowed);
               } else {
                 html.put("any number");
               }
               html.put("</td><td data-label=\"More\">");
               if (each.next) write_time(html, *each.next, view.of.now);
               html.put("</td></tr>\n");
             });
  html.put("</section>\n");
}

void write_removals(Html& html, const View& view) {
  const auto& all = view.of.removals;
  if (all.empty()) return;
  write_heading(html, "<section id=\"removals\"><h2>Removals that budgets count", all.size());
  html.put(
      "<table><thead><tr><th>When</th><th>Pod</th><th>By</th><th>Budget</th></tr></thead>"
      "<tbody>\n");
  write_rows(html, all, "<code>kubectl get disruptionbudgets -A -o yaml</code> has the ledgers.",
             [&](const policy::RecentRemoval& each) {
               html.put("<tr><td data-label=\"When\">");
               write_time(html, each.time, view.of.now);
               html.put("</td><td data-label=\"Pod\"><bdi>").text(each.pod);
               html.put("</bdi></td><td data-label=\"By\">").text(each.by);
               html.put("</td><td data-label=\"Budget\"><bdi>").text(each.budget);
               html.put("</bdi></td></tr>\n");
             });
  html.put("</section>\n");
}

}  // namespace elbowroom::page
