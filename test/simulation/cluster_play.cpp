#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "api/codec/decode_budget.h"
#include "api/codec/decode_pod.h"
#include "api/write/debit.h"
#include "cli/scenario/instant_rescheduler.h"
#include "lab/controllers/volume_binding.h"
#include "lab/virtual/virtual_node.h"
#include "policy/ledger/ledger.h"
#include "policy/preemption/budget_coverage.h"
#include "scheduler/recording/recording_text.h"
#include "test/simulation/cluster_history.h"
#include "test/simulation/group_objects.h"
#include "test/simulation/scheduler_invariants.h"
#include "test/simulation/strangers.h"

namespace elbowroom::test {
namespace {

using lab::Json;
using std::chrono::minutes;
using std::chrono::seconds;

// A watch may say nothing for three minutes, and then the others have the first turn. With the
// quiet after it the safety net may look as well: that it finds nothing to do is an invariant.
constexpr seconds kSettlesWithin{240};
constexpr seconds kWrittenWithin{5};  // what was decided at the very end
// So long a refused pod may say what a change that cannot help it made untrue, and the write of it.
constexpr seconds kQuiet{61};
constexpr seconds kRefundedAfter{125};  // a debit whose pod lives on
constexpr int kMostRounds = 20;
constexpr int kMostTurns = 8;  // of the rescheduler at one moment

constexpr const char* kOther = "default-scheduler";
constexpr seconds kVolumesEvery{1};  // a turn of the controllers of claims

const lab::Kind& pods() { return *lab::find_kind("", "v1", "pods"); }
const lab::Kind& nodes() { return *lab::find_kind("", "v1", "nodes"); }
const lab::Kind& budgets() { return *lab::find_kind("policy", "v1", "poddisruptionbudgets"); }

const lab::Kind& own_budgets() {
  return *lab::find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets");
}

std::string mebibytes(std::int64_t amount) { return std::to_string(amount) + "Mi"; }
std::string millicores(std::int64_t amount) { return std::to_string(amount) + "m"; }

Json amounts_of(std::int64_t cpu, std::int64_t memory) {
  return {{"cpu", millicores(cpu)}, {"memory", mebibytes(memory)}, {"pods", "110"}};
}

Json ready(bool is) {
  return Json::array({{{"type", "Ready"}, {"status", is ? "True" : "False"}}});
}

Json node_object(const std::string& name, std::int64_t cpu, std::int64_t memory) {
  const char* zone = name == "n1" ? "a" : "b";
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata",
           {{"name", name}, {"labels", {{"kubernetes.io/hostname", name}, {"zone", zone}}}}},
          {"status",
           {{"capacity", amounts_of(cpu, memory)},
            {"allocatable", amounts_of(cpu, memory)},
            {"conditions", ready(true)}}}};
}

// Pods differ by their names: some take long to end, some belong to another scheduler, some never
// preempt, and most are covered by a budget.
std::uint64_t trait_of(const std::string& pod) {
  std::uint64_t value = 7;
  for (const char c : pod) value = value * 31 + static_cast<unsigned char>(c);
  return value % 12;
}

Json spec_of(const ClusterStep& step, const std::string& node) {
  const std::uint64_t trait = trait_of(step.pod);
  const std::int64_t grace = 2 + 2 * static_cast<std::int64_t>(trait);
  Json spec = {
      {"nodeName", node},
      {"priority", step.c},
      {"terminationGracePeriodSeconds", grace},
      {"schedulerName", trait % 3 == 1 ? kOther : "somebody"},
      {"containers",
       Json::array(
           {{{"name", "app"},
             {"image", "pause"},
             {"resources",
              {{"requests", {{"cpu", millicores(step.a)}, {"memory", mebibytes(step.b)}}}}}}})}};
  if (trait == 5) spec["preemptionPolicy"] = "Never";
  return spec;
}

Json pod_object(const ClusterStep& step, const std::string& node) {
  const std::uint64_t trait = trait_of(step.pod);
  const auto grace = static_cast<std::int64_t>(2 + 2 * trait);
  // One of twelve does not end in time.
  const std::int64_t takes = trait == 11 ? grace + 75 : 1 + grace / 2;
  Json labels = Json::object();
  if (trait % 2 == 0) labels["app"] = "x";
  if (trait % 3 == 0) labels["tier"] = "y";
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", step.pod},
            {"namespace", "default"},
            {"labels", std::move(labels)},
            {"annotations", {{std::string(lab::kTerminatesAfter), std::to_string(takes) + "s"}}}}},
          {"spec", spec_of(step, node)}};
}

// ---- volumes ----

const lab::Kind& claims() { return *lab::find_kind("", "v1", "persistentvolumeclaims"); }

// Both wait for the first consumer. An administrator makes the volumes of the first.
constexpr const char* kVolumeClass = "local";
constexpr const char* kMadeClass = "made";
// One claim for all pods that ask for it; its volume is bound.
constexpr const char* kSharedClaim = "a-data";

Json volume_class() {
  return {{"apiVersion", "storage.k8s.io/v1"},
          {"kind", "StorageClass"},
          {"metadata", {{"name", kVolumeClass}}},
          {"provisioner", "kubernetes.io/no-provisioner"},
          {"volumeBindingMode", "WaitForFirstConsumer"}};
}

// Its volumes are made in zone a.
Json made_class() {
  Json made = volume_class();
  made["metadata"]["name"] = kMadeClass;
  made["provisioner"] = "example.com/maker";
  const Json in_zone = {{"key", "zone"}, {"values", Json::array({"a"})}};
  made["allowedTopologies"] = Json::array({{{"matchLabelExpressions", Json::array({in_zone})}}});
  return made;
}

