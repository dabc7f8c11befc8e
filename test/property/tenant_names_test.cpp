// A pod's owner can read its conditions and events. Over random worlds of two tenants, none of
// these texts names a pod, a budget or the namespace of the other tenant.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agent/reactor.h"
#include "cri/convert.h"
#include "test/scheduler_world.h"

namespace elbowroom {
namespace {

using policy::Pod;
using test::amounts;
using test::running_pod;

constexpr std::array<std::string_view, 2> kTenants = {"redteam", "blueteam"};

int below(int limit) { return *rc::gen::inRange(0, limit); }

// All names: none is a part of another one, or of the programs' own texts.
class Names {
 public:
  std::string make(const std::string& tenant) {
    const int number = made_++;
    std::string name = "zq" + std::to_string(100 + number) + "qz";
    tenant_of_[name] = tenant;
    return name;
  }

  // The text is written onto a pod of that namespace; "": onto the Node.
  void check(const std::string& reader, const std::string& text) const {
    for (const auto& [name, tenant] : tenant_of_) {
      if (tenant == reader || text.find(name) == std::string::npos) continue;
      RC_FAIL("on a pod of " + reader + " stands: " + text);
    }
    for (const std::string_view tenant : kTenants) {
      if (tenant == reader || text.find(tenant) == std::string::npos) continue;
      RC_FAIL("on a pod of " + reader + " stands: " + text);
    }
  }

