#include "scheduler/api_worker.h"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>
#include <variant>

#include "api/codec/decode_budget.h"
#include "api/codec/decode_common.h"
#include "api/codec/decode_namespace.h"
#include "api/codec/decode_node.h"
#include "api/codec/json.h"
#include "api/transport/http_date.h"
#include "api/write/policy_probe.h"
#include "scheduler/event_table.h"

namespace elbowroom::scheduler {
namespace {

constexpr std::chrono::milliseconds kRound{1000};
constexpr std::chrono::seconds kProbeSoon{5};
constexpr std::chrono::hours kProbeAgain{1};
// What no pod is made small for, however much is kept.
constexpr std::size_t kUsualPodBytes = std::size_t{16} << 10;
constexpr std::string_view kProgram = "elbowroom-scheduler";
constexpr std::string_view kLease = "elbowroom-scheduler";
// What the circuit breaker counts, in an annotation of a Lease that nobody holds.
constexpr std::string_view kBreaker = "elbowroom-scheduler-breaker";
constexpr std::string_view kCounted = "elbowroom.dev/circuit-breaker";

std::string leases_of(const std::string& ns) {
  return "/apis/coordination.k8s.io/v1/namespaces/" + ns + "/leases";
}

Result<StoredBreaker> decode_breaker(const Result<api::Response>& response) {
  if (!response) return std::unexpected(response.error());
  ASSIGN_OR_RETURN(const Value object, parse_json(response->body));
  ASSIGN_OR_RETURN(api::Metadata metadata, api::decode_metadata(api::Field(object)));
  StoredBreaker stored{.uid = std::move(metadata.uid),
                       .resource_version = std::move(metadata.resource_version)};
  if (const auto text = metadata.annotations.find(kCounted); text != metadata.annotations.end()) {
    stored.text = text->second;
  }
  return stored;
}

std::string breaker_body(const std::string& ns, const StoredBreaker& stored) {
  Value metadata =
      api::json_map({{"namespace", api::json_text(ns)},
                     {"name", api::json_text(std::string(kBreaker))},
                     {"annotations", api::json_map({{kCounted, api::json_text(stored.text)}})}});
  if (!stored.resource_version.empty()) {
    api::set_member(metadata, "resourceVersion", api::json_text(stored.resource_version));
    api::set_member(metadata, "uid", api::json_text(stored.uid));
  }
  return api::to_json(api::json_map({{"apiVersion", api::json_text("coordination.k8s.io/v1")},
                                     {"kind", api::json_text("Lease")},
                                     {"metadata", std::move(metadata)},
                                     {"spec", api::json_map({})}}));
}

// What the scheduler keeps of pods, beside the bytes: where each one is.
constexpr std::size_t kBesidePod = 300;
// Some 250,000 usual pods; the unit has 512 MiB, and while a list comes both are kept.
constexpr std::size_t kMostPodBytes = std::size_t{128} << 20;
// Of one pod: far more than anybody writes by hand.
constexpr std::size_t kMostBytesOfPod = std::size_t{64} << 10;

// Room for 15,000 nodes with twenty labels each, for 100,000 namespaces and 100,000 budgets; in
// mode full what is placed with keeps a copy of them.
constexpr std::size_t kMostNodeBytes = std::size_t{80} << 20;
constexpr std::size_t kMostNamespaceBytes = std::size_t{56} << 20;
constexpr std::size_t kMostBudgetBytes = std::size_t{80} << 20;
// Those with a larger selector go first where there are very many.
constexpr std::size_t kUsualBudgetBytes = 2048;

template <class Budget>
api::WatchBounds<Budget> budget_bounds() {
  return {.weigh = [](const Budget& budget) { return api::weight_of(budget); },
          .make_small = [](const Budget& budget) -> Result<Budget> {
            return failure(
                Code::Exhausted,
                "budget " + budget.ns + "/" + budget.name +
                    ": its selector is large, and there are too many budgets to keep it");
          },
          .usual_bytes = kUsualBudgetBytes,
          .most_bytes = kMostBudgetBytes};
}

api::ObjectRef ref_of(const Victim& victim) { return {victim.ns, victim.name, victim.uid}; }

Unreadable unreadable(std::string kind, const api::Malformed& odd) {
  return {.kind = std::move(kind),
          .key = api::to_string(odd.ref),
          .why = odd.error.message,
          .uid = odd.ref.uid,
          .node = odd.node};
}

// Where pods are placed each one is told of once at least.
template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};

}  // namespace

