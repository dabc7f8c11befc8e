// The reviews that wait for their debits. Every replica answers, leader or not: debits are written
// under the budget's version, so that two of them never spend the same disruption. An answer is
// given within four seconds of the server's five, whatever happens.
//
//   asked() --> judged --> Pass, Refuse, Unsure ----------------------> AnswerReview
//                  `-----> Debit --> all entered ---------------------> AnswerReview: allowed
//                                `-> one refuses, fails, or is late --> the others are taken back
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/debit_queue.h"
#include "policy/ledger/webhook_rules.h"
#include "policy/model/time.h"
#include "rescheduler/cluster_state.h"
#include "rescheduler/counters.h"
#include "rescheduler/observation.h"
#include "rescheduler/outbox.h"
#include "rescheduler/reactor_options.h"
#include "rescheduler/removal/ledgers.h"
#include "rescheduler/webhook/review_judge.h"

namespace elbowroom::rescheduler {

class Reviews {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  static constexpr std::chrono::seconds kAnswerWithin{4};

  struct Clock {
    Time now{0};
    policy::Time server{};  // by the API server's
  };

  // All must outlive it.
  Reviews(const ClusterState& cluster, Outbox& outbox, Counts& counts,
          const ReactorOptions& options);

  // `rules`: none where they are not known yet, so that the manifest's failurePolicy decides.
  void asked(const ReviewAsked& asked, const policy::WebhookRules* rules, const Clock& clock);
  // Sends and takes what is to be sent and taken; in every turn.
  void work(const Clock& clock);
  // The process ends: what is open, and what is asked from now on, is not sure.
  void stop();

  void done(const LedgerTask& task, std::optional<policy::DisruptionBudget> budget) {
    ledgers_.done(task, std::move(budget));
  }
  void failed(const LedgerTask& task, const Error& error) { ledgers_.failed(task, error); }

  [[nodiscard]] std::optional<Time> next() const;
  [[nodiscard]] std::size_t open() const { return open_.size(); }

 private:
  struct Asker {
    std::uint64_t number = 0;
    std::string uid{};  // of the review
  };
  // One pod's removal, whoever asks for it meanwhile.
  struct Open {
    std::vector<Asker> askers{};
    policy::Pod is{};
    std::string pod{};  // NAMESPACE/NAME
    cluster::DebitQueue::Removal removal = 0;
    std::set<cluster::BudgetName> waiting{};
    Time until{0};
    bool refuses_when_unsure = false;
  };
  using ByUid = std::map<std::string, Open, std::less<>>;

  // The Pods in the review's namespace whose debits are being written, without its own.
  [[nodiscard]] std::vector<policy::Pod> waiting_beside(const api::AdmissionReview& review) const;
  void debit(const ReviewAsked& asked, const ReviewJudgement& judged, bool refuses_when_unsure,
             const Clock& clock);
  void take(const cluster::DebitQueue::Verdict& verdict, const Clock& clock);
  // What was entered stays only where the pod may go.
  void end(ByUid::iterator at, const api::ReviewAnswer& answer);
  void end_unsure(ByUid::iterator at, const std::string& why);
  void answer(const Asker& asker, std::optional<api::ReviewAnswer> answer);
  void give_up_late(Time now);

  const ClusterState& cluster_;
  Outbox& outbox_;
  Counts& counts_;
  const bool dry_run_;
  const std::string by_;
  Ledgers ledgers_;
  ByUid open_{};
  bool is_stopping_ = false;
};

}  // namespace elbowroom::rescheduler
