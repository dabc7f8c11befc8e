#include "rescheduler/webhook/review_judge.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include "api/codec/timestamp.h"
#include "policy/ledger/ledger.h"
#include "policy/preemption/budget_account.h"

namespace elbowroom::rescheduler {
namespace {

using Kind = ReviewJudgement::Kind;

constexpr std::chrono::seconds kLongestWait{10};
constexpr std::chrono::seconds kUnsureWait{1};

ReviewJudgement pass(std::string why) { return {.kind = Kind::Pass, .why = std::move(why)}; }

ReviewJudgement refused_by(const std::string& budget, std::string why,
                           std::optional<policy::Time> next = {}) {
  return {.kind = Kind::Refuse, .why = std::move(why), .budget = budget, .next = next};
}

// Why it is not known what the budgets say about any pod; "": it is.
std::string blindness(const ClusterState& cluster) {
  if (!cluster.is_synced()) return "nodes, pods and disruption budgets are not all listed yet";
  return cluster.lost();
}

// Why no budget has a say; "": some may.
std::string why_passed(const policy::Pod& pod, const api::AdmissionReview& review) {
  if (!review.pod_uid.empty() && pod.uid != review.pod_uid) return "another pod has the name";
  if (policy::is_terminating(pod)) return "it terminates already";
  if (policy::is_finished(pod)) return "it has finished";
  if (pod.phase == policy::Phase::Pending) return "it was never up";
  return "";
}

// Of two refusals the one that lasts longer.
bool lasts_longer(const ReviewJudgement& one, const ReviewJudgement& other) {
  if (one.may_change_soon || other.may_change_soon) return !one.may_change_soon;
  if (!one.next || !other.next) return !one.next && other.next.has_value();
  return *one.next > *other.next;
}

// What the first budget that cannot be understood says: it may cover every pod, and allow none.
std::optional<ReviewJudgement> odd_budget(const ClusterState& cluster, const std::string& ns) {
  const std::string prefix = ns + "/";
  const auto at = cluster.odd_budgets().lower_bound(prefix);
  if (at == cluster.odd_budgets().end() || !at->first.starts_with(prefix)) return std::nullopt;
  return refused_by(at->first,
                    "disruption budget " + at->first + " is not understood: " + at->second);
}

// `victims`: those that wait for their debits, and the Pod last.
std::optional<ReviewJudgement> refusal_by(const policy::LedgerState& state,
                                          std::span<const policy::Pod> victims,
                                          const std::string& by) {
  const std::string name = state.budget.ns + "/" + state.budget.name;
  const policy::Debit alone = policy::debit(state, victims.last(1), by);
  if (!alone.is_allowed) {
    return refused_by(name, "disruption budget " + name + " allows no disruption now", alone.next);
  }
  if (victims.size() == 1 || policy::debit(state, victims, by).is_allowed) return std::nullopt;
  ReviewJudgement refused =
      refused_by(name, "disruption budget " + name +
                           " allows no disruption beside evictions that wait for it");
  refused.may_change_soon = true;
  return refused;
}

ReviewJudgement judge_budgets(const ClusterState& cluster, policy::Pod pod, policy::Time now,
                              const std::string& by, std::vector<policy::Pod> waiting) {
  if (auto odd = odd_budget(cluster, pod.ns)) return *std::move(odd);
  const cluster::Snapshot& snapshot = cluster.snapshot();
  const auto over = snapshot.own_budgets_over(pod);
  if (over.empty()) return pass("no disruption budget covers it");
  if (over.size() > policy::kMostBudgetsOverPod) {
    return refused_by(pod.ns + "/" + over.front()->name,
                      std::to_string(over.size()) + " disruption budgets cover it, and at most " +
                          std::to_string(policy::kMostBudgetsOverPod) + " are debited");
  }
  std::vector<policy::Pod> victims = std::move(waiting);
  victims.push_back(pod);
  std::optional<ReviewJudgement> worst;
  for (const policy::DisruptionBudget* each : over) {
    const std::vector<policy::Pod> named = snapshot.named_by(each->recent, each->ns);
    const policy::LedgerState state{
        .budget = *each, .strength = snapshot.strength_over(*each), .pods = named, .now = now};
    auto refused = refusal_by(state, victims, by);
    if (refused && (!worst || lasts_longer(*refused, *worst))) worst = std::move(refused);
  }
  if (worst) return *std::move(worst);
  return {.kind = Kind::Debit, .why = "all disruption budgets allow it", .pod = std::move(pod)};
}

}  // namespace

ReviewJudgement judge_review(const ClusterState& cluster, const policy::WebhookRules& rules,
                             const api::AdmissionReview& review, policy::Time now,
                             const std::string& by, std::vector<policy::Pod> waiting) {
  if (!review.is_eviction() && !review.is_delete()) return pass("no pod is removed by it");
  if (review.is_delete() && !rules.counts_delete_by(review.user, review.groups)) {
    return pass("deletes by this user are not asked about");
  }
  if (std::string why = blindness(cluster); !why.empty()) {
    return {.kind = Kind::Unsure, .why = std::move(why)};
  }
  const std::string key = review.ns + "/" + review.name;
  const auto odd = cluster.snapshot().unreadable_keys();
  if (std::ranges::binary_search(odd, key)) {
    return {.kind = Kind::Unsure, .why = "the pod is not understood"};
  }
  auto pod = cluster.snapshot().pod(key);
  if (!pod) return pass("it is gone, has finished, or was never up");
  // The server deletes what it has shown: then the watch is late.
  if (review.is_delete() && !review.pod_uid.empty() && pod->uid != review.pod_uid) {
    return {.kind = Kind::Unsure, .why = "the pod has not been seen yet"};
  }
  if (std::string why = why_passed(*pod, review); !why.empty()) return pass(std::move(why));
  return judge_budgets(cluster, *std::move(pod), now, by, std::move(waiting));
}

api::ReviewAnswer refusal(const std::string& pod, const ReviewJudgement& judgement,
                          policy::Time now) {
  api::ReviewAnswer answer{
      .allowed = false, .code = 429, .message = "pod " + pod + ": " + judgement.why};
  answer.budget = judgement.budget;
  if (judgement.may_change_soon) answer.retry_after = kUnsureWait;
  if (!judgement.next) return answer;
  answer.message += "; it allows the next at " + api::format_timestamp(*judgement.next);
  const auto left = std::chrono::ceil<std::chrono::seconds>(*judgement.next - now);
  answer.retry_after = std::clamp(left, std::chrono::seconds(1), kLongestWait);
  return answer;
}

api::ReviewAnswer unsure_answer(const std::string& pod, const std::string& why, bool refuses) {
  const std::string words =
      "pod " + pod + ": it is not known whether disruption budgets allow its removal: " + why;
  if (!refuses) return {.warning = words};
  return {.allowed = false, .code = 503, .message = words, .retry_after = kUnsureWait};
}

}  // namespace elbowroom::rescheduler
