#include "cluster/page_part.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

namespace elbowroom::cluster {
namespace {

using page::NodeCopy;
using page::PageAsked;
using page::PagePart;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kWithin{2};

void add_names(const Snapshot& snapshot, PagePart& to) {
  for (std::string& each : snapshot.node_names()) {
    if (snapshot.node(each) != nullptr) to.nodes.push_back(std::move(each));
  }
  std::set<std::string> namespaces;
  for (auto& [ns, name] : snapshot.budget_names()) namespaces.insert(std::move(ns));
  for (auto& [ns, name] : snapshot.own_budget_names()) namespaces.insert(std::move(ns));
  to.namespaces.assign(namespaces.begin(), namespaces.end());
}

// Only a node where a resize waits is unpacked as for a decision, which keeps what it unpacks.
std::optional<NodeCopy> copy_of(const PageSource& source, const std::string& name) {
  const policy::Node* node = source.snapshot.node(name);
  if (node == nullptr) return std::nullopt;
  NodeCopy copy{.node = *node, .pods = source.snapshot.pods_of(name), .rules = source.rules};
  copy.node.images = {};
  if (!page::has_waiting(copy.pods)) return copy;
  auto view = source.view_of(name);
  if (!view) return copy;
  copy.pods.assign(view->pods.begin(), view->pods.end());
  copy.nominated = std::move(view->nominated);
  copy.budgets = std::move(view->budgets);
  copy.elsewhere = std::move(view->elsewhere);
  if (!view->contradiction.empty()) copy.lacks.push_back(std::move(view->contradiction));
  return copy;
}

void add_budgets(const PageSource& source, const std::string& ns, PagePart& to) {
  policy::Budgets of = source.snapshot.budgets_of(ns, source.now);
  std::ranges::move(of.upstream, std::back_inserter(to.budgets.upstream));
  std::ranges::move(of.ours, std::back_inserter(to.budgets.ours));
}

}  // namespace

PagePart page_part(const PageSource& source, const PageAsked& asked) {
  PagePart part{.now = source.now};
  if (asked.kind == PageAsked::Kind::Names) {
    add_names(source.snapshot, part);
    return part;
  }
  const Clock::time_point until = Clock::now() + kWithin;
  for (const std::string& name : asked.names) {
    if (asked.kind == PageAsked::Kind::Budgets) {
      add_budgets(source, name, part);
    } else if (auto copy = copy_of(source, name)) {
      part.copies.push_back(*std::move(copy));
    }
    ++part.done;
    if (Clock::now() >= until) break;
  }
  return part;
}

}  // namespace elbowroom::cluster
