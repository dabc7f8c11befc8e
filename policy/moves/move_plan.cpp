#include "policy/moves/move_plan.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "policy/ledger/ledger.h"
#include "policy/model/charge.h"
#include "policy/model/importance.h"
#include "policy/moves/movable.h"
#include "policy/moves/move_budgets.h"
#include "policy/moves/node_load.h"
#include "policy/placement/node_filter.h"
#include "policy/preemption/budget_coverage.h"

namespace elbowroom::policy {
namespace {

// More blocked pods than that are not listed.
constexpr std::size_t kMostBlocked = 1'000;

// As a controller would create it again.
Pod pending(const Pod& pod) {
  Pod made = pod;
  made.node.clear();
  made.nominated_node.clear();
  made.phase = Phase::Pending;
  made.started.reset();
  made.conditions.clear();
  return made;
}

// The least important pod first.
bool is_before(const Pod& one, const Pod& other) {
  const Importance mine = importance_of(one, RuleSet::Elbowroom);
  const Importance theirs = importance_of(other, RuleSet::Elbowroom);
  if (mine != theirs) return mine > theirs;
  return key_of(one) < key_of(other);
}

// The room of the scene, changed for the time of a pass.
class TriedRoom {
 public:
  explicit TriedRoom(ClusterRoom& room) : room_(room) {}
  TriedRoom(const TriedRoom&) = delete;
  TriedRoom& operator=(const TriedRoom&) = delete;
  ~TriedRoom() {
    for (auto at = done_.rbegin(); at != done_.rend(); ++at) {
      if (at->comes) {
        room_.remove(at->pod);
      } else {
        room_.add(at->pod);
      }
    }
  }

  void add(Pod pod) {
    room_.add(pod);
    done_.push_back({std::move(pod), true});
  }
  void remove(Pod pod) {
    room_.remove(pod);
    done_.push_back({std::move(pod), false});
  }
  [[nodiscard]] ClusterRoom& room() { return room_; }

 private:
  struct Step {
    Pod pod{};
    bool comes = false;
  };
  ClusterRoom& room_;
  std::vector<Step> done_{};
};

// What pods with the same preferred node affinity score on each node.
struct Preferences {
  std::vector<PreferredNodes> terms{};
  std::int64_t all = 0;
  std::vector<std::pair<std::int64_t, std::uint32_t>> nodes{};  // the best first
  std::vector<std::int64_t> by_node{};                          // by its number
};

class Pass {
 public:
  Pass(const MoveScene& scene, const MoveRules& rules, const MoveTerms& terms)
      : scene_(scene),
        rules_(rules),
        terms_(terms),
        tried_(scene.room),
        room_(scene.room),
        budgets_(scene, rules.budget_reserve),
        schedule_{.now = scene.now, .avoided = terms.left_alone, .no_victims_on = {"*"}} {
    for (const Pod& each : terms.taken) tried_.add(each);
  }

  MovePlan plan() {
    if (!rules_.is_on()) {
      explain_all("no policy is on");
      return std::move(plan_);
    }
    left_ = rules_.max_moves_per_hour - terms_.moves_made;
    if (rules_.policies.underutilized_node.enabled) empty_crowded_nodes();
    if (rules_.policies.affinity_preference.enabled) follow_preferences();
    std::ranges::sort(plan_.blocked, {}, &BlockedMove::pod);
    explain_rest();
    return std::move(plan_);
  }

 private:
  // Where a pod could go, and what each node would gain.
  struct Choice {
    std::vector<std::pair<std::string, std::int64_t>> nodes{};  // with its gain, by name
    [[nodiscard]] std::int64_t best() const {
      std::int64_t most = 0;
      for (const auto& [name, gain] : nodes) most = std::max(most, gain);
      return most;
    }
    [[nodiscard]] std::optional<std::int64_t> gain_on(const std::string& node) const {
      for (const auto& [name, gain] : nodes) {
        if (name == node) return gain;
      }
      return std::nullopt;
    }
  };
  // The pods of a node that may be moved, the least important first.
  using Pods = std::vector<Pod>;

  [[nodiscard]] NodeLoad load_of(std::uint32_t node) const {
    return NodeLoad(room_.figures()[node]);
  }
  [[nodiscard]] const std::string& name_of(std::uint32_t node) const {
    return room_.nodes()[node].name;
  }
  [[nodiscard]] bool takes_part_in_moves(std::uint32_t node) const {
    return takes_part(room_.nodes()[node].node) && !terms_.left_alone.contains(name_of(node));
  }

