// Random histories of pods with claims: users, a binder of claims, a provisioner that may fail, a
// watch that lags or shows a claim before its volume, nodes that go, restarts, and writes that come
// too late. Whatever happens, no pod is bound before its claims, no volume is given to two claims,
// no ReadWriteOncePod claim is used by two pods, and no node gets more volumes of a driver than it
// takes.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "scheduler/reactor.h"
#include "test/led_reactor.h"
#include "test/scheduler_world.h"

namespace elbowroom::scheduler {
namespace {

using policy::PersistentVolume;
using policy::Pod;
using policy::VolumeClaim;
using std::chrono::seconds;
using test::SchedulerWorld;

constexpr int kNodes = 3;
constexpr std::int64_t kLimit = 2;
constexpr const char* kDriver = "csi.example.com";

class VolumeHistory {
 public:
  explicit VolumeHistory(unsigned seed) : dice_(seed), world_(options()) {
    world_.continues_from_copies = seed % 4 == 0;
    world_.storage_classes = {{.name = "local",
                               .provisioner = std::string(policy::kNoProvisioner),
                               .waits_for_consumer = true},
                              {.name = "made", .provisioner = kDriver, .waits_for_consumer = true}};
    for (int i = 1; i <= kNodes; ++i) {
      put_node(i);
      world_.csi_nodes.push_back(
          {.name = "node-" + std::to_string(i), .limits = {{kDriver, kLimit}}});
    }
    world_.did = [this](const Effects& effects) {
      for (const Effect& each : effects) {
        if (const auto* bind = std::get_if<BindPod>(&each.what)) check(*bind);
        if (const auto* bind = std::get_if<BindVolume>(&each.what)) check(*bind);
      }
    };
    world_.start();
  }

  void play(int steps) {
    for (int i = 0; i < steps && broken.empty(); ++i) step();
    // Everything settles: what can be bound is.
    if (world_.lags) world_.catch_up();
    for (int i = 1; i <= kNodes; ++i) put_node(i);
    // Sooner than pods are given up, which would hide what nobody is waiting for.
    for (int i = 0; i < 40; ++i) {
      end_leaving();
      for (const std::string& each : names_of(world_.claims)) serve_claim(each, false);
      world_.pass(seconds(10));
    }
    check_settled();
  }

  std::vector<std::string> broken{};
  int bound = 0;

 private:
  static ReactorOptions options() {
    ReactorOptions made = SchedulerWorld::usual();
    made.places_for = {"elbowroom"};
    return made;
  }

  std::size_t below(std::size_t bound_of) { return dice_() % bound_of; }
  template <class Map>
  std::string any_of(const Map& all) {
    if (all.empty()) return "";
    return std::next(all.begin(), static_cast<std::ptrdiff_t>(below(all.size())))->first;
  }

  template <class Map>
  static std::vector<std::string> names_of(const Map& all) {
    std::vector<std::string> names;
    for (const auto& [name, object] : all) names.push_back(name);
    return names;
  }

  void put_node(int number) {
    world_.put(test::node(4000, 64 * test::kGi, "node-" + std::to_string(number)));
  }

  void step() {
    switch (below(20)) {
      case 17:  // another process, which knows what the API server has
        world_.catch_up();
        world_.restart();
        return world_.start();
      case 18:
        return put_node(1 + static_cast<int>(below(kNodes)));
      case 19:
        // One node at a time is away, and its pods are not forgotten.
        if (world_.lags) return;
        for (int i = 1; i <= kNodes; ++i) put_node(i);
        return world_.tell(NodeGone{"node-" + std::to_string(1 + below(kNodes)), ""});
      default:
        return step_of(below(9));
    }
  }

  void step_of(std::size_t what) {
    switch (what) {
      case 0:
        return put_claim();
      case 1:
        return put_volume();
      case 2:
      case 3:
        return put_pod();
      case 4:
        return world_.pods().empty() ? void() : world_.remove(any_of(world_.pods()));
      case 5:
        return serve_claim(any_of(world_.claims), true);
      case 6:
        return end_leaving();
      case 7:
        if (world_.lags) return world_.catch_up();
        world_.lags = true;
        return;
      default:
        return world_.pass(seconds(1 + below(20)));
    }
  }

  void put_claim() {
    const std::string name = "c" + std::to_string(++count_);
    world_.put(VolumeClaim{
        .ns = "default",
        .name = name,
        .uid = "uid-" + name,
        .storage_class = below(2) == 0 ? "local" : "made",
        .access_modes = below(3) == 0 ? policy::kReadWriteOncePod : policy::kReadWriteOnce,
        .request = static_cast<std::int64_t>(1 + below(3))});
  }

  PersistentVolume volume_on(const std::string& name, const std::string& node,
                             const std::string& of) const {
    PersistentVolume made{.name = name,
                          .uid = "uid-" + name,
                          .storage_class = of,
                          .access_modes = policy::kReadWriteOnce | policy::kReadWriteOncePod,
                          .is_available = true,
                          .capacity = 3};
    if (!node.empty()) {
      made.nodes = std::vector<policy::NodeTerm>{
          {.names = {{.key = "metadata.name", .op = policy::NodeOperator::In, .values = {node}}}}};
    }
    return made;
  }

  void put_volume() {
    PersistentVolume made =
        volume_on("v" + std::to_string(++count_), "node-" + std::to_string(1 + below(3)), "local");
    made.capacity = static_cast<std::int64_t>(1 + below(3));
    world_.put(std::move(made));
  }

