// `elbowroom explain pod`: explains why a pod has its size. It reads a cluster or files,
// or asks a daemon.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/encode_explanation.h"
#include "api/codec/json.h"
#include "base/document_text.h"
#include "cli/answers.h"
#include "cli/explain_alone.h"
#include "cli/explain_group.h"
#include "cli/explain_options.h"
#include "cli/explain_pending.h"
#include "cli/input/from_cluster.h"
#include "cli/input/resize_subject.h"
#include "cli/input/skipped_objects.h"
#include "cli/output/covering_budgets.h"
#include "cli/output/move_explanation_text.h"
#include "cli/output/picture_file.h"
#include "cli/output/scheduler_explanation_text.h"
#include "cli/pod_selection.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "policy/model/natural_order.h"
#include "policy/placement/group_explanation.h"
#include "policy/resize/explanation.h"

namespace elbowroom::cli {
namespace {

constexpr const char* kFooter =
    "examples:\n"
    "  elbowroom explain pod default/web\n"
    "  elbowroom explain pod web -n default -o json\n"
    "  elbowroom explain pod -f cluster.yaml default/web   (of elbowroom dump)\n"
    "  elbowroom explain pod -A                (all that wait for room or for a node)\n"
    "  elbowroom explain pod default/web -w\n"
    "  elbowroom explain pod default/web --server http://127.0.0.1:10361   (its agent)\n"
    "  elbowroom explain pod default/web --server http://127.0.0.1:10362   (the scheduler)\n"
    "  elbowroom explain pod default/web --server http://127.0.0.1:10363   (the rescheduler)\n"
    "\n"
    "exit status: 0 explained, 1 no such pod, 2 usage, 69 unreachable, 77 not permitted,\n"
    "78 the kubeconfig cannot be used";

// ---- from a cluster ----

void note_hard_budgets(const policy::Explanation& about, std::vector<std::string>& notes) {
  if (about.report.preemption.by != policy::RoomMaker::Node) return;
  for (const policy::BudgetSummary& each : about.budgets) {
    if (!each.hard) continue;
    notes.push_back(
        "elbowroomd goes by the status of hard DisruptionBudgets, which elbowroom-rescheduler "
        "keeps: one that was observed more than ten minutes ago allows nothing");
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

// Of a pod on a node, which no rejected pod holds room of; without its events. Adds to the notes.
Result<Value> resize_explanation(const DecodedObjects& all, const ResizeQuery& query,
                                 std::vector<std::string>& notes) {
  ASSIGN_OR_RETURN(const ResizeSubject subject, ResizeSubject::of(all.manifests, query));
  const policy::ResizeQuestion question = subject.question();
  policy::ResizeReport report = policy::report_resize(question);
  remove_none_on_unclear_node(report, all.left_out);
  policy::Explanation about = policy::explain(question, std::move(report));
  add_wait_of_group(all.manifests, about);
  note_unclear(about, all.left_out, notes);
  note_hard_budgets(about, notes);
  Value document = api::encode_explanation(about);
  add_covering(document, budgets_that_cover(all.manifests, {about.report.uid}, about.now));
  return document;
}

void warn_of_odd(const DecodedObjects& all) {
  warn_of(all.left_out);
  warn_of_odd_groups(all.manifests);
}

struct Known {
  DecodedObjects objects{};
  bool sees_nodes = true;
  std::vector<std::string> notes{};  // what could not be read
};

// `pod` must be understood; "": none.
Result<Known> known_of(ClusterReader& reader, Result<ClusterObjects> read,
                       const std::string& pod = "") {
  if (!read) return std::unexpected(std::move(read).error());
  Known known{.sees_nodes = reads_nodes(*read), .notes = notes_of(*read)};
  ASSIGN_OR_RETURN(known.objects, understand(std::move(read->objects), pod, reader.server()));
  known.objects.lacks = lacks_of(*read, known.objects.manifests);
  return known;
}

// Of pending pods: what their placement depends on, if it may be read.
Result<void> widen(ClusterReader& reader, const std::string& pod, Known& known) {
  Result<Known> whole = known_of(reader, read_cluster(reader), pod);
  if (!whole && whole.error().code != Code::Denied) return std::unexpected(whole.error());
  if (whole) {
    known = *std::move(whole);
  } else {
    known.sees_nodes = false;
    known.notes.push_back(whole.error().message);
  }
  return {};
}

// With its events, where there is a reader to ask for them.
Result<Value> finished(Value document, ClusterReader* reader, const policy::Pod& pod,
                       std::vector<std::string> notes) {
  if (reader != nullptr) {
    return with_events(std::move(document), *reader, pod.ns, pod.uid, std::move(notes));
  }
  document = without_events(std::move(document));
  api::set_member(document, "notes", list_of_texts(notes));
  return document;
}

// The pod of the query. `reader`: null for files.
Result<Value> explain_known(const Known& known, ResizeQuery query, ClusterReader* reader,
                            std::vector<std::string> notes) {
  const DecodedObjects& all = known.objects;
  const policy::Pod* pod = find_pod(all.manifests, query.pod);
  if (pod == nullptr) return failure(Code::NotFound, not_in_input(all.manifests, query.pod));
  if (!known.sees_nodes) {
    return finished(explain_alone(*pod, *query.now), reader, *pod, std::move(notes));
  }
  if (is_pending(*pod)) {
    ASSIGN_OR_RETURN(Value document,
                     explain_pending(all, *pod, {.rules = query.rules, .now = *query.now}));
    return finished(std::move(document), reader, *pod, std::move(notes));
  }
  query.lacks = all.lacks;
  ASSIGN_OR_RETURN(Value document, resize_explanation(all, query, notes));
  return finished(std::move(document), reader, *pod, std::move(notes));
}

// Pods that no kubelet will run hold no room for resizes; a scheduler counts them.
Result<Value> explain_one(Known& known, const ResizeQuery& query, ClusterReader* reader) {
  Manifests& manifests = known.objects.manifests;
  const policy::Pod* pod = find_pod(manifests, query.pod);
  if (pod != nullptr && !is_pending(*pod)) drop_rejected_pods(manifests, query.pod);
  return explain_known(known, query, reader, known.notes);
}

Result<Value> explain_from(ClusterReader& reader, const ObjectName& pod, ResizeQuery query) {
  query.pod = key_of(pod);
  ASSIGN_OR_RETURN(
      Known known,
      known_of(reader, read_around_pod(reader, pod.ns, pod.name, NodesRefused::IsNoted),
               query.pod));
  const policy::Pod* found = find_pod(known.objects.manifests, query.pod);
  if (found != nullptr && is_pending(*found)) {
    RETURN_IF_ERROR(widen(reader, query.pod, known));
  }
  warn_of_odd(known.objects);
  return explain_one(known, query, &reader);
}

// ---- from files ----

Result<DecodedObjects> objects_of(const std::vector<std::string>& files, ResizeQuery& query) {
  ASSIGN_OR_RETURN(DecodedObjects all, decode_files(files));
  warn_of_unknown_kinds(all.manifests);
  warn_of_makers(all.manifests);
  warn_of_odd(all);
  if (!query.now) query.now = all.manifests.newest.value_or(policy::Time{});
  return all;
}

Result<Value> explain_files(const std::vector<std::string>& files, const ObjectName& pod,
                            ResizeQuery query) {
  query.pod = key_of(pod);
  Known known;
  ASSIGN_OR_RETURN(known.objects, objects_of(files, query));
  return explain_one(known, query, nullptr);
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

// ---- several pods, or one again and again ----

// Explains each of them; a note says of each other one why it is not explained here.
Result<Value> explain_each(Known& known, const PodSelection& selection, ResizeQuery query,
                           ClusterReader* reader) {
  Manifests& manifests = known.objects.manifests;
  WaitingPods waiting = waiting_pods(manifests, selection, WaitsFor::Either);
  std::ranges::move(waiting.notes, std::back_inserter(known.notes));
  std::map<std::string, Value, decltype(&policy::natural_less)> documents(policy::natural_less);
  for (const bool pending : {true, false}) {  // as explain_one() has it
    if (!pending) drop_rejected_pods(manifests, "");
    for (const std::string& key : waiting.keys) {
      const policy::Pod* pod = find_pod(manifests, key);
      if (pod == nullptr || is_pending(*pod) != pending) continue;
      query.pod = key;
      Result<Value> document = explain_known(known, query, reader, {});
      if (!document && document.error().code == Code::Unavailable) return document;
      if (!document) known.notes.push_back(document.error().message);
      if (document) documents.emplace(key, *std::move(document));
    }
  }
  std::vector<Value> items;
  for (auto& [key, document] : documents) items.push_back(std::move(document));
  return list_of(std::move(items), known.notes);
}

Result<Value> explain_waiting(const CLI::App& verb, const ExplainSource& source,
                              ResizeQuery query) {
  const PodSelection selection =
      selection_of(verb, source.cluster.ns.empty() ? "default" : source.cluster.ns);
  Known known;
  if (!source.files.empty()) {
    ASSIGN_OR_RETURN(known.objects, objects_of(source.files, query));
    return explain_each(known, selection, query, nullptr);
  }
  query.now = query.now.value_or(clock_time());
  ClusterReader& reader = *source.cluster.reader;
  ASSIGN_OR_RETURN(known, known_of(reader, read_for_resizes(reader, NodesRefused::IsNoted)));
  const bool some_have_no_node =
      !waiting_pods(known.objects.manifests, selection, WaitsFor::Node).keys.empty();
  if (known.sees_nodes && some_have_no_node) {
    RETURN_IF_ERROR(widen(reader, "", known));
  }
  warn_of_odd(known.objects);
  return explain_each(known, selection, query, &reader);
}

ResizeQuery query_of(const CLI::App& verb, const SimulateOptions& options) {
  ResizeQuery query{.now = options.now};
  take_judging_options(verb, query);
  return query;
}

void explain_pod(const CLI::App& verb) {
  const Result<SimulateOptions> options = output_options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  check_selection(verb, {"--server", "--svg"});
  const ExplainSource source = open_source(
      verb,
      {"--rules", "--critical-preemption", "--cpu-manager-policy", "--memory-manager-policy"});
  std::function<Result<Value>()> look = [&] {
    return explain_waiting(verb, source, query_of(verb, *options));
  };
  if (names_one_pod(verb)) {
    look = [&, pod = named_object(verb, "pod", source)] {
      return answer(source, pod, query_of(verb, *options));
    };
  }
  if (watches(verb)) {
    follow_answer(look, options->format,
                  [&](const Value& document) { print_explanation(document, options->format); });
  }
  const Result<Value> document = look();
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
  verb->get_option("pod")->required(false)->description("the pod; -A and -l name several");
  add_selection_options(*verb);
  add_judging_options(*verb);
  add_picture_option(*verb);
  verb->footer(kFooter);
  explain->footer(kFooter);
  verb->callback([verb] { explain_pod(*verb); });
  add_explain_group(*explain);
}

}  // namespace elbowroom::cli