  // The room that a pending pod would get is not given to a pod that is moved. Not needed until
  // the first pod could be moved.
  void place_pending_pods() {
    if (std::exchange(has_placed_, true)) return;
    Pods waiting = scene_.pending();
    std::ranges::sort(waiting, [](const Pod& one, const Pod& other) {
      return std::tuple(-std::int64_t{priority_of(one)}, key_of(one)) <
             std::tuple(-std::int64_t{priority_of(other)}, key_of(other));
    });
    for (Pod& each : waiting) {
      const SchedulingDecision decision = schedule(room_, each, schedule_);
      if (decision.result != SchedulingResult::Bind) continue;
      Pod placed = each;
      placed.node = decision.node;
      // Where it is nominated.
      if (!each.nominated_node.empty()) tried_.remove(std::move(each));
      tried_.add(std::move(placed));
    }
  }

  const Pods& movable_on(std::uint32_t node) {
    const auto [at, is_new] = movable_.try_emplace(node);
    if (!is_new) return at->second;
    Pods pods = scene_.pods_on(name_of(node));
    if (is_restless(pods)) {
      explain_pods(pods, "pods of its node are about to be removed");
      return at->second;
    }
    std::erase_if(pods, [&](const Pod& each) { return !is_movable(each); });
    std::ranges::sort(pods, is_before);
    at->second = std::move(pods);
    return at->second;
  }

  bool is_movable(const Pod& pod) {
    std::string_view why = why_not_moved(pod);
    if (why.empty()) why = why_not_moved(pod, rules_);
    if (!why.empty()) explain(pod, std::string(why));
    return why.empty();
  }

  [[nodiscard]] std::int64_t left_off(const std::string& node) const {
    const auto made = terms_.moves_off.find(node);
    const auto planned = moved_off_.find(node);
    return rules_.max_moves_per_node_per_hour -
           (made == terms_.moves_off.end() ? 0 : made->second) -
           (planned == moved_off_.end() ? 0 : planned->second);
  }

  // ---- UnderutilizedNode ----

  void empty_crowded_nodes() {
    const UnderutilizedNode& policy = rules_.policies.underutilized_node;
    std::vector<std::uint32_t> empty;
    std::vector<std::uint32_t> crowded;
    for (const std::uint32_t node : room_.node_numbers()) {
      if (!takes_part_in_moves(node)) continue;
      if (load_of(node).is_underutilized(policy.threshold)) empty.push_back(node);
      if (load_of(node).is_crowded(policy.target)) crowded.push_back(node);
    }
    if (empty.empty() || crowded.empty()) return;
    place_pending_pods();
    std::map<std::uint32_t, std::size_t> tried;  // of the node's movable pods
    std::int64_t moves = 0;
    while (moves < policy.max_moves) {
      const auto node = most_crowded(crowded, tried);
      if (!node) return;
      const Pod pod = movable_on(*node)[tried[*node]++];
      const auto could = [&](const Pod& alone, const NodeLoad& source) {
        return less_crowded(alone, *node, source, empty);
      };
      if (consider(pod, *node, MovePolicy::UnderutilizedNode, could)) ++moves;
    }
  }

  // Of those that have a pod left to try.
  std::optional<std::uint32_t> most_crowded(std::vector<std::uint32_t>& crowded,
                                            std::map<std::uint32_t, std::size_t>& tried) {
    while (!crowded.empty()) {
      const auto most =
          std::ranges::max_element(crowded, [&](std::uint32_t one, std::uint32_t other) {
            if (load_of(other).is_fuller_than(load_of(one))) return true;
            if (load_of(one).is_fuller_than(load_of(other))) return false;
            return name_of(one) > name_of(other);
          });
      const std::uint32_t node = *most;
      const bool is_done = !load_of(node).is_crowded(rules_.policies.underutilized_node.target) ||
                           tried[node] >= movable_on(node).size();
      if (!is_done) return node;
      crowded.erase(most);
    }
    return std::nullopt;
  }

