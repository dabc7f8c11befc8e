#include "rescheduler/webhook/reviews.h"

#include <algorithm>
#include <utility>

namespace elbowroom::rescheduler {
namespace {

using Kind = ReviewJudgement::Kind;

constexpr std::size_t kMostBy = 253;  // of an entry's `by`

// Each replica by its own name: what one relies on becomes its own, and another one that entered it
// does not take it back.
std::string debtor(const std::string& identity) {
  return ("elbowroom-webhook/" + identity).substr(0, kMostBy);
}

}  // namespace

Reviews::Reviews(const ClusterState& cluster, Outbox& outbox, Counts& counts,
                 const ReactorOptions& options)
    : cluster_(cluster),
      outbox_(outbox),
      counts_(counts),
      dry_run_(options.dry_run),
      by_(debtor(options.elector.identity)),
      ledgers_(cluster, outbox, by_, LedgerTask::Of::Reviews) {}

void Reviews::asked(const ReviewAsked& asked, const policy::WebhookRules* rules,
                    const Clock& clock) {
  const Asker asker{.number = asked.number, .uid = asked.review.uid};
  if (rules == nullptr) return answer(asker, std::nullopt);
  const std::string pod = asked.review.ns + "/" + asked.review.name;
  ReviewJudgement judged =
      judge_review(cluster_, *rules, asked.review, clock.server, by_, waiting_beside(asked.review));
  if (judged.kind == Kind::Debit && is_stopping_) {
    judged = {.kind = Kind::Unsure, .why = "this replica is about to end"};
  }
  switch (judged.kind) {
    case Kind::Pass:
      return answer(asker, api::ReviewAnswer{});
    case Kind::Refuse:
      return answer(asker, refusal(pod, judged, clock.server));
    case Kind::Unsure:
      return answer(asker, unsure_answer(pod, judged.why, rules->refuses_when_unsure));
    case Kind::Debit:
      if (asked.review.dry_run || dry_run_) return answer(asker, api::ReviewAnswer{});
      return debit(asked, judged, rules->refuses_when_unsure, clock);
  }
}

std::vector<policy::Pod> Reviews::waiting_beside(const api::AdmissionReview& review) const {
  std::vector<policy::Pod> waiting;
  for (const auto& [uid, open] : open_) {
    if (open.is.ns == review.ns && open.is.name != review.name) waiting.push_back(open.is);
  }
  return waiting;
}

void Reviews::debit(const ReviewAsked& asked, const ReviewJudgement& judged,
                    bool refuses_when_unsure, const Clock& clock) {
  const auto [at, is_new] = open_.try_emplace(judged.pod.uid);
  at->second.askers.push_back({.number = asked.number, .uid = asked.review.uid});
  if (!is_new) return;
  at->second.is = judged.pod;
  at->second.pod = policy::key_of(judged.pod);
  at->second.until = clock.now + kAnswerWithin;
  at->second.refuses_when_unsure = refuses_when_unsure;
  auto begun = ledgers_.debit(judged.pod);
  if (!begun) return end_unsure(at, begun.error().message);
  at->second.removal = begun->removal;
  at->second.waiting = std::move(begun->budgets);
}

// What is taken back is sent in the same turn.
void Reviews::work(const Clock& clock) {
  give_up_late(clock.now);
  for (;;) {
    const auto verdicts = ledgers_.follow(clock.server, clock.now + kAnswerWithin);
    if (verdicts.empty()) return;
    for (const auto& each : verdicts) take(each, clock);
  }
}

void Reviews::take(const cluster::DebitQueue::Verdict& verdict, const Clock& clock) {
  using Result = cluster::DebitQueue::Result;
  const auto at = std::ranges::find_if(
      open_, [&](const auto& each) { return each.second.removal == verdict.removal; });
  // It was let pass before it was entered, and is entered all the same.
  if (at == open_.end()) return ledgers_.keep(verdict.removal);
  Open& open = at->second;
  const std::string budget = cluster::to_string(verdict.budget);
  switch (verdict.result) {
    case Result::Entered:
      open.waiting.erase(verdict.budget);
      if (open.waiting.empty()) end(at, {});
      return;
    case Result::Refused:
      return end(at, refusal(open.pod,
                             {.kind = Kind::Refuse,
                              .why = "disruption budget " + budget + " allows no disruption now",
                              .budget = budget,
                              .next = verdict.next},
                             clock.server));
    case Result::Passed:
    case Result::Failed:
      return end_unsure(
          at, "disruption budget " + budget + " was not debited: " + verdict.error.message);
  }
}

void Reviews::give_up_late(Time now) {
  for (auto at = open_.begin(); at != open_.end();) {
    const auto each = at++;
    if (each->second.until <= now) end_unsure(each, "the debit was not written in time");
  }
}

void Reviews::stop() {
  is_stopping_ = true;
  while (!open_.empty()) end_unsure(open_.begin(), "this replica is about to end");
}

void Reviews::end_unsure(ByUid::iterator at, const std::string& why) {
  end(at, unsure_answer(at->second.pod, why, at->second.refuses_when_unsure));
}

// A pod that may go although it is not sure keeps what was entered: it does go.
void Reviews::end(ByUid::iterator at, const api::ReviewAnswer& answer) {
  const Open ended = std::move(at->second);
  open_.erase(at);
  if (answer.allowed) {
    ledgers_.keep(ended.removal);
  } else {
    ledgers_.take_back(ended.removal);
  }
  for (const Asker& each : ended.askers) this->answer(each, answer);
}

void Reviews::answer(const Asker& asker, std::optional<api::ReviewAnswer> answer) {
  if (!answer) {
    ++counts_.reviews.unsure;
  } else if (!answer->allowed) {
    ++(answer->code == 429 ? counts_.reviews.refused : counts_.reviews.unsure);
  } else {
    ++(answer->warning.empty() ? counts_.reviews.allowed : counts_.reviews.unsure);
  }
  // Nobody is refused by a rehearsal.
  if (answer && dry_run_ && !answer->allowed) {
    answer = api::ReviewAnswer{.warning = "without dryRun this is refused: " + answer->message};
  }
  outbox_.emit(AnswerReview{.number = asker.number, .uid = asker.uid, .answer = std::move(answer)});
}

std::optional<Reviews::Time> Reviews::next() const {
  std::optional<Time> next;
  for (const auto& [uid, open] : open_) next = std::min(next.value_or(open.until), open.until);
  return next;
}

}  // namespace elbowroom::rescheduler
