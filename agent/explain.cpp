#include "agent/explain.h"

#include <optional>
#include <utility>
#include <vector>

#include "api/encode_explanation.h"
#include "base/document_text.h"
#include "policy/explanation.h"
#include "policy/resize_report.h"

namespace elbowroom::agent {

std::string explain(const Reactor& reactor, const std::string& pod, const ReactorOptions& options,
                    policy::Time now) {
  const PodState* state = reactor.find_pod(pod);
  const std::optional<policy::Node> node = reactor.node();
  if (state == nullptr || !node) return "";
  const std::vector<policy::Pod> pods = reactor.views();
  const policy::Budgets budgets;
  const policy::Lapsed lapsed = policy::lapsed_at(pods, now);
  const policy::ResizeQuestion question{.node = *node,
                                        .pods = pods,
                                        .pod = state->view,
                                        .nominated = {},
                                        .budgets = budgets,
                                        .lapsed = lapsed,
                                        .managers = options.managers,
                                        .now = now};
  policy::ResizeReport report = policy::report_resize(question);
  // What the reactor decided knows more: room that is kept for others, pods that cannot be read.
  if (state->decided_generation == state->seen.generation &&
      state->decision.verdict == policy::Verdict::Deferred) {
    report.decision = state->decision;
  }
  return to_json(
      api::encode_decision_with_explanation(policy::explain(question, std::move(report))));
}

}  // namespace elbowroom::agent
