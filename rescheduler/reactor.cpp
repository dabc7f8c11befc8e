#include "rescheduler/reactor.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "api/codec/timestamp.h"

namespace elbowroom::rescheduler {

using control::Leadership;

Reactor::Reactor(const ReactorOptions& options)
    : options_(options),
      leadership_(options.leader_elect, options.elector),
      moves_(options_, cluster_, outbox_, ledgers_, counts_),
      reviews_(cluster_, outbox_, counts_, options_) {}

Reviews::Clock Reactor::clock() const {
  return {.now = now_.since_start, .server = server_time(now_.since_start)};
}

Turn Reactor::turn() {
  return {.now = now_.since_start,
          .server = server_time(now_.since_start),
          .fence = leadership_.fence(now_.since_start),
          .dry_run = options_.dry_run};
}

Effects Reactor::handle(Observation seen) {
  now_ = seen.at;
  clock_.begin(seen.at.wall, seen.at.since_start);
  std::visit([this](auto& what) { on(what); }, seen.what);
  lead_or_follow();
  const bool acts = may_act();
  if (acts && !is_acting_) {
    keeper_.look_at_all(now_.since_start);
    moves_.begin(turn());
  }
  if (!acts && is_acting_) {
    moves_.end();
    ledgers_.forget_all();
  }
  is_acting_ = acts;
  if (acts) {
    const Turn now = turn();
    keeper_.work(now);
    avoided_.work(now);
    moves_.work(now);
  }
  reviews_.work(clock());
  return outbox_.take();
}

std::optional<Reactor::Time> Reactor::next_wake() const {
  std::optional<Time> next = leadership_.next(now_.since_start);
  if (const auto at = reviews_.next()) next = std::min(next.value_or(*at), *at);
  if (!is_acting_) return next;
  for (const auto& at : {keeper_.next(), avoided_.next(), moves_.next()}) {
    if (at) next = std::min(next.value_or(*at), *at);
  }
  return next;
}

bool Reactor::may_act() const { return leads() && cluster_.is_synced() && cluster_.lost().empty(); }

std::string Reactor::idle_because() const {
  if (leadership_.is_stopping()) return "it is about to end";
  if (!cluster_.is_synced()) return "nodes, pods and disruption budgets are not all listed yet";
  if (std::string why = cluster_.lost(); !why.empty()) return why;
  if (std::string trouble = lease_error(); !trouble.empty()) return trouble;
  if (leads()) return "";
  const std::string& holder = leadership_.holder();
  return holder.empty() ? "nobody leads yet" : holder + " leads";
}

void Reactor::lead_or_follow() {
  const bool is_in_the_way = outbox_.writes() + outbox_.drops() + outbox_.moves() > 0;
  const auto turn = leadership_.advance(is_in_the_way, now_);
  if (turn == Leadership::Turn::Begins) counts_.transitions = leadership_.number();
  if (turn == Leadership::Turn::CutsOff) {
    outbox_.emit(GiveUpWrites{}, *leadership_.next(now_.since_start), CutOff{});
  }
  if (auto write = leadership_.take_write(now_)) {
    outbox_.emit(WriteLease{std::move(write->lease)}, write->not_after, LeaseWrite{});
  }
}

std::string Reactor::why_moved(const policy::Pod& pod, Time at) const {
  if (std::string unseen = cluster_.unseen(); !unseen.empty()) return unseen;
  const policy::Time server = server_time(at);
  if (const auto until = moves_.rests().all_rest_until(server)) {
    return "all owners rest until " + api::format_timestamp(*until) +
           ", as it is not known what was moved before";
  }
  return moves_.pass().explain(moves_.settings().rules(), server, pod);
}

void Reactor::on(control::Listed<SettingsMap>& seen) {
  cluster_.listed(Collection::Settings);
  if (seen.objects.empty()) return moves_.saw_settings(std::nullopt);
  moves_.saw_settings(seen.objects.front().is);
}

void Reactor::on(control::Listed<RestsMap>& seen) {
  cluster_.listed(Collection::Rests);
  if (seen.objects.empty()) return moves_.saw_rests(std::nullopt);
  moves_.saw_rests(seen.objects.front().is);
}

void Reactor::on(PodsListed& seen) {
  for (const cluster::PackedPod& each : seen.objects) moves_.saw(each);
  keeper_.look_at(cluster_.take(seen), now_.since_start);
}

void Reactor::on(PodSeen& seen) {
  moves_.saw(seen.object);
  keeper_.look_at(cluster_.take(seen), now_.since_start);
}

void Reactor::on(NodesListed& seen) {
  avoided_.listed(seen.objects, now_.since_start, server_time(now_.since_start));
  static_cast<void>(cluster_.take(seen));
}

void Reactor::on(NodeSeen& seen) {
  avoided_.saw(seen.object, now_.since_start, server_time(now_.since_start));
  static_cast<void>(cluster_.take(seen));
}

void Reactor::on(const NodeGone& seen) {
  avoided_.gone(seen.key);
  static_cast<void>(cluster_.take(seen));
}

void Reactor::on(const Unreadable& seen) {
  ++counts_.unreadable;
  keeper_.look_at(cluster_.take(seen), now_.since_start);
}

// A rate may allow more, or less, than was assumed.
void Reactor::on(const control::ServerDated& seen) {
  clock_.saw(seen.date, now_.since_start);
  keeper_.look_at_all(now_.since_start);
}

// Where they are in a ConfigMap that was not listed yet, they are not known.
void Reactor::on(const ReviewAsked& asked) {
  const bool knows = options_.rules.has_value() || cluster_.has_listed(Collection::Settings);
  const policy::MoveRules& rules = moves_.settings().rules();
  reviews_.asked(asked, knows ? &rules.webhook : nullptr, clock());
}

void Reactor::on(const Done& done) {
  const auto what = outbox_.answered(done.effect);
  if (!what) return;
  if (std::holds_alternative<LeaseWrite>(*what)) {
    leadership_.written(done.lease, now_.since_start);
  } else if (const auto* status = std::get_if<StatusWrite>(&*what)) {
    keeper_.written(status->budget, now_.since_start);
  } else if (const auto* avoid = std::get_if<AvoidWrite>(&*what)) {
    avoided_.dropped(avoid->node);
  } else if (const auto* ledger = std::get_if<LedgerTask>(&*what)) {
    if (ledger->of == LedgerTask::Of::Reviews) return reviews_.done(*ledger, done.budget);
    ledgers_.done(*ledger, done.budget);
  } else if (const auto* step = std::get_if<MoveStep>(&*what)) {
    moves_.step_done(*step, turn());
  } else if (std::holds_alternative<RestsWrite>(*what)) {
    moves_.rests_written(done.version);
  }
}

void Reactor::on(const Failed& failed) {
  const auto what = outbox_.answered(failed.effect);
  if (!what) return;
  if (std::holds_alternative<LeaseWrite>(*what)) {
    return leadership_.failed(failed.error, now_.since_start);
  }
  const auto* ledger = std::get_if<LedgerTask>(&*what);
  // It has no fence.
  if (ledger != nullptr && ledger->of == LedgerTask::Of::Reviews) {
    return reviews_.failed(*ledger, failed.error);
  }
  if (now_.since_start >= leadership_.fence(now_.since_start)) ++counts_.fenced_writes;
  if (const auto* status = std::get_if<StatusWrite>(&*what)) {
    keeper_.not_written(status->budget, failed.error, now_.since_start);
  } else if (const auto* avoid = std::get_if<AvoidWrite>(&*what)) {
    avoided_.not_dropped(avoid->node, failed.error, now_.since_start);
  } else if (ledger != nullptr) {
    ledgers_.failed(*ledger, failed.error);
  } else if (const auto* step = std::get_if<MoveStep>(&*what)) {
    moves_.step_failed(*step, failed.error, turn());
  } else if (std::holds_alternative<RestsWrite>(*what)) {
    moves_.rests_not_written(failed.error);
  }
}

}  // namespace elbowroom::rescheduler