  // `source`: the node as it is with the pod.
  Choice less_crowded(const Pod& alone, std::uint32_t from, const NodeLoad& source,
                      const std::vector<std::uint32_t>& empty) {
    const UnderutilizedNode& policy = rules_.policies.underutilized_node;
    const Resources charge = cluster_charge(alone);
    std::vector<std::pair<std::uint32_t, std::int64_t>> roomy;
    for (const std::uint32_t node : empty) {
      if (node == from) continue;
      const NodeLoad with = load_of(node).with(charge);
      const std::int64_t gain = source.percent_above(with);
      if (with.is_crowded(policy.target)) continue;
      if (gain >= std::max<std::int64_t>(policy.min_gain, 1)) roomy.emplace_back(node, gain);
    }
    Choice choice;
    if (roomy.empty()) return choice;
    const NodeFilter filter(room_, alone, schedule_);
    const std::int64_t here = filter.match().preference(from);
    for (const auto& [node, gain] : roomy) {
      const bool fits =
          filter.match().preference(node) >= here && filter.refusal(node).code == NodeCode::Success;
      if (fits) choice.nodes.emplace_back(name_of(node), gain);
    }
    std::ranges::sort(choice.nodes);
    return choice;
  }

  // ---- AffinityPreference ----

  struct Wish {
    std::int64_t gain = 0;
    Pod pod{};
    std::uint32_t node = 0;
  };

  void follow_preferences() {
    std::vector<Wish> wishes;
    for (auto& [name, pods] : scene_.preferring()) {
      const auto node = room_.find_node(name);
      if (!node || !takes_part_in_moves(*node)) continue;
      for (Pod& each : pods) {
        if (!is_movable(each) || is_moved(each)) continue;
        if (const auto gain = wished_gain(each, *node)) {
          wishes.push_back({*gain, std::move(each), *node});
        }
      }
    }
    std::ranges::sort(wishes, [](const Wish& one, const Wish& other) {
      return one.gain != other.gain ? one.gain > other.gain : is_before(one.pod, other.pod);
    });
    for (const Wish& each : wishes) {
      const auto could = [&](const Pod& alone, const NodeLoad& /*source*/) {
        return preferred(alone, each.node);
      };
      (void)consider(each.pod, each.node, MovePolicy::AffinityPreference, could);
    }
  }

  // On the best node that could take it now; none: not enough on any. Meanwhile nothing moves.
  std::optional<std::int64_t> wished_gain(const Pod& pod, std::uint32_t from) {
    const Preferences& scores = preferences_of(pod);
    const std::int64_t here = scores.by_node[from];
    if (scores.nodes.empty() ||
        gain_of(scores, scores.nodes.front().first, here) < least_preferred()) {
      return std::nullopt;
    }
    place_pending_pods();
    const auto& roomy = roomy_for(scores, pod);
    const bool is_hopeless = std::ranges::none_of(roomy, [&](const auto& each) {
      return each.second != from && gain_of(scores, each.first, here) >= least_preferred();
    });
    if (is_hopeless) return std::nullopt;
    room_.remove(pod);
    const Choice choice = preferred(pending(pod), from, 1);
    room_.add(pod);
    if (choice.nodes.empty()) return std::nullopt;
    return choice.best();
  }

  // The nodes with the cpu and memory that the pod requests, the best first.
  const std::vector<std::pair<std::int64_t, std::uint32_t>>& roomy_for(const Preferences& scores,
                                                                       const Pod& pod) {
    const Resources request = totals_of(pod).desired;
    const auto [at, is_new] =
        roomy_.try_emplace({&scores, request.cpu.value, request.memory.value});
    if (is_new) {
      std::ranges::copy_if(scores.nodes, std::back_inserter(at->second),
                           [&](const auto& each) { return has_room(each.second, request); });
    }
    return at->second;
  }

  [[nodiscard]] bool has_room(std::uint32_t node, const Resources& request) const {
    const NodeTotals& figures = room_.figures()[node];
    const auto fits = [](std::int64_t amount, std::int64_t used, std::int64_t of) {
      return amount == 0 || amount <= of - used;
    };
    return fits(request.cpu.value, figures.used_cpu, figures.cpu) &&
           fits(request.memory.value, figures.used_memory, figures.memory);
  }

  // Then it is not in the room where it was any more.
  [[nodiscard]] bool is_moved(const Pod& pod) const {
    return std::ranges::find(plan_.moves, pod.uid, &Move::uid) != plan_.moves.end();
  }

  [[nodiscard]] std::int64_t least_preferred() const {
    return std::max<std::int64_t>(rules_.policies.affinity_preference.min_gain, 1);
  }