 private:
  std::map<std::string, std::string> tenant_of_{};
  int made_ = 0;
};

// A pod that runs on node-1, of a random tenant.
Pod random_pod(Names& names) {
  const std::string tenant(kTenants.at(static_cast<std::size_t>(below(2))));
  Pod pod = running_pod(names.make(tenant), 100 * (1 + below(5)), 0, 10 * below(3));
  pod.ns = tenant;
  pod.uid = "uid-" + std::to_string(below(1'000'000'000));
  pod.termination_grace_seconds = 5 + below(40);
  pod.started = policy::Time{std::chrono::seconds(below(4))};
  if (below(2) == 0) pod.labels["app"] = "x";
  if (below(4) == 0) pod.scheduler_name = "other-scheduler";
  return pod;
}

// ---- the scheduler ----

class ClusterOfTwo {
 public:
  ClusterOfTwo() : world_(options()) {
    world_.refuse = [](const std::string& what) -> std::optional<Error> {
      const bool asks =
          what.starts_with("check ") || what.starts_with("delete ") || what.starts_with("mark ");
      if (!asks || below(6) != 0) return std::nullopt;
      return Error{below(3) == 0 ? Code::Unavailable : Code::Denied,
                   "admission webhook denied the request for pod " + what,
                   {}};
    };
    world_.did = [this](const scheduler::Effects& effects) {
      for (const scheduler::Effect& each : effects) check(each);
    };
    put_node(true);
    const int pods = 3 + below(8);
    for (int i = 0; i < pods; ++i) world_.put(random_pod(names_));
    for (int i = below(3); i > 0; --i) add_deferred();
    for (const std::string_view tenant : kTenants) add_budget(std::string(tenant));
  }

  void play() {
    world_.start();
    for (int i = 4 + below(8); i > 0; --i) step();
  }

  [[nodiscard]] int about_others() const { return about_others_; }

 private:
  static scheduler::ReactorOptions options() {
    scheduler::ReactorOptions options = test::SchedulerWorld::usual();
    options.dry_run = below(8) == 0;
    options.rules = below(4) == 0 ? policy::RuleSet::Upstream : policy::RuleSet::Elbowroom;
    if (below(2) == 0) options.breaker = {.sets_per_pod = 1, .pods_per_node = 2};
    if (below(2) == 0) options.yield_to = {{"other-scheduler"}};
    if (below(2) == 0) options.places_for = {"elbowroom"};
    return options;
  }

  void put_node(bool ready) {
    policy::Node node = test::node(2000);
    node.ready = ready ? policy::NodeReady::True : policy::NodeReady::False;
    world_.put(node);
  }

  void add_deferred() {
    Pod pod = random_pod(names_);
    pod.priority = 20 + 10 * below(3);
    world_.put(test::deferred(pod, 300 * (1 + below(6))));
  }

  void add_pending() {
    Pod pod = random_pod(names_);
    pod.node.clear();
    pod.phase = policy::Phase::Pending;
    pod.priority = 20 + 10 * below(3);
    pod.scheduler_name = "elbowroom";
    if (below(4) == 0) pod.nominated_node = "node-1";
    world_.put(pod);
  }

  void add_budget(const std::string& tenant) {
    policy::PodDisruptionBudget budget;
    budget.ns = tenant;
    budget.name = names_.make(tenant);
    budget.selector = policy::LabelSelector{.match_labels = {{"app", "x"}}, .expressions = {}};
    budget.disruptions_allowed = below(3);
    world_.put(budget);
  }

  void step() {
    switch (below(8)) {
      case 0:
        return add_deferred();
      case 1:
        return add_pending();
      case 2:
        return world_.put(random_pod(names_));
      case 3:
        return put_node(below(3) != 0);
      case 4: {  // another object of the same uid
        Pod twin = random_pod(names_);
        const Pod other = random_pod(names_);
        twin.uid = other.uid;
        world_.put(other);
        world_.put(twin);
        world_.pass(std::chrono::seconds(5));
        return world_.remove(policy::key_of(twin));
      }
      default:
        return world_.pass(std::chrono::seconds(1 + below(60)));
    }
  }

  void check(const scheduler::Effect& effect) {
    if (const auto* event = std::get_if<scheduler::EmitEvent>(&effect.what)) {
      names_.check(event->regarding.ns, event->note);
      if (!event->in_log.empty()) ++about_others_;
    }
    if (const auto* mark = std::get_if<scheduler::MarkVictim>(&effect.what)) {
      names_.check(mark->victim.ns, mark->condition.message);
    }
    const auto* told = std::get_if<scheduler::WritePending>(&effect.what);
    if (told != nullptr && told->scheduled) {
      names_.check(told->pod.ns, told->scheduled->message);
    }
  }

  Names names_{};
  test::SchedulerWorld world_;
  int about_others_ = 0;
};

TEST(NamesOfOtherTenants, StandInNoTextThatTheSchedulerWritesOntoAPod) {
  int about_others = 0;
  EXPECT_TRUE(rc::check([&] {
    ClusterOfTwo cluster;
    cluster.play();
    about_others += cluster.about_others();
  }));
  EXPECT_GT(about_others, 20) << "the worlds are too plain to show anything";
}

// ---- the agent ----

// A full node whose agent preempts for critical pods; another writer undoes its writes at times.
class NodeOfTwo {
 public:
  NodeOfTwo() {
    node_.critical_preemption_by_node = true;
    for (int i = 3 + below(8); i > 0; --i) add(random_pod(names_));
    for (int i = 1 + below(2); i > 0; --i) {
      Pod pod = random_pod(names_);
      pod.priority = 2'000'000'000 - below(2);
      add(test::resized(pod, 500 * (1 + below(4))));
    }
    see(agent::NodeSeen{node_});
    list();
  }

  void play() {
    for (int i = 4 + below(8); i > 0; --i) {
      now_ += std::chrono::seconds(1 + below(40));
      if (below(3) == 0) see_trouble();
      list();
    }
  }

  [[nodiscard]] int about_others() const { return about_others_; }
  [[nodiscard]] int unreadable() const { return unreadable_; }

 private:
  // A pod of a random tenant, in a text of a server, a disk or a runtime.
  std::string named() { return policy::key_of(random_pod(names_)); }

  void see_trouble() {
    switch (below(6)) {
      case 0:
        see(agent::PodUnreadable{.key = named(), .why = "cpu of " + named() + ": no quantity"});
        return grow();
      case 1:  // until a list no longer shows it
        odd_ = {{.key = named(), .why = "no quantity"}, {.key = named(), .why = "no quantity"}};
        list();
        grow();
        return odd_.clear();
      case 2:
        return see(agent::ApiLost{"webhook of " + named() + " refused"});
      case 3:
        return see(agent::ApiBack{});
      case 4:
        return see(agent::RuntimeLost{named() + " hangs"});
      default:
        return see(agent::NodeSeen{node_});
    }
  }

  // A pod that would fit requests a bit more.
  void grow() {
    for (auto& [uid, pod] : pods_) {
      if (below(2) == 0) continue;
      pod = test::resized(pod, pod.containers[0].desired.requests.cpu.value + 1);
      see(agent::PodSeen{pod});
    }
  }

  void add(const Pod& pod) {
    pods_[pod.uid] = pod;
    runtime_.pods[pod.uid].containers["app"] = {
        .id = "c-" + pod.uid,
        .state = policy::RunState::Running,
        .size = cri::resources_for({.requests = *pod.containers[0].allocated_requests})};
  }

  // The write was done, or another writer removed it.
  void list() {
    agent::PodsListed listed;
    for (const auto& [uid, pod] : pods_) listed.pods.push_back(pod);
    listed.unreadable = odd_;
    see(std::move(listed));
    see(agent::RuntimeSeen(runtime_));
  }

  void see(auto what) {
    now_ += std::chrono::milliseconds(1);
    take(reactor_.handle({{now_, policy::Time(now_)}, std::move(what)}));
  }

  void take(const agent::Effects& effects) {
    for (const agent::Effect& each : effects) {
      check(each);
      if (std::holds_alternative<agent::EmitEvent>(each.what)) continue;
      const auto* removal = std::get_if<agent::DeleteVictim>(&each.what);
      if (removal != nullptr && below(4) == 0) {
        see(agent::Failed{each.id, {Code::Denied, "pod " + removal->victim.name + " stays", {}}});
      } else if (!std::holds_alternative<agent::Actuate>(each.what) && below(10) == 0) {
        see(agent::Failed{each.id, {Code::Unavailable, "webhook of " + named() + " is away", {}}});
      } else {
        see(agent::Done{.effect = each.id});
      }
    }
  }

  void check(const agent::Effect& effect) {
    if (const auto* event = std::get_if<agent::EmitEvent>(&effect.what)) {
      names_.check(event->ns, event->note);
      if (!event->in_log.empty()) ++about_others_;
    }
    if (const auto* mark = std::get_if<agent::MarkVictim>(&effect.what)) {
      names_.check(mark->victim.ns, mark->condition.message);
    }
    const auto* write = std::get_if<agent::WriteStatus>(&effect.what);
    if (write == nullptr) return;
    for (const policy::Condition& each : write->set) {
      names_.check(write->ns, each.message);
      if (each.message.find("cannot be read") != std::string::npos) ++unreadable_;
    }
  }

  Names names_{};
  std::chrono::milliseconds now_{0};
  std::map<std::string, Pod> pods_{};
  policy::Node node_ = test::node(2000);
  std::vector<agent::PodUnreadable> odd_{};  // in every list
  agent::RuntimeSeen runtime_{};
  agent::Reactor reactor_{{.node_name = "node-1",
                           .authority = true,
                           .critical_preemption = true,
                           .manage_pod_cgroups = false,
                           .boot = {.id = "b-1"}},
                          {},
                          false};
  int about_others_ = 0;
  int unreadable_ = 0;  // texts about a pod that cannot be read
};

TEST(NamesOfOtherTenants, StandInNoTextThatTheAgentWritesOntoAPod) {
  int about_others = 0;
  int unreadable = 0;
  EXPECT_TRUE(rc::check([&] {
    NodeOfTwo node;
    node.play();
    about_others += node.about_others();
    unreadable += node.unreadable();
  }));
  EXPECT_GT(about_others, 20) << "the worlds are too plain to show anything";
  EXPECT_GT(unreadable, 20) << "the worlds are too plain to show anything";
}

// ---- the words ----

TEST(NamesOfOtherTenants, APodOfTheSameNamespaceIsNamed) {
  Pod pod = running_pod("web", 100);
  pod.uid = "0b9c";
  EXPECT_EQ(policy::name_for_reader("default", pod), policy::PodText("default/web"));
  EXPECT_EQ(policy::name_for_reader("defaul", pod), policy::PodText("default/web", "uid 0b9c"));
  EXPECT_EQ(policy::name_for_reader("", pod), policy::PodText("default/web", "uid 0b9c"));
  // A file may give none.
  EXPECT_EQ(policy::name_for_reader("a", "default/web", "default/web").on_pod(),
            "of another namespace");
}

}  // namespace
}  // namespace elbowroom
