#include "rescheduler/reactor.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace elbowroom::rescheduler {

using control::Leadership;

Reactor::Reactor(const ReactorOptions& options)
    : options_(options), leadership_(options.leader_elect, options.elector) {}

Effects Reactor::handle(Observation seen) {
  now_ = seen.at;
  clock_.begin(seen.at.wall, seen.at.since_start);
  std::visit([this](auto& what) { on(what); }, seen.what);
  lead_or_follow();
  const bool acts = may_act();
  if (acts && !is_acting_) keeper_.look_at_all(now_.since_start);
  is_acting_ = acts;
  if (acts) {
    const Turn turn{.now = now_.since_start,
                    .server = server_time(now_.since_start),
                    .fence = leadership_.fence(now_.since_start),
                    .dry_run = options_.dry_run};
    keeper_.work(turn);
    avoided_.work(turn);
  }
  return outbox_.take();
}

std::optional<Reactor::Time> Reactor::next_wake() const {
  std::optional<Time> next = leadership_.next(now_.since_start);
  if (!is_acting_) return next;
  for (const auto& at : {keeper_.next(), avoided_.next()}) {
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
  const bool is_in_the_way = leadership_.is_stopping() && outbox_.writes() + outbox_.drops() > 0;
  const auto turn = leadership_.advance(is_in_the_way, now_);
  if (turn == Leadership::Turn::Begins) counts_.transitions = leadership_.number();
  if (turn == Leadership::Turn::CutsOff) {
    outbox_.emit(GiveUpWrites{}, *leadership_.next(now_.since_start), CutOff{});
  }
  if (auto write = leadership_.take_write(now_)) {
    outbox_.emit(WriteLease{std::move(write->lease)}, write->not_after, LeaseWrite{});
  }
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

void Reactor::on(const Done& done) {
  const auto what = outbox_.answered(done.effect);
  if (!what) return;
  if (std::holds_alternative<LeaseWrite>(*what)) {
    leadership_.written(done.lease, now_.since_start);
  } else if (const auto* status = std::get_if<StatusWrite>(&*what)) {
    keeper_.written(status->budget, now_.since_start);
  } else if (const auto* avoid = std::get_if<AvoidWrite>(&*what)) {
    avoided_.dropped(avoid->node);
  }
}

void Reactor::on(const Failed& failed) {
  const auto what = outbox_.answered(failed.effect);
  if (!what) return;
  if (std::holds_alternative<LeaseWrite>(*what)) {
    return leadership_.failed(failed.error, now_.since_start);
  }
  if (now_.since_start >= leadership_.fence(now_.since_start)) ++counts_.fenced_writes;
  if (const auto* status = std::get_if<StatusWrite>(&*what)) {
    keeper_.not_written(status->budget, failed.error, now_.since_start);
  } else if (const auto* avoid = std::get_if<AvoidWrite>(&*what)) {
    avoided_.not_dropped(avoid->node, failed.error, now_.since_start);
  }
}

}  // namespace elbowroom::rescheduler