api::TransportOptions ApiWorker::transport_options(bool places) {
  api::TransportOptions of;
  of.user_agent = std::string(kProgram) + "/" ELBOWROOM_VERSION;
  // Two writes and a read for each victim; those of a thousand full nodes are to be through in
  // seconds.
  of.calls = {std::chrono::milliseconds(1), 1000};
  // No limit of ours: how much is on its way at once is bounded.
  if (places) of.calls.per_request = {};
  // A thousand victims are told within half a minute; client-go's limit for a component's events.
  of.events = {std::chrono::milliseconds(20), 100};
  return of;
}

ApiWorker::ApiWorker(std::unique_ptr<api::Transport> transport, ApiWorkerOptions options,
                     api::Clock::time_point started, Tell tell)
    : options_(std::move(options)),
      started_(started),
      tell_(std::move(tell)),
      transport_(std::move(transport)),
      fenced_(*transport_),
      client_(fenced_, std::string(kProgram)),
      reader_(*transport_, std::string(kProgram)),
      events_(*transport_,
              {.fold = {.controller = "elbowroom.dev/scheduler", .instance = options_.identity},
               .field_manager = std::string(kProgram),
               .seed = options_.seed}) {
  api::ListWatchOptions watch;
  watch.seed = options_.seed;
  nodes_ = std::make_unique<api::Watcher<policy::Node>>(
      *transport_, api::WatchTarget{.path = "/api/v1/nodes", .kind = "Node", .by_protobuf = true},
      watch, api::decode_node, [this](auto news) { on_node(news); },
      api::WatchBounds<policy::Node>{
          .weigh = [](const policy::Node& node) { return api::weight_of(node); },
          .most_bytes = kMostNodeBytes});
  ++watch.seed;
  pods_ = std::make_unique<api::Watcher<cluster::PackedPod>>(
      *transport_,
      api::WatchTarget{.path = "/api/v1/pods",
                       .kind = "Pod",
                       // Where pods are placed, those that failed tell which nodes to avoid.
                       .field_selector = options_.places
                                             ? "status.phase!=Succeeded"
                                             : "status.phase!=Succeeded,status.phase!=Failed",
                       .by_protobuf = true,
                       .part = options_.places ? api::Part::Whole : api::Part::Sizes,
                       .overflow = &pod_reader_},
      watch, [this](const Value& object) { return decode_packed(object); },
      [this](auto news) { on_pod(news); },
      api::WatchBounds<cluster::PackedPod>{
          .weigh = [](const cluster::PackedPod& pod) { return kBesidePod + pod.bytes(); },
          .make_small = [this](const cluster::PackedPod& pod) -> Result<cluster::PackedPod> {
            policy::Pod small = pod_reader_.made_small(pod.unpacked());
            auto packed = cluster::PackedPod::packed(small);
            if (!options_.places || packed.bytes() <= kUsualPodBytes) return packed;
            return cluster::PackedPod::packed(pod_reader_.placed_nowhere(std::move(small)));
          },
          .usual_bytes = kUsualPodBytes,
          .most_bytes = kMostPodBytes});
  ++watch.seed;
  budgets_ = std::make_unique<api::Watcher<policy::PodDisruptionBudget>>(
      *transport_,
      api::WatchTarget{.path = "/apis/policy/v1/poddisruptionbudgets",
                       .kind = "PodDisruptionBudget",
                       .by_protobuf = true},
      watch, api::decode_pod_disruption_budget, [this](auto news) { on_budget(news); },
      budget_bounds<policy::PodDisruptionBudget>());
  ++watch.seed;
  own_budgets_ = std::make_unique<api::Watcher<policy::DisruptionBudget>>(
      *transport_,
      api::WatchTarget{.path = "/apis/elbowroom.dev/v1alpha1/disruptionbudgets",
                       .kind = "DisruptionBudget"},
      watch, api::decode_disruption_budget, [this](auto news) { on_own_budget(news); },
      budget_bounds<policy::DisruptionBudget>());
  if (options_.places) {
    ++watch.seed;
    namespaces_ = std::make_unique<api::Watcher<policy::Namespace>>(
        *transport_, api::WatchTarget{.path = "/api/v1/namespaces", .kind = "Namespace"}, watch,
        api::decode_namespace, [this](auto news) { on_namespace(news); },
        api::WatchBounds<policy::Namespace>{
            .weigh = [](const policy::Namespace& seen) { return api::weight_of(seen); },
            .most_bytes = kMostNamespaceBytes});
  }
  if (!options_.leader_elect) return;
  ++watch.seed;
  lease_ = std::make_unique<api::Watcher<api::Lease>>(
      *transport_,
      api::WatchTarget{.path = leases_of(options_.lease_namespace),
                       .kind = "Lease",
                       .field_selector = "metadata.name=" + std::string(kLease)},
      watch, api::decode_lease, [this](auto news) { on_lease(news); });
}

