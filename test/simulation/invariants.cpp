#include "test/simulation/invariants.h"

#include <algorithm>

#include "api/codec/decode_node.h"
#include "api/watch/pod_reader.h"
#include "base/document.h"
#include "cri/convert.h"
#include "policy/model/capped_pod.h"
#include "policy/model/charge.h"
#include "policy/model/rejected_pods.h"
#include "policy/model/removal_mark.h"
#include "policy/resize/resize.h"
#include "test/simulation/cgroup_writes.h"
#include "test/simulation/plain_pods.h"
#include "test/simulation/strangers.h"

namespace elbowroom::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kMostFailures = 8;  // of one kind for one pod in kFailureWindow
constexpr milliseconds kFailureWindow{2000};
constexpr seconds kOurTurn{21};
constexpr std::size_t kMostAtOnce = 1000;
constexpr seconds kGoesWithin{30};  // after its grace
constexpr seconds kShrinkMayTake{60};
constexpr std::chrono::minutes kBreakerWindow{10};
constexpr std::ptrdiff_t kMostSetsPerPod = 3;
constexpr std::size_t kMostPodsPerNode = 10;

// True where `a` has more of something than `b`; the names of what.
std::vector<std::string> raised(const policy::Resources& a, const policy::Resources& b) {
  std::vector<std::string> names;
  policy::for_each_amount(a, [&](std::string_view name, std::int64_t amount) {
    if (amount > policy::amount_of(b, name)) names.emplace_back(name);
  });
  return names;
}

// What the pod has as resources of its own counts in place of its containers' sum.
policy::Resources requests_of(const agent::PodAllocation& allocation) {
  policy::Resources sum;
  for (const auto& [name, size] : allocation.containers) policy::add_to(sum, size.requests);
  policy::for_each_amount(allocation.pod_level.requests,
                          [&](std::string_view name, std::int64_t amount) {
                            if (amount > 0) policy::set_amount(sum, name, amount);
                          });
  return sum;
}

bool takes_room(const policy::Pod& pod) {
  if (policy::is_finished(pod)) return false;
  if (!policy::is_terminating(pod)) return true;
  return std::ranges::any_of(pod.containers, [](const policy::Container& each) {
    return each.state != policy::RunState::Terminated;
  });
}

std::string subject_of(const agent::Effect& effect) {
  return std::visit(
      [&](const auto& what) -> std::string {
        const std::string kind = std::to_string(effect.what.index()) + " ";
        if constexpr (requires { what.pod_uid; }) return kind + what.pod_uid;
        if constexpr (requires { what.victim.uid; }) return kind + what.victim.uid;
        return kind;
      },
      effect.what);
}

}  // namespace

void Invariants::break_(std::string what) {
  broken_.push_back(
      "at " + std::to_string(std::chrono::floor<milliseconds>(simulation_.elapsed()).count()) +
      "ms: " + std::move(what));
}

void Invariants::hears(const std::string& wrong) {
  if (!wrong.empty()) break_(wrong);
}

// ---- what the agent observes ----

void Invariants::restored(const agent::Restored& restored) {
  hears(kept_.restored(restored));
  // A Deferred that is still shown has lasted as long for a scheduler.
  for (auto& [resize, since] : deferred_since_) since -= now_;
  // Where the record cannot be read, earlier removals are not known: then one more set may be
  // removed.
  if (restored.rebuilt) checkpoint_lost();
  now_ = {};
  seen_node_.reset();
  pods_.clear();
  unreadable_.clear();
  listed_ = false;
  api_lost_ = false;
  runtime_lost_ = true;
  durable_ = restored.checkpoint;
  under_way_.clear();
  retries_.clear();
  seen_at_once_ = 0;
  asked_to_go_.clear();
  overdue_at_.clear();
  allocated_at_.clear();
  said_it_yields_ = 0;
  chosen_.clear();
  checked_.clear();
}

void Invariants::observed(const agent::Observation& seen) {
  check_progress(seen.at.since_start);
  now_ = seen.at.since_start;
  is_silent_ = has_yielded();
  kept_.observed(seen);
  std::visit([this](const auto& what) { on(what); }, seen.what);
}

