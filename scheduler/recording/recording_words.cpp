#include "scheduler/recording/recording_words.h"

#include <variant>

#include "control/recording_words.h"
#include "scheduler/collections.h"

namespace elbowroom::scheduler {
namespace {

using control::counted;
using control::held_by;
using control::seen_in_words;

struct SeenWords : control::SeenWords {
  using control::SeenWords::operator();

  std::string operator()(const NodesListed& seen) const {
    return counted(seen.objects.size(), "node") + " listed";
  }
  std::string operator()(const NodeSeen& seen) const {
    return "node " + seen.object.name + " seen";
  }
  std::string operator()(const NodeGone& seen) const { return "node " + seen.key + " gone"; }
  std::string operator()(const PodsListed& seen) const {
    return counted(seen.objects.size(), "pod") + " listed, " +
           std::to_string(seen.unreadable.size()) + " unreadable";
  }
  std::string operator()(const PodSeen& seen) const {
    return seen_in_words(seen.object.unpacked());
  }
  std::string operator()(const PodGone& seen) const { return "pod " + seen.key + " gone"; }
  std::string operator()(const BudgetsListed& seen) const {
    return counted(seen.objects.size(), "budget") + " listed, " +
           std::to_string(seen.unreadable.size()) + " unreadable";
  }
  std::string operator()(const BudgetSeen& seen) const {
    return "budget " + seen.object.ns + "/" + seen.object.name + " seen, allows " +
           std::to_string(seen.object.disruptions_allowed);
  }
  std::string operator()(const BudgetGone& seen) const { return "budget " + seen.key + " gone"; }
  std::string operator()(const OwnBudgetsListed& seen) const {
    return counted(seen.objects.size(), "disruption budget") + " listed, " +
           std::to_string(seen.unreadable.size()) + " unreadable";
  }
  std::string operator()(const OwnBudgetSeen& seen) const {
    return "disruption budget " + seen.object.ns + "/" + seen.object.name + " seen";
  }
  std::string operator()(const OwnBudgetGone& seen) const {
    return "disruption budget " + seen.key + " gone";
  }
  std::string operator()(const NamespacesListed& seen) const {
    return counted(seen.objects.size(), "namespace") + " listed";
  }
  std::string operator()(const NamespaceSeen& seen) const {
    return "namespace " + seen.object.name + " seen";
  }
  std::string operator()(const NamespaceGone& seen) const {
    return "namespace " + seen.key + " gone";
  }
  std::string operator()(const PodGroupsListed& seen) const {
    return counted(seen.objects.size(), "pod group") + " listed, " +
           std::to_string(seen.unreadable.size()) + " unreadable";
  }
  std::string operator()(const PodGroupSeen& seen) const {
    return "pod group " + policy::key_of(seen.object) + " seen";
  }
  std::string operator()(const PodGroupGone& seen) const {
    return "pod group " + seen.key + " gone";
  }
  std::string operator()(const PriorityClassesListed& seen) const {
    return std::to_string(seen.objects.size()) +
           (seen.objects.size() == 1 ? " priority class listed" : " priority classes listed");
  }
  std::string operator()(const PriorityClassSeen& seen) const {
    return "priority class " + seen.object.name + " seen";
  }
  std::string operator()(const PriorityClassGone& seen) const {
    return "priority class " + seen.key + " gone";
  }
  std::string operator()(const ClaimsListed& seen) const {
    return counted(seen.objects.size(), "claim") + " listed";
  }
  std::string operator()(const ClaimSeen& seen) const {
    return "claim " + policy::key_of(seen.object) + " seen" +
           (seen.object.volume.empty() ? "" : ", volume " + seen.object.volume);
  }
  std::string operator()(const ClaimGone& seen) const { return "claim " + seen.key + " gone"; }
  std::string operator()(const VolumesListed& seen) const {
    return counted(seen.objects.size(), "volume") + " listed";
  }
  std::string operator()(const VolumeSeen& seen) const {
    const auto& claim = seen.object.claim;
    return "volume " + seen.object.name + " seen" +
           (claim ? ", of claim " + claim->ns + "/" + claim->name : "");
  }
  std::string operator()(const VolumeGone& seen) const { return "volume " + seen.key + " gone"; }
  std::string operator()(const StorageClassesListed& seen) const {
    return counted(seen.objects.size(), "storage class") + " listed";
  }
  std::string operator()(const StorageClassSeen& seen) const {
    return "storage class " + seen.object.name + " seen";
  }
  std::string operator()(const StorageClassGone& seen) const {
    return "storage class " + seen.key + " gone";
  }
  std::string operator()(const CsiNodesListed& seen) const {
    return counted(seen.objects.size(), "CSINode") + " listed";
  }
  std::string operator()(const CsiNodeSeen& seen) const {
    return "CSINode " + seen.object.name + " seen";
  }
  std::string operator()(const CsiNodeGone& seen) const { return "CSINode " + seen.key + " gone"; }
  std::string operator()(const CsiDriversListed& seen) const {
    return counted(seen.objects.size(), "CSIDriver") + " listed";
  }
  std::string operator()(const CsiDriverSeen& seen) const {
    return "CSIDriver " + seen.object.name + " seen";
  }
  std::string operator()(const CsiDriverGone& seen) const {
    return "CSIDriver " + seen.key + " gone";
  }
  std::string operator()(const StorageCapacitiesListed& seen) const {
    return counted(seen.objects.size(), "storage capacity") + " listed";
  }
  std::string operator()(const StorageCapacitySeen& seen) const {
    return "storage capacity " + seen.object.ns + "/" + seen.object.name + " seen";
  }
  std::string operator()(const StorageCapacityGone& seen) const {
    return "storage capacity " + seen.key + " gone";
  }
  template <policy::SelectingKind kOf>
  std::string operator()(const control::Listed<SelectingOf<kOf>>& seen) const {
    return std::to_string(seen.objects.size()) + " " +
           std::string(row_of(collection_of(kOf)).words) + " listed";
  }
  template <policy::SelectingKind kOf>
  std::string operator()(const control::Seen<SelectingOf<kOf>>& seen) const {
    return std::string(row_of(collection_of(kOf)).kind) + " " + seen.object.is.ns + "/" +
           seen.object.is.name + " seen";
  }
  template <policy::SelectingKind kOf>
  std::string operator()(const control::Gone<SelectingOf<kOf>>& seen) const {
    return std::string(row_of(collection_of(kOf)).kind) + " " + seen.key + " gone";
  }
  std::string operator()(const Lost& seen) const {
    return std::string(row_of(seen.of).name) + " lost: " + seen.why;
  }
  std::string operator()(const Back& seen) const {
    return std::string(row_of(seen.of).name) + " back";
  }
  std::string operator()(const Done& seen) const {
    return "#" + std::to_string(seen.effect) + " done" +
           (seen.lease ? ", the Lease " + held_by(*seen.lease) : "") +
           (seen.pod ? ", " + seen_in_words(seen.pod->unpacked()) : "") +
           (seen.breaker ? ", what the circuit breaker counts is stored" : "") +
           (seen.group ? ", pod group " + policy::key_of(*seen.group) + " seen" : "") +
           (seen.budget
                ? ", disruption budget " + to_string(cluster::name_of(*seen.budget)) + " seen"
                : "");
  }
};

struct EffectWords : control::EffectWords {
  using control::EffectWords::operator();

