#include "cli/preview/encode_preview.h"

#include <utility>
#include <vector>

#include "api/codec/encode_move_plan.h"
#include "api/codec/encode_resize_report.h"
#include "api/codec/json.h"
#include "api/codec/report_text.h"
#include "api/codec/timestamp.h"
#include "base/document_text.h"
#include "cli/preview/preview_counts.h"

namespace elbowroom::cli {
namespace {

using api::report::text;
using api::report::texts;

Value count(std::size_t number) { return number_value(static_cast<std::int64_t>(number)); }

template <class T, class Encode>
Value known(const Result<T>& part, const Encode& encode) {
  if (part) return encode(*part);
  return map_value({member("notKnown", text(part.error().message))});
}

Value lacking(const policy::ResizeDecision& decision) {
  policy::Resources amounts;
  for (const policy::Shortage& each : decision.shortages) {
    policy::set_amount(amounts, each.resource, each.lacking);
  }
  return api::encode_resources(amounts);
}

Value resize(const WaitingResize& each) {
  const policy::ResizeReport& report = each.report;
  const policy::PreemptionReport& preemption = report.preemption;
  return map_value({
      member("pod", text(report.pod)),
      member("uid", text(report.uid)),
      member("node", text(report.node)),
      member("verdict", text(to_string(report.decision.verdict))),
      member("since", each.since ? text(api::format_timestamp(*each.since)) : Value{}),
      member("lacking", lacking(report.decision)),
      member("by", text(to_string(preemption.by))),
      member("outcome", text(policy::outcome_name(preemption))),
      member("message",
             text(preemption.message.empty() ? report.decision.message : preemption.message)),
      member("victims", api::report::victims(preemption.victims)),
  });
}

Value resizes(const WaitingResizes& all) {
  const ResizeCounts counts = counts_of(all);
  std::vector<Value> waiting;
  for (const WaitingResize& each : all.judged) waiting.push_back(resize(each));
  return map_value({
      member("deferred", count(counts.deferred)),
      member("roomIsMade", count(counts.granted)),
      member("roomIsComing", count(counts.coming)),
      member("victimsNotKnown", count(counts.not_known)),
      member("victims", count(counts.victims)),
      member("fitNow", count(counts.fit)),
      member("infeasible", count(counts.infeasible)),
      member("notJudged", count(all.not_judged)),
      member("waiting", list_value(std::move(waiting))),
  });
}

Value pending_pod(const PendingPod& each) {
  return map_value({
      member("pod", text(each.pod)),
      member("group", text(each.group)),
      member("result", text(each.is_not_known ? "NotKnown" : to_string(each.result))),
      member("node", text(each.node)),
      member("victims", api::report::victims(each.victims)),
      member("message", text(each.is_not_known ? "" : each.message)),
  });
}

Value pending(const PendingPlacement& all) {
  const PendingCounts counts = counts_of(all);
  std::vector<Value> pods;
  for (const PendingPod& each : all.judged) pods.push_back(pending_pod(each));
  return map_value({
      member("placed", count(counts.placed)),
      member("roomIsMade", count(counts.granted)),
      member("roomIsComing", count(counts.coming)),
      member("victimsNotKnown", count(counts.not_known)),
      member("victims", count(counts.victims)),
      member("stillWait", count(counts.waiting)),
      member("notJudged", count(all.not_judged)),
      member("pods", list_value(std::move(pods))),
  });
}

Value moves(const MovePreview& preview) {
  const Value plan = api::encode_move_plan(preview.plan);
  return map_value({
      member("policies", text(preview.by_defaults ? "BothAtDefaults" : "Configured")),
      member("moves", *plan.find("moves")),
      member("blocked", *plan.find("blocked")),
  });
}

Value workloads(const WorkloadCounts& counts) {
  std::vector<Value> largest;
  for (const WorkloadCount& each : counts.largest) {
    largest.push_back(map_value(
        {member("workload", text(each.workload)), member("pods", number_value(each.pods))}));
  }
  return map_value({
      member("pods", number_value(counts.pods)),
      member("workloads", count(counts.workloads)),
      member("largest", list_value(std::move(largest))),
  });
}

Value policies(const std::vector<NodePolicy>& all) {
  std::vector<Value> nodes;
  for (const NodePolicy& each : all) {
    nodes.push_back(
        map_value({member("node", text(each.node)), member("owners", texts(each.owners))}));
  }
  return list_value(std::move(nodes));
}

}  // namespace

Value encode_preview(const Preview& preview) {
  const auto number = [](std::int64_t value) { return number_value(value); };
  return map_value({
      member("apiVersion", text("elbowroom.dev/v1alpha1")),
      member("kind", text("Preview")),
      member("time", text(api::format_timestamp(preview.now))),
      member("server", text(preview.server)),
      member("requests", number_value(preview.requests)),
      member("installed", texts(preview.installed)),
      member("nodes", known(preview.nodes, number)),
      member("pods", known(preview.pods, number)),
      member("notPermitted", texts(preview.not_read)),
      member("resizes", known(preview.resizes, resizes)),
      member("pending", known(preview.pending, pending)),
      member("moves", known(preview.moves, moves)),
      member("noBudget", known(preview.unprotected, workloads)),
      member("noPriority", known(preview.of_no_priority, workloads)),
      member("preemptionPolicies", known(preview.policies, policies)),
  });
}

}  // namespace elbowroom::cli
