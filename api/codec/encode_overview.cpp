#include "api/codec/encode_overview.h"

#include <optional>
#include <utility>
#include <vector>

#include "api/codec/encode_resize_report.h"
#include "api/codec/report_text.h"
#include "api/codec/timestamp.h"
#include "base/document_text.h"

namespace elbowroom::api {
namespace {

using report::text;
using report::texts;

Value time(const std::optional<policy::Time>& time) {
  return time ? text_value(format_timestamp(*time)) : Value{};
}

Value ready(policy::NodeReady ready) {
  switch (ready) {
    case policy::NodeReady::True:
      return text("True");
    case policy::NodeReady::False:
      return text("False");
    case policy::NodeReady::Unknown:
    case policy::NodeReady::Unstated:
      break;
  }
  return text("Unknown");
}

Value encode_leaving(const policy::LeavingPod& each) {
  return map_value({
      member("pod", text(each.pod)),
      member("uid", text(each.uid)),
      member("node", text(each.node)),
      member("deadline", time(each.deadline)),
      member("overdue", bool_value(each.overdue)),
      member("for", text(each.for_pod)),
      member("frees", encode_resources(each.frees)),
  });
}

Value encode_budget(const policy::BudgetOverview& each) {
  return map_value({
      member("budget", text(each.budget)),
      member("hard", bool_value(each.hard)),
      member("pods", number_value(each.pods)),
      member("allowed", each.allowed ? number_value(*each.allowed) : Value{}),
      member("next", time(each.next)),
  });
}

Value encode_removal(const policy::RecentRemoval& each) {
  return map_value({
      member("pod", text(each.pod)),
      member("uid", text(each.uid)),
      member("time", time(each.time)),
      member("by", text(each.by)),
      member("budget", text(each.budget)),
  });
}

template <class T, class Encode>
Value list_of(const std::vector<T>& all, Encode encode) {
  std::vector<Value> values;
  values.reserve(all.size());
  for (const T& each : all) values.push_back(encode(each));
  return list_value(std::move(values));
}

}  // namespace

Value encode_node_overview(const policy::NodeOverview& node) {
  return map_value({
      member("node", text(node.node)),
      member("ready", ready(node.ready)),
      member("unschedulable", bool_value(node.unschedulable)),
      member("policyOwners", texts(node.policy_owners)),
      member("pods", number_value(node.pods)),
      member("allocatable", encode_resources(node.allocatable)),
      member("held", encode_resources(node.held)),
      member("promised", encode_resources(node.promised)),
      member("free", encode_resources(node.free)),
  });
}

Value encode_waiting_resize(const policy::WaitingResize& waiting) {
  return map_value({
      member("pod", text(waiting.pod)),
      member("uid", text(waiting.uid)),
      member("node", text(waiting.node)),
      member("wait", text(to_string(waiting.wait))),
      member("since", time(waiting.since)),
      member("lacking", encode_resources(waiting.lacking)),
      member("by", text(to_string(waiting.by))),
      member("outcome", text(waiting.outcome)),
      member("victims", texts(waiting.victims)),
      member("why", text(waiting.why)),
      member("next", text(waiting.next)),
      member("expected", time(waiting.expected)),
  });
}

Value encode_overview(const policy::Overview& overview) {
  return map_value({
      member("apiVersion", text("elbowroom.dev/v1alpha1")),
      member("kind", text("Overview")),
      member("now", time(overview.now)),
      member("nodes", list_of(overview.nodes, encode_node_overview)),
      member("waiting", list_of(overview.waiting, encode_waiting_resize)),
      member("leaving", list_of(overview.leaving, encode_leaving)),
      member("budgets", list_of(overview.budgets, encode_budget)),
      member("removals", list_of(overview.removals, encode_removal)),
  });
}

}  // namespace elbowroom::api