  // The nodes' scores do not depend on which pods are where. Replicas have the same, and often
  // other pods too.
  const Preferences& preferences_of(const Pod& pod) {
    const std::vector<PreferredNodes>& terms = pod.placement.preferred_nodes;
    std::vector<const Preferences*>& known = preferences_by_owner_[pod.controller->uid];
    for (const Preferences* each : known) {
      if (each->terms == terms) return *each;
    }
    auto at = std::ranges::find_if(preferences_,
                                   [&](const auto& each) { return each.second.terms == terms; });
    if (at == preferences_.end()) {
      at = preferences_.emplace(preferences_.size(), scored(pod)).first;
    }
    known.push_back(&at->second);
    return at->second;
  }

  [[nodiscard]] Preferences scored(const Pod& pod) const {
    Preferences made{.terms = pod.placement.preferred_nodes};
    for (const PreferredNodes& each : made.terms) made.all += each.weight;
    const NodeAffinityMatch match(room_, pod.placement);
    made.by_node.resize(room_.nodes().size());
    for (const std::uint32_t node : room_.node_numbers()) {
      made.by_node[node] = match.preference(node);
      if (takes_part_in_moves(node)) made.nodes.emplace_back(made.by_node[node], node);
    }
    std::ranges::sort(made.nodes, [](const auto& one, const auto& other) {
      return one.first != other.first ? one.first > other.first : one.second < other.second;
    });
    return made;
  }

  static std::int64_t gain_of(const Preferences& scores, std::int64_t there, std::int64_t here) {
    return scores.all <= 0 ? 0 : (there - here) * 100 / scores.all;
  }

  // `at_most`: so many of them, the best ones.
  Choice preferred(const Pod& alone, std::uint32_t from,
                   std::size_t at_most = std::numeric_limits<std::size_t>::max()) {
    const Preferences& scores = preferences_of(alone);
    const std::int64_t here = scores.by_node[from];
    const NodeFilter filter(room_, alone, schedule_);
    Choice choice;
    for (const auto& [score, node] : scores.nodes) {
      const std::int64_t gain = gain_of(scores, score, here);
      if (gain < least_preferred() || choice.nodes.size() == at_most) break;
      if (node == from || !has_room(node, filter.request()) ||
          filter.refusal(node).code != NodeCode::Success)
        continue;
      choice.nodes.emplace_back(name_of(node), gain);
    }
    std::ranges::sort(choice.nodes);
    return choice;
  }

  // ---- one move ----

  // Why nothing of the pod's owner moves in this pass; "": it may.
  std::string why_owner_stays(const Pod& pod, const TopOwner& owner) {
    if (moved_.contains(owner.uid)) return "another pod of its owner is moved in the same pass";
    if (const auto rest = terms_.resting.find(owner.uid); rest != terms_.resting.end()) {
      return rest->second;
    }
    const auto [at, is_new] = waiting_owners_.try_emplace(pod.controller->uid);
    if (is_new) at->second = why_owner_waits(pod, scene_);
    return at->second;
  }

  // Whether it is moved; if so it counts where it is expected from now on.
  template <class Could>
  bool consider(const Pod& pod, std::uint32_t from, MovePolicy policy, Could could) {
    const TopOwner owner = top_owner(pod, scene_);
    if (std::string why = why_owner_stays(pod, owner); !why.empty()) {
      explain(pod, std::move(why));
      return false;
    }
    // What a pod would gain is not asked where it may not move anyhow.
    const bool may_move = left_ > 0 && left_off(pod.node) > 0;
    if (!may_move && !is_explained(pod)) return false;
    const NodeLoad source = load_of(from);
    room_.remove(pod);
    const Pod alone = pending(pod);
    const Choice choice = could(alone, source);
    const std::string expected = choice.nodes.empty() ? "" : expected_node(alone, pod);
    room_.add(pod);
    const auto gain = choice.gain_on(expected);
    if (!gain) {
      explain(pod, why_nowhere(choice, expected));
      return false;
    }
    if (const std::string blocked = budgets_.why_blocked(pod); !blocked.empty()) {
      block(pod, policy, blocked);
      return false;
    }
    if (!may_move) {
      explain(pod, left_ <= 0 ? "as many pods as maxMovesPerHour allows have moved"
                              : "as many pods as maxMovesPerNodePerHour allows have left its node");
      return false;
    }
    const bool is_by_load = policy == MovePolicy::UnderutilizedNode;
    move(pod, owner, choice,
         {.policy = policy,
          .gain = std::clamp<std::int64_t>(is_by_load ? *gain : choice.best(), 0, 100),
          .expected = expected});
    return true;
  }