// A volume that can be used in that zone alone.
Json volume_object(const std::string& name, const char* zone) {
  const Json in_zone = {{"key", "zone"}, {"operator", "In"}, {"values", Json::array({zone})}};
  const Json terms = Json::array({{{"matchExpressions", Json::array({in_zone})}}});
  return {{"apiVersion", "v1"},
          {"kind", "PersistentVolume"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"storageClassName", kVolumeClass},
            {"accessModes", Json::array({"ReadWriteOnce"})},
            {"capacity", {{"storage", "2Gi"}}},
            {"nodeAffinity", {{"required", {{"nodeSelectorTerms", terms}}}}}}},
          {"status", {{"phase", "Available"}}}};
}

Json claim_object(const std::string& name, const char* of = kVolumeClass) {
  return {{"apiVersion", "v1"},
          {"kind", "PersistentVolumeClaim"},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"spec",
           {{"storageClassName", of},
            {"accessModes", Json::array({"ReadWriteOnce"})},
            {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}};
}

// "": it has none. The name begins with the zone of the volumes that the claim can get
// (plain_claims in plain_placing.h).
std::string claim_of(const std::string& pod, std::uint64_t seed) {
  const std::uint64_t trait = trait_of(pod + " with a claim " + std::to_string(seed)) % 6;
  if (trait == 0) return kSharedClaim;
  if (trait == 1) return "b-" + pod;
  return trait == 2 ? "a-made-" + pod : "";
}

// What a pending pod asks of its node and of the pods beside it differs by its name too.
void place_by_trait(const std::string& name, Json& pod) {
  const std::uint64_t trait = trait_of(name + " to be placed");
  Json& spec = pod["spec"];
  const Json about_app = {{"matchLabels", {{"app", "x"}}}};
  if (trait < 3) spec["nodeSelector"] = {{"zone", trait == 2 ? "b" : "a"}};
  if (trait == 3) {
    spec["tolerations"] = Json::array({{{"key", "dedicated"}, {"operator", "Exists"}}});
  }
  if (trait == 4) spec["schedulingGates"] = Json::array({{{"name", "example.com/quota"}}});
  if (trait == 5) {
    spec["affinity"] = {{"podAntiAffinity",
                         {{"requiredDuringSchedulingIgnoredDuringExecution",
                           Json::array({{{"labelSelector", about_app},
                                         {"topologyKey", "kubernetes.io/hostname"}}})}}}};
  }
  if (trait == 6) {
    spec["topologySpreadConstraints"] = Json::array({{{"maxSkew", 1},
                                                      {"topologyKey", "zone"},
                                                      {"whenUnsatisfiable", "DoNotSchedule"},
                                                      {"labelSelector", about_app}}});
  }
  if (trait == 7) {
    spec["containers"][0]["ports"] =
        Json::array({{{"containerPort", 8080}, {"hostPort", 8080}, {"protocol", "TCP"}}});
  }
  if (trait % 2 == 0) {
    pod["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", "apps/v1"},
                                                       {"kind", "ReplicaSet"},
                                                       {"name", "set"},
                                                       {"uid", "uid-of-the-set"},
                                                       {"controller", true}}});
  }
}

class Player {
 public:
  Player(const ClusterHistory& history, bool with_log, bool recorded = false)
      : history_(history),
        with_log_(with_log),
        is_recorded_(recorded),
        simulation_({.seed = history.seed, .world = {.history = 512}}, hooks()),
        invariants_(simulation_,
                    {history.upstream, history.full, history.groups, history.budgets, {kOther}}) {}

  ClusterOutcome play() {
    for (const char* name : {"n1", "n2"}) {
      must(simulation_.world().load(node_object(name, history_.cpu, history_.memory)));
      simulation_.add_node(name);
    }
    must(simulation_.world().load(node_object(kPaperNode, 4000, 8192)));
    if (has_volumes()) add_volumes();
    for (const ClusterStep& step : history_.steps) {
      last_ = std::max<lab::Simulation::Span>(last_, step.at);
      if (step.at.count() == 0) {
        apply(step);
      } else {
        simulation_.at(step.at, [this, &step] { apply(step); });
      }
    }
    start_all();
    run(last_);
    if (invariants_.broken().empty()) settle();
    outcome_.broken = invariants_.broken();
    if (with_log_) note_pods();
    while (!lives_.empty()) end_life(lives_.begin()->first);
    return std::move(outcome_);
  }

 private:
  lab::SimulationHooks hooks() {
    lab::SimulationHooks hooks;
    hooks.began = [this](const std::string& name) {
      if (with_log_) note(name + " begins");
      end_life(name);
      invariants_.began(name);
    };
    hooks.seen = [this](const std::string& name, const scheduler::Observation& seen) {
      if (!is_settling_) ++outcome_.observations;  // what follows the faults is no part of them
      if (with_log_) note_seen(name, seen);
      if (is_recorded_) record_seen(name, seen);
      invariants_.observed(name, seen);
    };
    hooks.resolved = [this](const std::string& name, const scheduler::Effect& effect) {
      count(effect);
      if (const auto life = lives_.find(name); life != lives_.end())
        life->second.did.push_back(effect);
      if (with_log_) note_effect(name, effect);
      invariants_.decided(name, effect);
    };
    hooks.world_changed = [this] {
      invariants_.hears(foreign_.changed());
      invariants_.world_changed();
    };
    hooks.asked = [this](const std::string& name, const api::Request& request) {
      if (with_log_ && request.method != api::Method::Get) {
        note(name + " asks " + std::string(api::to_string(request.method)) + " " + request.path +
             " " + request.body);
      }
      invariants_.asked(name, request);
    };
    hooks.fault = [this](const std::string& name, std::string_view fault) {
      ++outcome_.faults[std::string(fault)];
      if (with_log_) note(name + " meets " + std::string(fault));
    };
    return hooks;
  }

