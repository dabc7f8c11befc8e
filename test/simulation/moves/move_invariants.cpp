#include "test/simulation/moves/move_invariants.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "test/simulation/moves/move_facts.h"
#include "test/simulation/moves/move_objects.h"

namespace elbowroom::test {
namespace {

using lab::Json;
using std::chrono::hours;
using std::chrono::seconds;

// A watch may be stale for so long, and for so much longer where it says nothing at all.
constexpr seconds kLag{30};
constexpr seconds kLongLag{240};
// Times that are stored have whole seconds, and a write may take its time before it arrives.
constexpr seconds kRounded{2};
constexpr seconds kOnTheWay{15};
constexpr const char* kRests = "/configmaps/elbowroom-rescheduler-rests";
constexpr const char* kConfigs = "/namespaces/kube-system/configmaps";
constexpr const char* kAvoided = "scheduler.alpha.kubernetes.io/preferAvoidPods";

bool is_dry_run(const api::Request& request) {
  return std::ranges::any_of(request.query,
                             [](const auto& each) { return each.first == "dryRun"; });
}

bool counts_as_healthy(const Json& pod) {
  return !node_of(pod).empty() && !has_ended(pod) && !is_leaving(pod) && is_ready(pod);
}

const lab::Kind& lease_kind() { return *lab::find_kind("coordination.k8s.io", "v1", "leases"); }
const lab::Kind& pod_budget_kind() {
  return *lab::find_kind("policy", "v1", "poddisruptionbudgets");
}

}  // namespace

MoveInvariants::MoveInvariants(lab::Simulation& simulation, const MoveHistory& history,
                               std::map<std::string, std::size_t>& counts)
    : simulation_(simulation),
      history_(history),
      counts_(counts),
      landed_(
          simulation.world(), history, [this](const std::string& what) { fail(what); }, counts),
      traces_(simulation, [this](const std::string& what) { fail(what); }) {}

void MoveInvariants::fail(const std::string& what) {
  const auto at = std::chrono::floor<std::chrono::milliseconds>(simulation_.elapsed());
  broken_.push_back(what + " (at " + std::to_string(at.count()) + "ms)");
}

// What was not seen yet where a watch lags.
bool MoveInvariants::is_recent(Span at) const {
  if (history_.is_quiet) return false;
  const Span lag = simulation_.elapsed() < lags_until_ ? Span(kLongLag) : Span(kLag);
  return simulation_.elapsed() - at < lag;
}

void MoveInvariants::disturbed(bool lags) {
  traces_.disturbed();
  if (lags) lags_until_ = simulation_.elapsed() + kLongLag;
}

std::size_t MoveInvariants::passes() const {
  std::set<std::int64_t> all;
  for (const SeenMove& each : landed_.moves()) all.insert(each.pass);
  return all.size();
}

// ---- what processes do ----

void MoveInvariants::asked(const std::string& who, const api::Request& request) {
  if (request.method == api::Method::Get) return;
  const bool creates_rests =
      request.method == api::Method::Post && request.path.ends_with(kConfigs);
  if (creates_rests || request.path.ends_with(kRests)) ++pass_;
  constexpr std::string_view kEnd = "/eviction";
  if (!request.path.ends_with(kEnd) || is_dry_run(request)) return;
  const std::string path = request.path.substr(0, request.path.size() - kEnd.size());
  evicts(who, path.substr(path.rfind('/') + 1), request.body);
}

void MoveInvariants::observed(const std::string& who, const rescheduler::Observation& seen) {
  const auto* failed = std::get_if<control::Failed>(&seen.what);
  if (failed == nullptr) return;
  const auto eviction = evictions_.find({who, failed->effect});
  if (eviction == evictions_.end()) return;
  ++counts_["refused eviction"];
  const bool is_definite = failed->error.code != Code::Unavailable;
  if (is_definite) traces_.refused(eviction->second, who);
}

void MoveInvariants::decided(const std::string& who, const rescheduler::Effect& effect) {
  if (const auto* evict = std::get_if<rescheduler::EvictPod>(&effect.what)) {
    traces_.asked_again(evict->pod.uid);
    if (!evict->dry_run) evictions_[{who, effect.id}] = evict->pod.uid;
  }
  const auto* event = std::get_if<control::EmitEvent>(&effect.what);
  if (event == nullptr || event->kind != control::Subject::Pod) return;
  ++counts_[event->reason];
  if (event->reason == "Rescheduled") landed_.told(event->regarding.uid, event->note);
}

void MoveInvariants::ended(const std::string& who) { traces_.ended(who); }

void MoveInvariants::evicted_by_other(const std::string& uid) {
  const auto pod = pods_.find(uid);
  if (pod == pods_.end()) return;
  removals_.push_back(
      {.at = simulation_.elapsed(), .pod = pod->second, .is_ours = false, .from = ""});
}

// ---- evictions ----

// The server is about to act on it.
void MoveInvariants::evicts(const std::string& who, const std::string& name,
                            const std::string& body) {
  const Json asked = Json::parse(body, nullptr, false);
  const std::string uid = lab::text_at(asked, {"deleteOptions", "preconditions", "uid"});
  if (uid.empty()) fail("pod " + name + " is evicted whatever its uid is");
  const Json* pod = world().peek(pod_kind(), "default", name);
  if (pod == nullptr || is_leaving(*pod) || (!uid.empty() && uid_of(*pod) != uid)) return;
  const SeenMove move = move_of(*pod);
  check_process(who, *pod);
  check_pod(*pod);
  check_owner(move);
  check_limits(move);
  check_budgets(*pod);
  asked_for_.push_back(move);
}

SeenMove MoveInvariants::move_of(const Json& pod) const {
  SeenMove move{.pod = pod,
                .owner = resting_owner_of(world(), pod),
                .controller = controller_of(pod).uid,
                .from = node_of(pod),
                .at = simulation_.elapsed(),
                .pass = pass_,
                .left = filled(world(), node_of(pod)),
                .waiting = one_waiting()};
  for (const Json* each : world().all_stored_objects(pod_kind())) {
    if (controller_of(*each).uid == move.controller) move.replicas.insert(uid_of(*each));
  }
  return move;
}

// Where one pod alone waits for a node, and has a place.
std::optional<std::string> MoveInvariants::one_waiting() const {
  std::vector<const Json*> all;
  for (const Json* each : world().all_stored_objects(pod_kind())) {
    if (node_of(*each).empty() && !is_leaving(*each) && !has_ended(*each)) all.push_back(each);
  }
  if (all.size() != 1) return std::nullopt;
  const auto nodes = world().all_stored_objects(node_kind());
  const bool has_place = std::ranges::any_of(
      nodes, [&](const Json* each) { return has_place_for(world(), *each, *all.front()); });
  return has_place ? std::optional(uid_of(*all.front())) : std::nullopt;
}

void MoveInvariants::check_process(const std::string& who, const Json& pod) {
  const std::string words = who + " evicts pod " + name_of(pod);
  if (!history_.is_quiet) {
    const Json* lease = world().peek(lease_kind(), "kube-system", "elbowroom-rescheduler");
    const std::string holder =
        lease == nullptr ? "" : lab::text_at(*lease, {"spec", "holderIdentity"});
    if (holder != who) fail(words + " while \"" + holder + "\" leads");
  }
  if (off_since_ && !is_recent(*off_since_)) fail(words + ", and moves are off");
  const Json* node = world().peek(node_kind(), "", node_of(pod));
  const std::string entries =
      node == nullptr ? "" : lab::map_at(*node, {"metadata", "annotations"}).value(kAvoided, "");
  if (!entries.contains(uid_of(pod))) fail(words + ", and its node is not avoided");
}

void MoveInvariants::check_pod(const Json& pod) {
  const std::string why = why_it_stays(pod, history_.wishes.protects_local);
  if (!why.empty()) fail("pod " + name_of(pod) + " is evicted, and " + why);
  const Json* node = world().peek(node_kind(), "", node_of(pod));
  if (node == nullptr || takes_pods(*node)) return;
  if (!is_recent(node_since_[name_of(*node)])) {
    fail("pod " + name_of(pod) + " leaves node " + name_of(*node) + ", which takes no pods");
  }
}

void MoveInvariants::check_owner(const SeenMove& move) {
  const std::string words = "pod " + name_of(move.pod) + " is evicted while its owner ";
  if (const auto since = landed_.rested_since(move.owner)) {
    const auto last = std::ranges::find(landed_.moves().rbegin(), landed_.moves().rend(),
                                        move.owner, &SeenMove::owner);
    const Span begun = rests_lost_ > last->at ? last->at : *since;
    const auto times = rests_lost_ < last->at && landed_.came_back_last(move.owner) ? 2 : 1;
    const Span until = begun + times * Span(history_.wishes.cool_down) - Span(kRounded);
    if (simulation_.elapsed() < until) fail(words + "rests");
  }
  for (const SeenMove& each : asked_for_) {
    if (each.owner == move.owner) fail(words + "loses another one");
  }
  if (!history_.is_quiet) return;
  for (const Json* each : world().all_stored_objects(pod_kind())) {
    const bool is_one = controller_of(*each).uid == move.controller && !has_ended(*each);
    if (is_one && (!is_ready(*each) || is_leaving(*each))) fail(words + "is not at rest");
  }
}

void MoveInvariants::check_limits(const SeenMove& move) {
  std::int64_t all = static_cast<std::int64_t>(asked_for_.size());
  std::int64_t off = std::ranges::count(asked_for_, move.from, &SeenMove::from);
  for (const Removal& each : removals_) {
    const bool is_of_hour = each.is_ours && simulation_.elapsed() - each.at < hours(1) - kOnTheWay;
    if (!is_of_hour) continue;
    ++all;
    if (each.from == move.from) ++off;
  }
  const std::string words = "pod " + name_of(move.pod) + " is evicted after ";
  if (rests_lost_.count() >= 0) return;
  if (all >= history_.wishes.per_hour) fail(words + std::to_string(all) + " others of the hour");
  if (off >= history_.wishes.per_node_per_hour) {
    fail(words + std::to_string(off) + " others of its node of the hour");
  }
}

// ---- budgets ----

void MoveInvariants::check_budgets(const Json& pod) {
  for (const Json* each : world().all_stored_objects(own_budget_kind())) {
    if (selects(*each, pod)) check_own_budget(*each, pod);
  }
  if (!history_.is_quiet) return;
  // The server keeps them itself; what is to be left in them it does not know.
  for (const Json* each : world().all_stored_objects(pod_budget_kind())) {
    const auto allowed = lab::integer_at(*each, {"status", "disruptionsAllowed"}).value_or(0);
    if (selects(*each, pod) && allowed <= history_.wishes.reserve) {
      fail("pod " + name_of(pod) + " takes the reserve of " + name_of(*each));
    }
  }
}

void MoveInvariants::check_own_budget(const Json& budget, const Json& pod) {
  const KnownBudget& known = budgets_[name_of(budget)];
  if (known.since.count() > 0 && is_recent(known.since)) return;
  const std::string what = "pod " + name_of(pod) + " is evicted, ";
  if (!has_entry(budget, uid_of(pod))) {
    fail(what + "and is not in the ledger of " + name_of(budget));
  }
  bool is_stirred = false;
  std::int64_t healthy = 0;
  for (const Json* each : world().all_stored_objects(pod_kind())) {
    if (!selects(budget, *each)) continue;
    if (counts_as_healthy(*each) && uid_of(*each) != uid_of(pod)) ++healthy;
    const auto since = unhealthy_since_.find(lab::text_at(*each, {"metadata", "labels", "app"}));
    if (since != unhealthy_since_.end() && is_recent(since->second)) is_stirred = true;
  }
  const std::int64_t reserve = history_.is_quiet ? history_.wishes.reserve : 0;
  const auto least = lab::integer_at(budget, {"spec", "minAvailable"}).value_or(0);
  if (!is_stirred && healthy < least + reserve) {
    fail(what + std::to_string(healthy) + " stay, and " + name_of(budget) + " keeps " +
         std::to_string(least));
  }
  check_rate(budget, what);
}

// All disruptions count, of all programs.
void MoveInvariants::check_rate(const Json& budget, const std::string& what) {
  const auto most = lab::integer_at(budget, {"spec", "rate", "disruptions"});
  if (!most) return;
  const seconds per(whole_seconds(lab::text_at(budget, {"spec", "rate", "per"})));
  const Span since = budgets_[name_of(budget)].since;
  std::int64_t made = 1;
  for (const Removal& each : removals_) {
    const bool is_in = simulation_.elapsed() - each.at < per - kOnTheWay && each.at > since;
    if (is_in && selects(budget, each.pod)) ++made;
  }
  for (const SeenMove& each : asked_for_) made += selects(budget, each.pod) ? 1 : 0;
  const std::int64_t reserve = history_.is_quiet ? history_.wishes.reserve : 0;
  if (made + reserve > *most) {
    fail(what + "the disruption number " + std::to_string(made) + " of the rate of " +
         name_of(budget));
  }
}

// ---- the cluster ----

void MoveInvariants::world_changed() {
  confirm_evictions();
  look_at_nodes();
  look_at_budgets();
  look_at_pods();
  version_ = world().version();
  traces_.check();
}

// Those after which the pod is on its way out, or gone.
void MoveInvariants::confirm_evictions() {
  for (SeenMove& each : std::exchange(asked_for_, {})) {
    const Json* pod = world().peek(pod_kind(), "default", name_of(each.pod));
    const bool stays = pod != nullptr && uid_of(*pod) == uid_of(each.pod) && !is_leaving(*pod);
    if (stays) continue;
    ++counts_["move"];
    removals_.push_back({.at = each.at, .pod = each.pod, .is_ours = true, .from = each.from});
    landed_.add(std::move(each));
  }
}

std::vector<lab::ChangedObject> MoveInvariants::changed(const lab::Kind& kind) const {
  if (version_ > 0) {
    if (auto all = world().changed_after(kind, version_)) return *std::move(all);
  }
  std::vector<lab::ChangedObject> all;
  for (const Json* each : world().all_stored_objects(kind)) {
    all.push_back({.ns = lab::text_at(*each, {"metadata", "namespace"}), .name = name_of(*each)});
  }
  return all;
}

void MoveInvariants::look_at_nodes() {
  for (const auto& each : changed(node_kind())) {
    const Json* node = world().peek(node_kind(), "", each.name);
    const std::string state = node == nullptr ? "gone" : takes_pods(*node) ? "takes" : "refuses";
    if (std::exchange(node_state_[each.name], state) == state) continue;
    node_since_[each.name] = simulation_.elapsed();
  }
}

void MoveInvariants::look_at_budgets() {
  for (const auto& each : changed(own_budget_kind())) {
    const Json* budget = world().peek(own_budget_kind(), each.ns, each.name);
    const std::string spec = budget == nullptr ? "" : budget->at("spec").dump();
    KnownBudget& known = budgets_[each.name];
    if (std::exchange(known.spec, spec) == spec) continue;
    known.since = simulation_.elapsed();
  }
}

void MoveInvariants::look_at_pods() {
  for (const auto& each : changed(pod_kind())) {
    const Json* pod = world().peek(pod_kind(), each.ns, each.name);
    std::erase_if(pods_, [&](const auto& known) {
      const Json& before = known.second;
      if (name_of(before) != each.name) return false;
      if (pod != nullptr && uid_of(*pod) == known.first) return false;
      const bool is_moved = std::ranges::any_of(
          landed_.moves(), [&](const SeenMove& move) { return uid_of(move.pod) == known.first; });
      if (!is_moved) landed_.lost_pod(known.first, node_of(before));
      return true;
    });
    if (pod == nullptr) continue;
    const auto before = pods_.find(uid_of(*pod));
    const bool fell =
        before != pods_.end() && counts_as_healthy(before->second) && !counts_as_healthy(*pod);
    const bool is_debited = std::ranges::any_of(
        removals_, [&](const Removal& made) { return uid_of(made.pod) == uid_of(*pod); });
    if (fell && !is_debited) {
      unhealthy_since_[lab::text_at(*pod, {"metadata", "labels", "app"})] = simulation_.elapsed();
    }
    pods_.insert_or_assign(uid_of(*pod), *pod);
    landed_.saw_pod(*pod, simulation_.elapsed());
  }
}

void MoveInvariants::check_at_end() {
  landed_.check_at_end(simulation_.elapsed());
  traces_.check_at_end();
}

}  // namespace elbowroom::test