// An agent that wakes without end for a moment that never comes blocks the history.
void Invariants::check_progress(milliseconds at) {
  seen_at_once_ = at > now_ ? 0 : seen_at_once_ + 1;
  if (seen_at_once_ == kMostAtOnce) {
    break_("turns around " + std::to_string(kMostAtOnce) + " times without a pause");
  }
}

void Invariants::on(const agent::NodeSeen& seen) { seen_node_ = seen.node; }
void Invariants::on(const agent::NodeGone& /*seen*/) { seen_node_.reset(); }

void Invariants::on(const agent::PodSeen& seen) {
  unreadable_.erase(policy::key_of(seen.pod));
  pods_[seen.pod.uid] = seen.pod;
  note_going(seen.pod);
  // Others saw that the Deferred was over: the next Deferred begins its time again.
  if (policy::is_infeasible(seen.pod)) {
    deferred_since_.erase(seen.pod.uid + "/" + std::to_string(seen.pod.generation));
  }
}
void Invariants::on(const agent::PodGone& seen) { pods_.erase(seen.uid); }

void Invariants::note_going(const policy::Pod& pod) {
  if (!pod.deletion) return;
  overdue_at_.try_emplace(pod.uid, now_ + seconds(pod.deletion_grace_seconds) + kGoesWithin);
}

void Invariants::on(const agent::PodsListed& seen) {
  std::map<std::string, policy::Pod, std::less<>> listed;
  for (const policy::Pod& pod : seen.pods) listed[pod.uid] = pod;
  for (const auto& [uid, pod] : pods_) {
    const bool there = std::ranges::find(seen.unreadable, policy::key_of(pod),
                                         &agent::PodUnreadable::key) != seen.unreadable.end();
    if (there) listed.emplace(uid, pod);
  }
  pods_ = std::move(listed);
  for (const policy::Pod& pod : seen.pods) note_going(pod);
  unreadable_.clear();
  for (const agent::PodUnreadable& each : seen.unreadable) unreadable_.insert(each.key);
  if (!listed_) forget_unshown();
  listed_ = true;
}

// Forgets what an earlier process decided and the API server never showed.
void Invariants::forget_unshown() {
  std::set<std::string, std::less<>> shown;
  for (const auto& [uid, pod] : pods_) {
    if (policy::is_deferred(pod)) shown.insert(uid + "/" + std::to_string(pod.generation));
  }
  std::erase_if(deferred_since_, [&](const auto& entry) { return !shown.contains(entry.first); });
}

void Invariants::on(const agent::PodUnreadable& seen) { unreadable_.insert(seen.key); }
void Invariants::on(const agent::PodReadableAgain& seen) { unreadable_.erase(seen.key); }
void Invariants::on(const agent::ApiLost& /*seen*/) { api_lost_ = true; }
void Invariants::on(const agent::ApiBack& /*seen*/) { api_lost_ = false; }
void Invariants::on(const agent::RuntimeSeen& seen) {
  runtime_lost_ = false;
  runtime_ = seen.pods;
}
void Invariants::on(const agent::RuntimeLost& /*seen*/) { runtime_lost_ = true; }

void Invariants::on(const agent::Done& done) {
  const auto at = under_way_.find(done.effect);
  if (at == under_way_.end()) return;
  const agent::Effect effect = std::move(at->second);
  under_way_.erase(at);
  retries_.erase(subject_of(effect));
  if (const auto* save = std::get_if<agent::SaveCheckpoint>(&effect.what)) {
    for (const auto& [uid, allocation] : save->checkpoint.pods) {
      const auto before = durable_.pods.find(uid);
      const bool same = before != durable_.pods.end() && before->second == allocation;
      if (!same) allocated_at_[uid] = now_;
    }
    durable_ = save->checkpoint;
  }
  if (const auto* removal = std::get_if<agent::DeleteVictim>(&effect.what)) {
    if (removal->dry_run) checked_.insert(removal->victim.uid);
    const auto victim = pods_.find(removal->victim.uid);
    if (!removal->dry_run && victim != pods_.end()) {
      const seconds grace(victim->second.termination_grace_seconds);
      asked_to_go_[removal->victim.uid] = now_;
      overdue_at_.try_emplace(removal->victim.uid, now_ + grace + kGoesWithin);
    }
  }
  const auto* actuate = std::get_if<agent::Actuate>(&effect.what);
  const auto* update =
      actuate != nullptr ? std::get_if<policy::UpdateContainer>(&actuate->step) : nullptr;
  if (update != nullptr) runtime_[actuate->pod_uid].containers[update->name].size = done.size;
  const auto* restart =
      actuate != nullptr ? std::get_if<policy::RestartContainer>(&actuate->step) : nullptr;
  // The container was stopped; the size that it comes back with is not known before the runtime
  // shows it.
  if (restart != nullptr) {
    agent::ContainerReport& stopped = runtime_[actuate->pod_uid].containers[restart->name];
    stopped.state = policy::RunState::Terminated;
    stopped.size.reset();
  }
}

