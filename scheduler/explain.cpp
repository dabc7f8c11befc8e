#include "scheduler/explain.h"

#include "api/codec/json.h"
#include "api/codec/timestamp.h"

namespace elbowroom::scheduler {
namespace {

using api::json_bool;
using api::json_list;
using api::json_map;
using api::json_number;
using api::json_text;
using api::to_json;

Value texts(const std::vector<std::string_view>& all) {
  std::vector<Value> items;
  for (const std::string_view each : all) items.push_back(json_text(std::string(each)));
  return json_list(std::move(items));
}

std::string_view name_of(Queue::Where where) {
  switch (where) {
    case Queue::Where::Active:
      return "active";
    case Queue::Where::Backoff:
      return "backoff";
    case Queue::Where::Parked:
      return "parked";
    case Queue::Where::InFlight:
      return "inFlight";
  }
  return "";
}

cluster::Changes anywhere(const Waiting& pod) {
  if (!pod.is_pending || !pod.result) return {};
  return anywhere_for(row_of(*pod.result), pod.looks_around);
}

}  // namespace

std::string explain(const Reactor& reactor, std::string_view key, const Moment& now,
                    bool is_dry_run) {
  const auto at = reactor.waiting().find(key);
  if (at == reactor.waiting().end()) return "";
  const Waiting& pod = at->second;
  const auto wall_of = [&](Waiting::Time time) {
    return api::format_timestamp(
        std::chrono::floor<std::chrono::seconds>(now.wall + (time - now.since_start)));
  };
  const auto where = reactor.queue().where(key);
  std::vector<Value> refused;
  for (const RefusedRemovals::Refused& each : reactor.refusals().told(pod.node, now.since_start)) {
    refused.push_back(json_map({{"pod", json_text(each.key)},
                                {"why", json_text(each.why)},
                                {"until", json_text(wall_of(each.until))}}));
  }
  return to_json(json_map({
             {"apiVersion", json_text("elbowroom.dev/v1alpha1")},
             {"kind", json_text("SchedulerExplanation")},
             {"pod", json_text(std::string(key))},
             {"uid", json_text(pod.uid)},
             {"generation", json_number(pod.generation)},
             {"node", json_text(pod.node)},
             {"since", json_text(wall_of(pod.since))},
             {"result", json_text(std::string(pod.result ? row_of(*pod.result).name : ""))},
             {"message", json_text(pod.message)},
             {"queue", json_text(std::string(where ? name_of(*where) : ""))},
             {"wakes", texts(pod.result ? cluster::names_of(row_of(*pod.result).requeue_hints)
                                        : std::vector<std::string_view>{})},
             {"wakesAnywhere", texts(cluster::names_of(anywhere(pod)))},
             {"nextLook", pod.next_look ? json_text(wall_of(*pod.next_look)) : Value{}},
             {"refused", json_list(std::move(refused))},
             {"idleBecause", json_text(reactor.idle_because())},
             {"dryRun", json_bool(is_dry_run)},
         })) +
         "\n";
}

}  // namespace elbowroom::scheduler
