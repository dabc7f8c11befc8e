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
  std::string operator()(const PodBudgetsListed& seen) const {
    return listed(seen, "pod disruption budget");
  }
  std::string operator()(const PodBudgetSeen& seen) const {
    return "pod disruption budget " + seen.object.ns + "/" + seen.object.name + " seen, allows " +
           std::to_string(seen.object.disruptions_allowed);
  }
  std::string operator()(const PodBudgetGone& seen) const {
    return "pod disruption budget " + seen.key + " gone";
  }
  std::string operator()(const NamespacesListed& seen) const { return listed(seen, "namespace"); }
  std::string operator()(const NamespaceSeen& seen) const {
    return "namespace " + seen.object.name + " seen";
  }
  std::string operator()(const NamespaceGone& seen) const {
    return "namespace " + seen.key + " gone";
  }
  template <Collection kOf>
  std::string operator()(const control::Listed<OwnerOf<kOf>>& seen) const {
    return listed(seen, row_of(kOf).kind);
  }
  template <Collection kOf>
  std::string operator()(const control::Seen<OwnerOf<kOf>>& seen) const {
    const policy::MoveOwner& is = seen.object.is;
    return is.kind + " " + is.ns + "/" + is.name + " seen" +
           (is.rolls_out.empty() ? "" : ": " + is.rolls_out);
  }
  template <Collection kOf>
  std::string operator()(const control::Gone<OwnerOf<kOf>>& seen) const {
    return std::string(row_of(kOf).kind) + " " + seen.key + " gone";
  }
  template <Collection kOf>
  std::string operator()(const control::Listed<ConfigOf<kOf>>& seen) const {
    return std::string(row_of(kOf).words) + (seen.objects.empty() ? ": none" : " listed");
  }
  template <Collection kOf>
  std::string operator()(const control::Seen<ConfigOf<kOf>>& seen) const {
    return std::string(row_of(kOf).words) + " seen, version " + seen.object.is.version;
  }
  template <Collection kOf>
  std::string operator()(const control::Gone<ConfigOf<kOf>>& /*seen*/) const {
    return std::string(row_of(kOf).words) + " gone";
  }
  std::string operator()(const ReviewAsked& asked) const {
    const api::AdmissionReview& review = asked.review;
    return "review " + std::to_string(asked.number) + ": " + review.user + " asks to " +
           (review.is_eviction() ? "evict" : review.operation) + " " + review.resource + " " +
           review.ns + "/" + review.name + (review.dry_run ? ", dry run" : "");
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

  std::string operator()(const AvoidNode& avoid) const {
    return "let the pods of the controller of pod " + name_of(avoid.pod) + " avoid node " +
           avoid.node;
  }
  std::string operator()(const AllowNode& allow) const {
    return "take the entry for pod uid " + allow.pod_uid + " back from node " + allow.node;
  }
  std::string operator()(const EvictPod& evict) const {
    return std::string(evict.dry_run ? "ask whether pod " : "evict pod ") + name_of(evict.pod) +
           (evict.dry_run ? " may be evicted" : "");
  }
  std::string operator()(const ReadLedger& read) const {
    return "read disruption budget " + cluster::to_string(read.budget);
  }
  std::string operator()(const WriteLedger& write) const {
    return "write the ledger of disruption budget " + cluster::to_string(write.budget) + ": " +
           counted(write.ledger.size(), "entry");
  }
  std::string operator()(const AnswerReview& answer) const {
    const std::string review = "answer review " + std::to_string(answer.number) + ": ";
    if (!answer.answer) return review + "by the failurePolicy";
    if (answer.answer->allowed) {
      return review + "allowed" +
             (answer.answer->warning.empty() ? "" : ", " + answer.answer->warning);
    }
    return review + std::to_string(answer.answer->code) + ", " + answer.answer->message;
  }
  std::string operator()(const WriteRests& /*rests*/) const { return "write the rests of owners"; }

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