void Invariants::on(const agent::Failed& failed) {
  const auto at = under_way_.find(failed.effect);
  if (at == under_way_.end()) return;
  const agent::Effect effect = std::move(at->second);
  under_way_.erase(at);
  std::deque<milliseconds>& failures = retries_[subject_of(effect)].failed;
  failures.push_back(now_);
  while (failures.front() + kFailureWindow < now_) failures.pop_front();
  if (failures.size() > kMostFailures) {
    break_("tried " + std::to_string(failures.size()) + " times in " +
           std::to_string(kFailureWindow.count()) + " ms: " + subject_of(effect));
  }
}

// ---- what it decides ----

void Invariants::decided(const agent::Effect& effect) {
  check_silent(effect);
  if (!std::holds_alternative<agent::EmitEvent>(effect.what)) under_way_[effect.id] = effect;
  if (const auto* mark = std::get_if<agent::MarkVictim>(&effect.what)) check_mark(*mark);
  if (const auto* save = std::get_if<agent::SaveCheckpoint>(&effect.what)) {
    if (!authority_) return break_("a companion saves a checkpoint");
    check_assumed(save->checkpoint);
    check_removals(save->checkpoint);
  }
  if (const auto* write = std::get_if<agent::WriteStatus>(&effect.what)) {
    check_cleared(*write);
    for (const policy::Condition& each : write->set) {
      const std::string key =
          write->pod_uid + "/" + std::to_string(each.observed_generation.value_or(0));
      if (each.type == policy::kPodResizePending && each.reason == policy::kReasonDeferred) {
        deferred_since_.try_emplace(key, now_);
      }
    }
  }
}

// A resize that still waits shows its reason all the time.
void Invariants::check_cleared(const agent::WriteStatus& write) {
  const auto type = std::ranges::find(write.remove, policy::kPodResizePending);
  if (!authority_ || type == write.remove.end()) return;
  const auto pod = pods_.find(write.pod_uid);
  const auto promised = durable_.pods.find(write.pod_uid);
  if (pod == pods_.end() || promised == durable_.pods.end()) return;
  if (!same_promise(wanted_allocation(pod->second), promised->second)) {
    break_("no longer says why " + pod->second.name + " waits, and it does");
  }
}