  void move(const Pod& pod, const TopOwner& owner, const Choice& choice, Move made) {
    made.pod = key_of(pod);
    made.uid = pod.uid;
    made.owner = owner.uid;
    made.owner_name = owner.name;
    made.from = pod.node;
    made.why = why_of(pod, made.policy);
    for (const auto& [name, each] : choice.nodes) made.could.push_back(name);
    Pod moved = pod;
    moved.node = made.expected;
    tried_.remove(pod);
    tried_.add(std::move(moved));
    budgets_.charge(pod);
    moved_.insert(owner.uid);
    ++moved_off_[pod.node];
    --left_;
    explain(pod, std::string(to_string(made.policy)) + " moves it, to gain " +
                     std::to_string(made.gain) + " on node " + made.expected + ": " + made.why);
    plan_.moves.push_back(std::move(made));
  }

  [[nodiscard]] std::string why_of(const Pod& pod, MovePolicy policy) const {
    if (policy == MovePolicy::AffinityPreference) {
      return "other nodes meet more of its preferred node affinity than node " + pod.node;
    }
    return "more than " + std::to_string(rules_.policies.underutilized_node.target) +
           " percent of node " + pod.node + " is requested, and other nodes are nearly empty";
  }

  static std::string why_nowhere(const Choice& choice, const std::string& expected) {
    if (choice.nodes.empty()) return "no node that could take it now gains enough";
    std::string nodes;
    for (const auto& [name, gain] : choice.nodes) nodes += (nodes.empty() ? "" : ", ") + name;
    return "it would gain on " + nodes + ", but the scheduler would put it " +
           (expected.empty() ? std::string("nowhere") : "on node " + expected);
  }

  void block(const Pod& pod, MovePolicy policy, const std::string& by) {
    explain(pod, std::string(to_string(policy)) + " would move it, but for " + by);
    if (!blocked_.insert(pod.uid).second) return;
    if (plan_.blocked.size() >= kMostBlocked) return;
    plan_.blocked.push_back({.pod = key_of(pod), .uid = pod.uid, .policy = policy, .by = by});
  }

  // Where the scheduler would put the pod now, while its controller's pods avoid the node that it
  // leaves; "": nowhere.
  std::string expected_node(const Pod& alone, const Pod& pod) {
    const Node node = room_.nodes()[*room_.find_node(pod.node)].node;
    Node avoided = node;
    std::erase_if(avoided.avoided_controllers,
                  [&](const auto& each) { return each.uid == pod.controller->uid; });
    avoided.avoided_controllers.push_back({.uid = pod.controller->uid, .until = std::nullopt});
    room_.put(avoided);
    const SchedulingDecision decision = schedule(room_, alone, schedule_);
    room_.put(node);
    return decision.result == SchedulingResult::Bind ? decision.node : "";
  }

  // ---- what is asked about ----

  [[nodiscard]] bool is_explained(const Pod& pod) const {
    return !terms_.explained.empty() && key_of(pod) == terms_.explained;
  }
  void explain(const Pod& pod, std::string why) {
    if (is_explained(pod)) plan_.explanation = std::move(why);
  }
  void explain_pods(const Pods& pods, const std::string& why) {
    for (const Pod& each : pods) explain(each, why);
  }
  void explain_all(std::string why) {
    if (!terms_.explained.empty()) plan_.explanation = std::move(why);
  }
  void explain_rest() {
    if (plan_.explanation.empty()) {
      explain_all("neither its node is crowded, nor are other nodes preferred by enough");
    }
  }

  const MoveScene& scene_;
  const MoveRules& rules_;
  const MoveTerms& terms_;
  TriedRoom tried_;
  ClusterRoom& room_;
  MoveBudgets budgets_;
  ScheduleTerms schedule_;
  bool has_placed_ = false;
  std::int64_t left_ = 0;                                // moves, of the hour
  std::map<std::string, std::int64_t> moved_off_{};      // in this pass, by node
  std::map<std::uint32_t, Pods> movable_{};              // by node
  std::map<std::string, std::string> waiting_owners_{};  // why, by the controller's uid
  std::set<std::string, std::less<>> moved_{};           // uids of owners
  std::set<std::string, std::less<>> blocked_{};         // uids of pods
  std::map<std::size_t, Preferences> preferences_{};     // one for each list of terms, by number
  std::map<std::string, std::vector<const Preferences*>> preferences_by_owner_{};  // by uid
  std::map<std::tuple<const Preferences*, std::int64_t, std::int64_t>,
           std::vector<std::pair<std::int64_t, std::uint32_t>>>
      roomy_{};  // by requested cpu and memory
  MovePlan plan_{};
};

// What a pass asks of objects that are all at hand.
class ObjectScene {
 public:
  ObjectScene(const ClusterMoment& moment, const std::vector<MoveOwner>& owners)
      : moment_(moment), room_(room_of(moment)) {
    for (const Pod& each : moment.pods) {
      by_node_[each.node].push_back(&each);
      if (!each.controller) continue;
      if (auto replica = replica_of(each)) {
        replicas_[each.controller->uid].push_back(*std::move(replica));
      }
    }
    for (const MoveOwner& each : owners) owners_.emplace(each.uid, &each);
  }