  // ---- what --record would have written ----

  struct Life {
    std::string text{};
    bool waits = false;  // for the effects of the last observation
    scheduler::Effects did{};
  };

  static void record_did(Life& life) {
    if (std::exchange(life.waits, false)) {
      life.text += scheduler::did_line(std::exchange(life.did, {})) + "\n";
    }
  }

  void record_seen(const std::string& name, const scheduler::Observation& seen) {
    const auto [at, is_new] = lives_.try_emplace(name);
    Life& life = at->second;
    if (is_new) {
      const scheduler::Reactor& reactor = simulation_.scheduler(name)->reactor();
      life.text = scheduler::header_line({ELBOWROOM_VERSION, reactor.options()}) + "\n";
    }
    record_did(life);
    for (const std::string& line : scheduler::seen_lines(seen)) life.text += line + "\n";
    life.waits = true;
  }

  void end_life(const std::string& name) {
    const auto at = lives_.find(name);
    if (at == lives_.end()) return;
    record_did(at->second);
    outcome_.recordings.push_back(std::move(at->second.text));
    lives_.erase(at);
  }

  void count(const scheduler::Effect& effect) {
    if (const auto* mark = std::get_if<scheduler::MarkVictim>(&effect.what)) {
      ++outcome_.did[mark->clear ? "clear" : "mark"];
    }
    if (const auto* gone = std::get_if<scheduler::DeleteVictim>(&effect.what)) {
      ++outcome_.did[gone->dry_run ? "check" : "delete"];
    }
    if (const auto* bind = std::get_if<scheduler::BindPod>(&effect.what)) {
      ++outcome_.did[bind->pod.name.starts_with('m') ? "bind a member" : "bind"];
    }
    if (std::holds_alternative<scheduler::BindVolume>(effect.what)) {
      ++outcome_.did["reserve a volume"];
    }
    if (std::holds_alternative<scheduler::SelectNode>(effect.what)) {
      ++outcome_.did["have a volume made"];
    }
    if (const auto* group = std::get_if<scheduler::WriteGroupStatus>(&effect.what)) {
      for (const policy::Condition& each : group->set) {
        ++outcome_.did[each.type + "=" + each.status];
      }
    }
    if (const auto* write = std::get_if<scheduler::WriteLedger>(&effect.what)) {
      ++outcome_.did["debit"];
      before_write_of(write->budget.name);
    }
    if (std::holds_alternative<scheduler::ReadLedger>(effect.what)) ++outcome_.did["read a ledger"];
    if (std::holds_alternative<scheduler::ConfirmGroup>(effect.what)) {
      ++outcome_.did["confirm a group"];
    }
    if (const auto* pending = std::get_if<scheduler::WritePending>(&effect.what)) {
      if (pending->scheduled) ++outcome_.did["say why not"];
      if (pending->nominated)
        ++outcome_.did[pending->nominated->empty() ? "denominate" : "nominate"];
    }
  }

  // ---- for people ----

  void note(std::string what) {
    const auto at = std::chrono::floor<std::chrono::milliseconds>(simulation_.elapsed());
    outcome_.log.push_back(std::to_string(at.count()) + "ms " + std::move(what));
  }

  void note_seen(const std::string& name, const scheduler::Observation& seen) {
    std::string text = name + " sees " + std::to_string(seen.what.index());
    if (const auto* pod = std::get_if<scheduler::PodSeen>(&seen.what)) {
      const policy::Pod of = pod->object.unpacked();
      text += " " + of.name + " generation " + std::to_string(of.generation) +
              (of.deletion ? " terminating" : "") + (of.node.empty() ? "" : " on " + of.node) +
              (of.nominated_node.empty() ? "" : " nominated to " + of.nominated_node);
      for (const policy::Condition& each : of.conditions) {
        text += " " + each.type + "=" + each.status + "/" + each.reason;
      }
    }
    if (const auto* gone = std::get_if<scheduler::PodGone>(&seen.what))
      text += " gone " + gone->key;
    if (const auto* lost = std::get_if<scheduler::Lost>(&seen.what)) text += " lost " + lost->why;
    if (const auto* failed = std::get_if<scheduler::Failed>(&seen.what)) {
      text += " failed " + std::to_string(failed->effect) + " " + failed->error.message;
    }
    if (const auto* lease = std::get_if<scheduler::LeaseSeen>(&seen.what)) {
      if (lease->lease) text += " lease of " + lease->lease->holder;
    }
    note(text);
  }

