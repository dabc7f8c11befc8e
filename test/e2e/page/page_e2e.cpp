// page_e2e NODES PODS [hostile]: the page of a daemon over so many nodes with so many pods each, as
// the daemons serve it, on a free port of loopback. Prints the port, and ends with its input.
// Every tenth node has a resize that waits and a pod that leaves. hostile: names as no API server
// admits them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/document_text.h"
#include "control/daemon_page.h"
#include "daemon/http/http_server.h"
#include "page/page_part.h"

namespace elbowroom {
namespace {

using page::PageAsked;
using page::PagePart;

constexpr std::int64_t kGi = std::int64_t{1} << 30;

// Markup, a quote that ends an attribute, another script, an override of the direction, an address.
constexpr const char* kHostile[] = {
    "<script>document.title='owned'</script>",
    "\"><img src=x onerror=\"document.title='owned'\">",
    "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D-\xD7\xA2\xD7\x95\xD7\x9C\xD7\x9D",
    "\xE2\x80\xAEgpj.exe",
    "javascript:document.title='owned'",
    "</title></svg></table><h1>owned</h1>",
    "&lt;b&gt; &amp;amp; ' ` \\ %00 \n\r\t\x01",
    "\xFF\xFE not UTF-8"};

class World {
 public:
  World(std::size_t nodes, std::size_t pods, bool is_hostile)
      : nodes_(nodes), pods_(pods), is_hostile_(is_hostile), now_(now()) {
    for (std::size_t at = 0; at < nodes_; ++at) at_[name("node", at)] = at;
  }

  [[nodiscard]] PagePart part(const PageAsked& asked) const {
    PagePart part{.now = now_};
    if (asked.kind == PageAsked::Kind::Names) {
      for (std::size_t at = 0; at < nodes_; ++at) part.nodes.push_back(name("node", at));
      part.namespaces = {"default"};
      return part;
    }
    part.done = asked.names.size();
    if (asked.kind == PageAsked::Kind::Budgets) {
      part.budgets = budgets();
      return part;
    }
    for (const std::string& each : asked.names) {
      const auto at = at_.find(each);
      if (at != at_.end()) part.copies.push_back(copy_of(at->second));
    }
    return part;
  }

  [[nodiscard]] static std::string explanation(const std::string& pod) {
    return to_json_line(
        map_value({member("message", text_value(pod + " waits")), member("pod", text_value(pod))}));
  }

  [[nodiscard]] std::vector<std::pair<policy::Time, daemon::LogEntry>> decisions() const {
    constexpr const char* kReasons[] = {"ResizeDeferred", "ResizeCompleted", "Preempting",
                                        "Preempted"};
    std::vector<std::pair<policy::Time, daemon::LogEntry>> all;
    for (std::size_t at = 0; at < std::min<std::size_t>(nodes_ * 2, 900); ++at) {
      const auto ago = std::chrono::seconds(3500 - 3500 * static_cast<long>(at) / 900);
      const bool is_warning = at % 4 == 0 || at % 4 == 3;
      all.emplace_back(
          now_ - ago,
          daemon::LogEntry{.level = is_warning ? daemon::LogLevel::Warn : daemon::LogLevel::Info,
                           .message = "node " + name("node", at % nodes_) + " lacks 500m of cpu; " +
                                      text("pods hold it", at),
                           .pod = "default/" + name("web", at),
                           .reason = kReasons[at % 4]});
    }
    return all;
  }

 private:
  static policy::Time now() {
    return std::chrono::floor<policy::Time::duration>(std::chrono::system_clock::now());
  }
  [[nodiscard]] std::string text(std::string words, std::size_t at) const {
    return is_hostile_ ? kHostile[at % std::size(kHostile)] + std::move(words) : words;
  }
  // Every ninth hostile one is as long as a name may be.
  [[nodiscard]] std::string name(const std::string& kind, std::size_t at) const {
    const std::string plain = kind + "-" + std::to_string(at);
    if (!is_hostile_) return plain;
    if (at % 9 == 8) return plain + std::string(253 - plain.size(), 'x');
    return plain + kHostile[at % 9 % std::size(kHostile)];
  }

