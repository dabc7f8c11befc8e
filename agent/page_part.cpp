#include "agent/page_part.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/explain.h"

namespace elbowroom::agent {
namespace {

page::NodeCopy copy_of(const Reactor& reactor, policy::Node node, policy::Time now,
                       const std::string& idle) {
  page::NodeCopy copy{.node = std::move(node), .pods = reactor.views()};
  if (!page::has_waiting(copy.pods)) return copy;
  copy.budgets = reactor.state().budgets.walls(now);
  for (const policy::Pod& each : copy.pods) {
    if (!page::has_waiting({each})) continue;
    if (!idle.empty()) copy.decided[policy::key_of(each)] = "nobody: " + idle;
    if (copy.lacks.empty()) copy.lacks = lacks_of(reactor, copy.node, each, copy.pods);
  }
  return copy;
}

}  // namespace

page::PagePart page_part(const Reactor& reactor, const page::PageAsked& asked, policy::Time now,
                         const std::string& idle) {
  page::PagePart part{.now = now, .idle_because = idle, .done = asked.names.size()};
  std::optional<policy::Node> node = reactor.node();
  if (!node || asked.kind == page::PageAsked::Kind::Budgets) return part;
  if (asked.kind == page::PageAsked::Kind::Names) {
    part.nodes.push_back(node->name);
  } else if (std::ranges::find(asked.names, node->name) != asked.names.end()) {
    part.copies.push_back(copy_of(reactor, *std::move(node), now, idle));
  }
  return part;
}

}  // namespace elbowroom::agent
