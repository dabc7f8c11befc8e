#include "rescheduler/recording/recording_words.h"

#include <variant>

#include "control/recording_words.h"
#include "rescheduler/collections.h"

namespace elbowroom::rescheduler {
namespace {

using control::counted;

template <class T>
std::string listed(const control::Listed<T>& seen, std::string_view what) {
  return counted(seen.objects.size(), what) + " listed, " + std::to_string(seen.unreadable.size()) +
         " unreadable";
}

struct SeenWords : control::SeenWords {
  using control::SeenWords::operator();

  std::string operator()(const NodesListed& seen) const { return listed(seen, "node"); }
  std::string operator()(const NodeSeen& seen) const {
    return "node " + seen.object.name + " seen";
  }
  std::string operator()(const NodeGone& seen) const { return "node " + seen.key + " gone"; }
  std::string operator()(const PodsListed& seen) const { return listed(seen, "pod"); }
  std::string operator()(const PodSeen& seen) const {
    return control::seen_in_words(seen.object.unpacked());
  }
  std::string operator()(const PodGone& seen) const { return "pod " + seen.key + " gone"; }
  std::string operator()(const BudgetsListed& seen) const {
    return listed(seen, "disruption budget");
  }
  std::string operator()(const BudgetSeen& seen) const {
    return "disruption budget " + seen.object.ns + "/" + seen.object.name + " seen, version " +
           seen.object.version;
  }
  std::string operator()(const BudgetGone& seen) const {
    return "disruption budget " + seen.key + " gone";
  }
  std::string operator()(const Lost& seen) const {
    return std::string(row_of(seen.of).name) + " lost: " + seen.why;
  }
  std::string operator()(const Back& seen) const {
    return std::string(row_of(seen.of).name) + " back";
  }
  std::string operator()(const Done& seen) const {
    return "#" + std::to_string(seen.effect) + " done" +
           (seen.lease ? ", the Lease " + control::held_by(*seen.lease) : "");
  }
};

struct EffectWords : control::EffectWords {
  using control::EffectWords::operator();

  std::string operator()(const DropAvoided& drop) const {
    return "take ended entries of pods to avoid from node " + drop.node;
  }

  std::string operator()(const ReportOdd& odd) const {
    return "say that disruption budget " + odd.budget + " is not understood: " + odd.why;
  }

  std::string operator()(const WriteBudget& write) const {
    return "write disruption budget " + name_of(write.budget) + ": allows " +
           std::to_string(write.status.disruptions_allowed);
  }
};

}  // namespace

std::string in_words(const Observation& seen) { return std::visit(SeenWords{}, seen.what); }

std::string in_words(const Effect& effect) {
  return "#" + std::to_string(effect.id) + " " + std::visit(EffectWords{}, effect.what);
}

}  // namespace elbowroom::rescheduler
