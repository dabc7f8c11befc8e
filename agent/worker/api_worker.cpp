#include "agent/worker/api_worker.h"

#include <chrono>
#include <utility>

#include "agent/worker/budget_answers.h"
#include "agent/worker/collections.h"
#include "agent/write/event_table.h"
#include "api/codec/bound_node.h"
#include "api/codec/decode_node.h"
#include "api/codec/managed_fields.h"
#include "api/write/debit.h"
#include "base/match.h"
#include "control/transport_loop.h"

namespace elbowroom::agent {
namespace {

// A pod is kept as it was seen and as it is judged, and while a list comes a third time; the unit
// has 128 MiB. Some 9,000 usual pods, where a node has hundreds.
constexpr std::size_t kMostPodBytes = std::size_t{20} << 20;
constexpr std::size_t kBesidePod = 600;
// A ledger that others write, too, is entered in at the second attempt or not at all.
constexpr int kDebitAttempts = 2;
constexpr std::string_view kCriticalAnnotation = "elbowroom.dev/critical-preemption";
constexpr std::string_view kGroupOfBudgets = "/apis/elbowroom.dev";

PodUnreadable unreadable(const api::Malformed& what) {
  return {api::to_string(what.ref), what.error.message};
}

std::string odd_node(const api::Malformed& what) {
  return "Node " + what.ref.name + " cannot be understood: " + what.error.message;
}

api::ObjectRef ref_of(const Victim& victim) { return {victim.ns, victim.name, victim.uid}; }

// Upstream's controllers go by their bare names in events, ours by our domain.
std::string controller_of(const std::string& program) {
  return program == "elbowroomd" ? "elbowroom.dev/agent" : program;
}

// Whether the pod is on another node, or on none yet. Where that cannot be told it may be on ours.
bool is_elsewhere(const Value& pod, const std::string& node_name) {
  const Value* spec = pod.find("spec");
  if (spec == nullptr || spec->kind != Value::Kind::Map) return false;
  const Value* node = spec->find("nodeName");
  if (node == nullptr || node->kind == Value::Kind::Null) return true;
  return node->kind == Value::Kind::String && node->text != node_name;
}

}  // namespace

api::TransportOptions ApiWorker::transport_options(const std::string& program) {
  api::TransportOptions of;
  of.user_agent = program + "/" ELBOWROOM_VERSION;
  // In authority it writes what a kubelet would: two calls for each status of up to 110 pods.
  of.calls = {std::chrono::milliseconds(50), 50};
  of.events = {std::chrono::milliseconds(100), 50};
  return of;
}

ApiWorker::ApiWorker(std::unique_ptr<api::Transport> transport, Options options, Tell tell)
    : node_name_(std::move(options.node_name)),
      tell_(std::move(tell)),
      transport_(std::move(transport)),
      client_(*transport_, options.program),
      events_(*transport_, {.fold = {.controller = controller_of(options.program),
                                     .instance = node_name_,
                                     .label = std::string(kEventLabel)},
                            .field_manager = options.program,
                            .seed = options.seed}) {
  if (options.probes_policy) {
    probe_.emplace(*transport_, client_, [this](bool keeps) { tell_(PolicyFieldProbed{keeps}); });
  }
  api::ListWatchOptions watch;
  watch.seed = options.seed;
  api::WatchTarget its_node = control::target_of(kNodes);
  its_node.field_selector = "metadata.name=" + node_name_;
  nodes_ = std::make_unique<api::Watcher<policy::Node>>(
      *transport_, std::move(its_node), watch, api::decode_node,
      [this](auto news) { on_node(news); },
      api::WatchBounds<policy::Node>{.is_gone = [this](const Value& node) {
        const bool is_others = api::ref_of(node).name != node_name_;
        if (is_others) ++others_nodes_;
        return is_others;
      }});
  watch.seed = options.seed + 1;
  api::WatchTarget its_pods = control::target_of(kPods);
  // What a server lets pass all the same is dropped by is_gone().
  its_pods.field_selector =
      "spec.nodeName=" + node_name_ + ",status.phase!=Succeeded,status.phase!=Failed";
  its_pods.part = api::Part::Sizes;
  its_pods.overflow = &pod_reader_;
  pods_ = std::make_unique<api::Watcher<policy::Pod>>(
      *transport_, std::move(its_pods), watch,
      [this, keeps_labels = options.keeps_labels](const Value& object) {
        kubelet_wrote_ = api::status_written_by(object, "kubelet");
        auto pod = pod_reader_.decode(object);
        if (pod && !keeps_labels) pod->labels.clear();  // only budgets select by them
        return pod;
      },
      [this](auto news) { on_pod(news); },
      api::WatchBounds<policy::Pod>{
          .is_gone = [this](const Value& pod) { return is_gone(pod); },
          .weigh = [](const policy::Pod& pod) { return kBesidePod + api::weight_of(pod); },
          .make_small = [this](policy::Pod pod) -> Result<policy::Pod> {
            return pod_reader_.made_small(std::move(pod));
          },
          .usual_bytes = std::size_t{16} << 10,
          .most_bytes = kMostPodBytes});
}

ApiWorker::~ApiWorker() = default;

void ApiWorker::start() {
  nodes_->start();
  pods_->start();
}

void ApiWorker::run(const std::stop_token& stop, const std::function<void()>& alive) {
  start();
  control::run_transport(*transport_, events_, stop, alive);
}

ApiRound ApiWorker::round() const {
  ApiRound round;
  round.collections = {{&kNodes, nodes_->freshness()}, {&kPods, pods_->freshness()}};
  round.events_superseded = events_.superseded();
  round.events_dropped = events_.dropped();
  round.reduced_pods = pod_reader_.reduced();
  round.now = transport_->now();
  round.rejected_nodes = rejected_nodes_;
  round.others_nodes = others_nodes_;
  round.others_pods = others_pods_;
  return round;
}

// ---- what is seen ----

void ApiWorker::lost(std::string& trouble, std::string why) {
  trouble = std::move(why);
  tell_(ApiLost{trouble});
}

std::string ApiWorker::no_node() const {
  return "there is no Node " + node_name_ +
         ": set nodeName to the one that `kubectl get nodes` shows for this machine";
}

// A whole list is as good as a watch that goes on.
void ApiWorker::follows(std::string& trouble) {
  if (std::exchange(trouble, "").empty()) return;
  const std::string& other = node_trouble_.empty() ? pods_trouble_ : node_trouble_;
  if (other.empty()) {
    tell_(ApiBack{});
  } else {
    tell_(ApiLost{other});
  }
}

// Of a list the node of our name: others, of a server or a proxy that does not heed the field
// selector, were dropped before they were decoded.
void ApiWorker::on_list(api::Replaced<policy::Node>& list) {
  if (!list.objects.empty()) {
    tell_(NodeSeen{std::move(list.objects.front())});
    if (probe_) probe_->seen(node_name_);
  } else {
    rejected_nodes_ += list.malformed.size();
    tell_(NodeGone{list.malformed.empty() ? no_node() : odd_node(list.malformed.front())});
  }
  follows(node_trouble_);
}

void ApiWorker::on_node(api::WatchReport<policy::Node>& news) {
  std::visit(Match{[&](api::Replaced<policy::Node>& list) { on_list(list); },
                   [&](api::Upserted<policy::Node>& one) {
                     tell_(NodeSeen{std::move(one.object)});
                     if (probe_) probe_->seen(node_name_);
                   },
                   [&](api::Removed& gone) {
                     if (gone.ref.name != node_name_) return;
                     tell_(NodeGone{"Node " + node_name_ + " was deleted"});
                   },
                   [&](api::Malformed& odd) {
                     ++rejected_nodes_;
                     tell_(NodeGone{odd_node(odd)});
                   },
                   [&](api::Stale& stale) { lost(node_trouble_, stale.error.message); },
                   [&](api::Fresh&) { follows(node_trouble_); }},
             news);
}

// Asked before a pod is decoded, weighed and kept: those of other nodes cost nothing, however many
// there are and whatever is in them.
bool ApiWorker::is_gone(const Value& pod) {
  dropped_.reset();
  if (api::has_finished(pod)) return true;
  if (!is_elsewhere(pod, node_name_)) return false;
  ++others_pods_;
  dropped_ = api::ref_of(pod).uid;
  return true;
}

void ApiWorker::on_list(api::Replaced<policy::Pod>& list) {
  PodsListed listed{.pods = std::move(list.objects)};
  for (const api::Malformed& each : list.malformed) listed.unreadable.push_back(unreadable(each));
  tell_(std::move(listed));
  follows(pods_trouble_);
}

void ApiWorker::on_pod(api::WatchReport<policy::Pod>& news) {
  const auto dropped = std::exchange(dropped_, std::nullopt);
  std::visit(Match{[&](api::Replaced<policy::Pod>& list) { on_list(list); },
                   [&](api::Upserted<policy::Pod>& one) {
                     tell_(PodSeen{.pod = std::move(one.object), .kubelet_wrote = kubelet_wrote_});
                   },
                   [&](api::Removed& gone) {
                     if (dropped == gone.ref.uid) return;
                     tell_(PodReadableAgain{api::to_string(gone.ref)});
                     tell_(PodGone{gone.ref.uid});
                   },
                   [&](api::Malformed& odd) { tell_(unreadable(odd)); },
                   [&](api::Stale& stale) { lost(pods_trouble_, stale.error.message); },
                   [&](api::Fresh&) { follows(pods_trouble_); }},
             news);
}

// ---- what is written ----

api::PodStatusChange change_of(const WriteStatus& status) {
  api::PodStatusChange change{.set = status.set, .clear = status.remove, .read_at = status.read_at};
  for (const auto& [name, figures] : status.containers) {
    change.containers.push_back(
        {.name = name, .allocated = figures.allocated, .actual = figures.actual});
  }
  change.started = status.started;
  if (status.rejected) {
    change.rejected = {.reason = status.rejected->reason,
                       .message = "Pod was rejected: " + status.rejected->message};
  }
  if (status.pod_level) {
    change.pod_allocated = status.pod_level->allocated;
    change.pod_actual = status.pod_level->actual;
  }
  return change;
}

void ApiWorker::perform(Effect effect) {
  transport_->post([this, effect = std::move(effect)] { write(effect); });
}

void ApiWorker::write(const Effect& effect) {
  std::visit(
      [&](const auto& what) {
        using What = std::decay_t<decltype(what)>;
        constexpr bool kForOthers =
            std::is_same_v<What, SaveCheckpoint> || std::is_same_v<What, Actuate>;
        if constexpr (!kForOthers) write(effect.id, what);
      },
      effect.what);
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

void ApiWorker::write(EffectId id, const WriteStatus& status) {
  client_.patch_pod_status({status.ns, status.name, status.pod_uid}, change_of(status),
                           reporter(id));
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
  client_.delete_pod(ref_of(victim.victim), victim.dry_run, reporter(id));
}

void ApiWorker::write(EffectId id, const AnnotateNode& annotate) {
  client_.annotate_node(
      annotate.node, std::string(kCriticalAnnotation),
      annotate.critical_preemption ? std::optional<std::string>("node") : std::nullopt,
      reporter(id));
}

// NotFound means that the kind does not exist. A server may have it in another version.
void ApiWorker::write(EffectId id, const ReadBudgets& read) {
  const auto fail = [this, id](Error error) {
    tell_(Failed{.effect = id, .error = std::move(error)});
  };
  const auto look_for_kind = [this, fail](Error absent) {
    client_.request(api::Method::Get, std::string(kGroupOfBudgets), {}, "", "",
                    [fail, absent = std::move(absent)](Result<api::Response> group) {
                      if (!group) {
                        const bool is_absent = group.error().code == Code::NotFound;
                        return fail(is_absent ? absent : std::move(group).error());
                      }
                      fail({Code::Unavailable,
                            absent.message + ", and " + std::string(kGroupOfBudgets) +
                                " exists: this program reads another version of it",
                            {}});
                    });
  };
  client_.request(api::Method::Get, api::budgets_path(read.ns),
                  {{"limit", std::to_string(kMostBudgets)}}, "", "",
                  [this, id, ns = read.ns, fail, look_for_kind](Result<api::Response> response) {
                    auto seen = budgets_of(response, ns);
                    if (!seen && seen.error().code == Code::NotFound) {
                      return look_for_kind(std::move(seen).error());
                    }
                    if (!seen) return fail(std::move(seen).error());
                    seen->effect = id;
                    tell_(*std::move(seen));
                  });
}

void ApiWorker::write(EffectId id, const EnterVictim& enter) {
  this->enter(id, enter, kDebitAttempts);
}

// Reads the budget, and writes what it says with the victim entered.
void ApiWorker::enter(EffectId id, const EnterVictim& what, int attempts) {
  const api::ObjectRef budget{what.budget.ns, what.budget.name, what.budget.uid};
  client_.request(api::Method::Get, api::budget_path(budget), {}, "", "",
                  [this, id, what, budget, attempts](const Result<api::Response>& response) {
                    auto request = debit_of(response, what);
                    if (!request)
                      return tell_(Failed{.effect = id, .error = std::move(request).error()});
                    client_.request(
                        request->method, request->path, {}, request->content_type,
                        std::move(request->body),
                        [this, id, what, attempts](Result<api::Response> written) {
                          if (written) return tell_(Done{.effect = id});
                          if (written.error().code == Code::Conflict && attempts > 1) {
                            return enter(id, what, attempts - 1);
                          }
                          tell_(Failed{.effect = id, .error = std::move(written).error()});
                        });
                  });
}

void ApiWorker::write(EffectId /*id*/, const EmitEvent& event) {
  events_.record(
      {.regarding = {.kind = event.ns.empty() ? "Node" : "Pod",
                     .ref = {event.ns, event.pod, event.uid}},
       .severity = event.warning ? api::EventSeverity::Warning : api::EventSeverity::Normal,
       .reason = event.reason,
       .action = event.action,
       .note = event.note,
       .rank = tells_of_removal(event.reason) ? api::EventRank::Removal : api::EventRank::Usual});
}

}  // namespace elbowroom::agent
