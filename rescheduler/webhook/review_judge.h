// How a request to evict or delete a pod is to be answered, by what this replica sees. Pure: no
// debit is made here, and what it finds allowed may be refused once the ledger is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/codec/admission_review.h"
#include "policy/ledger/webhook_rules.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"
#include "rescheduler/cluster_state.h"

namespace elbowroom::rescheduler {

struct ReviewJudgement {
  enum class Kind : std::uint8_t {
    Pass,    // no budget has a say
    Refuse,  // a budget allows no disruption now
    Debit,   // all budgets over the pod allow it; a dry run passes
    Unsure,  // what it takes to decide is not known
  };
  Kind kind = Kind::Pass;
  std::string why{};                   // in words
  std::string budget{};                // Refuse: NAMESPACE/NAME
  std::optional<policy::Time> next{};  // Refuse: when it allows one; none: time changes nothing
  bool may_change_soon = false;        // Refuse: others that wait for their debits may fail
  policy::Pod pod{};                   // Debit
};

// `now`: the API server's time; `by`: who would debit. `waiting`: Pods of the namespace whose
// debits are being written, without the one of the review. They count as debited.
//
// A pod passes that is not known, has another uid than the eviction insists on, is Pending, has
// finished or terminates: as upstream, whose evictions of such pods no budget is asked about.
// Source: kubernetes pkg/registry/core/pod/storage/eviction.go, canIgnorePDB.
[[nodiscard]] ReviewJudgement judge_review(const ClusterState& cluster,
                                           const policy::WebhookRules& rules,
                                           const api::AdmissionReview& review, policy::Time now,
                                           const std::string& by,
                                           std::vector<policy::Pod> waiting = {});

// ---- the answers ----

// 429 with the budget and the time. A client waits in silence as long as it is told to, so it is
// told ten seconds at most; the message has the whole time.
[[nodiscard]] api::ReviewAnswer refusal(const std::string& pod, const ReviewJudgement& judgement,
                                        policy::Time now);
// Allowed with a warning, or 503.
[[nodiscard]] api::ReviewAnswer unsure_answer(const std::string& pod, const std::string& why,
                                              bool refuses);

}  // namespace elbowroom::rescheduler
