// `elbowroom explain pod`: explains why a pod has its size. It reads a cluster or files,
// or asks a daemon.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/encode_explanation.h"
#include "api/codec/json.h"
#include "base/document_text.h"
#include "cli/explain_group.h"
#include "cli/explain_options.h"
#include "cli/input/from_cluster.h"
#include "cli/input/resize_subject.h"
#include "cli/input/skipped_objects.h"
#include "cli/output/covering_budgets.h"
#include "cli/output/move_explanation_text.h"
#include "cli/output/picture_file.h"
#include "cli/output/scheduler_explanation_text.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "policy/placement/group_explanation.h"
#include "policy/resize/explanation.h"

namespace elbowroom::cli {
namespace {

constexpr const char* kFooter =
    "examples:\n"
    "  elbowroom explain pod default/web\n"
    "  elbowroom explain pod web -n default -o json\n"
    "  elbowroom explain pod -f cluster.yaml default/web   (of elbowroom dump)\n"
    "  elbowroom explain pod default/web --server http://127.0.0.1:10361   (its agent)\n"
    "  elbowroom explain pod default/web --server http://127.0.0.1:10362   (the scheduler)\n"
    "  elbowroom explain pod default/web --server http://127.0.0.1:10363   (the rescheduler)\n"
    "\n"
    "exit status: 0 explained, 1 no such pod, 2 usage, 69 unreachable, 77 not permitted,\n"
    "78 the kubeconfig is of no use";

// ---- from a cluster ----

void note_hard_budgets(const policy::Explanation& about, std::vector<std::string>& notes) {
  if (about.report.preemption.by != policy::RoomMaker::Node) return;
  for (const policy::BudgetSummary& each : about.budgets) {
    if (!each.hard) continue;
    notes.push_back(
        "hard disruption budgets hold here; elbowroomd of this version does not watch "
        "them when it makes room for a critical pod");
    return;
  }
}

void note_unclear(const policy::Explanation& about, const UndecodableObjects& left_out,
                  std::vector<std::string>& notes) {
  const auto why = left_out.unclear.find(about.report.node);
  if (why == left_out.unclear.end()) return;
  notes.push_back(why->second +
                  "; the rest is explained as if there were no such pod, but the scheduler removes "
                  "nobody on node " +
                  why->first + " while that is so");
}

// What the group waits for with its other pods.
void add_wait_of_group(const Manifests& manifests, policy::Explanation& about) {
  if (!about.group) return;
  const policy::PodGroup* group = find_group(manifests, about.group->group);
  if (group != nullptr) {
    about.group->waits_for = policy::members_wait_for(manifests.pods, *group);
  }
}

bool is_pending(const policy::Pod* pod) {
  return pod != nullptr && pod->node.empty() && !policy::is_finished(*pod);
}

// A member of a pod group that waits for a place: what it waits for says its group.
bool is_pending_member(const policy::Pod* pod) {
  return is_pending(pod) && policy::is_grouped(*pod);
}

// The answer without its events; adds to the notes. `simulates`: the options of `simulate schedule`
// that name the same objects.
Result<Value> answer_from(DecodedObjects& understood, const ResizeQuery& query,
                          const std::string& simulates, std::vector<std::string>& notes) {
  const Manifests& manifests = understood.manifests;
  drop_rejected_pods(understood.manifests, query.pod);
  warn_of(understood.left_out);
  warn_of_odd_groups(manifests);
  const auto subject = ResizeSubject::of(manifests, query);
  if (!subject && is_pending(find_pod(manifests, query.pod))) {
    Error error = subject.error();
    error.message += "; where it would be placed says elbowroom simulate schedule " + simulates +
                     " " + query.pod;
    return std::unexpected(std::move(error));
  }
  if (!subject) return std::unexpected(subject.error());
  const policy::ResizeQuestion question = subject->question();
  policy::ResizeReport report = policy::report_resize(question);
  remove_none_on_unclear_node(report, understood.left_out);
  policy::Explanation about = policy::explain(question, std::move(report));
  add_wait_of_group(manifests, about);
  note_unclear(about, understood.left_out, notes);
  note_hard_budgets(about, notes);
  Value document = api::encode_explanation(about);
  add_covering(document, budgets_that_cover(manifests, {about.report.uid}, about.now));
  return document;
}

Result<Value> explain_from(ClusterReader& reader, const ObjectName& pod, ResizeQuery query) {
  query.pod = key_of(pod);
  ASSIGN_OR_RETURN(ClusterObjects read, read_around_pod(reader, pod.ns, pod.name));
  std::vector<std::string> notes = notes_of(read);
  ASSIGN_OR_RETURN(DecodedObjects understood,
                   understand(std::move(read.objects), query.pod, reader.server()));
  const policy::Pod* found = find_pod(understood.manifests, query.pod);
  if (is_pending_member(found)) {
    return explain_pending_member(reader, query.pod, {.rules = query.rules, .now = *query.now});
  }
  const std::string uid = found == nullptr ? "" : found->uid;
  query.lacks = lacks_of(read, understood.manifests);
  ASSIGN_OR_RETURN(Value document, answer_from(understood, query, "--from-cluster", notes));
  return with_events(std::move(document), reader, pod.ns, uid, std::move(notes));
}

// ---- from files ----

Result<Value> explain_files(const std::vector<std::string>& files, const ObjectName& pod,
                            ResizeQuery query) {
  query.pod = key_of(pod);
  ASSIGN_OR_RETURN(DecodedObjects all, decode_files(files));
  warn_of_unknown_kinds(all.manifests);
  const policy::Pod* found = find_pod(all.manifests, query.pod);
  if (!query.now) query.now = all.manifests.newest.value_or(policy::Time{});
  if (is_pending_member(found)) {
    return without_events(
        pending_member_of(all, *found, {.rules = query.rules, .now = *query.now}));
  }
  query.lacks = all.lacks;
  std::vector<std::string> notes;
  ASSIGN_OR_RETURN(Value document, answer_from(all, query, "-f " + files.front(), notes));
  document = without_events(std::move(document));
  api::set_member(document, "notes", list_of_texts(notes));
  return document;
}

// ---- from a daemon ----

Result<Value> pod_from_daemon(const std::string& server, const ObjectName& pod) {
  ASSIGN_OR_RETURN(Value answer, ask_daemon(server, "pod", pod));
  if (is_scheduler_explanation(answer) || is_move_explanation(answer)) return answer;
  Result<Value> document = api::as_explanation(std::move(answer));
  if (!document) {
    return std::unexpected(document.error().with("explain pod " + key_of(pod) + " at " + server));
  }
  return without_events(*std::move(document));
}

// A pod that waits for a place, or is moved, holds no room that could be drawn.
void draw(const CLI::App& verb, const Value& document) {
  if (const Value* decision = document.find("decision")) return write_picture(verb, *decision);
  complain("--svg: the answer is about no resize on a node, so no picture is drawn");
}

Result<Value> answer(const ExplainSource& source, const ObjectName& pod, ResizeQuery query) {
  if (!source.files.empty()) return explain_files(source.files, pod, query);
  if (!source.server.empty()) return pod_from_daemon(source.server, pod);
  query.now = query.now.value_or(clock_time());
  return explain_from(*source.cluster.reader, pod, query);
}

void explain_pod(const CLI::App& verb) {
  const Result<SimulateOptions> options = output_options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  const ExplainSource source = open_source(
      verb,
      {"--rules", "--critical-preemption", "--cpu-manager-policy", "--memory-manager-policy"});
  const ObjectName pod = named_object(verb, "pod", source);
  ResizeQuery query{.now = options->now};
  take_judging_options(verb, query);
  const Result<Value> document = answer(source, pod, query);
  if (document && asks_for_picture(verb)) draw(verb, *document);
  print_explanation(document, options->format);
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* explain = app.add_subcommand("explain", "say why; nothing is written");
  explain->require_subcommand(1);
  CLI::App* verb = explain->add_subcommand(
      "pod", "why a pod is the size it is, who holds the room, what would help, what comes next");
  add_explain_options(*verb, "pod");
  add_judging_options(*verb);
  add_picture_option(*verb);
  verb->footer(kFooter);
  explain->footer(kFooter);
  verb->callback([verb] { explain_pod(*verb); });
  add_explain_group(*explain);
}

}  // namespace elbowroom::cli
