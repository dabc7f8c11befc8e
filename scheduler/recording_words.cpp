#include "scheduler/recording_words.h"

#include <variant>

#include "api/codec/timestamp.h"
#include "scheduler/recording_fields.h"

namespace elbowroom::scheduler {
namespace {

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string named(const Victim& pod) { return pod.ns + "/" + pod.name; }

std::string held_by(const api::Lease& lease) {
  return lease.holder.empty() ? "held by nobody" : "held by " + lease.holder;
}

std::string seen_in_words(const policy::Pod& pod) {
  std::string words =
      "pod " + policy::key_of(pod) + " seen, generation " + std::to_string(pod.generation);
  for (const policy::Condition& each : pod.conditions) {
    words += ", " + each.type + (each.reason.empty() ? "" : " (" + each.reason + ")");
  }
  return words + (policy::is_terminating(pod) ? ", terminating" : "");
}

struct SeenWords {
  std::string operator()(const NodesListed& seen) const {
    return counted(seen.nodes.size(), "node") + " listed";
  }
  std::string operator()(const NodeSeen& seen) const { return "node " + seen.node.name + " seen"; }
  std::string operator()(const NodeGone& seen) const { return "node " + seen.name + " gone"; }
  std::string operator()(const PodsListed& seen) const {
    return counted(seen.pods.size(), "pod") + " listed, " + std::to_string(seen.unreadable.size()) +
           " unreadable";
  }
  std::string operator()(const PodSeen& seen) const { return seen_in_words(seen.pod.unpacked()); }
  std::string operator()(const PodGone& seen) const { return "pod " + seen.key + " gone"; }
  std::string operator()(const BudgetsListed& seen) const {
    return counted(seen.budgets.size(), "budget") + " listed, " +
           std::to_string(seen.unreadable.size()) + " unreadable";
  }
  std::string operator()(const BudgetSeen& seen) const {
    return "budget " + seen.budget.ns + "/" + seen.budget.name + " seen, allows " +
           std::to_string(seen.budget.disruptions_allowed);
  }
  std::string operator()(const BudgetGone& seen) const {
    return "budget " + seen.ns + "/" + seen.name + " gone";
  }
  std::string operator()(const OwnBudgetsListed& seen) const {
    return counted(seen.budgets.size(), "disruption budget") + " listed, " +
           std::to_string(seen.unreadable.size()) + " unreadable";
  }
  std::string operator()(const OwnBudgetSeen& seen) const {
    return "disruption budget " + seen.budget.ns + "/" + seen.budget.name + " seen";
  }
  std::string operator()(const OwnBudgetGone& seen) const {
    return "disruption budget " + seen.ns + "/" + seen.name + " gone";
  }
  std::string operator()(const NamespacesListed& seen) const {
    return counted(seen.namespaces.size(), "namespace") + " listed";
  }
  std::string operator()(const NamespaceSeen& seen) const {
    return "namespace " + seen.seen.name + " seen";
  }
  std::string operator()(const NamespaceGone& seen) const {
    return "namespace " + seen.name + " gone";
  }
  std::string operator()(const Unreadable& seen) const {
    return seen.kind + " " + seen.key + " cannot be read: " + seen.why;
  }
  std::string operator()(const Lost& seen) const {
    return std::string(name_of(seen.of)) + " lost: " + seen.why;
  }
  std::string operator()(const Back& seen) const { return std::string(name_of(seen.of)) + " back"; }
  std::string operator()(const PolicyFieldProbed& seen) const {
    return std::string("the API server ") + (seen.kept ? "keeps" : "drops") +
           " podPreemptionPolicy";
  }
  std::string operator()(const ServerDated& seen) const {
    return "the API server's clock shows " + api::format_timestamp(seen.date);
  }
  std::string operator()(const LeaseSeen& seen) const {
    return seen.lease ? "the Lease seen, " + held_by(*seen.lease) : "there is no Lease";
  }
  std::string operator()(const LeaseUnseen& seen) const {
    return seen.why.empty() ? "the Lease can be followed again" : "the Lease unseen: " + seen.why;
  }
  std::string operator()(const StopAsked& /*seen*/) const { return "asked to stop"; }
  std::string operator()(const TimePassed& /*seen*/) const { return "time passed"; }
  std::string operator()(const Done& seen) const {
    return "#" + std::to_string(seen.effect) + " done" +
           (seen.lease ? ", the Lease " + held_by(*seen.lease) : "") +
           (seen.pod ? ", " + seen_in_words(seen.pod->unpacked()) : "") +
           (seen.breaker ? ", what the circuit breaker counts is stored" : "");
  }
  std::string operator()(const Failed& seen) const {
    return "#" + std::to_string(seen.effect) + " failed: " + seen.error.message;
  }

 private:
  static std::string_view name_of(Collection of) {
    return recording::Names<Collection>::kAll[static_cast<std::size_t>(of)];
  }
};

struct EffectWords {
  std::string operator()(const ReadBreaker& /*read*/) const {
    return "read what the circuit breaker counts";
  }
  std::string operator()(const WriteBreaker& /*write*/) const {
    return "write what the circuit breaker counts";
  }
  std::string operator()(const MarkVictim& mark) const {
    return (mark.clear ? "unmark " : "mark ") + named(mark.victim);
  }
  std::string operator()(const DeleteVictim& victim) const {
    return (victim.dry_run ? "try to delete " : "delete ") + named(victim.victim);
  }
  std::string operator()(const BindPod& bind) const {
    return "bind " + named(bind.pod) + " to node " + bind.node;
  }
  std::string operator()(const WritePending& write) const {
    std::string words = "say of " + named(write.pod);
    if (write.nominated) {
      words += write.nominated->empty() ? " that it is nominated to no node"
                                        : " that it is nominated to node " + *write.nominated;
    }
    if (write.scheduled) {
      words += (write.nominated ? ", and" : "") + std::string(" why it is not placed: ") +
               write.scheduled->message;
    }
    return words;
  }
  std::string operator()(const ConfirmResize& confirm) const {
    return "ask for " + named(confirm.preemptor);
  }
  std::string operator()(const EmitEvent& event) const {
    return (event.log_only ? "log " : "event ") + event.reason + " on " + named(event.regarding) +
           ": " + event.note;
  }
  std::string operator()(const WriteLease& write) const {
    return "write the Lease, " + held_by(write.lease);
  }
  std::string operator()(const GiveUpWrites& /*all*/) const {
    return "give up what is not answered";
  }
};

}  // namespace

std::string in_words(const Observation& seen) { return std::visit(SeenWords{}, seen.what); }

std::string in_words(const Effect& effect) {
  return "#" + std::to_string(effect.id) + " " + std::visit(EffectWords{}, effect.what);
}

}  // namespace elbowroom::scheduler
