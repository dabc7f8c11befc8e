#include "agent/explain.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/judge.h"
#include "agent/resize_phase.h"
#include "api/codec/encode_explanation.h"
#include "base/document_text.h"
#include "policy/preemption/preemption_messages.h"
#include "policy/resize/explanation.h"
#include "policy/resize/resize_report.h"

namespace elbowroom::agent {

std::string idle_because(const Reactor& reactor, const ReactorOptions& options,
                         const std::string& safe_mode) {
  if (!options.authority) return "";
  if (!safe_mode.empty()) return safe_mode;
  if (options.dry_run) return "this agent is in a dry run: it decides, and carries nothing out";
  return reactor.state().contention.why;
}

std::vector<std::string> lacks_of(const Reactor& reactor, const policy::Node& node,
                                  const policy::Pod& preemptor,
                                  const std::vector<policy::Pod>& pods) {
  if (!node.critical_preemption_by_node || !policy::is_critical(preemptor)) {
    return {
        "disruption budgets and pod groups: an agent does not watch them; elbowroom-scheduler "
        "does, and explain without --server reads them"};
  }
  const SeenBudgets::ByNamespace& known = reactor.state().budgets.known();
  std::set<std::string> unread;
  for (const policy::Pod& each : pods) {
    const bool is_lower = policy::priority_of(each) < policy::priority_of(preemptor);
    const auto read = known.find(each.ns);
    const bool is_read = read != known.end() && read->second.trouble.empty();
    if (is_lower && !is_read) unread.insert(each.ns);
  }
  if (unread.empty()) return {};
  return {"disruption budgets of namespace " + policy::listed({unread.begin(), unread.end()}) +
          ": the agent reads them when it is about to remove a pod there"};
}

std::string explain(const Reactor& reactor, const std::string& pod, const ReactorOptions& options,
                    policy::Time now, const std::string& safe_mode) {
  const PodState* state = reactor.find_pod(pod);
  const std::optional<policy::Node> node = reactor.node();
  if (state == nullptr || !node) return "";
  const std::vector<policy::Pod> pods = reactor.views();
  const policy::Budgets budgets = reactor.state().budgets.walls(now);
  const std::vector<std::string> lacks = lacks_of(reactor, *node, state->view, pods);
  const policy::OverduePods lapsed = policy::overdue_pods_at(pods, now);
  const policy::ResizeQuestion question{.node = *node,
                                        .pods = pods,
                                        .pod = state->view,
                                        .nominated = {},
                                        .budgets = budgets,
                                        .lapsed = lapsed,
                                        .managers = options.managers,
                                        .now = now,
                                        .lacks = lacks};
  policy::ResizeReport report = policy::report_resize(question);
  // The reactor's decision knows more: room reserved for other pods, unreadable pods.
  if (phase_of(reactor.state(), *state) == ResizePhase::Deferred) {
    report.decision = state->decision;
    const auto& unreadable = reactor.state().unreadable;
    const std::string first = unreadable.empty() ? "" : unreadable.begin()->first;
    report.decision.message = message_of(state->decision, state->seen.ns, first).full();
  }
  policy::Explanation about = policy::explain(question, std::move(report));
  const std::string idle = idle_because(reactor, options, safe_mode);
  if (!idle.empty()) about.next = {policy::RoomMaker::Nobody, "nobody: " + idle, {}, {}};
  return to_json(api::encode_decision_with_explanation(about));
}

}  // namespace elbowroom::agent
