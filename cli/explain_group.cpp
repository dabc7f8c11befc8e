#include "cli/explain_group.h"

#include <map>
#include <utility>
#include <vector>

#include "api/codec/encode_group_explanation.h"
#include "api/codec/json.h"
#include "cli/explain_options.h"
#include "cli/input/from_cluster.h"
#include "cli/output/scheduler_explanation_text.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"
#include "cluster/unreadable_object.h"
#include "policy/preemption/preemption_messages.h"

namespace elbowroom::cli {
namespace {

constexpr const char* kGroupFooter =
    "examples:\n"
    "  elbowroom explain group default/train\n"
    "  elbowroom explain group train -n default -o json\n"
    "  elbowroom explain group -f cluster.yaml default/train   (of elbowroom dump)\n"
    "  elbowroom explain group default/train --server http://127.0.0.1:10362   (the scheduler)\n"
    "\n"
    "exit status: 0 explained, 1 no such group, 2 usage, 69 unreachable, 77 not permitted,\n"
    "78 the kubeconfig cannot be used";

// What was not read may spare any of them.
void withhold_victims(policy::GroupExplanation& about, const std::vector<std::string>& lacks) {
  if (lacks.empty() || !about.decision || about.decision->victims.empty()) return;
  about.decision->victims.clear();
  about.decision->budget_violations = 0;
  about.decision->message = kDependsOnUnknown;
  about.summary = "not known here: " + policy::listed(lacks) + "; " + about.summary;
}

// `cluster` has what it lacks.
policy::GroupExplanation told(const DecodedObjects& cluster, const policy::PodGroup& group,
                              const GroupQuery& query) {
  policy::GroupExplanation about = explain_group_of(cluster, group, query);
  withhold_victims(about, cluster.lacks);
  return about;
}

Result<Value> group_from_cluster(ClusterReader& reader, const ObjectName& object,
                                 const GroupQuery& query) {
  const std::string key = key_of(object);
  ASSIGN_OR_RETURN(ClusterObjects read, read_around_group(reader, object.ns, object.name));
  std::vector<std::string> notes = notes_of(read);
  ASSIGN_OR_RETURN(DecodedObjects cluster,
                   understand(std::move(read.objects), "", reader.server()));
  warn_of(cluster.left_out);
  const policy::PodGroup* group = find_group(cluster.manifests, key);
  if (group == nullptr) {
    return failure(Code::NotFound, "pod group " + key + " is gone, or cannot be read");
  }
  cluster.lacks = lacks_of(read, cluster.manifests);
  return with_events(api::encode_group_explanation(told(cluster, *group, query)), reader, object.ns,
                     group->standing.uid, std::move(notes));
}

Result<Value> group_from_files(const std::vector<std::string>& files, const ObjectName& object,
                               GroupQuery query, bool is_now_given) {
  ASSIGN_OR_RETURN(const DecodedObjects all, decode_files(files));
  warn_of_unknown_kinds(all.manifests);
  warn_of_makers(all.manifests);
  const policy::PodGroup* group = find_group(all.manifests, key_of(object));
  if (group == nullptr) {
    return failure(Code::NotFound, group_not_in_input(all.manifests, key_of(object)));
  }
  if (!is_now_given) query.now = all.manifests.newest.value_or(policy::Time{});
  return without_events(api::encode_group_explanation(told(all, *group, query)));
}

Result<Value> group_from_scheduler(const std::string& server, const ObjectName& object) {
  ASSIGN_OR_RETURN(Value document, ask_daemon(server, "group", object));
  if (!is_scheduler_explanation(document)) {
    return failure(Code::Invalid, "explain group " + key_of(object) + " at " + server +
                                      ": the answer is no explanation of a scheduler: another "
                                      "version, or something else, answers there");
  }
  return document;
}

void explain_group(const CLI::App& verb) {
  const Result<SimulateOptions> options = output_options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  const ExplainSource source = open_source(verb, {"--rules"});
  const ObjectName object = named_object(verb, "group", source);
  GroupQuery query{.now = options->now.value_or(clock_time())};
  if (value_of(verb, "--rules", "elbowroom") == "upstream") {
    query.rules = policy::RuleSet::Upstream;
  }
  if (!source.files.empty()) {
    print_explanation(group_from_files(source.files, object, query, options->now.has_value()),
                      options->format);
    return;
  }
  print_explanation(source.server.empty()
                        ? group_from_cluster(*source.cluster.reader, object, query)
                        : group_from_scheduler(source.server, object),
                    options->format);
}

}  // namespace

policy::GroupExplanation explain_group_of(const DecodedObjects& cluster,
                                          const policy::PodGroup& group, const GroupQuery& query) {
  const Manifests& manifests = cluster.manifests;
  const policy::Budgets budgets{.upstream = manifests.pod_disruption_budgets,
                                .ours = manifests.disruption_budgets};
  const policy::ClusterMoment moment{.nodes = manifests.nodes,
                                     .pods = manifests.pods,
                                     .budgets = budgets,
                                     .namespaces = manifests.namespaces,
                                     .selecting = manifests.selecting,
                                     .rules = query.rules,
                                     .now = query.now};
  std::map<std::string, std::string, std::less<>> avoided;
  for (const auto& [node, why] : cluster.left_out.unclear) {
    avoided.emplace(node, cluster::kUnclearNode);
  }
  return policy::explain_group(moment, group, avoided);
}

Value pending_member_of(const DecodedObjects& cluster, const policy::Pod& pod,
                        const GroupQuery& query) {
  const policy::PodGroup* group = find_group(cluster.manifests, policy::group_key_of(pod));
  if (group == nullptr) return api::encode_pending_member(pod, nullptr, query.now);
  const policy::GroupExplanation about = told(cluster, *group, query);
  return api::encode_pending_member(pod, &about, query.now);
}

void add_explain_group(CLI::App& explain) {
  CLI::App* verb = explain.add_subcommand(
      "group", "what a pod group waits for, where its pods are, who would go for it");
  add_explain_options(*verb, "group");
  add_valued(*verb, "--rules", "who is chosen to go: elbowroom (default) or upstream")
      ->check(CLI::IsMember({"elbowroom", "upstream"}));
  verb->footer(kGroupFooter);
  verb->callback([verb] { explain_group(*verb); });
}

}  // namespace elbowroom::cli