// No allocation raises what is held, as far as the agent knows, above allocatable.
void Invariants::check_assumed(const agent::Checkpoint& proposed) {
  if (unreadable_.empty() && listed_) {
    for (const auto& [uid, allocation] : proposed.pods) {
      if (!pods_.contains(uid)) break_("keeps a promise to " + allocation.name + ", which is gone");
    }
  }
  policy::Resources held_before;
  policy::Resources held;
  bool promises = false;
  for (const auto& [uid, pod] : pods_) {
    const auto allocation = proposed.pods.find(uid);
    const auto& reports = simulation_.reactor(node_)->state().reports;
    const auto report = reports.find(uid);
    const auto before = durable_.pods.find(uid);
    // What the API shows is not new.
    const auto shown = shown_allocation(pod);
    const bool same = allocation == proposed.pods.end() ||
                      (before != durable_.pods.end() && before->second == allocation->second) ||
                      (shown && same_promise(*shown, allocation->second));
    const agent::PodAllocation* promised = same ? nullptr : &allocation->second;
    if (before != durable_.pods.end()) promised = &before->second;
    if (same && allocation != proposed.pods.end()) promised = &allocation->second;
    policy::Pod view = pod_with(pod, promised, report == reports.end() ? nullptr : &report->second);
    // The answer to its delete says that the pod terminates, and the watch will show it.
    if (!view.deletion && was_asked_to_go(pod)) view.deletion = policy::Time{};
    // It has not been admitted: its pod runner has started nothing.
    const bool waits =
        policy::has_not_begun(pod) && allocation == proposed.pods.end() && report == reports.end();
    if (!waits && takes_room(view)) {
      policy::add_to(held_before, policy::held_charge(view));
      policy::add_to(held, same ? policy::held_charge(view)
                                : policy::max_of(policy::totals_of(view).actual,
                                                 requests_of(allocation->second)));
    }
    if (same) continue;
    if (before == durable_.pods.end() && policy::has_not_begun(pod)) {
      promises = true;
      admitted_.insert(uid);
      continue;
    }
    if (before == durable_.pods.end()) {
      break_("promises " + pod.name + " what neither its checkpoint nor the API had");
      continue;
    }
    // What already runs is taken over where the checkpoint is an older one: this allows nothing to
    // grow.
    const auto more =
        raised(requests_of(allocation->second),
               policy::max_of(requests_of(before->second), policy::totals_of(view).actual));
    if (more.empty()) continue;
    promises = true;
    if (policy::is_terminating(pod)) break_("promises more to a pod that goes");
  }
  if (!promises) return;
  if (!seen_node_ || !listed_) return break_("promises more without knowing node and pods");
  if (api_lost_) break_("promises more while the API server is away");
  if (runtime_lost_) break_("promises more while the runtime is away");
  if (!unreadable_.empty() && !raised(held, held_before).empty())
    break_("promises more beside a pod that it cannot read");
  for (const std::string& name : raised(held, held_before)) {
    if (policy::amount_of(held, name) <= policy::amount_of(seen_node_->allocatable, name)) continue;
    break_("promises more " + name +
           " than there is: " + std::to_string(policy::amount_of(held, name)) + " of " +
           std::to_string(policy::amount_of(seen_node_->allocatable, name)));
  }
}

bool Invariants::was_asked_to_go(const policy::Pod& pod) const {
  const auto asked = asked_to_go_.find(pod.uid);
  return asked != asked_to_go_.end() &&
         now_ < asked->second + seconds(pod.termination_grace_seconds) + kGoesWithin;
}

// The agent's own picture of its node, which it plans with.
KnownNode Invariants::known_node() const {
  KnownNode known;
  if (seen_node_) known.node = *seen_node_;
  known.admitted = admitted_;
  for (const auto& [uid, pod] : pods_) {
    const auto promised = durable_.pods.find(uid);
    const auto report = runtime_.find(uid);
    policy::Pod view = pod_with(pod, promised == durable_.pods.end() ? nullptr : &promised->second,
                                report == runtime_.end() ? nullptr : &report->second);
    if (!view.deletion && was_asked_to_go(pod)) view.deletion = policy::Time{};
    if (promised == durable_.pods.end() && report == runtime_.end() && policy::has_not_begun(pod)) {
      known.awaiting.insert(uid);
    }
    known.pods.push_back(std::move(view));
    const auto overdue = overdue_at_.find(uid);
    if (overdue != overdue_at_.end() && now_ >= overdue->second) known.lapsed.overdue.insert(uid);
    const auto allocated = allocated_at_.find(uid);
    const bool lately =
        allocated != allocated_at_.end() && now_ - allocated->second < kShrinkMayTake;
    if (!lately) known.lapsed.stuck_shrinks.insert(uid);
  }
  return known;
}

void Invariants::check_removals(const agent::Checkpoint& proposed) {
  for (auto at = proposed.removals.begin(); at != proposed.removals.end(); ++at) {
    if (std::find(at + 1, proposed.removals.end(), *at) != proposed.removals.end()) {
      break_("keeps the same intent twice");
    }
    const bool is_old = std::ranges::find(durable_.removals, *at) != durable_.removals.end();
    if (is_old) continue;
    check_set(*at);
    went_.push_back({.at = std::chrono::floor<milliseconds>(simulation_.elapsed()), .intent = *at});
  }
}

void Invariants::check_mark(const agent::MarkVictim& mark) {
  if (mark.clear) return;
  chosen_.insert(mark.victim.uid);
  const auto set = sets_.set_of(mark);
  if (!set) return break_("marks " + mark.victim.name + ", which no intent names");
  if (sets_.mark(mark)) return;
  check_set(*set);
  (void)sets_.mark(mark);
}

