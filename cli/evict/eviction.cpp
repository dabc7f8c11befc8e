#include "cli/evict/eviction.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/avoid_entries.h"
#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "api/codec/timestamp.h"
#include "api/transport/status_error.h"
#include "api/write/eviction.h"
#include "api/write/pod_status.h"
#include "base/backoff.h"
#include "cli/evict/blocked_news.h"
#include "cli/evict/budget_debits.h"
#include "cli/evict/eviction_refusal.h"
#include "cli/evict/node_avoidance.h"
#include "cli/input/from_cluster.h"
#include "cli/input/skipped_objects.h"

namespace elbowroom::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{1'000};
constexpr milliseconds kLongestPause{30'000};

// What one attempt comes to.
struct Attempt {
  EvictionDecision decision{};
  milliseconds retry_after{0};  // what the server asks for; 0: nothing
};

// What is known of the pod and of all that may stand in its way.
struct Seen {
  DecodedObjects objects{};
  std::optional<api::ControllerReference> controller{};
  std::string denied_groups{};  // the right to read pod groups that is missing; "" for none
};

class Eviction {
 public:
  Eviction(ClusterReader& reader, ClusterWriter& writer, const EvictionWish& wish,
           const EvictionSurroundings& surroundings)
      : reader_(reader), writer_(writer), wish_(wish), surroundings_(surroundings) {}

  [[nodiscard]] Result<Attempt> attempt();

 private:
  [[nodiscard]] Result<Seen> look();
  [[nodiscard]] std::optional<NeverEvicted> why_never(const Seen& seen, const policy::Pod& pod);
  [[nodiscard]] Result<std::optional<Attempt>> asked_all(const Manifests& seen,
                                                         const policy::Pod& pod);
  [[nodiscard]] Result<Attempt> asked_avoidance(const Seen& seen, const policy::Pod& pod);
  [[nodiscard]] Result<Attempt> avoid_and_evict(const Seen& seen, const policy::Pod& pod);
  [[nodiscard]] Result<Attempt> debit_and_evict(const Manifests& seen, const policy::Pod& pod,
                                                BudgetDebits& debits);
  [[nodiscard]] AvoidanceWish avoidance_of(const Seen& seen, const policy::Pod& pod) const;
  [[nodiscard]] Result<void> look_at_uid(const policy::Pod& pod);
  [[nodiscard]] Result<api::Response> post(const policy::Pod& pod, bool dry_run);
  [[nodiscard]] bool leaves(const policy::Pod& pod);

  ClusterReader& reader_;
  ClusterWriter& writer_;
  const EvictionWish& wish_;
  const EvictionSurroundings& surroundings_;
  std::string uid_{};     // of the pod that the first attempt saw
  bool is_open_ = false;  // nobody knows whether the pod is evicted
};

EvictionDecision about(const policy::Pod& pod) {
  return {.pod = policy::key_of(pod), .uid = pod.uid, .node = pod.node};
}

Attempt blocked(EvictionDecision decision, std::string by, bool passes) {
  decision.result = EvictionResult::Blocked;
  decision.by = std::move(by);
  decision.passes = passes;
  return {.decision = std::move(decision)};
}

std::string words_of(const BudgetRefusal& refusal) {
  std::string words = "disruption budget " + refusal.budget + " allows " +
                      std::to_string(refusal.allowed) +
                      (refusal.allowed == 1 ? " disruption now" : " disruptions now");
  if (refusal.next) words += ", and the next at " + api::format_timestamp(*refusal.next);
  return words;
}

// All budgets that block: they allow the pod when the last of them does.
Attempt blocked_by(EvictionDecision decision, const std::vector<std::string>& others,
                   const std::vector<BudgetRefusal>& refusals) {
  std::vector<std::string> words = others;
  bool is_known = others.empty();
  for (const BudgetRefusal& each : refusals) {
    words.push_back(words_of(each));
    is_known = is_known && each.next;
    if (each.next) decision.next = std::max(decision.next.value_or(*each.next), *each.next);
  }
  if (!is_known) decision.next.reset();
  std::string by;
  for (const std::string& each : words) by += (by.empty() ? "" : "; ") + each;
  decision.is_by_budget = true;
  return blocked(std::move(decision), std::move(by), true);
}

// None: the server evicts the pod, or would.
Result<std::optional<Attempt>> judged(const policy::Pod& pod, const api::Response& answer) {
  if (api::is_success(answer)) return std::nullopt;
  if (const auto refusal = api::refusal_in(answer)) {
    Attempt attempt = refusal->passes ? blocked_by(about(pod), {refusal->why}, {})
                                      : blocked(about(pod), refusal->why, false);
    attempt.decision.is_by_budget = true;
    attempt.retry_after = refusal->retry_after;
    return attempt;
  }
  const api::Status status = api::status_from(answer, api::Method::Post);
  return std::unexpected(api::error_from(status).with("evict pod " + policy::key_of(pod)));
}

Result<Seen> Eviction::look() {
  ASSIGN_OR_RETURN(ClusterObjects read, read_around_pod(reader_, wish_.pod.ns, wish_.pod.name));
  Seen seen;
  for (const auto& [resource, right] : read.denied) {
    if (resource == "disruptionbudgets.elbowroom.dev") {
      return failure(Code::Denied, "not permitted: " + right +
                                       ": without it a hard budget could be broken; ask for a "
                                       "role with that right");
    }
    if (resource == "podgroups.scheduling.k8s.io") seen.denied_groups = right;
  }
  for (const Value& each : read.objects) {
    const api::ObjectRef ref = api::ref_of(each);
    if (api::text_at(each, "kind") != "Pod" || ref.ns != wish_.pod.ns) continue;
    if (ref.name != wish_.pod.name) continue;
    ASSIGN_OR_RETURN(seen.controller, api::controller_of(each));
  }
  ASSIGN_OR_RETURN(seen.objects,
                   understand(std::move(read.objects), key_of(wish_.pod), reader_.server()));
  return seen;
}

std::optional<NeverEvicted> Eviction::why_never(const Seen& seen, const policy::Pod& pod) {
  const Manifests& known = seen.objects.manifests;
  const auto why = why_never_evicted(pod, known.pod_disruption_budgets, known.disruption_budgets,
                                     wish_.is_forced);
  if (why || !wish_.avoid_for) return why;
  if (pod.node.empty())
    return NeverEvicted{"it is on no node that could be avoided: leave out --avoid-node"};
  if (!seen.controller) {
    return NeverEvicted{
        "it has no controller whose pods could avoid the node: leave out --avoid-node"};
  }
  return std::nullopt;
}

// A StatefulSet creates another pod under the name.
std::unexpected<Error> replaced(const policy::Pod& pod) {
  return failure(Code::Conflict, "pod " + policy::key_of(pod) +
                                     " was replaced by another one of its name meanwhile: "
                                     "nothing is evicted");
}

Result<Attempt> Eviction::attempt() {
  ASSIGN_OR_RETURN(const Seen seen, look());
  const policy::Pod* pod = find_pod(seen.objects.manifests, key_of(wish_.pod));
  if (pod == nullptr) {
    return failure(Code::NotFound, "pod " + key_of(wish_.pod) + " is gone");
  }
  if (uid_.empty()) uid_ = pod->uid;
  if (pod->uid != uid_) return replaced(*pod);
  if (policy::is_grouped(*pod) && !seen.denied_groups.empty()) {
    return failure(Code::Denied, "not permitted: " + seen.denied_groups +
                                     ": without it one pod of a group that goes whole could be "
                                     "evicted; ask for a role with that right");
  }
  if (const auto never = why_never(seen, *pod)) {
    Attempt attempt = blocked(about(*pod), never->why, false);
    attempt.decision.is_by_budget = never->is_by_budget;
    return attempt;
  }
  ASSIGN_OR_RETURN(auto refused, asked_all(seen.objects.manifests, *pod));
  if (refused) return *std::move(refused);
  return wish_.is_dry_run ? asked_avoidance(seen, *pod) : avoid_and_evict(seen, *pod);
}

// The server by a dry run, and all DisruptionBudgets, so that each that blocks is named.
Result<std::optional<Attempt>> Eviction::asked_all(const Manifests& seen, const policy::Pod& pod) {
  ASSIGN_OR_RETURN(const api::Response answer, post(pod, true));
  ASSIGN_OR_RETURN(auto refused, judged(pod, answer));
  if (refused && !refused->decision.passes) return refused;
  BudgetDebits debits(writer_, seen.pods, pod, surroundings_.tell);
  ASSIGN_OR_RETURN(const std::vector<BudgetRefusal> refusals, debits.ask(seen.disruption_budgets));
  if (!refused && refusals.empty()) return std::nullopt;
  std::vector<std::string> others;
  if (refused) others.push_back(refused->decision.by);
  Attempt all = blocked_by(about(pod), others, refusals);
  if (refused) all.retry_after = refused->retry_after;
  return all;
}

AvoidanceWish Eviction::avoidance_of(const Seen& seen, const policy::Pod& pod) const {
  return {.node = pod.node,
          .controller = *seen.controller,
          .pod_uid = pod.uid,
          .lasts = *wish_.avoid_for};
}

// What stops the entry in the annotation stops the eviction: the pod would come back.
Result<Attempt> not_avoided(const policy::Pod& pod, const Error& why) {
  switch (why.code) {
    case Code::Conflict:
      return blocked(about(pod), why.message, true);
    case Code::Invalid:
    case Code::Exhausted:
      return blocked(about(pod), why.message, false);
    default:
      return std::unexpected(why);
  }
}

Result<Attempt> Eviction::asked_avoidance(const Seen& seen, const policy::Pod& pod) {
  EvictionDecision would = about(pod);
  would.result = EvictionResult::WouldEvict;
  if (wish_.avoid_for) {
    NodeAvoidance avoidance(writer_, surroundings_.tell);
    const auto until = avoidance.ask(avoidance_of(seen, pod));
    if (!until) return not_avoided(pod, until.error());
    would.avoided_until = *until;
  }
  return Attempt{.decision = std::move(would)};
}

Result<Attempt> Eviction::avoid_and_evict(const Seen& seen, const policy::Pod& pod) {
  NodeAvoidance avoidance(writer_, surroundings_.tell);
  std::optional<policy::Time> avoided_until;
  if (wish_.avoid_for) {
    const auto until = avoidance.write(avoidance_of(seen, pod));
    if (!until) return not_avoided(pod, until.error());
    avoided_until = *until;
  }
  BudgetDebits debits(writer_, seen.objects.manifests.pods, pod, surroundings_.tell);
  auto made = debit_and_evict(seen.objects.manifests, pod, debits);
  if (made && made->decision.result == EvictionResult::Evicted) {
    made->decision.avoided_until = avoided_until;
    return made;
  }
  if (!is_open_) {
    debits.take_back();
    avoidance.take_back();
  }
  return made;
}

// The server charges a PodDisruptionBudget before it looks at the uid: a pod that was replaced is
// found here instead.
Result<void> Eviction::look_at_uid(const policy::Pod& pod) {
  ASSIGN_OR_RETURN(const Value object, writer_.read(api::pod_path(pod.ns, pod.name)));
  if (api::ref_of(object).uid != pod.uid) return replaced(pod);
  return {};
}

Result<Attempt> Eviction::debit_and_evict(const Manifests& seen, const policy::Pod& pod,
                                          BudgetDebits& debits) {
  is_open_ = false;
  const auto refusal = debits.write(seen.disruption_budgets);
  if (!refusal && refusal.error().code == Code::Conflict) {
    return blocked(about(pod), refusal.error().message, true);
  }
  if (!refusal) return std::unexpected(refusal.error());
  if (*refusal) return blocked_by(about(pod), {}, {**refusal});
  RETURN_IF_ERROR(look_at_uid(pod));
  const Result<api::Response> answer = post(pod, false);
  auto refused = answer ? judged(pod, *answer) : std::unexpected(answer.error());
  if (refused && *refused) return **std::move(refused);
  // Where the outcome is not known, the pod says what has become of the eviction.
  if (!refused && !(refused.error().code == Code::Unavailable && leaves(pod))) {
    // Who gave up waiting, a proxy or the server itself, does not know what becomes of it.
    is_open_ = !answer || answer->status == 502 || answer->status == 504;
    if (is_open_) {
      surroundings_.tell("whether pod " + policy::key_of(pod) +
                         " is evicted is not known, so its debits stay; the next program that "
                         "writes the budget takes them back where the pod is still there after two "
                         "minutes");
    }
    return std::unexpected(refused.error());
  }
  EvictionDecision done = about(pod);
  done.result = EvictionResult::Evicted;
  return Attempt{.decision = std::move(done)};
}

// The pod is gone or terminates.
bool Eviction::leaves(const policy::Pod& pod) {
  const auto object = writer_.read(api::pod_path(pod.ns, pod.name));
  if (!object) return object.error().code == Code::NotFound;
  return api::ref_of(*object).uid != pod.uid ||
         api::value_at(*object, {"metadata", "deletionTimestamp"}) != nullptr;
}

Result<api::Response> Eviction::post(const policy::Pod& pod, bool dry_run) {
  ASSIGN_OR_RETURN(api::Request request,
                   api::eviction_request({.ns = pod.ns, .name = pod.name, .uid = pod.uid},
                                         {.grace = wish_.grace, .dry_run = dry_run}));
  return writer_.send(std::move(request));
}

}  // namespace

Result<EvictionDecision> evict(ClusterReader& reader, ClusterWriter& writer,
                               const EvictionWish& wish, const EvictionSurroundings& surroundings) {
  Eviction eviction(reader, writer, wish, surroundings);
  BlockedNews news(writer, surroundings.tell);
  const auto until = surroundings.now() + wish.wait;
  for (unsigned turns = 0;; ++turns) {
    ASSIGN_OR_RETURN(const Attempt made, eviction.attempt());
    const bool is_blocked = made.decision.result == EvictionResult::Blocked;
    if (is_blocked && made.decision.is_by_budget && !wish.is_dry_run) news.tell(made.decision);
    if (!is_blocked || !made.decision.passes) return made.decision;
    const auto left = std::chrono::floor<milliseconds>(until - surroundings.now());
    // The last try is at the end, unless the server wants to be left alone for longer.
    const milliseconds usual = std::min(backoff_delay(kFirstPause, kLongestPause, turns), left);
    const milliseconds pause = made.retry_after.count() > 0 ? made.retry_after : usual;
    if (left <= milliseconds(0) || pause > left) return made.decision;
    surroundings.pause(pause);
  }
}

}  // namespace elbowroom::cli
