#include "cli/input/skipped_objects.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "cli/output/progress.h"
#include "cli/verbs.h"
#include "cluster/snapshot.h"
#include "cluster/unreadable_object.h"
#include "policy/ledger/strictest_budget.h"
#include "policy/model/rejected_pods.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kNamed = 10;

using Reasons = std::map<std::string, std::string, std::less<>>;  // by pod key

std::string kind_of(const Value& object) { return std::string(api::text_at(object, "kind")); }

std::string text_in(const Value& object, std::string_view map, std::string_view key) {
  const Value* found = api::value_at(object, {map, key});
  return found != nullptr && found->kind == Value::Kind::String ? found->text : std::string();
}

// It holds no resources any more.
bool is_finished(const Value& pod) {
  const std::string phase = text_in(pod, "status", "phase");
  return phase == "Succeeded" || phase == "Failed";
}

// Decodes one object after the other, so that an error is reported for its own object.
class ObjectFilter {
 public:
  ObjectFilter(const std::vector<Value>& objects, std::string_view pod, std::string_view source)
      : pod_(pod), source_(source) {
    for (const Value& each : objects) {
      if (is_the_pod(each)) node_ = text_in(each, "spec", "nodeName");
    }
  }

  // The object, unless it is left out.
  Result<std::vector<Value>> take(Value object) {
    std::vector<Value> one;
    one.push_back(std::move(object));
    Result<Manifests> read = served_manifests_of(one, source_);
    if (read && !read->pods.empty()) read = with_its_own_uid(*std::move(read));
    if (read) return one;
    if (is_needed(one.front())) return std::unexpected(std::move(read).error());
    leave_out(one.front(), read.error());
    return std::vector<Value>{};
  }

  UndecodableObjects left_out() {
    for (const auto& [node, pods] : unreadable_) {
      left_out_.unclear.emplace(node, cluster::unreadable_message(pods));
    }
    return std::move(left_out_);
  }

 private:
  bool is_the_pod(const Value& object) const {
    return !pod_.empty() && kind_of(object) == "Pod" && to_string(api::ref_of(object)) == pod_;
  }

  bool is_needed(const Value& object) const {
    const bool is_its_node =
        !node_.empty() && kind_of(object) == "Node" && api::ref_of(object).name == node_;
    return is_its_node || is_the_pod(object);
  }

  // Two pods with one uid are ambiguous.
  Result<Manifests> with_its_own_uid(Manifests read) {
    const policy::Pod& pod = read.pods.front();
    const auto [at, is_new] = keys_.emplace(pod.uid, key_of(pod));
    if (is_new) return read;
    return failure(Code::Invalid, std::string(source_) + ": metadata.uid: " +
                                      cluster::same_uid_message(at->second, key_of(pod), pod.uid) +
                                      ": who is meant cannot be told");
  }

  void leave_out(const Value& object, const Error& error) {
    const std::string kind = kind_of(object);
    const api::ObjectRef ref = api::ref_of(object);
    const bool is_budget = kind.ends_with("DisruptionBudget");
    left_out_.lines.push_back(
        kind + " " + to_string(ref) + " cannot be understood and " +
        (is_budget ? "counts as one that lets nobody of its namespace go: " : "is left out: ") +
        error.message);
    if (is_budget) {
      (kind == "DisruptionBudget" ? left_out_.own_budgets : left_out_.budgets)
          .emplace_back(ref.ns, ref.name);
    }
    const std::string node = kind == "Pod" ? text_in(object, "spec", "nodeName") : "";
    if (!node.empty() && !is_finished(object)) {
      unreadable_[node].emplace(to_string(ref), error.message);
    }
  }

  std::string_view pod_;
  std::string_view source_;
  std::string node_{};                           // the pod's
  std::map<std::string, std::string> keys_{};    // of pods, by uid
  std::map<std::string, Reasons> unreadable_{};  // pods, by node
  UndecodableObjects left_out_{};
};

// For objects that cannot be decoded all together.
Result<UndecodableObjects> leave_out_undecodable(std::vector<Value>& objects, std::string_view pod,
                                                 std::string_view source) {
  ObjectFilter sorting(objects, pod, source);
  std::vector<Value> kept;
  for (Value& object : objects) {
    ASSIGN_OR_RETURN(std::vector<Value> one, sorting.take(std::move(object)));
    std::ranges::move(one, std::back_inserter(kept));
  }
  objects = std::move(kept);
  return sorting.left_out();
}

}  // namespace

Result<UndecodableObjects> leave_out(std::vector<Value>& objects, std::string_view pod,
                                     std::string_view source) {
  if (served_manifests_of(objects, source)) return UndecodableObjects{};  // the usual case
  return leave_out_undecodable(objects, pod, source);
}

Result<DecodedObjects> understand(std::vector<Value> objects, std::string_view pod,
                                  std::string_view source) {
  DecodedObjects all;
  progress().tell("understanding objects", objects.size());
  Result<Manifests> read = served_manifests_of(objects, source);
  if (!read) {
    ASSIGN_OR_RETURN(all.left_out, leave_out_undecodable(objects, pod, source));
    read = served_manifests_of(objects, source);
  }
  ASSIGN_OR_RETURN(all.manifests, std::move(read));
  for (const auto& [ns, name] : all.left_out.budgets) {
    all.manifests.pod_disruption_budgets.push_back(cluster::closed_budget(ns, name));
  }
  std::ranges::sort(all.manifests.pod_disruption_budgets, {},
                    [](const auto& each) { return std::pair(each.ns, each.name); });
  for (const auto& [ns, name] : all.left_out.own_budgets) {
    all.manifests.disruption_budgets.push_back(policy::strictest_budget(ns, name));
  }
  std::ranges::sort(all.manifests.disruption_budgets, {},
                    [](const auto& each) { return std::pair(each.ns, each.name); });
  return all;
}

Result<DecodedObjects> decode_files(const std::vector<std::string>& files) {
  DecodedObjects all;
  ASSIGN_OR_RETURN(all.manifests, load_manifests(files));
  return all;
}

void drop_rejected_pods(Manifests& manifests, std::string_view pod) {
  std::erase_if(manifests.pods, [&](const policy::Pod& each) {
    const policy::Node* node = find_node(manifests, each.node);
    return node != nullptr && key_of(each) != pod && policy::never_fits(*node, each);
  });
}

void warn_of(const UndecodableObjects& left_out) {
  const std::size_t named = std::min(left_out.lines.size(), kNamed);
  for (std::size_t i = 0; i < named; ++i) complain(left_out.lines[i]);
  if (const std::size_t more = left_out.lines.size() - named; more > 0) {
    complain(std::to_string(more) + " more objects cannot be understood and are left out");
  }
}

void remove_none_on_unclear_node(policy::ResizeReport& report, const UndecodableObjects& left_out) {
  const auto why = left_out.unclear.find(report.node);
  policy::PreemptionReport& preemption = report.preemption;
  if (why == left_out.unclear.end()) return;
  if (preemption.outcome != policy::PreemptionOutcome::Preempt) return;
  policy::spare_victims(preemption, "stays: nobody is removed for this resize");
  preemption.outcome = policy::PreemptionOutcome::NoVictims;
  preemption.message = "nobody is removed on node " + report.node + ": " + why->second;
}

}  // namespace elbowroom::cli