ApiWorker::~ApiWorker() = default;

void ApiWorker::start() {
  nodes_->start();
  pods_->start();
  budgets_->start();
  own_budgets_->start();
  if (namespaces_) namespaces_->start();
  if (lease_) lease_->start();
}

void ApiWorker::run(const std::stop_token& stop, const std::function<void()>& alive) {
  const std::stop_callback wake(stop, [this] { transport_->post([] {}); });
  start();
  while (!stop.stop_requested()) {
    alive();
    transport_->run_once(kRound);
  }
  events_.finish(alive);
}

ApiRound ApiWorker::round() const {
  return {.nodes = nodes_->freshness(),
          .pods = pods_->freshness(),
          .budgets = budgets_->freshness(),
          .own_budgets = own_budgets_->freshness(),
          .namespaces = namespaces_ ? namespaces_->freshness() : api::Freshness{},
          .events_superseded = events_.superseded(),
          .events_dropped = events_.dropped(),
          .reduced_pods = pod_reader_.reduced(),
          .now = transport_->now()};
}

// ---- what is seen ----

// A pod whose terms of placement are a book is placed by none of them: it waits, or stays as it is.
// In mode resize nothing of them is there.
Result<cluster::PackedPod> ApiWorker::decode_packed(const Value& object) {
  ASSIGN_OR_RETURN(policy::Pod pod, pod_reader_.decode(object));
  cluster::PackedPod packed = cluster::PackedPod::packed(pod);
  if (packed.bytes() <= kMostBytesOfPod || !options_.places) return packed;
  return cluster::PackedPod::packed(pod_reader_.placed_nowhere(std::move(pod)));
}

void ApiWorker::on_node(api::WatchReport<policy::Node>& news) {
  std::visit(
      Match{[&](api::Replaced<policy::Node>& list) {
              if (!list.objects.empty()) probe_policy_field(list.objects.front().name);
              for (const api::Malformed& odd : list.malformed) {
                tell_(unreadable("Node", odd));
              }
              tell_(NodesListed{std::move(list.objects)});
            },
            [&](api::Upserted<policy::Node>& one) {
              probe_policy_field(one.object.name);
              tell_(NodeSeen{std::move(one.object)});
            },
            [&](api::Removed& gone) { tell_(NodeGone{gone.ref.name}); },
            // What cannot be understood may have no room, or forbid what the last state allowed.
            [&](api::Malformed& odd) {
              tell_(NodeGone{odd.ref.name});
              tell_(unreadable("Node", odd));
            },
            [&](api::Stale& stale) { tell_(Lost{Collection::Nodes, stale.error.message}); },
            [&](api::Fresh&) { tell_(Back{Collection::Nodes}); }},
      news);
}

