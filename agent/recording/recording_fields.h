// The fields of the agent's own values in recordings. A structured binding takes every struct
// apart, so a member that is added to a value but not here is a compiler error. A name that was
// written once never changes its meaning.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/effect.h"
#include "agent/observation.h"
#include "agent/reactor.h"
#include "agent/reactor_state.h"
#include "agent/worker/inbox.h"
#include "control/recording_fields.h"
#include "recording/json_fields.h"
#include "recording/policy_fields.h"

namespace elbowroom::recording {

using namespace std::string_view_literals;

// ---- allocations and the runtime ----

template <>
struct Fields<agent::PodAllocation> {
  static void list(auto& io, auto& of) {
    auto& [ns, name, generation, containers, pod_level] = of;
    io("namespace", ns)("name", name)("generation", generation)("containers", containers)(
        "podLevel", pod_level);
  }
};
template <>
struct Fields<agent::Victim> {
  static void list(auto& io, auto& of) {
    auto& [uid, ns, name] = of;
    io("uid", uid)("namespace", ns)("name", name);
  }
};
template <>
struct Fields<agent::RemovalIntent> {
  static void list(auto& io, auto& of) {
    auto& [preemptor_uid, generation, victims, boot, deferred_at] = of;
    io("preemptor", preemptor_uid)("generation", generation)("victims", victims)("boot", boot)(
        "deferredAtMs", deferred_at);
  }
};
template <>
struct Fields<agent::CountedSet> {
  static void list(auto& io, auto& of) {
    auto& [preemptor_uid, victims, boot, at, victim] = of;
    io("preemptor", preemptor_uid)("victims", victims)("boot", boot)("atMs", at)("victim", victim);
  }
};
template <>
struct Fields<agent::Checkpoint> {
  static void list(auto& io, auto& of) {
    auto& [pods, removals, counted] = of;
    io("pods", pods)("removals", removals)("counted", counted);
  }
};
template <>
struct Fields<cri::RuntimeResources> {
  static void list(auto& io, auto& of) {
    auto& [cpu_shares, cpu_quota_us, cpu_period_us, memory_limit_bytes, cpu_weight] = of;
    io("cpuShares", cpu_shares)("cpuQuotaUs", cpu_quota_us)("cpuPeriodUs", cpu_period_us)(
        "memoryLimitBytes", memory_limit_bytes)("cpuWeight", cpu_weight);
  }
};
template <>
struct Names<cri::WeightMap> {
  static constexpr std::array kAll = {"linear"sv, "logarithmic"sv};
};
template <>
struct Fields<agent::ContainerReport> {
  static void list(auto& io, auto& of) {
    auto& [id, state, size, may_swap, memory_request] = of;
    io("id", id)("state", state)("size", size)("maySwap", may_swap)("memoryRequest",
                                                                    memory_request);
  }
};
template <>
struct Fields<agent::PodReport> {
  static void list(auto& io, auto& of) {
    auto& [containers, pod_cgroup] = of;
    io("containers", containers)("podCgroup", pod_cgroup);
  }
};

// ---- observations ----

template <>
struct Fields<agent::NodeSeen> {
  static void list(auto& io, auto& of) {
    auto& [node] = of;
    io("node", node);
  }
};
template <>
struct Fields<agent::NodeGone> {
  static void list(auto& io, auto& of) {
    auto& [why] = of;
    io("why", why);
  }
};
template <>
struct Fields<agent::PodSeen> {
  static void list(auto& io, auto& of) {
    auto& [pod, kubelet_wrote] = of;
    io("pod", pod)("kubeletWrote", kubelet_wrote);
  }
};
template <>
struct Fields<agent::PodGone> {
  static void list(auto& io, auto& of) {
    auto& [uid] = of;
    io("uid", uid);
  }
};
template <>
struct Fields<agent::PodUnreadable> {
  static void list(auto& io, auto& of) {
    auto& [key, why] = of;
    io("pod", key)("why", why);
  }
};
template <>
struct Fields<agent::PodsListed> {
  static void list(auto& io, auto& of) {
    auto& [pods, unreadable] = of;
    io("pods", pods)("unreadable", unreadable);
  }
};
template <>
struct Fields<agent::PodReadableAgain> {
  static void list(auto& io, auto& of) {
    auto& [key] = of;
    io("pod", key);
  }
};
template <>
struct Fields<agent::ApiLost> {
  static void list(auto& io, auto& of) {
    auto& [why] = of;
    io("why", why);
  }
};
template <>
struct Fields<agent::ApiBack> {
  static_assert(std::is_empty_v<agent::ApiBack>);
  static void list(auto& /*io*/, auto& /*of*/) {}
};
template <>
struct Fields<agent::RuntimeSeen> {
  static void list(auto& io, auto& of) {
    auto& [pods] = of;
    io("pods", pods);
  }
};
template <>
struct Fields<agent::RuntimeLost> {
  static void list(auto& io, auto& of) {
    auto& [why] = of;
    io("why", why);
  }
};
template <>
struct Fields<agent::KubeletSeen> {
  static void list(auto& io, auto& of) {
    auto& [where, silent] = of;
    io("where", where)("silent", silent);
  }
};
template <>
struct Fields<agent::Done> {
  static void list(auto& io, auto& of) {
    auto& [effect, size] = of;
    io("effect", effect)("size", size);
  }
};

template <>
struct Fields<agent::BudgetsRead> {
  static void list(auto& io, auto& of) {
    auto& [effect, budgets, server] = of;
    io("effect", effect)("budgets", budgets)("server", server);
  }
};

template <>
struct Names<agent::Seen> {
  static constexpr std::array kAll = {
      "nodeSeen"sv,         "nodeGone"sv,          "podSeen"sv,
      "podGone"sv,          "podsListed"sv,        "podUnreadable"sv,
      "podReadableAgain"sv, "policyFieldProbed"sv, "apiLost"sv,
      "apiBack"sv,          "runtimeSeen"sv,       "runtimeLost"sv,
      "kubeletSeen"sv,      "timePassed"sv,        "done"sv,
      "failed"sv,           "budgetsRead"sv};
};

// ---- effects ----

template <>
struct Fields<policy::PodBounds> {
  static void list(auto& io, auto& of) {
    auto& [cpu_request, cpu_limit, memory_limit] = of;
    io("cpuRequest", cpu_request)("cpuLimit", cpu_limit)("memoryLimit", memory_limit);
  }
};
template <>
struct Names<policy::PodSetting> {
  static constexpr std::array kAll = {"MemoryLimit"sv, "CpuLimit"sv, "CpuRequest"sv};
};
template <>
struct Fields<policy::CheckMemory> {
  static void list(auto& io, auto& of) {
    auto& [container, limit] = of;
    io("container", container)("limit", limit);
  }
};
template <>
struct Fields<policy::SetPod> {
  static void list(auto& io, auto& of) {
    auto& [setting, bounds] = of;
    io("setting", setting)("bounds", bounds);
  }
};
template <>
struct Fields<policy::UpdateContainer> {
  static void list(auto& io, auto& of) {
    auto& [name, before, after] = of;
    io("container", name)("before", before)("after", after);
  }
};
template <>
struct Fields<policy::RestartContainer> {
  static void list(auto& io, auto& of) {
    auto& [name] = of;
    io("container", name);
  }
};
template <>
struct Names<decltype(agent::Actuate::step)> {
  static constexpr std::array kAll = {"setPod"sv, "updateContainer"sv, "restartContainer"sv};
};
template <>
struct Fields<agent::SaveCheckpoint> {
  static void list(auto& io, auto& of) {
    auto& [checkpoint] = of;
    io("checkpoint", checkpoint);
  }
};
template <>
struct Fields<agent::Actuate> {
  static void list(auto& io, auto& of) {
    auto& [pod_uid, pod, qos, container_ids, grace_seconds, checks, step, weights] = of;
    io("pod", pod)("uid", pod_uid)("qos", qos)("containerIds", container_ids)(
        "graceSeconds", grace_seconds)("checks", checks)("step", step)("weights", weights);
  }
};
template <>
struct Fields<agent::ContainerFigures> {
  static void list(auto& io, auto& of) {
    auto& [allocated, actual] = of;
    io("allocated", allocated)("actual", actual);
  }
};
template <>
struct Fields<policy::Rejection> {
  static void list(auto& io, auto& of) {
    auto& [reason, message] = of;
    io("reason", reason)("message", message);
  }
};
template <>
struct Fields<agent::WriteStatus> {
  static void list(auto& io, auto& of) {
    auto& [pod_uid, ns, name, set, remove, containers, pod_level, started, rejected, read_at] = of;
    io("namespace", ns)("name", name)("uid", pod_uid)("set", set)("remove", remove)(
        "containers", containers)("podLevel", pod_level)("started", started)("rejected", rejected)(
        "readAt", read_at);
  }
};
template <>
struct Fields<agent::MarkVictim> {
  static void list(auto& io, auto& of) {
    auto& [victim, condition, clear] = of;
    io("victim", victim)("condition", condition)("clear", clear);
  }
};
template <>
struct Fields<agent::DeleteVictim> {
  static void list(auto& io, auto& of) {
    auto& [victim, dry_run] = of;
    io("victim", victim)("dryRun", dry_run);
  }
};
template <>
struct Fields<agent::EmitEvent> {
  static void list(auto& io, auto& of) {
    auto& [ns, pod, uid, warning, reason, action, note, in_log] = of;
    io("namespace", ns)("pod", pod)("uid", uid)("warning", warning)("reason", reason)(
        "action", action)("note", note)("inLog", in_log);
  }
};
template <>
struct Fields<agent::AnnotateNode> {
  static void list(auto& io, auto& of) {
    auto& [node, critical_preemption] = of;
    io("node", node)("criticalPreemption", critical_preemption);
  }
};
template <>
struct Fields<agent::BudgetRef> {
  static void list(auto& io, auto& of) {
    auto& [ns, name, uid] = of;
    io("namespace", ns)("name", name)("uid", uid);
  }
};
template <>
struct Fields<agent::ReadBudgets> {
  static void list(auto& io, auto& of) {
    auto& [ns] = of;
    io("namespace", ns);
  }
};
template <>
struct Fields<agent::EnterVictim> {
  static void list(auto& io, auto& of) {
    auto& [budget, victim] = of;
    io("budget", budget)("victim", victim);
  }
};
template <>
struct Fields<agent::SeenBudgets::OfNamespace> {
  static void list(auto& io, auto& of) {
    auto& [at, server, trouble, budgets] = of;
    io("atMs", at)("server", server)("trouble", trouble)("budgets", budgets);
  }
};
template <>
struct Names<decltype(agent::Effect::what)> {
  static constexpr std::array kAll = {"saveCheckpoint"sv, "actuate"sv,      "writeStatus"sv,
                                      "markVictim"sv,     "deleteVictim"sv, "emitEvent"sv,
                                      "annotateNode"sv,   "readBudgets"sv,  "enterVictim"sv};
};
template <>
struct Fields<agent::Effect> {
  static void list(auto& io, auto& of) {
    auto& [id, what] = of;
    io("id", id)("what", what);
  }
};

// ---- the reactor ----

template <>
struct Fields<agent::Boot> {
  static void list(auto& io, auto& of) {
    auto& [id, at_start] = of;
    io("id", id)("atStartMs", at_start);
  }
};
template <>
struct Fields<agent::ReactorOptions> {
  static void list(auto& io, auto& of) {
    auto& [node_name, authority, critical_preemption, manage_pod_cgroups, dry_run, kubelet, in_pod,
           managers, jitter_seed, boot] = of;
    io("nodeName", node_name)("authority", authority)("criticalPreemption", critical_preemption)(
        "managePodCgroups", manage_pod_cgroups)("dryRun", dry_run)("kubelet", kubelet)(
        "inPod", in_pod)("managers", managers)("jitterSeed", jitter_seed)("boot", boot);
  }
};
template <>
struct Fields<agent::Jitter> {
  static void list(auto& io, auto& of) {
    auto& [state] = of;
    io("state", state);
  }
};
template <>
struct Fields<agent::Backoff> {
  static void list(auto& io, auto& of) {
    auto& [failures, not_before] = of;
    io("failures", failures)("notBeforeMs", not_before);
  }
};
template <>
struct Fields<agent::Counts> {
  static void list(auto& io, auto& of) {
    auto& [judged, outcomes, requests, saves, save_failures, removals, removals_blocked,
           removals_refused, removals_unsaved, unreadable_pods, undone, overruled, pending] = of;
    io("judged", judged)("outcomes", outcomes)("requests", requests)("saves", saves)(
        "saveFailures", save_failures)("removals", removals)("removalsBlocked", removals_blocked)(
        "removalsRefused", removals_refused)("removalsUnsaved", removals_unsaved)(
        "unreadablePods", unreadable_pods)("undone", undone)("overruled", overruled)("pending",
                                                                                     pending);
  }
};
template <>
struct Fields<agent::OwnWrites::StandingWrite> {
  static void list(auto& io, auto& of) {
    auto& [value, version, kubelet_wrote] = of;
    io("value", value)("version", version)("kubeletWrote", kubelet_wrote);
  }
};
template <>
struct Fields<agent::OwnWrites> {
  static void list(auto& io, auto& of) {
    auto& [awaited, standing, newest, blame_from, kubelet_wrote, by_kubelet] = of;
    io("awaited", awaited)("standing", standing)("newest", newest)("blameFromMs", blame_from)(
        "kubeletWrote", kubelet_wrote)("byKubelet", by_kubelet);
  }
};
template <>
struct Fields<agent::OwnSizes::Size> {
  static void list(auto& io, auto& of) {
    auto& [container_id, size, shown] = of;
    io("containerId", container_id)("size", size)("shown", shown);
  }
};
template <>
struct Fields<agent::OwnSizes> {
  static void list(auto& io, auto& of) {
    auto& [given, blame_from] = of;
    io("given", given)("blameFromMs", blame_from);
  }
};
template <>
struct Fields<agent::Contention::Undoing> {
  static void list(auto& io, auto& of) {
    auto& [at, pods] = of;
    io("atMs", at)("pods", pods);
  }
};
template <>
struct Fields<agent::Contention> {
  static void list(auto& io, auto& of) {
    auto& [undone, why, times, ends_at] = of;
    io("undone", undone)("why", why)("times", times)("endsAtMs", ends_at);
  }
};
template <>
struct Fields<agent::PodState> {
  static void list(auto& io, auto& of) {
    auto& [seen, view, arrival, asks_admission, decision, decided_generation, deferred_since,
           deferred_generation, deferred_anew, deferred_before, pending_since, counted_generation,
           announced, resizing, act_error, acting, act_backoff, restarting, writing, write_backoff,
           write_error, last_write, shown_by, own_writes, own_sizes, put_back, allocated_at,
           acted_at, asked_to_go, overdue_at] = of;
    io("seen", seen)("view", view)("arrival", arrival)("asksAdmission", asks_admission)(
        "decision", decision)("decidedGeneration", decided_generation)(
        "deferredSinceMs", deferred_since)("deferredGeneration", deferred_generation)(
        "deferredAnew", deferred_anew)("deferredBeforeMs", deferred_before)(
        "pendingSinceMs", pending_since)("countedGeneration", counted_generation)(
        "announced", announced)("resizing", resizing)("actError", act_error)("acting", acting)(
        "actBackoff", act_backoff)("restarting", restarting)("writing", writing)(
        "writeBackoff", write_backoff)("writeError", write_error)("lastWrite", last_write)(
        "shownByMs", shown_by)("ownWrites", own_writes)("ownSizes", own_sizes)("putBack", put_back)(
        "allocatedAtMs", allocated_at)("actedAtMs", acted_at)("askedToGo", asked_to_go)(
        "overdueAtMs", overdue_at);
  }
};
template <>
struct Names<agent::RemovalProgress::Stage> {
  static constexpr std::array kAll = {"Idle"sv,     "Saving"sv,   "Marking"sv,
                                      "Checking"sv, "Deleting"sv, "Clearing"sv};
};
template <>
struct Names<agent::RemovalProgress::Step> {
  static constexpr std::array kAll = {"markVictim"sv, "deleteVictim"sv};
};
template <>
struct Fields<agent::RemovalProgress::Removed> {
  static void list(auto& io, auto& of) {
    auto& [at, preemptor_uid, victims, victim] = of;
    io("atMs", at)("preemptor", preemptor_uid)("victims", victims)("victim", victim);
  }
};
template <>
struct Fields<agent::RemovalProgress> {
  static void list(auto& io, auto& of) {
    auto& [stage, intent, marks, waiting, outstanding, refused, ended_refused, saved_at, removed,
           blind_since, blind_set_went] = of;
    io("stage", stage)("intent", intent)("marks", marks)("waiting", waiting)(
        "outstanding", outstanding)("refused", refused)("endedRefused", ended_refused)(
        "savedAtMs", saved_at)("removed", removed)("blindSinceMs", blind_since)("blindSetWent",
                                                                                blind_set_went);
  }
};
template <>
struct Special<agent::CriticalRemoval> {
  static void write(FieldWriter& to, const agent::CriticalRemoval& of) { to.write(of.progress()); }
  static void read(FieldReader& by, const Value& from, agent::CriticalRemoval& of) {
    agent::RemovalProgress progress;
    by.read(from, progress);
    of = agent::CriticalRemoval(std::move(progress));
  }
};
template <>
struct Special<agent::SeenBudgets> {
  static void write(FieldWriter& to, const agent::SeenBudgets& of) { to.write(of.known()); }
  static void read(FieldReader& by, const Value& from, agent::SeenBudgets& of) {
    agent::SeenBudgets::ByNamespace known;
    by.read(from, known);
    of = agent::SeenBudgets(std::move(known));
  }
};
template <>
struct Names<agent::Doing> {
  static constexpr std::array kAll = {"Save"sv,   "Act"sv,      "Write"sv,       "Remove"sv,
                                      "Unmark"sv, "Annotate"sv, "ReadBudgets"sv, "Debit"sv};
};
template <>
struct Fields<agent::InFlight> {
  static void list(auto& io, auto& of) {
    auto& [doing, uid, removes, acted_on] = of;
    io("doing", doing)("uid", uid)("removes", removes)("actedOn", acted_on);
  }
};
template <>
struct Fields<agent::ReactorState> {
  static void list(auto& io, auto& of) {
    auto& [now, jitter, last_effect, last_arrival, in_flight, next_wake, counts, node, node_trouble,
           pods_listed, api_trouble, runtime_trouble, unreadable, pods, reports, weight_map,
           durable, unsure, unproven, saving, proposed_at, allocating, save_backoff, disk_trouble,
           critical_preemption, removal, unmarking, annotating, annotate_backoff, removal_backoff,
           budgets, to_debit, contention, blocked_said] = of;
    io("now", now)("jitter", jitter)("lastEffect", last_effect)("lastArrival", last_arrival)(
        "inFlight", in_flight)("nextWakeMs", next_wake)("counts", counts)("node", node)(
        "nodeTrouble", node_trouble)("podsListed", pods_listed)("apiTrouble", api_trouble)(
        "runtimeTrouble", runtime_trouble)("unreadable", unreadable)("pods", pods)(
        "reports", reports)("weightMap", weight_map)("durable", durable)("unsure", unsure)(
        "unproven", unproven)("saving", saving)("proposedAtMs", proposed_at)(
        "allocating", allocating)("saveBackoff", save_backoff)("diskTrouble", disk_trouble)(
        "criticalPreemption", critical_preemption)("removal", removal)("unmarking", unmarking)(
        "annotating", annotating)("annotateBackoff", annotate_backoff)(
        "removalBackoff", removal_backoff)("budgets", budgets)("toDebit", to_debit)(
        "contention", contention)("blockedSaid", blocked_said);
  }
};

}  // namespace elbowroom::recording