  [[nodiscard]] MoveScene scene(bool knows_time) {
    return {
        .room = room_,
        .pods_on = [this](std::string_view node) { return pods_on(node); },
        .preferring = [this] { return preferring(); },
        .pending = [this] { return pending(); },
        .replicas_of = [this](const Pod& pod) { return replicas_of(pod); },
        .budgets_of = [this](const std::string& ns) { return budgets_of(ns); },
        .named_by = [this](const Ledger& /*ledger*/, const std::string& ns) { return pods_of(ns); },
        .owner = [this](std::string_view uid) -> const MoveOwner* {
          const auto at = owners_.find(uid);
          return at == owners_.end() ? nullptr : at->second;
        },
        .now = moment_.now,
        .knows_time = knows_time};
  }

 private:
  std::vector<Pod> pods_on(std::string_view node) const {
    std::vector<Pod> pods;
    const auto at = by_node_.find(node);
    if (at == by_node_.end()) return pods;
    for (const Pod* each : at->second) pods.push_back(*each);
    return pods;
  }
  PodsByNode preferring() const {
    PodsByNode nodes;
    for (const auto& [node, pods] : by_node_) {
      const bool is_left_alone =
          std::ranges::any_of(pods, [](const Pod* each) { return is_restless({each, 1}); });
      if (node.empty() || is_left_alone) continue;
      for (const Pod* each : pods) {
        if (!each->placement.preferred_nodes.empty()) nodes[node].push_back(*each);
      }
    }
    return nodes;
  }
  std::vector<Pod> pending() const {
    std::vector<Pod> pods;
    for (const Pod& each : moment_.pods) {
      if (each.node.empty() && each.phase == Phase::Pending && !is_terminating(each)) {
        pods.push_back(each);
      }
    }
    return pods;
  }
  std::vector<Replica> replicas_of(const Pod& pod) const {
    const auto at = replicas_.find(pod.controller->uid);
    return at == replicas_.end() ? std::vector<Replica>{} : at->second;
  }
  std::vector<Pod> pods_of(const std::string& ns) const {
    std::vector<Pod> pods;
    for (const Pod& each : moment_.pods) {
      if (each.ns == ns) pods.push_back(each);
    }
    return pods;
  }
  Budgets budgets_of(const std::string& ns) const {
    Budgets budgets;
    for (const PodDisruptionBudget& each : moment_.budgets.upstream) {
      if (each.ns == ns) budgets.upstream.push_back(each);
    }
    for (const DisruptionBudget& each : moment_.budgets.ours) {
      if (each.ns != ns) continue;
      budgets.ours.push_back(each);
      budgets.strengths.push_back(ledger_state(each, moment_.pods, moment_.now).strength);
    }
    return budgets;
  }

  const ClusterMoment& moment_;
  ClusterRoom room_;
  std::map<std::string, std::vector<const Pod*>, std::less<>> by_node_{};
  std::map<std::string, std::vector<Replica>> replicas_{};  // by the controller's uid
  std::map<std::string, const MoveOwner*, std::less<>> owners_{};
};

}  // namespace

std::string_view to_string(MovePolicy policy) {
  return policy == MovePolicy::UnderutilizedNode ? "UnderutilizedNode" : "AffinityPreference";
}

MovePlan plan_moves(const MoveScene& scene, const MoveRules& rules, const MoveTerms& terms) {
  return Pass(scene, rules, terms).plan();
}

MovePlan plan_moves(const ClusterMoment& moment, const MoveRules& rules, const MoveTerms& terms,
                    const std::vector<MoveOwner>& owners, bool knows_time) {
  ObjectScene objects(moment, owners);
  return plan_moves(objects.scene(knows_time), rules, terms);
}

}  // namespace elbowroom::policy