// A set of victims that is begun now.
void Invariants::check_set(const agent::RemovalIntent& intent) {
  const auto preemptor = pods_.find(intent.preemptor_uid);
  if (preemptor == pods_.end()) return break_("removes pods for one that is not there");
  const bool is_resize = !policy::has_not_begun(preemptor->second);
  if (is_resize && is_disabled_by_another(preemptor->second)) {
    break_("removes pods for " + preemptor->second.name + ", of which another writer forbids it");
  }
  if (api_lost_ || runtime_lost_) break_("begins a removal without API server or runtime");
  for (const agent::Victim& victim : intent.victims) {
    const auto pod = pods_.find(victim.uid);
    if (pod == pods_.end()) {
      break_("removes a pod that it does not know: " + victim.name);
    } else if (policy::priority_of(pod->second) >= policy::priority_of(preemptor->second)) {
      break_("removes " + victim.name + ", which is not less important than " +
             preemptor->second.name);
    } else if (policy::is_terminating(pod->second) || was_asked_to_go(pod->second)) {
      break_("removes " + victim.name + ", which is going already");
    }
  }
  const auto since =
      deferred_since_.find(intent.preemptor_uid + "/" + std::to_string(intent.generation));
  if (since != deferred_since_.end() && now_ - since->second > kOurTurn) {
    break_("begins a removal " + std::to_string((now_ - since->second).count()) +
           " ms after it deferred " + preemptor->second.name);
  }
  if (std::string wrong = sets_.begin(intent, known_node()); !wrong.empty()) {
    break_(std::move(wrong));
  }
}

// ---- what it does ----

void Invariants::wrote(const lab::CgroupWrite& write) { hears(wrong_with(write)); }

void Invariants::performing(const agent::Effect& effect) {
  kept_.performing(effect);
  if (!authority_) {
    const bool harmless = std::holds_alternative<agent::WriteStatus>(effect.what) ||
                          std::holds_alternative<agent::EmitEvent>(effect.what) ||
                          std::holds_alternative<agent::AnnotateNode>(effect.what);
    if (!harmless) break_("a companion does more than write conditions");
    return;
  }
  if (const auto* actuate = std::get_if<agent::Actuate>(&effect.what)) check_actuation(*actuate);
  if (const auto* deletion = std::get_if<agent::DeleteVictim>(&effect.what)) {
    check_deletion(*deletion);
  }
  const auto* write = std::get_if<agent::WriteStatus>(&effect.what);
  if (write == nullptr || write->containers.empty()) return;
  const auto durable = durable_.pods.find(write->pod_uid);
  for (const auto& [name, figures] : write->containers) {
    const bool is_durable = durable != durable_.pods.end() &&
                            durable->second.containers.contains(name) &&
                            durable->second.containers.at(name).requests == figures.allocated;
    if (!is_durable) break_("shows an allocation that is not durable: " + write->name);
  }
}

// What it last saw of the container that the step changes.
cri::RuntimeResources Invariants::seen_size(const std::string& uid, const std::string& name) const {
  const auto pod = runtime_.find(uid);
  if (pod == runtime_.end()) return {};
  const auto container = pod->second.containers.find(name);
  if (container == pod->second.containers.end()) return {};
  return container->second.size.value_or(cri::RuntimeResources{});
}

// Every figure is what is durably allocated, or what the container has already: now, or when it was
// last read (a call that changes memory carries the cpu as it was seen, and a container may have
// restarted since).
void Invariants::check_actuation(const agent::Actuate& actuate) {
  const std::string text = simulation_.disk(node_).content(lab::virtual_checkpoint_path());
  if (text != disk_text_) {
    auto decoded = agent::decode_checkpoint(text);
    disk_ = decoded ? *std::move(decoded) : agent::Checkpoint{};
    disk_text_ = text;
  }
  const auto pod = disk_.pods.find(actuate.pod_uid);
  if (pod == disk_.pods.end()) return break_("acts on " + actuate.pod + " without a promise");
  const auto* update = std::get_if<policy::UpdateContainer>(&actuate.step);
  if (update == nullptr) return;
  const auto promised = pod->second.containers.find(update->name);
  if (promised == pod->second.containers.end()) return break_("acts on an unknown container");
  check_is_latest(actuate, pod->second);
  const cri::RuntimeResources wanted = cri::resources_for(promised->second);
  const cri::RuntimeResources to = cri::update_for(update->before, update->after);
  const auto have = simulation_.node(node_).size_of(actuate).value_or(cri::RuntimeResources{});
  const auto seen = seen_size(actuate.pod_uid, update->name);
  const auto known = [&](std::int64_t cri::RuntimeResources::* figure) {
    const std::int64_t value = to.*figure;
    return value <= 0 || value == wanted.*figure || value == have.*figure || value == seen.*figure;
  };
  if (!known(&cri::RuntimeResources::cpu_shares) || !known(&cri::RuntimeResources::cpu_quota_us) ||
      !known(&cri::RuntimeResources::memory_limit_bytes)) {
    break_("carries out what is not durable: " + actuate.pod);
  }
}

