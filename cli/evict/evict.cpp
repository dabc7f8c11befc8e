// `elbowroom evict`: evicts one pod, as disruption budgets allow.
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "api/codec/avoid_entries.h"
#include "api/codec/decode_budget.h"
#include "base/document_text.h"
#include "cli/evict/eviction.h"
#include "cli/input/from_cluster.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"

namespace elbowroom::cli {
namespace {

constexpr const char* kFooter =
    "examples:\n"
    "  elbowroom evict default/web-0\n"
    "  elbowroom evict default/web-0 --dry-run\n"
    "  elbowroom evict default/web-0 --wait 5m -o json\n"
    "  elbowroom evict default/web-0 --avoid-node --avoid-for 2h\n"
    "\n"
    "exit status: 0 evicted (or would be), 1 it cannot be evicted, 2 usage, 69 unreachable,\n"
    "75 not now: a budget allows no more, 77 not permitted, 78 the kubeconfig cannot be used";

std::chrono::seconds grace_in(const std::string& text) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  if (!is_whole || seconds < 0 || seconds > 86'400) {
    stop(kExitUsage, "--grace " + text + ": give whole seconds, from 0 to 86400");
  }
  return std::chrono::seconds(seconds);
}

// None: nobody asks for it.
std::optional<std::chrono::seconds> avoid_for_in(const CLI::App& verb) {
  const bool is_timed = verb.get_option("--avoid-for")->count() > 0;
  if (verb.get_option("--avoid-node")->count() == 0) {
    if (is_timed) stop(kExitUsage, "--avoid-for needs --avoid-node beside it");
    return std::nullopt;
  }
  if (!is_timed) return std::chrono::hours(1);
  const std::string text = value_of(verb, "--avoid-for", "");
  const auto lasts = api::parse_duration(text);
  if (!lasts || *lasts < std::chrono::minutes(1) || *lasts > api::kLongestAvoidance) {
    stop(kExitUsage, "--avoid-for " + text + ": give a time from 1m to 720h, such as 90m");
  }
  return *lasts;
}

EvictionWish wish_of(const CLI::App& verb, const std::string& ns) {
  EvictionWish wish{.pod = object_of(verb, value_of(verb, "pod", ""), Named::Pod, ns),
                    .is_forced = verb.get_option("--force")->count() > 0,
                    .is_dry_run = verb.get_option("--dry-run")->count() > 0};
  if (verb.get_option("--grace")->count() > 0) wish.grace = grace_in(value_of(verb, "--grace", ""));
  if (verb.get_option("--wait")->count() > 0) {
    const auto wait = api::parse_duration(value_of(verb, "--wait", ""));
    if (!wait) stop(kExitUsage, "--wait: " + wait.error().message);
    wish.wait = *wait;
  }
  wish.avoid_for = avoid_for_in(verb);
  return wish;
}

std::string printed(const EvictionDecision& decision, OutputFormat format) {
  if (format == OutputFormat::Table) return eviction_text(decision);
  const Value document = encode_eviction(decision);
  return format == OutputFormat::Json ? to_json(document) : to_yaml(document);
}

void evict_pod(const CLI::App& verb) {
  const Result<SimulateOptions> options = output_options_of(verb);
  if (!options) stop(kExitUsage, options.error().message);
  const Result<ClusterAccess> cluster = open_cluster(verb);
  if (!cluster) stop(kExitConfiguration, cluster.error().message);
  const EvictionWish wish = wish_of(verb, cluster->ns);
  ClusterWriter writer(cluster->access);
  const auto decision =
      evict(*cluster->reader, writer, wish,
            {.now = [] { return std::chrono::steady_clock::now(); },
             .pause = [&writer](std::chrono::milliseconds time) { writer.pause(time); },
             .tell = [](const std::string& what) { complain(what); }});
  if (!decision) stop(exit_status_of(decision.error()), decision.error().message);
  print_answer(printed(*decision, options->format), options->format);
  if (decision->result != EvictionResult::Blocked) return;
  throw CLI::RuntimeError(decision->passes ? kExitTemporary : kExitFailure);
}

}  // namespace

void add_evict(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("evict", "evict a pod, as disruption budgets allow");
  add_valued(*verb, "pod", "the pod")->type_name(name_syntax(Named::Pod))->required();
  add_namespace_option(*verb, "the context's");
  add_valued(*verb, "--grace", "seconds to terminate in; default: the pod's own")
      ->type_name("SECONDS");
  add_valued(*verb, "--wait", "how long to wait for a budget that allows it; default: not at all")
      ->type_name("DURATION");
  verb->add_flag("--avoid-node")
      ->description("the pods of its controller avoid the node for a time, where they can");
  add_valued(*verb, "--avoid-for", "how long they avoid it; default: 1h")->type_name("DURATION");
  verb->add_flag("--force")->description("also a pod that no controller creates again");
  verb->add_flag("--dry-run")->description("ask the server and the budgets, and change nothing");
  add_cluster_options(*verb);
  add_format_option(*verb);
  verb->footer(kFooter);
  verb->callback([verb] { evict_pod(*verb); });
}

}  // namespace elbowroom::cli