// A dry run changes nothing: a server with the feature answers with the field, one without drops it
// or refuses it. Only a clear answer counts; else it is asked again when a Node is seen again.
void ApiWorker::probe_policy_field(const std::string& node) {
  if (std::exchange(probed_, true)) return;
  reader_.request(api::Method::Patch, "/api/v1/nodes/" + node, {{"dryRun", "All"}},
                  std::string(api::kMergePatch), std::string(api::kPolicyProbe),
                  [this](Result<api::Response> response) {
                    look_at_date(response);
                    const Result<bool> keeps = api::keeps_policy_field(response);
                    if (keeps) return tell_(PolicyFieldProbed{*keeps});
                    // Without the right to ask it stays unknown; somebody may grant it.
                    const bool denied = keeps.error().code == Code::Denied;
                    probe_again_ = transport_->after(denied ? kProbeAgain : kProbeSoon,
                                                     [this] { probed_ = false; });
                  });
}

// The answers to a leader's writes of the Lease come every two seconds, the first one before it
// leads.
void ApiWorker::look_at_date(const Result<api::Response>& response) {
  if (!response) return;
  const auto date = api::parse_http_date(response->date);
  const auto now = std::chrono::floor<std::chrono::milliseconds>(transport_->now() - started_);
  if (date && date_.is_news(*date, now)) tell_(ServerDated{*date});
}

void ApiWorker::on_pod(api::WatchReport<cluster::PackedPod>& news) {
  std::visit(
      Match{[&](api::Replaced<cluster::PackedPod>& list) {
              PodsListed listed{.pods = std::move(list.objects)};
              for (const api::Malformed& odd : list.malformed) {
                listed.unreadable.push_back(api::to_string(odd.ref));
                tell_(unreadable("Pod", odd));
              }
              tell_(std::move(listed));
            },
            [&](api::Upserted<cluster::PackedPod>& one) { tell_(PodSeen{std::move(one.object)}); },
            [&](api::Removed& gone) { tell_(PodGone{api::to_string(gone.ref), gone.ref.uid}); },
            [&](api::Malformed& odd) { tell_(unreadable("Pod", odd)); },
            [&](api::Stale& stale) { tell_(Lost{Collection::Pods, stale.error.message}); },
            [&](api::Fresh&) { tell_(Back{Collection::Pods}); }},
      news);
}

// Those that cannot be understood first, each by itself.
template <class Listed, class Budget>
void ApiWorker::tell_listed(api::Replaced<Budget>& list, const std::string& kind) {
  Listed listed{.budgets = std::move(list.objects)};
  for (const api::Malformed& odd : list.malformed) {
    listed.unreadable.emplace_back(odd.ref.ns, odd.ref.name);
    tell_(unreadable(kind, odd));
  }
  tell_(std::move(listed));
}

void ApiWorker::on_budget(api::WatchReport<policy::PodDisruptionBudget>& news) {
  using Budget = policy::PodDisruptionBudget;
  std::visit(
      Match{[&](api::Replaced<Budget>& list) {
              tell_listed<BudgetsListed>(list, "PodDisruptionBudget");
            },
            [&](api::Upserted<Budget>& one) { tell_(BudgetSeen{std::move(one.object)}); },
            [&](api::Removed& gone) { tell_(BudgetGone{gone.ref.ns, gone.ref.name}); },
            [&](api::Malformed& odd) { tell_(unreadable("PodDisruptionBudget", odd)); },
            [&](api::Stale& stale) { tell_(Lost{Collection::Budgets, stale.error.message}); },
            [&](api::Fresh&) { tell_(Back{Collection::Budgets}); }},
      news);
}

// Where nobody installed the kind there are none; the watcher goes on asking.
void ApiWorker::on_own_budget(api::WatchReport<policy::DisruptionBudget>& news) {
  using Budget = policy::DisruptionBudget;
  std::visit(Match{[&](api::Replaced<Budget>& list) {
                     has_own_budgets_ = true;
                     tell_listed<OwnBudgetsListed>(list, "DisruptionBudget");
                   },
                   [&](api::Upserted<Budget>& one) { tell_(OwnBudgetSeen{std::move(one.object)}); },
                   [&](api::Removed& gone) { tell_(OwnBudgetGone{gone.ref.ns, gone.ref.name}); },
                   [&](api::Malformed& odd) { tell_(unreadable("DisruptionBudget", odd)); },
                   [&](api::Stale& stale) {
                     if (stale.error.code != Code::NotFound) {
                       tell_(Lost{Collection::OwnBudgets, stale.error.message});
                     } else if (std::exchange(has_own_budgets_, false)) {
                       tell_(OwnBudgetsListed{});
                     }
                   },
                   [&](api::Fresh&) { tell_(Back{Collection::OwnBudgets}); }},
             news);
}

