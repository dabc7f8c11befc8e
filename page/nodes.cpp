#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "page/amount.h"
#include "page/bar.h"
#include "page/parts.h"

namespace elbowroom::page {
namespace {

using policy::NodeOverview;
using policy::NodeReady;

std::span<const Holder> holders_of(const View& view, std::string_view node) {
  const auto at = view.holders.find(node);
  return at == view.holders.end() ? std::span<const Holder>() : std::span(at->second);
}

void write_state(Html& html, const NodeOverview& node) {
  if (node.ready != NodeReady::True) {
    html.put(" <span class=\"badge bad\">not Ready</span>");
  }
  if (node.unschedulable) html.put(" <span class=\"badge\">unschedulable</span>");
  if (node.policy_owners.empty()) return;
  html.put(" <span class=\"badge waits\" title=\"no pod is removed for a resize here, by ");
  html.text(node.policy_owners.front()).put("\">policy</span>");
}

void write_node(Html& html, const View& view, const NodeOverview& node, bool busy) {
  html.put("<article class=\"node").put(busy ? Markup(" busy") : Markup(""));
  html.put("\"><h3><a href=\"ui?node=").url(node.node).put("\"><bdi>").text(node.node);
  html.put("</bdi></a>");
  write_state(html, node);
  html.put(" <small>").number(node.pods);
  html.put(node.pods == 1 ? Markup(" pod</small></h3>\n") : Markup(" pods</small></h3>\n"));
  write_bars(html, node, holders_of(view, node.node), true);
  html.put("</article>\n");
}

// The nodes where something waits or leaves.
std::set<std::string_view> busy_nodes(const View& view) {
  std::set<std::string_view> busy;
  for (const auto& each : view.of.waiting) busy.insert(each.node);
  for (const auto& each : view.of.leaving) busy.insert(each.node);
  return busy;
}

std::vector<const NodeOverview*> in_order(const View& view,
                                          const std::set<std::string_view>& busy) {
  std::vector<const NodeOverview*> nodes;
  for (const NodeOverview& each : view.of.nodes) nodes.push_back(&each);
  std::ranges::stable_partition(
      nodes, [&](const NodeOverview* each) { return busy.contains(each->node); });
  return nodes;
}

void write_legend(Html& html) {
  html.put(
      "<p class=\"legend\"><span><span class=\"key pod\"></span>a pod</span> <span><span "
      "class=\"key rest\"></span>other pods</span> <span><span class=\"key leaving\"></span>a "
      "terminating pod</span> <span><span class=\"key promised\"></span>promised to "
      "resizes</span> <span><span class=\"key free\"></span>free</span></p>\n");
}

void write_unread(Html& html, const View& view) {
  if (view.unread == 0) return;
  html.put("<p class=\"more\">").number(static_cast<std::int64_t>(view.unread));
  html.put(" further nodes are not read yet: load the page again.</p>\n");
}

void write_holder(Html& html, const View& view, const Holder& holder) {
  html.put("<tr><td data-label=\"Pod\">");
  write_pod(html, view, holder.pod);
  if (holder.leaves) html.put(" <span class=\"badge waits\">terminating</span>");
  html.put("</td><td data-label=\"Priority\">").number(holder.priority);
  html.put("</td><td data-label=\"Holds\">").text(amounts_text(holder.held));
  html.put("</td></tr>\n");
}

}  // namespace

void write_nodes(Html& html, const View& view) {
  const std::set<std::string_view> busy = busy_nodes(view);
  const std::vector<const NodeOverview*> nodes = in_order(view, busy);
  html.put("<section id=\"nodes\"><h2>Nodes <span class=\"count\">");
  html.number(static_cast<std::int64_t>(nodes.size() + view.unread)).put("</span></h2>\n");
  write_unread(html, view);
  if (nodes.empty() && view.unread == 0) {
    html.put("<p class=\"none\">No node is known here yet.</p></section>\n");
    return;
  }
  write_legend(html);
  html.put("<div class=\"nodes\">\n");
  std::size_t shown = 0;
  for (const NodeOverview* each : nodes) {
    if (shown == kMostNodes || html.size() >= kMostPageBytes) break;
    write_node(html, view, *each, busy.contains(each->node));
    ++shown;
  }
  html.put("</div>\n");
  write_left_out(html, nodes.size() - shown,
                 "nodes where nothing waits come last; <code>ui?node=NAME</code> shows one.");
  html.put("</section>\n");
}

void write_node_of(Html& html, const View& view) {
  const NodeOverview& node = view.of.nodes.front();
  const std::span<const Holder> holders = holders_of(view, node.node);
  html.put("<section id=\"nodes\"><h2>Node <bdi>").text(node.node).put("</bdi></h2>\n<p>");
  html.text("Held: " + amounts_text(node.held) + " of ");
  html.text(amounts_text(node.allocatable)).put("; free: ").text(amounts_text(node.free));
  html.put(".");
  write_state(html, node);
  html.put("</p>\n");
  write_legend(html);
  html.put("<div class=\"alone\">\n");
  write_bars(html, node, holders, false);
  html.put(
      "</div>\n<table><thead><tr><th>Pod</th><th>Priority</th><th>Holds</th></tr></thead>"
      "<tbody>\n");
  std::size_t shown = 0;
  while (shown < std::min(holders.size(), kMostNodes) && html.size() < kMostPageBytes) {
    write_holder(html, view, holders[shown++]);
  }
  html.put("</tbody></table>\n");
  write_left_out(html, holders.size() - shown, "they hold less than these.");
  html.put("</section>\n");
}

}  // namespace elbowroom::page
