#include "agent/recording/recording_words.h"

#include <variant>

#include "control/recording_words.h"
#include "policy/resize/actuate.h"

namespace elbowroom::agent {
namespace {

using control::counted;

std::string named(const Victim& victim) { return victim.ns + "/" + victim.name; }

struct SeenWords : control::SeenWords {
  using control::SeenWords::operator();

  std::string operator()(const NodeSeen& seen) const { return "node " + seen.node.name + " seen"; }
  std::string operator()(const NodeGone& seen) const { return "node gone: " + seen.why; }
  std::string operator()(const PodSeen& seen) const { return control::seen_in_words(seen.pod); }
  std::string operator()(const PodGone& seen) const { return "pod with uid " + seen.uid + " gone"; }
  std::string operator()(const PodsListed& seen) const {
    return counted(seen.pods.size(), "pod") + " listed, " + std::to_string(seen.unreadable.size()) +
           " unreadable";
  }
  std::string operator()(const PodUnreadable& seen) const {
    return "pod " + seen.key + " cannot be read: " + seen.why;
  }
  std::string operator()(const PodReadableAgain& seen) const {
    return "pod " + seen.key + " can be read again";
  }
  std::string operator()(const ApiLost& seen) const { return "API lost: " + seen.why; }
  std::string operator()(const ApiBack& /*seen*/) const { return "API back"; }
  std::string operator()(const RuntimeSeen& seen) const {
    std::size_t containers = 0;
    for (const auto& [uid, report] : seen.pods) containers += report.containers.size();
    return "runtime seen: " + counted(seen.pods.size(), "pod") + ", " +
           counted(containers, "container");
  }
  std::string operator()(const RuntimeLost& seen) const { return "runtime lost: " + seen.why; }
  std::string operator()(const KubeletSeen& seen) const { return "kubelet at " + seen.where; }
  std::string operator()(const BudgetsRead& seen) const {
    return "#" + std::to_string(seen.effect) + " " +
           counted(seen.budgets.size(), "disruption budget") + " read";
  }
  std::string operator()(const Done& seen) const {
    return "#" + std::to_string(seen.effect) + " done";
  }
};

struct EffectWords {
  std::string operator()(const SaveCheckpoint& save) const {
    return "save the checkpoint of " + counted(save.checkpoint.pods.size(), "pod") +
           (save.checkpoint.removals.empty()
                ? ""
                : " and " + counted(save.checkpoint.removals.size(), "removal"));
  }
  std::string operator()(const Actuate& actuate) const {
    return "actuate " + actuate.pod + ": " +
           std::visit(
               [](const auto& step) { return policy::describe(policy::ActuationStep(step)); },
               actuate.step);
  }
  std::string operator()(const WriteStatus& write) const {
    std::string words = "write the status of " + write.ns + "/" + write.name + ":";
    for (const policy::Condition& each : write.set) {
      words += " set " + each.type + (each.reason.empty() ? "" : " (" + each.reason + ")") + ";";
    }
    for (const std::string& type : write.remove) words += " remove " + type + ";";
    if (!write.containers.empty() || write.pod_level) words += " figures;";
    words.pop_back();
    return words;
  }
  std::string operator()(const MarkVictim& mark) const {
    return (mark.clear ? "unmark " : "mark ") + named(mark.victim);
  }
  std::string operator()(const DeleteVictim& victim) const {
    return (victim.dry_run ? "try to delete " : "delete ") + named(victim.victim);
  }
  std::string operator()(const EmitEvent& event) const {
    return "event " + event.reason + " on " + event.ns + "/" + event.pod + ": " + event.note;
  }
  std::string operator()(const AnnotateNode& annotate) const {
    return (annotate.critical_preemption ? "annotate node " : "take the annotation from node ") +
           annotate.node;
  }
  std::string operator()(const ReadBudgets& read) const {
    return "read the disruption budgets of namespace " + read.ns;
  }
  std::string operator()(const EnterVictim& enter) const {
    return "enter " + named(enter.victim) + " in disruption budget " + enter.budget.ns + "/" +
           enter.budget.name;
  }
};

}  // namespace

std::string in_words(const Observation& seen) { return std::visit(SeenWords{}, seen.what); }

std::string in_words(const Effect& effect) {
  return "#" + std::to_string(effect.id) + " " + std::visit(EffectWords{}, effect.what);
}

}  // namespace elbowroom::agent
