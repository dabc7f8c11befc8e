#include "scheduler/config.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>

#include "api/codec/decode_node.h"
#include "api/transport/url.h"
#include "control/replica_keys.h"
#include "recording/record_limit.h"

namespace elbowroom::scheduler {
namespace {

using Kind = daemon::Key::Kind;

// "a,b" as its names; empty ones are left out.
std::set<std::string, std::less<>> names_in(std::string_view list) {
  std::set<std::string, std::less<>> names;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) names.emplace(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return names;
}

// 1 to 1000.
Result<std::size_t> count_in(const daemon::Settings& settings, std::string_view key) {
  const std::string& text = settings.text(key);
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  if (is_number && count >= 1 && count <= 1000) return count;
  return failure(Code::Invalid, std::string(key) + ": " + text + " is no number from 1 to 1000");
}

}  // namespace

daemon::Schema scheduler_schema() {
  daemon::Schema schema{.kind = "SchedulerConfiguration",
                        .keys = daemon::common_keys("127.0.0.1:10362")};
  const auto add = [&](daemon::Key key) { schema.keys.push_back(std::move(key)); };
  add({.name = "mode",
       .kind = Kind::Choice,
       .fallback = "resize",
       .choices = {"resize", "full"},
       .help = "resize: makes room for Deferred resizes, beside the cluster's own scheduler; full: "
               "also places the pending pods that name it"});
  add({.name = "schedulerName",
       .fallback = "elbowroom",
       .help = "the schedulerName of pods that are ours to place, in mode full"});
  add(control::leader_elect_key());
  add(control::lease_namespace_key("where the Lease elbowroom-scheduler is"));
  add({.name = "rules",
       .kind = Kind::Choice,
       .fallback = "elbowroom",
       .choices = {"elbowroom", "upstream"},
       .help = "who is removed: by our rules, or as kube-scheduler chooses"});
  add({.name = "yieldTo",
       .help =
           "schedulers that preempt for resizes themselves, NAME,...: they get 30 s; by default "
           "default-scheduler where the API server keeps podPreemptionPolicy; \"\": none",
       .may_be_empty = true});
  add({.name = "setsPerPod",
       .kind = Kind::Amount,
       .fallback = "3",
       .help = "how often room is made for one pod in 10 minutes"});
  add({.name = "podsPerNode",
       .kind = Kind::Amount,
       .fallback = "10",
       .help = "how many pods one node loses to resizes in 10 minutes"});
  add({.name = "dryRun",
       .kind = Kind::Bool,
       .fallback = "false",
       .help = "decide and explain, but remove nobody"});
  return schema;
}

Result<SchedulerOptions> Config::own_options(const daemon::Settings& settings,
                                             const std::string& identity) {
  SchedulerOptions options;
  options.record = settings.text("record");
  ASSIGN_OR_RETURN(options.record_limit, recording::record_limit(settings));
  ReactorOptions& reactor = options.reactor;
  reactor.rules =
      settings.text("rules") == "upstream" ? policy::RuleSet::Upstream : policy::RuleSet::Elbowroom;
  reactor.dry_run = settings.truth("dryRun");
  reactor.leader_elect = settings.truth("leaderElect");
  reactor.elector.identity = identity;
  const std::string& name = settings.text("schedulerName");
  if (!api::is_dns_subdomain(name)) {
    return failure(Code::Invalid, "schedulerName: " + name + " is no name of a scheduler");
  }
  if (settings.text("mode") == "full") reactor.places_for.insert(name);
  ASSIGN_OR_RETURN(reactor.breaker.sets_per_pod, count_in(settings, "setsPerPod"));
  ASSIGN_OR_RETURN(reactor.breaker.pods_per_node, count_in(settings, "podsPerNode"));
  if (settings.at("yieldTo").given()) reactor.yield_to = names_in(settings.text("yieldTo"));
  ASSIGN_OR_RETURN(const std::string lease_namespace, control::lease_namespace(settings));
  options.worker = {.lease_namespace = lease_namespace,
                    .identity = identity,
                    .leader_elect = reactor.leader_elect,
                    .places = !reactor.places_for.empty(),
                    .seed = std::hash<std::string>()(identity)};
  return options;
}

Result<SchedulerOptions> options_from(const daemon::Settings& settings, const std::string& identity,
                                      const api::ApiEnvironment& environment) {
  return control::options_from<Config>(settings, identity, environment);
}

std::vector<daemon::Resolution> Config::resolved(const Options& /*options*/) {
  return {{.key = "yieldTo",
           .why = "default-scheduler where the API server keeps podPreemptionPolicy, else nobody"}};
}

}  // namespace elbowroom::scheduler
