#include "scheduler/explain.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/timestamp.h"
#include "base/document_text.h"
#include "scheduler/result_in_words.h"

namespace elbowroom::scheduler {
namespace {

template <class Texts>
Value texts(const Texts& all) {
  std::vector<Value> items;
  for (const auto& each : all) items.push_back(text_value(std::string(each)));
  return list_value(std::move(items));
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

std::string result_of(const Waiting& pod) {
  return pod.result ? std::string(row_of(*pod.result).name) : "";
}

class Explainer {
 public:
  Explainer(const Reactor& reactor, const Moment& now, bool is_dry_run)
      : reactor_(reactor), now_(now), is_dry_run_(is_dry_run) {}

  [[nodiscard]] std::string of_pod(std::string_view key) const {
    const auto at = reactor_.waiting().find(key);
    if (at == reactor_.waiting().end()) return "";
    const Waiting& pod = at->second;
    const std::string& entry = shares_turn(pod) ? pod.gang : at->first;
    const Waiting& judged = judged_for(pod);
    std::vector<Member> parts = {
        member("pod", text_value(std::string(key))), member("uid", text_value(pod.uid)),
        member("generation", number_value(pod.generation)), member("node", text_value(pod.node)),
        member("group", text_value(group_of(key)))};
    return finished(std::move(parts), pod.since, judged, entry);
  }

  [[nodiscard]] std::optional<std::string> next_of(std::string_view key) const {
    const auto at = reactor_.waiting().find(key);
    if (at == reactor_.waiting().end()) return std::nullopt;
    const Waiting& judged = judged_for(at->second);
    if (!judged.result || !reactor_.idle_because().empty()) return "";
    std::string words = result_in_words(row_of(*judged.result).name, judged.message, is_dry_run_);
    if (!judged.next_look) return words;
    return words + "; it looks again at " + wall_of(*judged.next_look) + " at the latest";
  }

  [[nodiscard]] std::string of_group(std::string_view key) const {
    const std::string entry = gang_id(key);
    const auto gang = reactor_.waiting().find(entry);
    const policy::PodGroup* group = reactor_.snapshot().groups().find(key);
    std::optional<Waiting::Time> since;
    std::vector<Value> members;
    for (const policy::Pod& pod : reactor_.snapshot().members_of(key)) {
      const std::string name = policy::key_of(pod);
      const auto at = reactor_.waiting().find(name);
      const bool waits = at != reactor_.waiting().end() && at->second.is_pending;
      if (waits) since = std::min(since.value_or(at->second.since), at->second.since);
      members.push_back(member_value(pod, waits ? &at->second : nullptr));
    }
    if (!since && gang == reactor_.waiting().end()) return "";
    const bool is_gang = group != nullptr && group->standing.is_gang();
    std::vector<Member> parts = {
        member("group", text_value(std::string(key))),
        member("uid", text_value(group == nullptr ? "" : group->standing.uid)),
        member("priority", group == nullptr ? Value{} : number_value(group->standing.priority)),
        member("minCount", is_gang ? number_value(*group->standing.min_count) : Value{}),
        member("members", list_value(std::move(members)))};
    const Waiting none{.message = why_no_turn(key, group)};
    const Waiting& judged = gang == reactor_.waiting().end() ? none : gang->second;
    parts.push_back(member("nodes", texts(judged.nodes)));
    return finished(std::move(parts), since.value_or(judged.since), judged, entry);
  }

 private:
  static bool shares_turn(const Waiting& pod) { return !pod.gang.empty() && !pod.has_own_turn; }

  // The members of a gang have the gang's turns.
  const Waiting& judged_for(const Waiting& pod) const {
    if (!shares_turn(pod)) return pod;
    const auto gang = reactor_.waiting().find(pod.gang);
    return gang == reactor_.waiting().end() ? pod : gang->second;
  }

  std::string group_of(std::string_view key) const {
    const auto pod = reactor_.snapshot().pod(key);
    return pod ? policy::group_key_of(*pod) : "";
  }

  std::string why_no_turn(std::string_view key, const policy::PodGroup* group) const {
    if (group == nullptr) return "pod group " + std::string(key) + " does not exist";
    const std::string obstacle(to_string(group->standing.obstacle));
    if (!obstacle.empty()) return group->trouble.empty() ? obstacle : group->trouble;
    return "it is no gang: its pods are placed one by one";
  }

  Value member_value(const policy::Pod& pod, const Waiting* waits) const {
    const std::string name = policy::key_of(pod);
    const std::string& node = !pod.node.empty() || waits == nullptr ? pod.node : waits->node;
    const auto where = waits == nullptr
                           ? std::nullopt
                           : reactor_.queue().where(reactor_.state().waiting.entry_of(name));
    return map_value({member("pod", text_value(name)), member("uid", text_value(pod.uid)),
                      member("node", text_value(node)),
                      member("bound", bool_value(!pod.node.empty())),
                      member("result", text_value(waits == nullptr ? "" : result_of(*waits))),
                      member("message", text_value(waits == nullptr ? "" : waits->message)),
                      member("queue", text_value(std::string(where ? name_of(*where) : "")))});
  }

  std::string wall_of(Waiting::Time time) const {
    return api::format_timestamp(
        std::chrono::floor<std::chrono::seconds>(now_.wall + (time - now_.since_start)));
  }

  Value refused_on(const Waiting& judged) const {
    std::vector<Value> refused;
    for (const RefusedRemovals::Refused& each :
         reactor_.refusals().told(judged.node, now_.since_start)) {
      refused.push_back(
          map_value({member("pod", text_value(each.key)), member("why", text_value(each.why)),
                     member("until", text_value(wall_of(each.until)))}));
    }
    return list_value(std::move(refused));
  }

  // `entry`: in the queue.
  std::string finished(std::vector<Member> parts, Waiting::Time since, const Waiting& judged,
                       std::string_view entry) const {
    const auto where = reactor_.queue().where(entry);
    std::vector<Member> all = {member("apiVersion", text_value("elbowroom.dev/v1alpha1")),
                               member("kind", text_value("SchedulerExplanation"))};
    for (Member& each : parts) all.push_back(std::move(each));
    const auto add = [&all](const char* key, Value value) {
      all.push_back(member(key, std::move(value)));
    };
    add("since", text_value(wall_of(since)));
    add("result", text_value(result_of(judged)));
    add("message", text_value(judged.message));
    add("queue", text_value(std::string(where ? name_of(*where) : "")));
    add("wakes", texts(judged.result ? cluster::names_of(row_of(*judged.result).requeue_hints)
                                     : std::vector<std::string_view>{}));
    add("wakesAnywhere", texts(cluster::names_of(anywhere(judged))));
    add("nextLook", judged.next_look ? text_value(wall_of(*judged.next_look)) : Value{});
    add("refused", refused_on(judged));
    add("idleBecause", text_value(reactor_.idle_because()));
    add("dryRun", bool_value(is_dry_run_));
    return api::to_json(map_value(std::move(all))) + "\n";
  }

  const Reactor& reactor_;
  const Moment& now_;
  bool is_dry_run_;
};

}  // namespace

std::string explain(const Reactor& reactor, std::string_view key, const Moment& now,
                    bool is_dry_run) {
  return Explainer(reactor, now, is_dry_run).of_pod(key);
}

std::optional<std::string> next_in_words(const Reactor& reactor, std::string_view key,
                                         const Moment& now, bool is_dry_run) {
  return Explainer(reactor, now, is_dry_run).next_of(key);
}

std::string explain_group(const Reactor& reactor, std::string_view group, const Moment& now,
                          bool is_dry_run) {
  return Explainer(reactor, now, is_dry_run).of_group(group);
}

}  // namespace elbowroom::scheduler
