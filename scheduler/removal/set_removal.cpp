#include "scheduler/removal/set_removal.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "policy/model/condition.h"
#include "scheduler/waiting/waiting_pod.h"

namespace elbowroom::scheduler {
namespace {

constexpr std::string_view kForResize =
    "elbowroom-scheduler: preempting to accommodate the resize of a higher priority pod";
constexpr std::string_view kForPod =
    "elbowroom-scheduler: preempting to accommodate a higher priority pod";
constexpr std::string_view kForGroup =
    "elbowroom-scheduler: preempting to accommodate a higher priority pod group";

std::string_view purpose_of(const Preemptor& preemptor) {
  if (preemptor.is_group) return kForGroup;
  return preemptor.is_pending ? kForPod : kForResize;
}

policy::RemovalMark mark_for(const Preemptor& preemptor) {
  return {.uid = preemptor.uid, .generation = preemptor.generation};
}

// What a server, or a webhook of it, says of a pod may name that pod and others.
policy::PodText trouble_of(const SetRemoval::Step& step, const Error& error,
                           const Preemptor& preemptor) {
  const auto* mark = std::get_if<MarkVictim>(&step);
  const auto* removal = std::get_if<DeleteVictim>(&step);
  if (mark == nullptr && removal == nullptr) return error.message;
  const Victim& victim = mark != nullptr ? mark->victim : removal->victim;
  const std::string reader = named(preemptor).ns;
  if (victim.ns == reader) return error.message;
  const policy::PodText name =
      policy::name_for_reader(reader, victim.ns + "/" + victim.name, victim.uid);
  return {error.message, "the API server did not let pod " + name.on_pod() + " go"};
}

}  // namespace

bool is_refusal(const Error& error) {
  return error.code == Code::Denied || error.code == Code::Invalid;
}

bool is_for_pending(const policy::Condition& mark) { return mark.message.starts_with(kForPod); }
bool is_for_group(const policy::Condition& mark) { return mark.message.starts_with(kForGroup); }

std::string counted_uid(const policy::Pod& victim) {
  const auto& group = victim.group;
  const bool is_whole = group && group->mode == policy::DisruptionMode::All && !group->is_unclear();
  return is_whole ? group->uid : victim.uid;
}

Victim victim_of(const policy::Pod& pod) { return {pod.ns, pod.name, pod.uid}; }

Victim named(const Preemptor& preemptor) {
  const std::string_view key = preemptor.key;
  const std::string_view name = is_gang_id(key) ? group_key_in(key) : key;
  const std::size_t slash = name.find('/');
  return {std::string(name.substr(0, slash)), std::string(name.substr(slash + 1)), preemptor.uid};
}

SetRemoval::SetRemoval(Preemptor preemptor, std::vector<policy::Pod> victims, policy::Time now)
    : preemptor_(std::move(preemptor)), victims_(std::move(victims)), chosen_at_(now) {
  enter(Stage::Marking);
}

void SetRemoval::enter(Stage stage) {
  stage_ = stage;
  switch (stage) {
    case Stage::Marking:
      for (const policy::Pod& victim : victims_) {
        if (policy::removal_mark(victim) == mark_for(preemptor_)) continue;
        if (std::ranges::find(marked_, victim_of(victim)) != marked_.end()) continue;
        waiting_.emplace_back(MarkVictim{
            .victim = victim_of(victim),
            .condition = policy::marking_condition(victim, policy::kReasonPreemptionByScheduler,
                                                   purpose_of(preemptor_), mark_for(preemptor_),
                                                   chosen_at_)});
      }
      if (preemptor_.is_group) {
        waiting_.emplace_back(ConfirmGroup{named(preemptor_)});
      } else {
        waiting_.emplace_back(ConfirmResize{named(preemptor_)});
      }
      for (const Victim& member : preemptor_.members) waiting_.emplace_back(ConfirmResize{member});
      break;
    case Stage::Checking:
      if (victims_.size() < 2) break;
      for (const policy::Pod& victim : victims_) {
        waiting_.emplace_back(DeleteVictim{.victim = victim_of(victim), .dry_run = true});
      }
      break;
    case Stage::Deleting:
      for (const policy::Pod& victim : victims_) {
        waiting_.emplace_back(DeleteVictim{.victim = victim_of(victim)});
      }
      break;
    case Stage::Clearing:
      for (const Victim& victim : marked_) {
        waiting_.emplace_back(MarkVictim{.victim = victim, .clear = true});
      }
      break;
    case Stage::Ready:
    case Stage::Debiting:
    case Stage::Ended:
      return;
  }
  if (waiting_.empty()) advance();
}

std::vector<SetRemoval::Step> SetRemoval::take_steps() {
  const std::size_t count = std::min(waiting_.size(), kMostInFlight - outstanding_);
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Step> steps(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  outstanding_ += count;
  return steps;
}

void SetRemoval::finished(const Step& step, const std::optional<Error>& error) {
  --outstanding_;
  const auto* mark = std::get_if<MarkVictim>(&step);
  // A mark whose answer was lost may have been written nevertheless.
  if (mark != nullptr && !mark->clear) marked_.push_back(mark->victim);
  const bool is_gone = error && error->code == Code::NotFound;
  const bool is_of_preemptor =
      std::holds_alternative<ConfirmResize>(step) || std::holds_alternative<ConfirmGroup>(step);
  if (is_gone && is_of_preemptor) disprove("it is gone");
  // A victim that is already gone needs no further request.
  const bool failed = error && (!is_gone || is_of_preemptor);
  const bool goes_on = outcome_ != Outcome::Overtaken && outcome_ != Outcome::Outdated;
  if (failed && stage_ != Stage::Clearing && goes_on) {
    if (trouble_.empty()) trouble_ = trouble_of(step, *error, preemptor_);
    retry_after_ = std::max(retry_after_, error->retry_after);
    const bool refuses = is_refusal(*error);
    // Whatever is no refusal may have been done all the same.
    is_begun_ = is_begun_ || (stage_ == Stage::Deleting && !refuses);
    if (refuses && stage_ != Stage::Deleting) {
      is_unconfirmed_ = is_unconfirmed_ || is_of_preemptor;
      outcome_ = Outcome::Refused;
    } else if (outcome_ == Outcome::Removed) {
      outcome_ = Outcome::Incomplete;
    }
  }
  is_begun_ = is_begun_ || (stage_ == Stage::Deleting && !failed);
  // No more pods are marked or checked for a set that is not removed.
  const bool is_vain = stage_ == Stage::Marking || stage_ == Stage::Checking;
  if (is_vain && outcome_ != Outcome::Removed) waiting_.clear();
  if (outstanding_ == 0 && waiting_.empty()) advance();
}

void SetRemoval::advance() {
  switch (stage_) {
    case Stage::Marking:
    case Stage::Checking:
      if (outcome_ != Outcome::Removed) return enter(Stage::Clearing);
      return enter(stage_ == Stage::Marking ? Stage::Checking : Stage::Ready);
    case Stage::Deleting:
      if (is_begun_) return enter(Stage::Ended);
      outcome_ = Outcome::Refused;
      return enter(Stage::Clearing);
    case Stage::Clearing:
      return enter(Stage::Ended);
    case Stage::Ready:
    case Stage::Debiting:
    case Stage::Ended:
      return;
  }
}

void SetRemoval::disprove(const std::string& why) {
  if (outcome_ == Outcome::Refused) return;
  outcome_ = Outcome::Outdated;
  const Victim of = named(preemptor_);
  trouble_ = "the API server says of " + control::name_of(of) + ": " + why;
}

void SetRemoval::confirm_again() {
  if (stage_ == Stage::Ready || stage_ == Stage::Debiting) enter(Stage::Marking);
}

void SetRemoval::debit() {
  if (stage_ == Stage::Ready) enter(Stage::Debiting);
}

void SetRemoval::debit_failed(const Error& error, const policy::PodText& why) {
  if (stage_ != Stage::Debiting) return;
  outcome_ = is_refusal(error) ? Outcome::Refused : Outcome::Incomplete;
  trouble_ = why;
  retry_after_ = error.retry_after;
  enter(Stage::Clearing);
}

void SetRemoval::go_on() {
  if (stage_ == Stage::Ready || stage_ == Stage::Debiting) enter(Stage::Deleting);
}

void SetRemoval::abandon(const policy::PodText& why) {
  if (stage_ == Stage::Deleting || stage_ == Stage::Clearing || stage_ == Stage::Ended) return;
  outcome_ = Outcome::Overtaken;
  if (trouble_.empty()) trouble_ = why;
  waiting_.clear();
  if (outstanding_ == 0) enter(Stage::Clearing);
}

}  // namespace elbowroom::scheduler