  [[nodiscard]] policy::Pod pod(std::size_t node, std::size_t at) const {
    policy::Pod pod;
    pod.ns = at % 3 == 0 ? "default" : "team-" + std::to_string(at % 3);
    pod.name = name("web", node * pods_ + at);
    pod.uid = "uid-" + std::to_string(node * pods_ + at);
    pod.node = name("node", node);
    pod.phase = policy::Phase::Running;
    pod.priority = static_cast<std::int32_t>(at % 4) * 100;
    pod.labels["app"] = "web";
    policy::Container main;
    main.name = "main";
    const auto share = static_cast<std::int64_t>(3600 / (pods_ + 1));
    const std::int64_t weight = 1 + static_cast<std::int64_t>((node + at) % 3);
    main.desired.requests.cpu = {share * weight / 2};
    main.desired.requests.memory = {7 * kGi / static_cast<std::int64_t>(pods_ + 1) * weight / 2};
    main.allocated_requests = main.actual_requests = main.desired.requests;
    main.state = policy::RunState::Running;
    pod.containers = {main};
    return pod;
  }

  // The first pod of every tenth node waits for a cpu more, and its second one leaves.
  [[nodiscard]] page::NodeCopy copy_of(std::size_t node) const {
    page::NodeCopy copy;
    copy.node.name = name("node", node);
    copy.node.ready = node % 37 == 36 ? policy::NodeReady::False : policy::NodeReady::True;
    copy.node.unschedulable = node % 41 == 40;
    if (node % 31 == 30) copy.node.resize_preemption_owners = {text("example.com/team", node)};
    copy.node.allocatable = {.cpu = {4000}, .memory = {8 * kGi}};
    copy.node.allowed_pods = 110;
    for (std::size_t at = 0; at < pods_; ++at) copy.pods.push_back(pod(node, at));
    if (node % 10 != 0 || pods_ < 2) return copy;
    policy::Pod& waits = copy.pods[0];
    waits.priority = 1000;
    waits.generation = 2;
    waits.containers[0].desired.requests.cpu.value += 1500;
    waits.conditions.push_back({.type = std::string(policy::kPodResizePending),
                                .status = "True",
                                .reason = "Deferred",
                                .message = text("Node didn't have enough resource: cpu", node),
                                .last_transition = now_ - std::chrono::seconds(30 * (node + 1))});
    policy::Pod& leaves = copy.pods[1];
    leaves.deletion = now_ + std::chrono::seconds(20);
    leaves.deletion_grace_seconds = 30;
    return copy;
  }

  [[nodiscard]] policy::Budgets budgets() const {
    policy::Budgets all;
    for (std::size_t at = 0; at < 3; ++at) {
      policy::PodDisruptionBudget budget;
      budget.ns = "default";
      budget.name = name("budget", at);
      budget.selector = policy::LabelSelector{};
      budget.disruptions_allowed = static_cast<std::int32_t>(at);
      all.upstream.push_back(std::move(budget));
    }
    return all;
  }

  std::size_t nodes_;
  std::size_t pods_;
  bool is_hostile_;
  policy::Time now_;
  std::map<std::string, std::size_t> at_{};  // by name of a node
};

int serve(const World& world) {
  control::DaemonPage page(
      "elbowroom-scheduler",
      [&](const PageAsked& asked) { return std::optional(world.part(asked)); },
      [&](const std::string& pod) { return std::optional(World::explanation(pod)); });
  for (const auto& [at, entry] : world.decisions()) page.note({entry}, at);
  daemon::Endpoints with;
  with.ui = [&](const daemon::Request& request) { return page.answer(request); };
  with.overview = [&] { return page.overview(); };
  auto server = daemon::HttpServer::start({"127.0.0.1", 0}, std::move(with));
  if (!server) {
    std::cerr << server.error().message << "\n";
    return 1;
  }
  std::cout << (*server)->address().port << std::endl;
  while (std::cin.get() != EOF) {
  }
  return 0;
}

}  // namespace
}  // namespace elbowroom

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: page_e2e NODES PODS [hostile]\n";
    return 2;
  }
  const auto number = [&](int at) {
    return static_cast<std::size_t>(std::strtoul(argv[at], nullptr, 10));
  };
  return elbowroom::serve({number(1), number(2), argc > 3});
}