  void put_pod() {
    if (world_.claims.empty() || world_.pods().size() > 14) return;
    Pod pod = test::running_pod("p" + std::to_string(++count_),
                                100 + 100 * static_cast<std::int64_t>(below(12)), 0,
                                static_cast<std::int32_t>(10 * below(3)));
    pod.node.clear();
    pod.phase = policy::Phase::Pending;
    pod.scheduler_name = "elbowroom";
    for (policy::Container& each : pod.containers) {
      each.allocated_requests.reset();
      each.actual_requests.reset();
      each.actual_limits.reset();
      each.state = policy::RunState::None;
    }
    for (std::size_t i = 1 + below(2); i-- > 0;) {
      pod.placement.claims.push_back({.name = world_.claims.at(any_of(world_.claims)).name});
    }
    world_.put(pod);
  }

  void end_leaving() {
    std::vector<std::string> leaving;
    for (const auto& [key, pod] : world_.pods()) {
      if (policy::is_terminating(pod)) leaving.push_back(key);
    }
    for (const std::string& key : leaving) world_.remove(key);
  }

  // The binder of claims, and the provisioner.
  void serve_claim(const std::string& key, bool may_fail) {
    if (key.empty()) return;
    VolumeClaim claim = world_.claims.at(key);
    if (claim.is_bound()) return;
    for (const auto& [name, volume] : world_.volumes) {
      if (!volume.claim || !policy::refers_to(*volume.claim, claim)) continue;
      PersistentVolume done = volume;
      done.is_available = false;
      claim.volume = done.name;
      claim.is_completed = true;
      const bool is_claim_first = below(2) == 0;
      if (is_claim_first) world_.put(claim);
      world_.put(done);
      if (!is_claim_first) world_.put(claim);
      return;
    }
    if (!claim.selected_node) return;
    if (may_fail && below(2) == 0) {
      claim.selected_node.reset();
      return world_.put(claim);
    }
    PersistentVolume made = volume_on("m" + std::to_string(++count_), *claim.selected_node, "made");
    made.driver = kDriver;
    made.handle = made.name;
    made.is_available = false;
    made.claim = policy::ClaimRef{.ns = claim.ns, .name = claim.name, .uid = claim.uid};
    world_.put(std::move(made));
  }

  // ---- what must hold, by what the API server has ----

  void check(const BindVolume& bind) {
    const PersistentVolume& volume = world_.volumes.at(bind.volume);
    if (volume.resource_version != bind.resource_version) return;  // it will be refused
    if (volume.claim && *volume.claim != bind.claim) {
      broken.push_back("volume " + bind.volume + " is taken from its claim");
    }
  }

  void check(const BindPod& bind) {
    const std::string key = control::name_of(bind.pod);
    const auto at = world_.pods().find(key);
    if (at == world_.pods().end() || at->second.uid != bind.pod.uid) return;
    if (!at->second.node.empty()) return;  // it will be refused
    ++bound;
    std::set<std::string> attached;
    for (const policy::PodClaim& each : at->second.placement.claims) {
      const VolumeClaim& claim = world_.claims.at("default/" + each.name);
      if (!claim.is_bound()) {
        broken.push_back(key + " is bound before claim " + claim.name);
        return;
      }
      const PersistentVolume& volume = world_.volumes.at(claim.volume);
      const bool is_there =
          !volume.nodes || volume.nodes->front().names.front().values.front() == bind.node;
      if (!is_there) broken.push_back(key + " is bound away from volume " + volume.name);
      if (!volume.driver.empty()) attached.insert(volume.handle);
    }
    for (const auto& [other, pod] : world_.pods()) {
      if (other == key || pod.node.empty()) continue;
      for (const policy::PodClaim& each : pod.placement.claims) {
        const VolumeClaim& claim = world_.claims.at("default/" + each.name);
        const bool shares =
            std::ranges::any_of(at->second.placement.claims,
                                [&](const policy::PodClaim& own) { return own.name == each.name; });
        if (shares && (claim.access_modes & policy::kReadWriteOncePod) != 0) {
          broken.push_back(key + " and " + other + " use claim " + claim.name);
        }
        if (pod.node != bind.node || claim.volume.empty()) continue;
        const PersistentVolume& volume = world_.volumes.at(claim.volume);
        if (!volume.driver.empty()) attached.insert(volume.handle);
      }
    }
    if (static_cast<std::int64_t>(attached.size()) > kLimit) {
      broken.push_back("node " + bind.node + " has too many volumes with " + key);
    }
  }

  // Nothing is assumed for pods that are bound, gone, or refused; and of one claim there is one
  // volume.
  void check_settled() {
    const ReactorState& state = world_.reactor().state();
    for (const auto& [key, pod] : world_.pods()) {
      const bool waits = pod.node.empty() && state.volume_bindings.is_waiting(key, pod.uid);
      if (!pod.node.empty() && state.volume_bindings.is_waiting(key, pod.uid)) {
        broken.push_back(key + " is bound, and its volumes are still waited for");
      }
      if (waits) broken.push_back(key + " still waits for its volumes");
    }
    if (state.volume_bindings.size() != 0) broken.emplace_back("volumes of pods that are gone");
    std::map<std::string, int> of_claim;
    for (const auto& [name, volume] : world_.volumes) {
      const bool is_used = volume.claim && !volume.is_available;
      if (is_used && ++of_claim[volume.claim->name] > 1) {
        broken.push_back("claim " + volume.claim->name + " has two volumes");
      }
    }
  }

  std::mt19937 dice_;
  int count_ = 0;
  SchedulerWorld world_;
};

TEST(VolumeHistories, NoPodBeforeItsClaimsAndNothingTwice) {
  int bound = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    VolumeHistory history(seed);
    history.play(120);
    EXPECT_TRUE(history.broken.empty())
        << "seed " << seed << ": " << (history.broken.empty() ? "" : history.broken.front());
    bound += history.bound;
  }
  EXPECT_GT(bound, 1'000) << "or the histories say little";
}

}  // namespace
}  // namespace elbowroom::scheduler