void ApiWorker::on_namespace(api::WatchReport<policy::Namespace>& news) {
  using policy::Namespace;
  std::visit(
      Match{[&](api::Replaced<Namespace>& list) {
              for (const api::Malformed& odd : list.malformed) tell_(unreadable("Namespace", odd));
              tell_(NamespacesListed{std::move(list.objects)});
            },
            [&](api::Upserted<Namespace>& one) { tell_(NamespaceSeen{std::move(one.object)}); },
            [&](api::Removed& gone) { tell_(NamespaceGone{gone.ref.name}); },
            [&](api::Malformed& odd) { tell_(unreadable("Namespace", odd)); },
            [&](api::Stale& stale) { tell_(Lost{Collection::Namespaces, stale.error.message}); },
            [&](api::Fresh&) { tell_(Back{Collection::Namespaces}); }},
      news);
}

// "": it is seen again. Told once.
void ApiWorker::lease_unseen(std::string why) {
  if (why.empty() && lease_is_seen_) return;
  lease_is_seen_ = why.empty();
  tell_(LeaseUnseen{std::move(why)});
}

void ApiWorker::on_lease(api::WatchReport<api::Lease>& news) {
  const auto not_understood = [this](const api::Malformed& odd) {
    tell_(Unreadable{"Lease", api::to_string(odd.ref), odd.error.message});
    lease_unseen(api::to_string(odd.ref) + " cannot be understood (" + odd.error.message +
                 "): delete it if no scheduler holds it");
  };
  std::visit(Match{[&](api::Replaced<api::Lease>& list) {
                     // One that cannot be understood is somebody's: it is left alone.
                     if (!list.malformed.empty()) return not_understood(list.malformed.front());
                     lease_unseen("");
                     if (list.objects.empty()) {
                       tell_(LeaseSeen{});
                     } else {
                       tell_(LeaseSeen{std::move(list.objects.front())});
                     }
                   },
                   [&](api::Upserted<api::Lease>& one) {
                     lease_unseen("");
                     tell_(LeaseSeen{std::move(one.object)});
                   },
                   [&](api::Removed&) {
                     lease_unseen("");
                     tell_(LeaseSeen{});
                   },
                   [&](api::Malformed& odd) { not_understood(odd); },
                   [&](api::Stale& stale) { lease_unseen(stale.error.message); },
                   [&](api::Fresh&) { lease_unseen(""); }},
             news);
}

// ---- what is written ----

void ApiWorker::perform(Effects effects) {
  transport_->post([this, effects = std::move(effects)] {
    for (const Effect& effect : effects) write(effect);
  });
}

void ApiWorker::perform(Effect effect) { perform(Effects{std::move(effect)}); }

void ApiWorker::write(const Effect& effect) {
  fenced_.end_by(started_ + effect.not_after);
  std::visit([&](const auto& what) { write(effect.id, what); }, effect.what);
}

api::Client::Done ApiWorker::reporter(EffectId id) {
  return [this, id](Result<void> outcome) {
    if (outcome) {
      tell_(Done{.effect = id});
    } else {
      tell_(Failed{.effect = id, .error = std::move(outcome).error()});
    }
  };
}

void ApiWorker::write(EffectId id, const MarkVictim& mark) {
  if (!mark.clear) {
    client_.mark_disruption_target(ref_of(mark.victim), mark.condition, reporter(id));
    return;
  }
  client_.patch_pod_status(ref_of(mark.victim), {.clear = {std::string(policy::kDisruptionTarget)}},
                           reporter(id));
}

void ApiWorker::write(EffectId id, const DeleteVictim& victim) {
  client_.delete_pod(ref_of(victim.victim), victim.dry_run, reporter(id),
                     api::Client::Gone::IsNotFound);
}