  void note_effect(const std::string& name, const scheduler::Effect& effect) {
    std::string text = name + " decides " + std::to_string(effect.id);
    if (const auto* mark = std::get_if<scheduler::MarkVictim>(&effect.what)) {
      text += (mark->clear ? " clear " : " mark ") + mark->victim.name + mark->condition.message;
    } else if (const auto* gone = std::get_if<scheduler::DeleteVictim>(&effect.what)) {
      text += (gone->dry_run ? " check " : " delete ") + gone->victim.name;
    } else if (const auto* confirm = std::get_if<scheduler::ConfirmResize>(&effect.what)) {
      text += " confirm " + confirm->preemptor.name;
    } else if (const auto* event = std::get_if<scheduler::EmitEvent>(&effect.what)) {
      text += " event " + event->regarding.name + ": " + event->note;
    } else if (const auto* bind = std::get_if<scheduler::BindPod>(&effect.what)) {
      text += " bind " + bind->pod.name + " to " + bind->node;
    } else if (const auto* pending = std::get_if<scheduler::WritePending>(&effect.what)) {
      text += " write " + pending->pod.name;
      if (pending->scheduled) text += ": " + pending->scheduled->message;
      if (pending->nominated) text += " nominated to \"" + *pending->nominated + "\"";
    } else if (const auto* group = std::get_if<scheduler::WriteGroupStatus>(&effect.what)) {
      text += " write group " + group->group.name;
      for (const policy::Condition& each : group->set) {
        text += " " + each.type + "=" + each.status + ": " + each.message;
      }
    } else if (const auto* asked = std::get_if<scheduler::ConfirmGroup>(&effect.what)) {
      text += " confirm group " + asked->group.name;
    } else if (const auto* read = std::get_if<scheduler::ReadLedger>(&effect.what)) {
      text += " read budget " + read->budget.name;
    } else if (const auto* write = std::get_if<scheduler::WriteLedger>(&effect.what)) {
      text += " debit " + write->budget.name + " at " + write->version + ":";
      for (const policy::LedgerEntry& each : write->ledger) text += " " + each.pod;
    } else if (const auto* select = std::get_if<scheduler::SelectNode>(&effect.what)) {
      text += " have " + select->name + " made on " + select->node;
    } else if (const auto* reserve = std::get_if<scheduler::BindVolume>(&effect.what)) {
      text += " reserve " + reserve->volume + " for " + reserve->claim.name;
    } else {
      text += " lease";
    }
    note(text);
  }

  // The pods at the end.
  void note_pods() {
    const auto list = simulation_.world().list({.kind = &pods()});
    for (const Json& pod : (*list)["items"]) note(lab::to_text(pod));
  }

  // ---- the cluster ----

  template <class T>
  static void must(const lab::Answer<T>& answer) {
    if (!answer) throw std::logic_error("the history's own object: " + answer.error().message);
  }

  [[nodiscard]] scheduler::ReactorOptions options() const {
    scheduler::ReactorOptions of;
    of.rules = history_.upstream ? policy::RuleSet::Upstream : policy::RuleSet::Elbowroom;
    of.yield_to.emplace();
    of.yield_to->insert(kOther);
    if (history_.full) of.places_for.insert(kPlaced);
    return of;
  }

  // Pods of groups have none.
  [[nodiscard]] bool has_volumes() const { return history_.full && !history_.groups; }

  void add_volumes() {
    must(simulation_.world().load(volume_class()));
    must(simulation_.world().load(made_class()));
    must(simulation_.world().load(claim_object(kSharedClaim)));
    bind_shared_claim();
    turn_of_volumes();
  }
  // As an administrator does.
  void bind_shared_claim() {
    const lab::Json* claim = simulation_.world().peek(claims(), "default", kSharedClaim);
    Json volume = volume_object("shared", "a");
    volume["spec"]["claimRef"] = {{"namespace", "default"},
                                  {"name", kSharedClaim},
                                  {"uid", lab::text_at(*claim, {"metadata", "uid"})}};
    must(simulation_.world().load(std::move(volume)));
    while (volumes_.step().changed) {
    }
  }
  void turn_of_volumes() {
    (void)volumes_.step();
    simulation_.at(simulation_.elapsed() + kVolumesEvery, [this] { turn_of_volumes(); });
  }

  void start(const std::string& who) {
    if (who == kFirstScheduler || who == kSecondScheduler) {
      if (simulation_.scheduler(who) == nullptr) simulation_.start_scheduler(who, options());
    } else if (!history_.groups && simulation_.reactor(who) == nullptr) {
      simulation_.start_agent(who, {.node_name = who,
                                    .authority = true,
                                    .critical_preemption = history_.critical_by_node,
                                    .jitter_seed = history_.seed});
    }
  }
  void start_all() {
    for (const char* who : {"n1", "n2", kFirstScheduler, kSecondScheduler}) start(who);
  }

  void run(lab::Simulation::Span until) {
    while (invariants_.broken().empty()) {
      const auto next = simulation_.next_due();
      if (!next || *next > until) return;
      simulation_.step();
    }
  }

  void settle() {
    is_settling_ = true;
    simulation_.disarm();
    simulation_.world().serve_groups(lab::GroupVersions::All);
    for (const char* name : {"n1", "n2", kPaperNode}) {
      patch_node(name, {{"status", {{"conditions", ready(true)}}}});
    }
    start_all();
    run(simulation_.elapsed() + kSettlesWithin + kWrittenWithin);
    run_until_quiet();
    if (keeper_ && invariants_.broken().empty()) {
      refund();
      run_until_quiet();  // a refund may allow a removal
    }
    if (invariants_.broken().empty()) {
      invariants_.check_settled({kFirstScheduler, kSecondScheduler}, {"n1", "n2", kPaperNode});
    }
  }

  // What a rate allows as time passes is removed, and placed, as it comes; and what a refused pod
  // says becomes true again.
  void run_until_quiet() {
    for (int round = 0; round < kMostRounds; ++round) {
      const auto before = outcome_.did;
      run(simulation_.elapsed() + kQuiet);
      if (outcome_.did == before) break;
    }
  }

