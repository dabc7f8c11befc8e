#include "cli/status/status_document.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include "api/codec/encode_overview.h"
#include "api/codec/json.h"
#include "api/codec/report_text.h"
#include "api/codec/timestamp.h"
#include "base/document_text.h"
#include "base/text.h"
#include "cli/output/age.h"
#include "cli/output/screen.h"
#include "cli/output/table.h"
#include "cli/output/wrapped_text.h"
#include "policy/preemption/preemption_messages.h"

namespace elbowroom::cli {
namespace {

using api::report::text;
using api::report::texts;
using policy::ResizeWait;
using Rows = std::vector<std::vector<std::string>>;

std::string counted(std::size_t number, const std::string& one, const std::string& more) {
  return std::to_string(number) + " " + (number == 1 ? one : more);
}

// ---- the document ----

Value encode_leader(const LeaderStatus& each) {
  return map_value({
      member("program", text(each.program)),
      member("lease", text(each.lease)),
      member("exists", bool_value(each.exists)),
      member("leads", bool_value(each.leads())),
      member("holder", text(each.holder)),
      member("renewed", each.renewed ? text_value(api::format_timestamp(*each.renewed)) : Value{}),
      member("version", text(each.version)),
      member("late", bool_value(each.is_late)),
      member("unknown", text(each.unknown)),
  });
}

Value encode_pending(const UnscheduledPod& each) {
  return map_value({
      member("pod", text(each.pod)),
      member("scheduler", text(each.scheduler)),
      member("created", each.created ? text_value(api::format_timestamp(*each.created)) : Value{}),
  });
}

Value encode_agent(const AgentStatus& each) {
  return map_value({
      member("how", text(each.how)),
      member("version", text(each.version)),
      member("nodes", number_value(each.nodes)),
      member("ready", number_value(each.ready)),
  });
}

// ---- the screen ----

std::string row(std::string title, const std::string& words) {
  constexpr std::size_t kTitle = 13;
  title.resize(kTitle, ' ');
  return wrapped(words, kTitle, kTitle).replace(0, kTitle, title);
}

std::string waits_in_words(const std::vector<policy::WaitingResize>& waiting) {
  std::string kinds;
  std::size_t all = 0;
  for (const ResizeWait wait :
       {ResizeWait::Deferred, ResizeWait::InProgress, ResizeWait::Unjudged}) {
    const auto number = std::ranges::count(waiting, wait, &policy::WaitingResize::wait);
    if (number == 0) continue;
    all += static_cast<std::size_t>(number);
    kinds +=
        (kinds.empty() ? "" : ", ") + std::to_string(number) + " " + std::string(to_string(wait));
  }
  std::string words = all == 0 ? "no resize waits"
                               : counted(all, "resize waits", "resizes wait") + " (" + kinds + ")";
  const std::size_t infeasible = waiting.size() - all;
  if (infeasible > 0) words += "; " + counted(infeasible, "is Infeasible", "are Infeasible");
  return words;
}

std::string verdict_of(const ClusterStatus& status) {
  std::string words = waits_in_words(status.overview.waiting);
  if (!status.overview.leaving.empty()) {
    words += "; " + counted(status.overview.leaving.size(), "pod leaves", "pods leave");
  }
  if (!status.pending.empty()) {
    words += "; " + counted(status.pending.size(), "Pod is pending", "Pods are pending");
  }
  const bool sees_all = status.notes.empty();
  words += status.wrong.empty()
               ? (sees_all ? "; nothing is wrong" : "; nothing that is known is wrong")
               : "; " + counted(status.wrong.size(), "thing is wrong", "things are wrong");
  return wrapped(status.server + ": " + words, 0, 2);
}

std::string leader_in_words(const LeaderStatus& each, policy::Time now) {
  if (!each.unknown.empty()) return "not known: " + each.unknown;
  if (!each.exists) return "none: there is no Lease " + each.lease;
  if (each.holder.empty()) return "none leads: Lease " + each.lease + " has no holder";
  const std::string version = each.version.empty() ? "" : ", version " + each.version;
  if (each.expired) {
    return "none leads: " + each.holder + " held Lease " + each.lease + " until " +
           age_text(each.renewed, now) + " ago" + version;
  }
  const std::string late =
      each.is_late ? ", and has not renewed its Lease for " + age_text(each.renewed, now) : "";
  return each.holder + " leads" + version + late;
}

std::string agents_in_words(const ClusterStatus& status) {
  const std::size_t nodes = status.overview.nodes.size();  // none: they may not be read
  const std::string of = " of " + (nodes == 0 ? "? nodes" : counted(nodes, "node", "nodes"));
  std::string words;
  for (const AgentStatus& each : status.agents) {
    const std::string version = each.version.empty() ? "" : " " + each.version;
    words += (words.empty() ? "" : "; ");
    if (each.how == "pod") {
      words += "companion" + version + " in pods on " + std::to_string(each.nodes) + of + ", " +
               std::to_string(each.ready) + " ready";
    } else if (each.how == "authority") {
      words += "authority on " + std::to_string(each.nodes) + of;
    } else {
      words += "as a service on " + std::to_string(each.nodes) + of;
    }
  }
  return words.empty() ? "none seen; those that run as services do not show themselves here"
                       : words;
}

std::string more_rows(std::size_t rows, std::size_t shown) {
  return rows <= shown ? ""
                       : "... and " + std::to_string(rows - shown) + " more; --all shows them\n";
}

std::string next_of(const policy::WaitingResize& each, policy::Time now) {
  std::string words = each.next;
  if (each.by == policy::RoomMaker::Nobody) words = each.why + "; " + words;
  if (each.expected && *each.expected > now) {
    words +=
        "; expected in " + age_text(std::chrono::ceil<std::chrono::seconds>(*each.expected - now));
  }
  return words;
}

std::string lacks_in_words(const policy::WaitingResize& each) {
  if (!is_zero(each.lacking)) return policy::in_words(each.lacking);
  return each.outcome == "NotKnown" ? "?" : "-";
}

std::string waiting_table(const policy::Overview& overview, std::size_t most) {
  if (overview.waiting.empty()) return "";
  std::vector<const policy::WaitingResize*> longest;
  for (const policy::WaitingResize& each : overview.waiting) longest.push_back(&each);
  std::ranges::stable_sort(longest, {}, [](const policy::WaitingResize* each) {
    return each->since.value_or(policy::Time::max());
  });
  Rows rows = {{"POD", "NODE", "RESIZE", "AGE", "LACKS"}};
  const std::size_t shown = std::min(longest.size(), most);
  for (const policy::WaitingResize* each : std::span(longest).first(shown)) {
    rows.push_back({each->pod, each->node, std::string(to_string(each->wait)),
                    age_text(each->since, overview.now), lacks_in_words(*each)});
  }
  std::vector<std::string> next = {""};
  for (const policy::WaitingResize* each : std::span(longest).first(shown)) {
    next.push_back(wrapped(next_of(*each, overview.now), 4, 4));
  }
  return "\n" + to_table(rows, {.columns = screen_columns(), .below = next}) +
         more_rows(longest.size(), shown);
}

std::string leaving_table(const policy::Overview& overview, std::size_t most) {
  if (overview.leaving.empty()) return "";
  Rows rows = {{"LEAVING POD", "NODE", "ENDS", "FREES", "FOR"}};
  const std::size_t shown = std::min(overview.leaving.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    const policy::LeavingPod& each = overview.leaving[i];
    std::string until = "?";
    if (each.deadline) {
      until = each.overdue ? "overdue"
              : *each.deadline <= overview.now
                  ? "now"
                  : "in " + age_text(std::chrono::ceil<std::chrono::seconds>(*each.deadline -
                                                                             overview.now));
    }
    rows.push_back({each.pod, each.node, until, policy::in_words(each.frees),
                    each.for_pod.empty() ? "-" : each.for_pod});
  }
  return "\n" + to_table(rows) + more_rows(overview.leaving.size(), shown);
}

std::string pending_table(const ClusterStatus& status, std::size_t most) {
  if (status.pending.empty()) return "";
  Rows rows = {{"PENDING POD", "AGE", "SCHEDULER"}};
  const std::size_t shown = std::min(status.pending.size(), most);
  for (const UnscheduledPod& each : std::span(status.pending).first(shown)) {
    rows.push_back({each.pod, age_text(each.created, status.overview.now), each.scheduler});
  }
  return "\n" + to_table(rows) + more_rows(status.pending.size(), shown);
}

std::string listed_lines(const std::string& title, const std::vector<std::string>& all,
                         std::size_t most) {
  if (all.empty()) return "";
  std::string lines = "\n" + title + ":\n";
  const std::size_t shown = std::min(all.size(), most);
  for (std::size_t i = 0; i < shown; ++i) lines += wrapped("- " + all[i], 2, 4);
  return lines + more_rows(all.size(), shown);
}

}  // namespace

Value encode_status(const ClusterStatus& status) {
  std::vector<Value> leaders;
  for (const LeaderStatus& each : status.leaders) leaders.push_back(encode_leader(each));
  std::vector<Value> pending;
  for (const UnscheduledPod& each : status.pending) pending.push_back(encode_pending(each));
  std::vector<Value> agents;
  for (const AgentStatus& each : status.agents) agents.push_back(encode_agent(each));
  Value document = api::encode_overview(status.overview);
  api::set_member(document, "kind", text("Status"));
  api::set_member(document, "server", text(status.server));
  api::set_member(document, "leaders", list_value(std::move(leaders)));
  api::set_member(document, "agents", list_value(std::move(agents)));
  api::set_member(document, "pending", list_value(std::move(pending)));
  api::set_member(document, "wrong", texts(status.wrong));
  api::set_member(document, "notes", texts(status.notes));
  return document;
}

std::string status_text(const ClusterStatus& status, bool all) {
  const std::size_t most = all ? static_cast<std::size_t>(-1) : kRowsShown;
  std::string screen = verdict_of(status) + listed_lines("wrong", status.wrong, most) + "\n";
  screen += row("scheduler:", leader_in_words(status.leaders.at(0), status.overview.now));
  screen += row("rescheduler:", leader_in_words(status.leaders.at(1), status.overview.now));
  screen += row("agents:", agents_in_words(status));
  return screen + waiting_table(status.overview, most) + leaving_table(status.overview, most) +
         pending_table(status, most) + listed_lines("not known", status.notes, most);
}

}  // namespace elbowroom::cli
