#include "cli/evict/eviction.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "api/transport/status_error.h"
#include "api/write/eviction.h"
#include "api/write/pod_status.h"
#include "base/backoff.h"
#include "cli/evict/budget_debits.h"
#include "cli/evict/eviction_refusal.h"
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

class Eviction {
 public:
  Eviction(ClusterReader& reader, ClusterWriter& writer, const EvictionWish& wish,
           const EvictionSurroundings& surroundings)
      : reader_(reader), writer_(writer), wish_(wish), surroundings_(surroundings) {}

  [[nodiscard]] Result<Attempt> attempt();

 private:
  [[nodiscard]] Result<DecodedObjects> look();
  [[nodiscard]] Result<std::optional<Attempt>> asked_server(const EvictionDecision& decision,
                                                            bool dry_run);
  [[nodiscard]] Result<Attempt> debit_and_evict(const Manifests& seen, const policy::Pod& pod,
                                                BudgetDebits& debits);
  [[nodiscard]] Result<void> look_at_uid(const policy::Pod& pod);

  ClusterReader& reader_;
  ClusterWriter& writer_;
  const EvictionWish& wish_;
  const EvictionSurroundings& surroundings_;
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

Attempt blocked(EvictionDecision decision, const BudgetRefusal& refusal) {
  decision.next = refusal.next;
  return blocked(std::move(decision),
                 "disruption budget " + refusal.budget + " allows " +
                     std::to_string(refusal.allowed) + " disruptions now",
                 true);
}

// 429 of a PodDisruptionBudget, in the server's words.
std::string why_blocked(const api::Status& status) {
  for (const api::StatusCause& each : status.causes) {
    if (each.reason == "DisruptionBudget" && !each.message.empty()) return each.message;
  }
  return status.message;
}

Result<DecodedObjects> Eviction::look() {
  ASSIGN_OR_RETURN(ClusterObjects read, read_around_pod(reader_, wish_.pod.ns, wish_.pod.name));
  for (const std::string& right : read.denied) {
    if (right.contains("disruptionbudgets.elbowroom.dev")) {
      return failure(Code::Denied, "not permitted: " + right +
                                       ": without it a hard budget could be broken; ask for a "
                                       "role with that right");
    }
  }
  return understand(std::move(read.objects), key_of(wish_.pod), reader_.server());
}

Result<Attempt> Eviction::attempt() {
  ASSIGN_OR_RETURN(const DecodedObjects seen, look());
  const policy::Pod* pod = find_pod(seen.manifests, key_of(wish_.pod));
  if (pod == nullptr) {
    return failure(Code::NotFound, "pod " + key_of(wish_.pod) + " is gone");
  }
  const auto never =
      why_never_evicted(*pod, seen.manifests.pod_disruption_budgets, wish_.is_forced);
  if (never) return blocked(about(*pod), *never, false);
  BudgetDebits debits(writer_, seen.manifests.pods, *pod, surroundings_.tell);
  ASSIGN_OR_RETURN(auto refused, asked_server(about(*pod), true));
  if (refused) return *std::move(refused);
  ASSIGN_OR_RETURN(const auto refusal, debits.ask(seen.manifests.disruption_budgets));
  if (refusal) return blocked(about(*pod), *refusal);
  if (!wish_.is_dry_run) return debit_and_evict(seen.manifests, *pod, debits);
  EvictionDecision would = about(*pod);
  would.result = EvictionResult::WouldEvict;
  return Attempt{.decision = std::move(would)};
}

// The server charges a PodDisruptionBudget before it looks at the uid: a pod of the same name,
// which a StatefulSet has created meanwhile, is found here instead.
Result<void> Eviction::look_at_uid(const policy::Pod& pod) {
  ASSIGN_OR_RETURN(const Value object, writer_.read(api::pod_path(pod.ns, pod.name)));
  if (api::ref_of(object).uid == pod.uid) return {};
  return failure(Code::Conflict, "pod " + policy::key_of(pod) +
                                     " was replaced by another one of its name meanwhile: "
                                     "nothing is evicted");
}

Result<Attempt> Eviction::debit_and_evict(const Manifests& seen, const policy::Pod& pod,
                                          BudgetDebits& debits) {
  ASSIGN_OR_RETURN(const auto refusal, debits.write(seen.disruption_budgets));
  if (refusal) return blocked(about(pod), *refusal);
  if (const auto same = look_at_uid(pod); !same) {
    debits.take_back();
    return std::unexpected(same.error());
  }
  auto refused = asked_server(about(pod), false);
  if (!refused || *refused) debits.take_back();
  if (!refused) return std::unexpected(refused.error());
  if (*refused) return **std::move(refused);
  EvictionDecision done = about(pod);
  done.result = EvictionResult::Evicted;
  return Attempt{.decision = std::move(done)};
}

// None: the server evicts the pod, or would.
Result<std::optional<Attempt>> Eviction::asked_server(const EvictionDecision& decision,
                                                      bool dry_run) {
  const api::ObjectRef pod{.ns = wish_.pod.ns, .name = wish_.pod.name, .uid = decision.uid};
  ASSIGN_OR_RETURN(api::Request request,
                   api::eviction_request(pod, {.grace = wish_.grace, .dry_run = dry_run}));
  ASSIGN_OR_RETURN(const api::Response answer, writer_.send(std::move(request)));
  if (api::is_success(answer)) return std::nullopt;
  const api::Status status = api::status_from(answer, api::Method::Post);
  if (status.code == 429) {
    Attempt attempt = blocked(decision, why_blocked(status), true);
    attempt.retry_after = status.retry_after;
    return attempt;
  }
  if (status.code == 500) return blocked(decision, status.message, false);
  return std::unexpected(api::error_from(status).with("evict pod " + decision.pod));
}

}  // namespace

Result<EvictionDecision> evict(ClusterReader& reader, ClusterWriter& writer,
                               const EvictionWish& wish, const EvictionSurroundings& surroundings) {
  Eviction eviction(reader, writer, wish, surroundings);
  const auto until = surroundings.now() + wish.wait;
  for (unsigned turns = 0;; ++turns) {
    ASSIGN_OR_RETURN(const Attempt made, eviction.attempt());
    const bool is_blocked = made.decision.result == EvictionResult::Blocked;
    if (!is_blocked || !made.decision.passes) return made.decision;
    const milliseconds usual = backoff_delay(kFirstPause, kLongestPause, turns);
    const milliseconds pause = made.retry_after.count() > 0 ? made.retry_after : usual;
    if (surroundings.now() + pause > until) return made.decision;
    surroundings.pause(pause);
  }
}

}  // namespace elbowroom::cli
