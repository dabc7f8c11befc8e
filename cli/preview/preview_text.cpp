#include "cli/preview/preview_text.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "api/codec/quantity.h"
#include "cli/output/document_parts.h"
#include "cli/output/joined.h"
#include "cli/output/table.h"
#include "cli/output/wrapped_text.h"
#include "cli/preview/preview_counts.h"
#include "policy/preemption/preemption_messages.h"

namespace elbowroom::cli {
namespace {

using namespace document_parts;

constexpr std::size_t kRows = 10;

using Rows = std::vector<std::vector<std::string>>;

std::string many(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}
std::string many(std::size_t count, const std::string& noun) {
  return many(static_cast<std::int64_t>(count), noun);
}

template <class T>
std::string unknown(std::string_view what, const Result<T>& part) {
  return item(std::string(what) + ": not known: " + part.error().message);
}

// ---- the answer ----

// "1 waits", "2 wait".
std::string agreed(std::size_t count, const std::string& one, const std::string& several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

// "; 3 less important ones were not looked at".
std::string not_judged(std::size_t count) {
  if (count == 0) return "";
  return "; " + agreed(count, "less important one was", "less important ones were") +
         " not looked at";
}

std::string room_for(const ResizeCounts& counts) {
  std::string words;
  if (counts.granted > 0) {
    words = "; room is made for " + std::to_string(counts.granted) + ": " +
            agreed(counts.victims, "pod goes", "pods go");
  } else if (counts.deferred > counts.not_known + counts.coming) {
    words = "; room is made for none of them";
  }
  if (counts.coming > 0) {
    words += "; room is coming for " + std::to_string(counts.coming);
  }
  if (counts.not_known > 0) {
    words += "; for " + std::to_string(counts.not_known) + " it is not known which pods go";
  }
  return words;
}

std::string resizes_in_short(const Preview& preview) {
  if (!preview.resizes) return unknown("resizes that wait", preview.resizes);
  const ResizeCounts counts = counts_of(*preview.resizes);
  std::string words =
      agreed(counts.deferred, "resize is Deferred", "resizes are Deferred") + room_for(counts);
  if (counts.fit > 0) words += "; " + agreed(counts.fit, "other fits now", "others fit now");
  if (counts.infeasible > 0) words += "; " + agreed(counts.infeasible, "is", "are") + " Infeasible";
  return item(words + not_judged(preview.resizes->not_judged));
}

std::string pending_in_short(const Preview& preview) {
  if (!preview.pending) return unknown("pending pods", preview.pending);
  const PendingCounts counts = counts_of(*preview.pending);
  const std::size_t all = preview.pending->judged.size() + preview.pending->not_judged;
  std::string words = agreed(all, "pod is pending", "pods are pending");
  if (all == 0) return item(words);
  words += "; the scheduler's mode full places " + std::to_string(counts.placed) + " now";
  if (counts.granted > 0) {
    words += ", and " + std::to_string(counts.granted) + " once " +
             agreed(counts.victims, "pod is removed", "pods are removed");
  }
  if (counts.coming > 0) words += ", and " + std::to_string(counts.coming) + " once pods have left";
  if (counts.not_known > 0) {
    words += "; for " + std::to_string(counts.not_known) + " it is not known which pods go";
  }
  if (counts.waiting > 0) words += "; " + agreed(counts.waiting, "still waits", "still wait");
  return item(words + not_judged(preview.pending->not_judged));
}

std::string moves_in_short(const Preview& preview) {
  if (!preview.moves) return unknown("moves", preview.moves);
  const std::size_t moves = preview.moves->plan.moves.size();
  const std::string moved = moves == 0 ? "no pod" : many(moves, "pod");
  if (!preview.moves->by_defaults) return item("the rescheduler moves " + moved);
  return item(
      "the rescheduler moves nothing, as none of its policies is on; with both on, at their "
      "defaults, it would move " +
      moved);
}

std::string workloads_in_short(std::string_view what, const Result<WorkloadCounts>& counts) {
  if (!counts) return unknown(what, counts);
  return item(std::string(what) + ": " + many(counts->pods, "pod") + " of " +
              many(counts->workloads, "workload"));
}

std::string policies_in_short(const Preview& preview) {
  constexpr std::string_view kWhat = "nodes that forbid preemption for resizes";
  if (!preview.policies) return unknown(kWhat, preview.policies);
  return item(std::string(kWhat) + ": " + std::to_string(preview.policies->size()) + " of " +
              std::to_string(*preview.nodes));
}

// ---- the tables ----

std::string rest(std::size_t all) {
  if (all <= kRows) return "";
  return line("and " + std::to_string(all - kRows) + " more (-o json has more)");
}

std::string lacking(const policy::ResizeDecision& decision) {
  std::string words;
  for (const policy::Shortage& each : decision.shortages) {
    words += (words.empty() ? "" : ", ") + each.resource + " " +
             api::format_quantity(each.resource, each.lacking);
  }
  return words.empty() ? "-" : words;
}

std::string victims_in(const std::vector<policy::VictimReport>& victims) {
  std::vector<std::string> names;
  for (const policy::VictimReport& each : victims) names.push_back(each.pod);
  return names.empty() ? "-" : policy::listed(names);
}

std::string about_resize(const policy::ResizeReport& report) {
  const policy::PreemptionReport& preemption = report.preemption;
  if (report.decision.verdict == policy::Verdict::Allocated) return "the node may allocate it now";
  if (report.decision.verdict != policy::Verdict::Deferred) return report.decision.message;
  return policy::room_sentence(to_string(preemption.by), policy::outcome_name(preemption),
                               preemption.message, std::to_string(preemption.budget_violations));
}

std::string resizes(const Preview& preview) {
  if (!preview.resizes || preview.resizes->judged.empty()) return "";
  const std::vector<WaitingResize>& all = preview.resizes->judged;
  Rows rows = {{"POD", "NODE", "VERDICT", "AGE", "LACKS", "REMOVES"}};
  std::vector<std::string> words = {""};
  for (std::size_t i = 0; i < std::min(all.size(), kRows); ++i) {
    const policy::ResizeReport& report = all[i].report;
    const bool has_age = all[i].since && *all[i].since <= preview.now;
    rows.push_back({report.pod, report.node, std::string(to_string(report.decision.verdict)),
                    has_age ? span_of(preview.now - *all[i].since) : "-", lacking(report.decision),
                    victims_in(report.preemption.victims)});
    words.push_back(wrapped(about_resize(report), 6, 6));
  }
  return section("RESIZES THAT WAIT") + indented_table(rows, words) + rest(all.size());
}

std::string pending(const Preview& preview) {
  if (!preview.pending || preview.pending->judged.empty()) return "";
  const std::vector<PendingPod>& all = preview.pending->judged;
  Rows rows = {{"POD", "NODE", "RESULT", "REMOVES"}};
  std::vector<std::string> words = {""};
  for (std::size_t i = 0; i < std::min(all.size(), kRows); ++i) {
    const PendingPod& each = all[i];
    rows.push_back({each.pod, each.node.empty() ? "-" : each.node,
                    each.is_not_known ? "NotKnown" : std::string(to_string(each.result)),
                    victims_in(each.victims)});
    words.push_back(each.is_not_known || each.message.empty() ? "" : wrapped(each.message, 6, 6));
  }
  return section("PENDING PODS") + indented_table(rows, words) + rest(all.size());
}

std::string moves(const Preview& preview) {
  if (!preview.moves || preview.moves->plan.moves.empty()) return "";
  const std::vector<policy::Move>& all = preview.moves->plan.moves;
  Rows rows = {{"POD", "FROM", "TO", "GAIN", "POLICY"}};
  for (std::size_t i = 0; i < std::min(all.size(), kRows); ++i) {
    rows.push_back({all[i].pod, all[i].from, all[i].expected, std::to_string(all[i].gain) + "%",
                    std::string(to_string(all[i].policy))});
  }
  const std::string title =
      preview.moves->by_defaults ? "MOVES, IF BOTH POLICIES WERE ON" : "MOVES";
  return section(title) + indented_table(rows) + rest(all.size());
}

std::string workloads(std::string_view title, const Result<WorkloadCounts>& counts) {
  if (!counts || counts->largest.empty()) return "";
  Rows rows = {{"WORKLOAD", "PODS"}};
  for (const WorkloadCount& each : counts->largest) {
    if (rows.size() > kRows) break;
    rows.push_back({each.workload, std::to_string(each.pods)});
  }
  return section(title) + indented_table(rows) + rest(counts->workloads);
}

std::string policies(const Preview& preview) {
  if (!preview.policies || preview.policies->empty()) return "";
  Rows rows = {{"NODE", "OWNERS"}};
  for (const NodePolicy& each : *preview.policies) {
    if (rows.size() > kRows) break;
    rows.push_back({each.node, policy::listed(each.owners)});
  }
  return section("NODES THAT FORBID PREEMPTION FOR RESIZES") + indented_table(rows) +
         rest(preview.policies->size());
}

std::string not_read(const Preview& preview) {
  if (preview.not_read.empty()) return "";
  std::string out = section("NOT PERMITTED");
  for (const std::string& each : preview.not_read) out += item(each);
  return out;
}

std::string source(const Preview& preview) {
  if (preview.server.empty()) return "";
  return "\n" + wrapped("read with " + many(preview.requests, "request") + " to " + preview.server +
                            "; nothing was written",
                        0, 2);
}

}  // namespace

std::string preview_text(const Preview& preview) {
  std::string out = preview.installed.empty()
                        ? "If Elbowroom were installed here now:\n"
                        : "Elbowroom is installed here (" + joined(preview.installed) +
                              "). What it would do now:\n";
  out += resizes_in_short(preview) + pending_in_short(preview) + moves_in_short(preview);
  out += workloads_in_short("no budget protects", preview.unprotected);
  out += workloads_in_short("no priority, or 0", preview.of_no_priority);
  out += policies_in_short(preview);
  out += not_read(preview) + resizes(preview) + pending(preview) + moves(preview);
  out += workloads("PODS THAT NO BUDGET PROTECTS", preview.unprotected);
  out += workloads("WORKLOADS WITH NO PRIORITY", preview.of_no_priority);
  return out + policies(preview) + source(preview);
}

}  // namespace elbowroom::cli