// What a checkpoint says counts only where it is not older than what the status shows and the
// runtime has.
void Invariants::check_is_latest(const agent::Actuate& actuate,
                                 const agent::PodAllocation& promised) {
  std::int64_t& latest = carried_out_[actuate.pod_uid];
  const auto seen = pods_.find(actuate.pod_uid);
  const auto report = runtime_.find(actuate.pod_uid);
  const bool is_older = promised.generation < latest && promised.generation != 0;
  latest = std::max(latest, promised.generation);
  if (!is_older || seen == pods_.end() || report == runtime_.end()) return;
  const auto shown = shown_allocation(seen->second);
  if (!shown || same_promise(*shown, promised) || !has_promised(*shown, report->second)) return;
  break_("carries out an older checkpoint at " + actuate.pod + ": generation " +
         std::to_string(promised.generation) + " of " + std::to_string(latest));
}

void Invariants::check_deletion(const agent::DeleteVictim& deletion) {
  if (deletion.victim.uid.empty()) return break_("deletes a pod without a uid");
  if (deletion.dry_run) return;
  if (!chosen_.contains(deletion.victim.uid)) {
    return break_("deletes " + deletion.victim.name + ", which it has not chosen since it started");
  }
  // The latest: earlier ones may not have come to an end.
  const auto intent =
      std::find_if(durable_.removals.rbegin(), durable_.removals.rend(), [&](const auto& each) {
        return std::ranges::find(each.victims, deletion.victim) != each.victims.end();
      });
  if (intent == durable_.removals.rend()) {
    return break_("deletes " + deletion.victim.name + " without a durable intent");
  }
  check_breaker(*intent);
  if (intent->victims.size() < 2) return;
  for (const agent::Victim& each : intent->victims) {
    if (!checked_.contains(each.uid)) {
      return break_("deletes " + deletion.victim.name + " before the dry run of " + each.name);
    }
  }
}

// The circuit breaker, over all processes of the agent. A set that is begun again after a restart
// is the same set.
void Invariants::check_breaker(const agent::RemovalIntent& intent) {
  const auto is_it = [&](const Went& each) {
    return each.intent.preemptor_uid == intent.preemptor_uid &&
           each.intent.generation == intent.generation && each.intent.victims == intent.victims;
  };
  const auto set = std::ranges::find_if(went_, is_it);
  if (set == went_.end() || std::exchange(set->has_gone, true)) return;
  const milliseconds now = std::chrono::floor<milliseconds>(simulation_.elapsed());
  std::set<std::string_view> uids;
  std::ptrdiff_t sets = 0;
  for (const Went& each : went_) {
    if (!each.has_gone || each.at <= now - kBreakerWindow) continue;
    for (const agent::Victim& victim : each.intent.victims) uids.insert(victim.uid);
    if (each.intent.preemptor_uid == intent.preemptor_uid) ++sets;
  }
  if (sets > kMostSetsPerPod) break_("makes room too often for " + intent.preemptor_uid);
  if (uids.size() > kMostPodsPerNode) break_("takes too many pods from its node");
}