  static lab::Target target(const std::string& pod,
                            lab::Subresource part = lab::Subresource::None) {
    return {.kind = &pods(), .ns = "default", .name = pod, .subresource = part};
  }
  // An action that users may not take is refused, and nothing happens.
  void patch(const lab::Target& target, const Json& patch) {
    (void)simulation_.world().patch(target, lab::PatchType::StrategicMerge, patch);
  }
  void patch_node(const std::string& name, const Json& with) {
    patch({.kind = &nodes(), .name = name, .subresource = lab::Subresource::Status}, with);
  }
  void patch_conditions(const std::string& pod, Json condition) {
    patch(target(pod, lab::Subresource::Status),
          {{"status", {{"conditions", Json::array({std::move(condition)})}}}});
  }
  void remove_at_once(const std::string& pod) {
    (void)simulation_.world().remove(target(pod), {.grace_seconds = 0});
  }

  void apply(const ClusterStep& step) {
    using Kind = ClusterStep::Kind;
    if (with_log_) note("-- " + to_text(step));
    if (groups_.apply(step)) return;
    switch (step.kind) {
      case Kind::Resize:
        return patch(target(step.pod, lab::Subresource::Resize),
                     {{"spec",
                       {{"containers", Json::array({{{"name", "app"},
                                                     {"resources",
                                                      {{"requests",
                                                        {{"cpu", millicores(step.a)},
                                                         {"memory", mebibytes(step.b)}}}}}}})}}}});
      case Kind::Arrive:
        (void)simulation_.world().create(pods(), "default", pod_object(step, step.node));
        return;
      case Kind::ArriveOdd:
        return arrive_odd(step);
      case Kind::OddPod:
      case Kind::BigPod:
        return arrive_strange(step);
      case Kind::ForeignDisables:
        return disable_as_another(step);
      case Kind::Replace:
        return replace(step);
      case Kind::Delete:
        (void)simulation_.world().remove(target(step.pod), {});
        return;
      case Kind::Exit:
        for (const char* node : {"n1", "n2"})
          (void)simulation_.node(node).exit("default", step.pod);
        return;
      case Kind::Nominate:
        return nominate(step);
      case Kind::Mark:
        return patch_conditions(step.pod, {{"type", "DisruptionTarget"},
                                           {"status", "True"},
                                           {"reason", "PreemptionByScheduler"},
                                           {"message", "long ago (for uid nobody, generation 3)"}});
      case Kind::Unmark:
        return patch_conditions(step.pod, {{"type", "DisruptionTarget"}, {"$patch", "delete"}});
      case Kind::PaperPod:
        return paper_pod(step);
      case Kind::PaperTwin:
        return paper_twin(step);
      case Kind::PaperGone:
        return remove_at_once(step.pod);
      case Kind::Pend:
      case Kind::Member:
        return pend(step);
      case Kind::MemberRuns:
        return run_member(step);
      case Kind::Ungate:
        return patch_merging(target(step.pod), {{"spec", {{"schedulingGates", nullptr}}}});
      default:
        return apply_to_node(step);
    }
  }

  void patch_merging(const lab::Target& target, const Json& patch) {
    (void)simulation_.world().patch(target, lab::PatchType::Merge, patch);
  }

  void pend(const ClusterStep& step) {
    Json pod = pod_object(step, "");
    pod["spec"].erase("nodeName");
    pod["spec"]["schedulerName"] = kPlaced;
    if (!step.who.empty()) pod["spec"]["schedulerName"] = step.who;
    place_by_trait(step.pod, pod);
    if (has_volumes()) use_claim(step.pod, pod);
    if (!step.group.empty()) join_group(step.group, pod);
    (void)simulation_.world().create(pods(), "default", std::move(pod));
  }

  // A claim of its own, and a volume that is not claimed by another, exist before it.
  void use_claim(const std::string& name, Json& pod) {
    const std::string claim = claim_of(name, history_.seed);
    if (claim.empty()) return;
    ++outcome_.did["pod with a claim"];
    pod["spec"]["volumes"] =
        Json::array({{{"name", "data"}, {"persistentVolumeClaim", {{"claimName", claim}}}}});
    if (claim == kSharedClaim) return;
    if (claim.starts_with("a-")) {
      (void)simulation_.world().create(claims(), "default", claim_object(claim, kMadeClass));
      return;
    }
    (void)simulation_.world().create(*lab::find_kind("", "v1", "persistentvolumes"), "",
                                     volume_object("disk-of-" + name, "b"));
    (void)simulation_.world().create(claims(), "default", claim_object(claim));
  }

  void run_member(const ClusterStep& step) {
    Json pod = pod_object(step, step.node);
    join_group(step.group, pod);
    (void)simulation_.world().create(pods(), "default", std::move(pod));
  }

  // Our pods on the paper node that never began.
  void turn_out(const ClusterStep& step) {
    const auto list = simulation_.world().list({.kind = &pods()});
    for (const Json& each : (*list)["items"]) {
      const bool is_placed = lab::text_at(each, {"spec", "nodeName"}) == kPaperNode &&
                             lab::text_at(each, {"spec", "schedulerName"}) == kPlaced &&
                             lab::text_at(each, {"status", "phase"}) != "Failed" &&
                             !each["metadata"].contains("deletionTimestamp");
      if (is_placed) turn_out(each, step.a == 1);
    }
  }

