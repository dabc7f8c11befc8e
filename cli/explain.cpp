// `elbowroom explain pod`: explains why a pod has its size. It reads a cluster or files,
// or asks a daemon.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/encode_explanation.h"
#include "api/codec/json.h"
#include "base/document_text.h"
#include "cli/explain_group.h"
#include "cli/explain_options.h"
#include "cli/follow.h"
#include "cli/input/from_cluster.h"
#include "cli/input/resize_subject.h"
#include "cli/input/skipped_objects.h"
#include "cli/output/covering_budgets.h"
#include "cli/output/move_explanation_text.h"
#include "cli/output/picture_file.h"
#include "cli/output/scheduler_explanation_text.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "cli/waiting_pods.h"
#include "policy/placement/group_explanation.h"
#include "policy/resize/explanation.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kMostExplained = 100;
constexpr std::chrono::seconds kBetweenLooks{2};

constexpr const char* kFooter =
    "examples:\n"
    "  elbowroom explain pod default/web\n"
    "  elbowroom explain pod web -n default -o json\n"
    "  elbowroom explain pod -f cluster.yaml default/web   (of elbowroom dump)\n"
    "  elbowroom explain pod -A                             (all that wait for room)\n"
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
    error.message += "; elbowroom simulate schedule " + simulates + " " + query.pod +
                     " says where it would be placed";
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

// ---- several pods, or one again and again ----

bool is_given(const CLI::App& verb, const char* option) {
  return verb.get_option(option)->count() > 0;
}

void check_words(const CLI::App& verb) {
  if (is_given(verb, "--watch") && is_given(verb, "--filename")) {
    stop(kExitUsage, "-w and -f exclude each other: files do not change by themselves");
  }
  const bool names_one = !value_of(verb, "pod", "").empty();
  const bool names_many = is_given(verb, "--all-namespaces") || is_given(verb, "--selector");
  if (names_one && names_many) {
    stop(kExitUsage, "a pod's name beside -A or -l: ask about one pod, or about all that wait");
  }
  if (names_one) return;
  if (!names_many) {
    stop(kExitUsage,
         "no pod: write " + name_syntax(Named::Pod) + ", -l SELECTOR, or -A for all that wait");
  }
  for (const char* option : {"--server", "--filename", "--svg"}) {
    if (!is_given(verb, option)) continue;
    stop(kExitUsage, std::string(option) + " needs a pod's name: -A and -l ask the cluster");
  }
}

// Explains each of them; a note says of each other one why it is not explained here.
Result<Value> explain_waiting(const CLI::App& verb, const ExplainSource& source,
                              ResizeQuery query) {
  query.now = query.now.value_or(clock_time());
  const std::string ns =
      is_given(verb, "--all-namespaces") ? "" : value_of(verb, "--namespace", source.cluster.ns);
  ClusterReader& reader = *source.cluster.reader;
  ASSIGN_OR_RETURN(std::vector<ObjectName> pods,
                   waiting_pods(reader, ns, value_of(verb, "--selector", "")));
  std::vector<std::string> notes;
  if (pods.size() > kMostExplained) {
    notes.push_back(std::to_string(pods.size()) + " pods wait; the first " +
                    std::to_string(kMostExplained) + " are explained");
    pods.resize(kMostExplained);
  }
  std::vector<Value> all;
  for (const ObjectName& pod : pods) {
    Result<Value> document = explain_from(reader, pod, query);
    if (document) {
      all.push_back(*std::move(document));
    } else if (document.error().code == Code::Unavailable) {
      return document;
    } else {
      notes.push_back(document.error().message);
    }
  }
  return map_value({member("apiVersion", text_value("v1")), member("kind", text_value("List")),
                    member("items", list_value(std::move(all))),
                    member("notes", list_of_texts(notes))});
}

ResizeQuery query_of(const CLI::App& verb, const SimulateOptions& options) {
  ResizeQuery query{.now = options.now};
  take_judging_options(verb, query);
  return query;
}

// Looks take a tenth of the time at most.
[[noreturn]] void follow_explanation(const std::function<Result<Value>()>& look,
                                     OutputFormat format) {
  using Clock = std::chrono::steady_clock;
  bool is_first = true;
  Clock::duration took{0};
  const auto timed = [&] {
    const auto began = Clock::now();
    Result<Value> document = look();
    took = Clock::now() - began;
    return document;
  };
  std::binary_semaphore never{0};  // Ctrl-C ends the process
  const Error end =
      follow({.look = timed,
              .tell =
                  [&](const Value& document) {
                    const bool parts = !std::exchange(is_first, false);
                    if (parts && format != OutputFormat::Json) print("---\n");
                    print_explanation(document, format);
                  },
              .trouble = [](const Error& error) { complain(error.message); },
              .pause =
                  [&] {
                    (void)never.try_acquire_for(std::max<Clock::duration>(kBetweenLooks, 9 * took));
                  }});
  stop(exit_status_of(end), end.message);
}

void explain_pod(const CLI::App& verb) {
  const Result<SimulateOptions> options = output_options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  check_words(verb);
  const ExplainSource source = open_source(
      verb,
      {"--rules", "--critical-preemption", "--cpu-manager-policy", "--memory-manager-policy"});
  std::function<Result<Value>()> look = [&] {
    return explain_waiting(verb, source, query_of(verb, *options));
  };
  if (!value_of(verb, "pod", "").empty()) {
    look = [&, pod = named_object(verb, "pod", source)] {
      return answer(source, pod, query_of(verb, *options));
    };
  }
  if (is_given(verb, "--watch")) follow_explanation(look, options->format);
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
  verb->add_flag("-A,--all-namespaces")->description("all that wait, in all namespaces");
  add_valued(*verb, "-l,--selector", "all that wait and have these labels")->type_name("SELECTOR");
  verb->add_flag("-w,--watch")->description("again whenever something changed, until Ctrl-C");
  add_judging_options(*verb);
  add_picture_option(*verb);
  verb->footer(kFooter);
  explain->footer(kFooter);
  verb->callback([verb] { explain_pod(*verb); });
  add_explain_group(*explain);
}

}  // namespace elbowroom::cli
