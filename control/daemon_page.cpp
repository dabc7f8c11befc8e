#include "control/daemon_page.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/codec/encode_overview.h"
#include "api/codec/json.h"
#include "base/text.h"
#include "page/page.h"
#include "page/parts.h"
#include "policy/model/natural_order.h"

namespace elbowroom::control {
namespace {

using daemon::Reply;
using page::PageAsked;

constexpr std::chrono::hours kAnHour{1};
constexpr std::size_t kMostTextBytes = 1024;
constexpr std::size_t kMostNameBytes = 253;

// Nothing that a page loads or sends goes elsewhere.
Reply page_reply(int status, std::string body, std::string type = "text/html; charset=utf-8") {
  return {.status = status,
          .type = std::move(type),
          .body = std::move(body),
          .headers = {{"Content-Security-Policy", std::string(page::kContentPolicy)},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Resource-Policy", "same-origin"}}};
}

std::vector<std::string> next_names(const std::vector<std::string>& all, std::size_t from,
                                    std::size_t most) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
  return {begin, begin + static_cast<std::ptrdiff_t>(std::min(most, all.size() - from))};
}

}  // namespace

void DaemonPage::note(const std::vector<daemon::LogEntry>& entries, policy::Time now) {
  for (const daemon::LogEntry& each : entries) {
    if (each.level < daemon::LogLevel::Info || (each.pod.empty() && each.node.empty())) continue;
    const page::Decision decision{.at = now,
                                  .warning = each.level > daemon::LogLevel::Info,
                                  .reason = each.reason,
                                  .pod = each.pod,
                                  .node = each.node,
                                  .text = clipped(each.message, kMostTextBytes)};
    while (!told_.try_put(page::Decision(decision))) static_cast<void>(told_.try_take());
  }
}

void DaemonPage::take_told() {
  while (auto next = told_.try_take()) decisions_.push_back(*std::move(next));
  while (decisions_.size() > kMostDecisions) decisions_.pop_front();
}

void DaemonPage::add_decisions(page::View& view) {
  take_told();
  const auto since = view.of.now - kAnHour;
  for (auto at = decisions_.rbegin(); at != decisions_.rend(); ++at) {
    if (at->at < since) continue;
    view.decisions.push_back(*at);
    if (!at->pod.empty()) view.explained.insert(at->pod);
  }
  view.forgets_older = view.decisions.size() == kMostDecisions;
}

bool DaemonPage::begin_reading() {
  auto names = ask_({});
  if (!names) return false;
  std::ranges::sort(names->nodes, policy::natural_less);
  reading_.emplace(Reading{.view = page::GrowingView(program_, names->now, page::kMostHolders),
                           .nodes = std::move(names->nodes),
                           .namespaces = std::move(names->namespaces)});
  reading_->view.set_idle(std::move(names->idle_because));
  return true;
}

bool DaemonPage::read_next() {
  Reading& now = *reading_;
  const bool is_budgets = now.namespaces_read < now.namespaces.size();
  PageAsked asked{.kind = is_budgets ? PageAsked::Kind::Budgets : PageAsked::Kind::Nodes};
  asked.names = is_budgets ? next_names(now.namespaces, now.namespaces_read, kNamesAtOnce)
                           : next_names(now.nodes, now.nodes_read, kNamesAtOnce);
  auto part = ask_(std::move(asked));
  if (!part || part->done == 0) return false;
  (is_budgets ? now.namespaces_read : now.nodes_read) += part->done;
  now.view.add(std::move(part->budgets));
  for (const page::NodeCopy& each : part->copies) now.view.add(each);
  return true;
}

// False: the reactor did not answer.
bool DaemonPage::refresh() {
  const Clock::time_point began = now_();
  if (began < shown_until_) return true;
  if (!reading_ && !begin_reading()) return false;
  const auto is_read = [this] {
    return reading_->nodes_read == reading_->nodes.size() &&
           reading_->namespaces_read == reading_->namespaces.size();
  };
  while (!is_read() && now_() - began < kReadWithin) {
    if (!read_next()) return false;
  }
  if (is_read()) {
    finish_reading(began);
  } else {
    reading_->took += now_() - began;
  }
  return true;
}

void DaemonPage::finish_reading(Clock::time_point began) {
  const Clock::duration before = reading_->took;
  last_ = std::move(reading_->view).finished();
  reading_.reset();
  const Clock::time_point now = now_();
  shown_until_ = now + std::max<Clock::duration>(kShownFor, kReadShare * (before + (now - began)));
}

std::optional<page::View> DaemonPage::view() {
  const bool answers = refresh();
  if (!answers && !last_) return std::nullopt;
  page::View shown = last_ ? *last_ : reading_->view.so_far();
  shown.is_old = !answers;
  if (!last_) shown.unread = reading_->nodes.size() - reading_->nodes_read;
  add_decisions(shown);
  return shown;
}

Reply DaemonPage::silent() const {
  return page_reply(503, page::page_without_view(program_, "The reactor did not answer in time."));
}

Reply DaemonPage::node_page(const std::string& name) {
  if (name.empty() || name.size() > kMostNameBytes) {
    return page_reply(400, page::page_without_view(program_, "That is no name of a node."));
  }
  const auto part = ask_({.kind = PageAsked::Kind::Nodes, .names = {name}});
  if (!part) return silent();
  if (part->copies.empty()) {
    return page_reply(404,
                      page::page_without_view(program_, "No node " + name + " is known here."));
  }
  const page::NodeCopy& copy = part->copies.front();
  page::GrowingView growing(program_, part->now, copy.pods.size());
  growing.set_idle(part->idle_because);
  growing.add(copy);
  page::View one = std::move(growing).finished();
  add_decisions(one);
  std::set<std::string, std::less<>> pods;
  for (const policy::Pod& each : copy.pods) pods.insert(policy::key_of(each));
  std::erase_if(one.decisions, [&](const page::Decision& each) {
    return each.node != name && !pods.contains(each.pod);
  });
  if (copy.explains_all) one.explained.merge(pods);
  return page_reply(200, page::node_page_of(one));
}

Reply DaemonPage::pod_page(const std::string& pod) {
  if (!pod.contains('/') || pod.size() > 2 * kMostNameBytes) {
    return page_reply(400,
                      page::page_without_view(program_, "That is no NAMESPACE/NAME of a pod."));
  }
  const auto told = explain_(pod);
  auto of = told ? view() : std::nullopt;
  if (!of) return silent();
  std::erase_if(of->of.waiting, [&](const auto& each) { return each.pod != pod; });
  std::erase_if(of->of.leaving,
                [&](const auto& each) { return each.pod != pod && each.for_pod != pod; });
  std::erase_if(of->decisions, [&](const auto& each) { return each.pod != pod; });
  if (told->empty() && of->of.waiting.empty() && of->decisions.empty()) {
    return page_reply(
        404, page::page_without_view(program_, "Nothing is said of pod " + pod + " here now."));
  }
  return page_reply(200, page::pod_page_of(*of, pod, *told));
}

Reply DaemonPage::answer(const daemon::Request& request) {
  if (request.path == "/ui/style.css") {
    return page_reply(200, std::string(page::style_sheet()), "text/css; charset=utf-8");
  }
  if (request.path == "/ui/script.js") {
    return page_reply(200, std::string(page::script()), "text/javascript; charset=utf-8");
  }
  if (request.path != "/ui") {
    return {.status = 404,
            .body = "not found: there are /ui, /ui?node=NAME and /ui?pod=NAMESPACE/NAME\n"};
  }
  const auto node = request.parameters.find("node");
  if (node != request.parameters.end()) return node_page(node->second);
  const auto pod = request.parameters.find("pod");
  if (pod != request.parameters.end()) return pod_page(pod->second);
  const auto all = view();
  if (!all) return silent();
  return page_reply(200, page::page_of(*all));
}

Reply DaemonPage::overview() {
  const auto all = view();
  if (!all) return {.status = 503, .body = "the reactor did not answer in time\n"};
  if (all->unread > 0) {
    return {.status = 503,
            .body = std::to_string(all->unread) +
                    " nodes are not read yet: ask again, until all are\n"};
  }
  return {.type = "application/json", .body = api::to_json(api::encode_overview(all->of)) + "\n"};
}

}  // namespace elbowroom::control