  std::string operator()(const ReadBreaker& /*read*/) const {
    return "read what the circuit breaker counts";
  }
  std::string operator()(const WriteBreaker& /*write*/) const {
    return "write what the circuit breaker counts";
  }
  std::string operator()(const BindPod& bind) const {
    return "bind " + name_of(bind.pod) + " to node " + bind.node;
  }
  std::string operator()(const BindVolume& bind) const {
    return "reserve volume " + bind.volume + " for claim " + bind.claim.ns + "/" + bind.claim.name;
  }
  std::string operator()(const SelectNode& select) const {
    return "have the volume of claim " + select.ns + "/" + select.name + " made for node " +
           select.node;
  }
  std::string operator()(const WritePending& write) const {
    std::string words = "say of " + name_of(write.pod);
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
    return "ask for " + name_of(confirm.preemptor);
  }
  std::string operator()(const ConfirmGroup& confirm) const {
    return "ask for pod group " + name_of(confirm.group);
  }
  std::string operator()(const ReadLedger& read) const {
    return "ask for disruption budget " + to_string(read.budget);
  }
  std::string operator()(const WriteLedger& write) const {
    std::string words = "debit disruption budget " + to_string(write.budget) + ":";
    for (const policy::LedgerEntry& each : write.ledger) words += " " + each.pod;
    return words;
  }
  std::string operator()(const WriteGroupStatus& write) const {
    std::string words = "say of pod group " + name_of(write.group) + ":";
    for (const policy::Condition& each : write.set) {
      words += " " + each.type + "=" + each.status + " (" + each.reason + ")";
    }
    return words;
  }
};

}  // namespace

std::string in_words(const Observation& seen) { return std::visit(SeenWords{}, seen.what); }

std::string in_words(const Effect& effect) {
  return "#" + std::to_string(effect.id) + " " + std::visit(EffectWords{}, effect.what);
}

}  // namespace elbowroom::scheduler