  void turn_out(const Json& pod, bool evicted) {
    Json failed = pod;
    failed["status"]["phase"] = "Failed";
    failed["status"]["reason"] = evicted ? "Evicted" : "OutOfcpu";
    if (evicted) {
      failed["status"]["conditions"] = Json::array({{{"type", "DisruptionTarget"},
                                                     {"status", "True"},
                                                     {"reason", "TerminationByKubelet"},
                                                     {"message", "The node was low on memory"}}});
    }
    (void)simulation_.world().load(std::move(failed));
    const Json& known = pod["metadata"];
    Json successor = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"spec", pod["spec"]}};
    successor["metadata"] = {{"name", known.at("name").get<std::string>() + "-2"},
                             {"labels", known.value("labels", Json::object())},
                             {"annotations", known.at("annotations")}};
    if (known.contains("ownerReferences")) {
      successor["metadata"]["ownerReferences"] = known.at("ownerReferences");
    }
    successor["spec"].erase("nodeName");
    (void)simulation_.world().create(pods(), "default", std::move(successor));
  }

  void sweep() {
    const auto list = simulation_.world().list({.kind = &pods()});
    for (const Json& each : (*list)["items"]) {
      const bool leaves = lab::text_at(each, {"spec", "nodeName"}) == kPaperNode &&
                          each["metadata"].contains("deletionTimestamp");
      if (leaves) remove_at_once(lab::text_at(each, {"metadata", "name"}));
    }
  }

  void taint(const ClusterStep& step) {
    Json taints;
    if (step.a > 0) {
      taints = Json::array({{{"key", "dedicated"},
                             {"value", "batch"},
                             {"effect", step.a == 1 ? "NoSchedule" : "PreferNoSchedule"}}});
    }
    patch_merging({.kind = &nodes(), .name = step.node}, {{"spec", {{"taints", taints}}}});
  }

  // Its pods stay: garbage collection is not that fast.
  void node_gone(const ClusterStep& step) {
    if (!simulation_.world().remove({.kind = &nodes(), .name = step.node}, {})) return;
    simulation_.at(simulation_.elapsed() + seconds(step.a), [this, name = step.node] {
      must(simulation_.world().load(node_object(name, history_.cpu, history_.memory)));
    });
  }

  void arrive_odd(const ClusterStep& step) {
    Json pod = pod_object({.pod = step.pod, .a = 100, .b = 64, .c = 0}, step.node);
    pod["metadata"]["annotations"][std::string(lab::kUnreadable)] = "true";
    if (!simulation_.world().create(pods(), "default", std::move(pod))) return;
    simulation_.at(simulation_.elapsed() + seconds(step.a),
                   [this, name = step.pod] { remove_at_once(name); });
  }

  void arrive_strange(const ClusterStep& step) {
    const bool is_big = step.kind == ClusterStep::Kind::BigPod;
    // The scheduler takes such a pod for a victim and then does not wait for it, so that more are
    // removed.
    if (!is_big && may_stay_for_ever(step.a)) return;
    Json pod = is_big ? big_pod(step.pod, step.node, step.a, step.c == 1)
                      : odd_pod(step.pod, step.node, step.a, step.c == 1, step.node != kPaperNode);
    if (!simulation_.world().load(std::move(pod))) return;
    ++outcome_.did[is_big ? "big pod" : "odd pod"];
    if (step.b == 0) return;
    simulation_.at(simulation_.elapsed() + seconds(step.b),
                   [this, name = step.pod] { remove_at_once(name); });
  }

  void disable_as_another(const ClusterStep& step) {
    if (!foreign_.set(step.pod)) return;
    ++outcome_.did["disabled by another"];
    if (step.b == 0) return;
    simulation_.at(simulation_.elapsed() + seconds(step.b),
                   [this, name = step.pod] { foreign_.take(name); });
  }

  // The controller of a stateful set does the same.
  void replace(const ClusterStep& step) {
    const Json* known = simulation_.world().peek(pods(), "default", step.pod);
    if (known == nullptr || step.pod.front() != 'p') return;
    Json successor = {{"apiVersion", "v1"}, {"kind", "Pod"}};
    successor["metadata"] = {{"name", step.pod},
                             {"labels", known->at("metadata").value("labels", Json::object())},
                             {"annotations", known->at("metadata").at("annotations")}};
    successor["spec"] = known->at("spec");
    remove_at_once(step.pod);
    (void)simulation_.world().create(pods(), "default", std::move(successor));
  }

  void nominate(const ClusterStep& step) {
    if (step.b == 0) return remove_at_once(step.pod);
    Json pod = pod_object({.pod = step.pod, .a = step.a, .b = 64, .c = step.c}, "");
    pod["spec"].erase("nodeName");
    pod["status"] = {{"phase", "Pending"}, {"nominatedNodeName", step.node}};
    (void)simulation_.world().load(std::move(pod));
  }

  void paper_pod(const ClusterStep& step) {
    const Json* known = simulation_.world().peek(pods(), "default", step.pod);
    Json pod = pod_object(step, kPaperNode);
    std::int64_t generation = 1;
    if (known != nullptr) {
      if (known->at("metadata").contains("deletionTimestamp")) return;
      generation = known->at("metadata").value("generation", 1) + 1;
      pod["metadata"]["uid"] = known->at("metadata").at("uid");
    }
    pod["metadata"]["generation"] = generation;
    pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = millicores(step.b);
    pod["spec"]["containers"][0]["resources"]["requests"]["memory"] = "64Mi";
    const Json held = {{"cpu", millicores(step.a)}, {"memory", "64Mi"}};
    Json conditions = Json::array();
    if (step.b > step.a) {
      conditions.push_back({{"type", "PodResizePending"},
                            {"status", "True"},
                            {"reason", "Deferred"},
                            {"observedGeneration", generation},
                            {"message", "no room"}});
    }
    pod["status"] = {
        {"phase", "Running"},
        {"conditions", std::move(conditions)},
        {"containerStatuses", Json::array({{{"name", "app"},
                                            {"allocatedResources", held},
                                            {"resources", {{"requests", held}}},
                                            {"state", {{"running", Json::object()}}}}})}};
    (void)simulation_.world().load(std::move(pod));
  }

  void paper_twin(const ClusterStep& step) {
    const Json* known = simulation_.world().peek(pods(), "default", step.pod);
    if (known == nullptr) return;
    Json twin = *known;
    const std::string name = "twin-of-" + step.pod;
    twin["metadata"]["name"] = name;
    if (!simulation_.world().load(std::move(twin))) return;
    simulation_.at(simulation_.elapsed() + seconds(step.a), [this, name] { remove_at_once(name); });
  }

  void apply_to_node(const ClusterStep& step) {
    using Kind = ClusterStep::Kind;
    switch (step.kind) {
      case Kind::Policy:
        return patch({.kind = &nodes(), .name = step.node},
                     {{"spec",
                       {{"podPreemptionPolicy",
                         step.a == 0 ? Json()
                                     : Json{{"disableResizePreemption",
                                             Json::array({"example.com/owner"})}}}}}});
      case Kind::Allocatable:
        return patch_node(step.node, {{"status", {{"allocatable", amounts_of(step.a, step.b)}}}});
      case Kind::Ready:
        return patch_node(step.node, {{"status", {{"conditions", ready(step.a != 0)}}}});
      case Kind::Taint:
        return taint(step);
      case Kind::Cordon:
        return patch_merging({.kind = &nodes(), .name = step.node},
                             {{"spec", {{"unschedulable", step.a == 1 ? Json(true) : Json()}}}});
      case Kind::NodeGone:
        return node_gone(step);
      case Kind::TurnOut:
        return turn_out(step);
      case Kind::Sweep:
        return sweep();
      case Kind::Budget:
        return budget(step);
      case Kind::OwnBudget:
        return own_budget(step);
      case Kind::Evict:
        if (step.b == 1) return evictions_.push_back(step);
        return evict(step);
      case Kind::Contend:
        contended_[step.pod] = step.a;
        return;
      case Kind::Keep:
        if (step.a == 1) keeper_.reset();
        if (step.b == 0) return keep();
        keeps_at_next_write_ = true;
        return;
      case Kind::Api:
        return simulation_.arm(step.who, step.api);
      case Kind::Partition:
        return partition(step);
      case Kind::Crash:
        return simulation_.crash(step.who, step.crash, step.how, step.down);
      case Kind::End:
        return end(step);
      case Kind::Jump:
        return simulation_.jump_wall(step.who, seconds(step.a));
      default:
        return;
    }
  }

  void budget(const ClusterStep& step) {
    const lab::Target at{.kind = &budgets(), .ns = "default", .name = step.pod};
    if (step.a < 0) {
      (void)simulation_.world().remove(at, {});
      return;
    }
    const bool by_app = step.pod == "one";
    (void)simulation_.world().load(
        {{"apiVersion", "policy/v1"},
         {"kind", "PodDisruptionBudget"},
         {"metadata", {{"name", step.pod}, {"namespace", "default"}}},
         {"spec",
          {{"minAvailable", 1},
           {"selector", {{"matchLabels", {{by_app ? "app" : "tier", by_app ? "x" : "y"}}}}}}},
         {"status", {{"disruptionsAllowed", step.a}}}});
  }

  void own_budget(const ClusterStep& step) {
    const lab::Target at{.kind = &own_budgets(), .ns = "default", .name = step.pod};
    const lab::Json* there = simulation_.world().peek(own_budgets(), "default", step.pod);
    if (step.a < 0) {
      (void)simulation_.world().remove(at, {});
      return;
    }
    const bool by_app = step.pod == "ours-x";
    Json spec = {{"hard", step.c == 1},
                 {"minAvailable", step.a},
                 {"selector", {{"matchLabels", {{by_app ? "app" : "tier", by_app ? "x" : "y"}}}}}};
    if (step.b > 0) {
      const auto per = std::chrono::floor<seconds>(step.down).count();
      spec["rate"] = {{"disruptions", step.b}, {"per", std::to_string(per) + "s"}};
    }
    Json object = there != nullptr
                      ? *there
                      : Json{{"apiVersion", "elbowroom.dev/v1alpha1"},
                             {"kind", "DisruptionBudget"},
                             {"metadata", {{"name", step.pod}, {"namespace", "default"}}}};
    object["spec"] = std::move(spec);
    (void)simulation_.world().load(object);
  }

  // A scheduler's write of that ledger is on its way.
  void before_write_of(const std::string& budget) {
    simulation_.at(
        simulation_.elapsed(), [this, budget, evictions = std::exchange(evictions_, {})] {
          for (const ClusterStep& each : evictions) evict(each);
          if (std::exchange(keeps_at_next_write_, false)) keep();
          const lab::Json* there = simulation_.world().peek(own_budgets(), "default", budget);
          if (there == nullptr || contended_[budget] == 0) return;
          --contended_[budget];
          ++outcome_.did["contend"];
          Json touched = *there;
          touched["status"]["observedGeneration"] = contended_[budget];
          (void)simulation_.world().load(touched);
        });
  }

  // The rescheduler, which had no turn for a while, sees all and writes what is due.
  void keep() {
    if (!keeper_) {
      keeper_ = std::make_unique<cli::InstantRescheduler>(
          cli::InstantRescheduler::Cluster{simulation_.world(), simulation_.api(),
                                           simulation_.clock()},
          keeper_writes_, [](const control::EmitEvent&) {});
    }
    for (int turn = 0; turn < kMostTurns && keeper_->settle(); ++turn) {
    }
    outcome_.did["keep"] += std::exchange(keeper_writes_, 0);
  }

  // Where the rescheduler runs, each debit whose pod lives on is refunded.
  void refund() {
    run(simulation_.elapsed() + kRefundedAfter + kWrittenWithin);
    for (int round = 0; round < 3; ++round) {
      keep();
      run(simulation_.elapsed() + kWrittenWithin);
    }
    invariants_.check_refunds();
  }

  // As `elbowroom evict` does, without its waiting.
  void evict(const ClusterStep& step) {
    const lab::Json* object = simulation_.world().peek(pods(), "default", step.pod);
    if (object == nullptr) return;
    const auto victim = api::decode_pod(lab::to_value(*object));
    if (!victim || policy::is_terminating(*victim) || !debited(*victim)) return;
    ++outcome_.did["debit by another"];
    const std::string uid = victim->uid;
    if (step.a == 1) return;  // it was stopped in between
    simulation_.at(simulation_.elapsed() + step.down, [this, uid, name = step.pod] {
      const lab::Json* now = simulation_.world().peek(pods(), "default", name);
      if (now == nullptr || lab::text_at(*now, {"metadata", "uid"}) != uid) return;
      invariants_.removes(uid);
      (void)simulation_.world().remove({.kind = &pods(), .ns = "default", .name = name}, {});
    });
  }

  // Walls, hard or not.
  bool debited(const policy::Pod& victim) {
    const auto list = simulation_.world().list({.kind = &pods(), .ns = "default"});
    std::vector<policy::Pod> all;
    for (const Json& each : (*list)["items"]) {
      if (auto pod = api::decode_pod(lab::to_value(each))) all.push_back(*std::move(pod));
    }
    const auto now = std::chrono::floor<seconds>(simulation_.world().time());
    for (const char* name : {"ours-x", "ours-y"}) {
      const lab::Json* object = simulation_.world().peek(own_budgets(), "default", name);
      if (object == nullptr) continue;
      const auto budget = api::decode_disruption_budget(lab::to_value(*object));
      if (!budget || !policy::is_covered(*budget, victim)) continue;
      const policy::Debit made =
          policy::debit(policy::ledger_state(*budget, all, now), {&victim, 1}, "elbowroom");
      if (!made.is_allowed) return false;  // what was entered before is refunded by others
      const auto request =
          api::debit_request({.ns = budget->ns, .name = budget->name, .uid = budget->uid},
                             budget->version, made.ledger);
      (void)simulation_.world().patch({.kind = &own_budgets(),
                                       .ns = "default",
                                       .name = name,
                                       .subresource = lab::Subresource::Status},
                                      lab::PatchType::Merge, Json::parse(request->body));
    }
    return true;
  }

  void end(const ClusterStep& step) {
    const lab::VirtualScheduler* runs = simulation_.scheduler(step.who);
    if (runs == nullptr) return;
    ++outcome_.faults["End"];
    const std::string identity = runs->identity();
    simulation_.end_scheduler(step.who);
    start_after(identity, step.who, seconds(1) + step.down);
  }

  // It may take its time to hand over.
  void start_after(const std::string& identity, const std::string& who,
                   lab::Simulation::Span wait) {
    simulation_.at(simulation_.elapsed() + wait, [this, identity, who] {
      const lab::VirtualScheduler* runs = simulation_.scheduler(who);
      const bool ends_still = runs != nullptr && runs->identity() == identity;
      if (ends_still) return start_after(identity, who, seconds(1));
      start(who);
    });
  }

  // No request gets through and no event arrives.
  void partition(const ClusterStep& step) {
    using Fault = lab::ApiFault;
    ++outcome_.faults["Partition"];
    for (int watch = 0; watch < 4; ++watch) {
      simulation_.arm(step.who, Fault{.kind = Fault::Kind::WatchSilent});
    }
    simulation_.arm(
        step.who, Fault{.kind = Fault::Kind::Hang, .of = Fault::Of::Any, .lasts = seconds(step.a)});
  }

  const ClusterHistory& history_;
  const bool with_log_;
  const bool is_recorded_;
  std::map<std::string, Life> lives_{};  // processes that continue
  ClusterOutcome outcome_{};
  std::vector<ClusterStep> evictions_{};             // for the next write of a ledger
  std::map<std::string, std::int64_t> contended_{};  // writes of the ledger, by budget
  lab::Simulation simulation_;
  std::uint64_t keeper_writes_ = 0;  // since they were counted
  std::unique_ptr<cli::InstantRescheduler> keeper_{};
  bool keeps_at_next_write_ = false;  // of a ledger
  SchedulerInvariants invariants_;
  PlayedGroups groups_{simulation_.world()};
  lab::VolumeController volumes_{simulation_.world()};
  ForeignConditions foreign_{simulation_};
  lab::Simulation::Span last_{0};
  bool is_settling_ = false;
};

}  // namespace

ClusterOutcome play(const ClusterHistory& history, bool with_log) {
  return Player(history, with_log).play();
}

ClusterOutcome play_recorded(const ClusterHistory& history) {
  return Player(history, false, true).play();
}

}  // namespace elbowroom::test