// Not from a cache: without a resourceVersion the server answers what counts now.
void ApiWorker::write(EffectId id, const ConfirmResize& confirm) {
  client_.get_pod(ref_of(confirm.preemptor), [this, id](Result<Value> object) {
    auto pod = object ? decode_packed(*object) : std::unexpected(std::move(object).error());
    if (pod) {
      tell_(Done{.effect = id, .lease = std::nullopt, .pod = *std::move(pod)});
    } else {
      tell_(Failed{.effect = id, .error = std::move(pod).error()});
    }
  });
}

void ApiWorker::write(EffectId id, const BindPod& bind) {
  client_.bind_pod(ref_of(bind.pod), bind.node, reporter(id));
}

void ApiWorker::write(EffectId id, const WritePending& pending) {
  api::PodStatusChange change{.nominated_node = pending.nominated};
  if (pending.scheduled) change.set.push_back(*pending.scheduled);
  client_.patch_pod_status(ref_of(pending.pod), std::move(change), reporter(id));
}

void ApiWorker::write(EffectId id, const GiveUpWrites& /*all*/) {
  fenced_.give_up();
  tell_(Done{.effect = id});
}

api::Client::Raw ApiWorker::breaker_reporter(EffectId id) {
  return [this, id](Result<api::Response> response) {
    look_at_date(response);
    auto stored = decode_breaker(response);
    if (stored) {
      tell_(Done{.effect = id, .lease = {}, .pod = {}, .breaker = *std::move(stored)});
    } else {
      tell_(Failed{.effect = id, .error = std::move(stored).error()});
    }
  };
}

void ApiWorker::write(EffectId id, const ReadBreaker& /*read*/) {
  client_.request(api::Method::Get,
                  leases_of(options_.lease_namespace) + "/" + std::string(kBreaker), {}, "", "",
                  breaker_reporter(id));
}

void ApiWorker::write(EffectId id, const WriteBreaker& write) {
  const bool is_new = write.stored.resource_version.empty();
  const std::string collection = leases_of(options_.lease_namespace);
  client_.request(is_new ? api::Method::Post : api::Method::Put,
                  is_new ? collection : collection + "/" + std::string(kBreaker), {},
                  std::string(api::kJson), breaker_body(options_.lease_namespace, write.stored),
                  breaker_reporter(id));
}

// Without a fence: an event changes no pod, and what it tells of is done (docs/decisions/0033).
void ApiWorker::write(EffectId /*id*/, const EmitEvent& event) {
  if (event.log_only) return;
  const EventRow* row = find_row(event.reason);
  const bool is_of_removal = row != nullptr && row->is_of_removal;
  events_.record(
      {.regarding = {.kind = "Pod", .ref = ref_of(event.regarding)},
       .severity = event.warning ? api::EventSeverity::Warning : api::EventSeverity::Normal,
       .reason = event.reason,
       .action = event.action,
       .note = event.note,
       .rank = is_of_removal ? api::EventRank::Removal : api::EventRank::Usual,
       .once = row != nullptr && row->is_once});
}

void ApiWorker::write(EffectId id, const WriteLease& lease) {
  const bool is_new = lease.lease.resource_version.empty();
  const std::string collection = leases_of(options_.lease_namespace);
  client_.request(is_new ? api::Method::Post : api::Method::Put,
                  is_new ? collection : collection + "/" + std::string(kLease), {},
                  std::string(api::kJson),
                  api::lease_body(options_.lease_namespace, kLease, lease.lease),
                  [this, id](Result<api::Response> response) {
                    look_at_date(response);
                    if (!response) {
                      tell_(Failed{.effect = id, .error = std::move(response).error()});
                      return;
                    }
                    auto object = parse_json(response->body);
                    if (!object) {
                      tell_(Failed{.effect = id, .error = std::move(object).error()});
                      return;
                    }
                    auto stored = api::decode_lease(*object);
                    if (!stored) {
                      tell_(Failed{.effect = id, .error = std::move(stored).error()});
                      return;
                    }
                    tell_(Done{.effect = id, .lease = *std::move(stored)});
                  });
}

}  // namespace elbowroom::scheduler