void Invariants::asked(const api::Request& request) {
  if (request.method == api::Method::Get) return;
  hears(rate_.asked(request, std::chrono::floor<milliseconds>(simulation_.elapsed())));
  if (request.method == api::Method::Delete) {
    if (!authority_) return break_("a companion deletes");
    if (request.body.find(R"("uid")") == std::string::npos) break_("deletes without a uid");
    if (request.body.find("gracePeriodSeconds") != std::string::npos) {
      break_("deletes with a grace period of its own");
    }
    return;
  }
  const bool is_event = request.lane == api::Lane::Events;
  if (authority_ || is_event || request.path.starts_with("/api/v1/nodes/")) return;
  const bool other = request.body.find("PodResizePending") != std::string::npos ||
                     request.body.find("PodResizeInProgress") != std::string::npos ||
                     request.body.find("DisruptionTarget") != std::string::npos ||
                     request.body.find("containerStatuses") != std::string::npos ||
                     !request.path.ends_with("/status");
  if (other) break_("a companion writes more than its own condition: " + request.body);
}

// ---- at the end ----

std::vector<policy::Pod> pods_on(lab::Simulation& simulation, const std::string& node) {
  std::vector<policy::Pod> pods;
  api::PodReader reader(api::Terms::Skipped);
  for (const lab::Json* each :
       simulation.world().all_stored_objects(*lab::find_kind("", "v1", "pods"))) {
    if (lab::text_at(*each, {"spec", "nodeName"}) != node) continue;
    if (auto pod = reader.decode(lab::to_value(*each))) pods.push_back(*std::move(pod));
  }
  return pods;
}

std::optional<policy::Node> node_of(lab::Simulation& simulation, const std::string& node) {
  const auto object =
      simulation.world().get({.kind = lab::find_kind("", "v1", "nodes"), .name = node});
  if (!object) return std::nullopt;
  const auto decoded = api::decode_node(*parse_json(lab::to_text(*object)));
  return decoded ? std::optional(*decoded) : std::nullopt;
}

bool Invariants::has_yielded() const {
  const agent::Reactor* reactor = simulation_.reactor(node_);
  return reactor != nullptr && !reactor->state().contention.why.empty();
}

// After the cause to yield, which may still have been saved, it writes nothing but events, until it
// continues.
void Invariants::check_silent(const agent::Effect& effect) {
  const auto* event = std::get_if<agent::EmitEvent>(&effect.what);
  if (event != nullptr && event->reason == "ResizeContended") ++said_it_yields_;
  if (event != nullptr && event->reason == "ResizeResumed") said_it_yields_ = 0;
  if (is_silent_ && has_yielded() && event == nullptr) {
    break_("does more than speak after it yielded");
  }
}

void Invariants::check_yielded() {
  if (!authority_) break_("a companion yields");
  if (said_it_yields_ != 1) {
    break_("said " + std::to_string(said_it_yields_) + " times that it yields");
  }
  const std::vector<agent::ReadyCheck> checks = simulation_.reactor(node_)->snapshot().checks;
  const auto told = std::ranges::find(checks, "contention", &agent::ReadyCheck::name);
  if (told == checks.end() || told->ok) break_("yielded, and calls itself ready");
}

void Invariants::check_settled() {
  const auto node = node_of(simulation_, node_);
  const std::vector<policy::Pod> pods = pods_on(simulation_, node_);
  if (has_yielded()) break_("settled: it yields, and nobody undid anything");
  if (!node) return;
  agent::Checkpoint disk;
  if (authority_) {
    auto decoded =
        agent::decode_checkpoint(simulation_.disk(node_).content(lab::virtual_checkpoint_path()));
    if (decoded) disk = *std::move(decoded);
  }
  for (const policy::Pod& pod : pods) {
    if (policy::is_finished(pod) || policy::is_terminating(pod)) continue;
    check_stranger(pod);
    const bool deferred = policy::is_deferred(pod);
    const bool wanted = deferred && policy::disables_resize_preemption(*node);
    const policy::Condition* disabled =
        policy::find_condition(pod.conditions, policy::kPodResizePreemptionDisabled);
    const bool stands = disabled != nullptr && disabled->status == "True";
    const bool is_ours = !stands || disabled->reason == "PreemptionDisabledByNodePolicy";
    if (is_ours && wanted != stands) {
      break_("settled: " + pod.name + (wanted ? " lacks" : " keeps") +
             " PodResizePreemptionDisabled");
    }
    if (authority_ && !policy::is_capped(pod)) check_settled_pod(pod, *node, pods, disk);
  }
}

