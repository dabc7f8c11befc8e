#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/timestamp.h"
#include "page/parts.h"

namespace elbowroom::page {
namespace {

using policy::Time;

constexpr std::size_t kMinutes = 60;
constexpr std::size_t kMostLanes = 12;
constexpr std::size_t kMostUnfolded = 15;

struct Minute {
  std::int64_t decisions = 0;
  std::int64_t warnings = 0;
  std::size_t row = 0;  // of the newest one, in the table
};

// The decisions with one reason.
struct Lane {
  std::int64_t decisions = 0;
  std::array<Minute, kMinutes> minutes{};  // the last one is now
};
using Lanes = std::map<std::string_view, Lane>;

// The view may have been read before the newest decision.
Time now_of(const View& view) {
  Time now = view.of.now;
  for (const Decision& each : view.decisions) now = std::max(now, each.at);
  return now;
}

std::string_view reason_of(const Decision& decision) {
  return decision.reason.empty() ? std::string_view("without an event") : decision.reason;
}

std::size_t minute_of(Time at, Time now) {
  const auto ago = std::chrono::floor<std::chrono::minutes>(now - at).count();
  return kMinutes - 1 - static_cast<std::size_t>(std::clamp<std::int64_t>(ago, 0, kMinutes - 1));
}

Lanes lanes_of(const View& view) {
  Lanes lanes;
  const Time now = now_of(view);
  for (std::size_t row = 0; row < view.decisions.size(); ++row) {
    const Decision& each = view.decisions[row];
    const bool full = lanes.size() == kMostLanes && !lanes.contains(reason_of(each));
    Lane& lane = lanes[full ? "others" : reason_of(each)];
    Minute& minute = lane.minutes[minute_of(each.at, now)];
    ++lane.decisions;
    if (minute.decisions++ == 0) minute.row = row;
    if (each.warning) ++minute.warnings;
  }
  return lanes;
}

// 1 .. 16, in steps of a doubling.
std::int64_t height_of(std::int64_t decisions) {
  std::int64_t height = 4;
  while (decisions > 1 && height < 16) {
    decisions /= 2;
    height += 2;
  }
  return height;
}

void write_minute(Html& html, const Minute& minute, std::size_t at) {
  const bool linked = minute.row < kMostRows;
  if (linked) {
    html.put("<a href=\"#d").number(static_cast<std::int64_t>(minute.row)).put("\">");
  }
  const std::int64_t height = height_of(minute.decisions);
  html.put(minute.warnings > 0 ? Markup("<rect class=\"warning\"")
                               : Markup("<rect class=\"tick\""));
  html.put(" x=\"").number(static_cast<std::int64_t>(at * 10 + 1)).put("\" y=\"");
  html.number(16 - height).put("\" width=\"8\" height=\"").number(height).put("\"><title>");
  html.number(minute.decisions).put(", ").number(static_cast<std::int64_t>(kMinutes - 1 - at));
  html.put(" min ago</title></rect>");
  if (linked) html.put("</a>");
}

void write_lane(Html& html, std::string_view reason, const Lane& lane) {
  html.put("<div class=\"lane\"><span class=\"what\">").text(reason).put("</span>");
  html.put("<svg viewBox=\"0 0 600 16\" preserveAspectRatio=\"none\" role=\"img\"><title>");
  html.text(reason).put(
      ", the last hour</title><rect class=\"free\" width=\"600\" height=\"16\"/>");
  for (std::size_t at = 0; at < kMinutes; ++at) {
    if (lane.minutes[at].decisions > 0) write_minute(html, lane.minutes[at], at);
  }
  html.put("</svg><span class=\"sum\">").number(lane.decisions).put("</span></div>\n");
}

void write_about(Html& html, const View& view, const Decision& decision) {
  if (!decision.pod.empty()) {
    write_pod(html, view, decision.pod);
  } else if (!decision.node.empty()) {
    html.put("<a href=\"ui?node=").url(decision.node).put("\"><bdi>").text(decision.node);
    html.put("</bdi></a>");
  }
}

void write_decision(Html& html, const View& view, std::size_t row, Time now) {
  const Decision& decision = view.decisions[row];
  html.put("<tr id=\"d").number(static_cast<std::int64_t>(row)).put("\"><td data-label=\"When\">");
  write_time(html, decision.at, now);
  html.put("</td><td data-label=\"What\">");
  html.put(decision.warning ? Markup("<span class=\"badge waits\">")
                            : Markup("<span class=\"badge\">"));
  html.text(reason_of(decision)).put("</span></td><td data-label=\"Of\">");
  write_about(html, view, decision);
  html.put("</td><td class=\"wide\" data-label=\"Why\">").text(decision.text);
  html.put("</td></tr>\n");
}

// The row that it ended before.
std::size_t write_rows(Html& html, const View& view, std::size_t from, std::size_t to) {
  html.put(
      "<table><thead><tr><th>When</th><th>What</th><th>Of</th><th>Why</th></tr></thead>"
      "<tbody>\n");
  const Time now = now_of(view);
  std::size_t row = from;
  while (row < to && html.size() < kMostPageBytes) {
    write_decision(html, view, row, now);
    ++row;
  }
  html.put("</tbody></table>\n");
  return row;
}

// The older ones are folded.
void write_table(Html& html, const View& view) {
  const std::size_t most = std::min(view.decisions.size(), kMostRows);
  std::size_t shown = write_rows(html, view, 0, std::min(most, kMostUnfolded));
  if (shown < most) {
    html.put("<details><summary>Older ones</summary>\n");
    shown = write_rows(html, view, shown, most);
    html.put("</details>\n");
  }
  write_left_out(html, view.decisions.size() - shown, "the log of this daemon has them all.");
  if (view.forgets_older) {
    html.put("<p class=\"more\">Older ones of that hour are in the log alone.</p>\n");
  }
}

}  // namespace

void write_decisions(Html& html, const View& view) {
  html.put("<section id=\"decisions\"><h2>Decisions of the last hour <span class=\"count\">");
  html.number(static_cast<std::int64_t>(view.decisions.size()));
  html.put("</span></h2>\n");
  if (view.decisions.empty()) {
    html.put("<p class=\"none\">This daemon decided nothing in the last hour.</p></section>\n");
    return;
  }
  html.put("<div class=\"lanes\">\n");
  for (const auto& [reason, lane] : lanes_of(view)) write_lane(html, reason, lane);
  html.put(
      "<div class=\"lane axis\"><span class=\"what\"></span><span class=\"hour\"><span>an hour "
      "ago</span><span>30 min ago</span><span>now</span></span><span class=\"sum\"></span></div>"
      "</div>\n");
  write_table(html, view);
  html.put("</section>\n");
}

}  // namespace elbowroom::page