// However odd a running pod is, it counts with what it holds.
void Invariants::check_stranger(const policy::Pod& pod) {
  if (!pod.name.starts_with(kOddPodPrefix)) return;
  const policy::Resources held = policy::held_charge(pod);
  if (held.cpu.value != kOddPodHolds || held.memory.value != 0) {
    break_("settled: " + pod.name + " counts with " + std::to_string(held.cpu.value) + "m");
  }
}

void Invariants::check_settled_pod(const policy::Pod& pod, const policy::Node& node,
                                   const std::vector<policy::Pod>& pods,
                                   const agent::Checkpoint& disk) {
  const auto promised = disk.pods.find(pod.uid);
  for (const policy::Container& each : pod.containers) {
    // An init container that ends is never resized, and nothing is promised to it.
    if (!each.allocated_requests || each.kind == policy::ContainerKind::Init) continue;
    const bool same = promised != disk.pods.end() &&
                      promised->second.containers.contains(each.name) &&
                      promised->second.containers.at(each.name).requests == each.allocated_requests;
    if (!same) break_("settled: the status of " + pod.name + " shows what was not promised");
  }
  check_settled_cgroups(pod, disk);
  // A mark is kept as long as the resize that it is for waits.
  const auto mark = policy::removal_mark(pod);
  const bool stands = mark && std::ranges::any_of(pods, [&](const policy::Pod& each) {
                        return each.uid == mark->uid && each.generation == mark->generation &&
                               policy::is_deferred(each);
                      });
  if (mark && !stands) break_("settled: " + pod.name + " still carries the mark of a removal");
  check_stated_reason(pod, node, pods);
}

// What the status says is what the kernel has.
void Invariants::check_settled_cgroups(const policy::Pod& pod, const agent::Checkpoint& disk) {
  if (pod.name.starts_with(kOddPodPrefix)) return;  // the figures of some exceed every cgroup
  const policy::Condition* progress =
      policy::find_condition(pod.conditions, policy::kPodResizeInProgress);
  const auto promised = disk.pods.find(pod.uid);
  const agent::RuntimeSeen runtime = simulation_.node(node_).runtime();
  const auto report = runtime.pods.find(pod.uid);
  const bool says_why_not = progress != nullptr && !progress->message.empty();
  if (says_why_not || promised == disk.pods.end() || report == runtime.pods.end()) return;
  if (!has_promised(promised->second, report->second)) {
    break_("settled: the cgroups of the containers of " + pod.name + " have another size");
  }
  const auto& group = report->second.pod_cgroup;
  if (group && !group_has_promised(pod, promised->second, *group)) {
    break_("settled: the cgroup of " + pod.name + " has another size");
  }
}

// Every resize is actual, or has a stated reason why not.
void Invariants::check_stated_reason(const policy::Pod& pod, const policy::Node& node,
                                     const std::vector<policy::Pod>& pods) {
  const policy::Condition* pending =
      policy::find_condition(pod.conditions, policy::kPodResizePending);
  const policy::Condition* progress =
      policy::find_condition(pod.conditions, policy::kPodResizeInProgress);
  const bool states_error = progress != nullptr && !progress->message.empty();
  if (!policy::resize_is_pending(pod)) {
    if (pending != nullptr) break_("settled: " + pod.name + " is said to wait and does not");
    const policy::Totals totals = policy::totals_of(pod);
    const bool actual = raised(totals.allocated, totals.actual).empty() &&
                        raised(totals.actual, totals.allocated).empty();
    if (!actual && !states_error) {
      break_("settled: " + pod.name + " has not got what it was allocated, and nothing says why");
    }
    return;
  }
  // Limits that follow an allocation that could not be carried out look like a request.
  if (states_error) return;
  const policy::ResizeDecision decision = policy::decide_resize(
      node, pod, policy::held_by_others(pods, pod.uid), policy::ManagerPolicies{});
  if (decision.verdict == policy::Verdict::Allocated) {
    break_("settled: the resize of " + pod.name + " fits and is not allocated");
  } else if (pending == nullptr) {
    break_("settled: the resize of " + pod.name + " waits, and nothing says why");
  } else if (pending->reason != policy::to_string(decision.verdict) ||
             pending->message != decision.message ||
             pending->observed_generation != pod.generation) {
    break_("settled: the resize of " + pod.name + " waits because \"" + decision.message +
           "\", and the pod says \"" + pending->message + "\"");
  }
}

}  // namespace elbowroom::test
