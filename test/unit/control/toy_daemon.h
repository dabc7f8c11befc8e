// A toy daemon beside its reactor: its collections and its configuration. Threads, Lease, recorder,
// replay, metrics, log, endpoints and reload are control's.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/decode_pod.h"
#include "control/collection.h"
#include "control/event_table.h"
#include "control/followed_collections.h"
#include "control/log_lines.h"
#include "control/plain_wire.h"
#include "control/process_recording.h"
#include "control/replica_keys.h"
#include "control/wiring.h"
#include "recording/record_limit.h"
#include "test/unit/control/toy_reactor.h"

template <>
struct elbowroom::recording::Fields<elbowroom::toy::ReactorOptions> {
  static void list(auto& io, auto& of) {
    auto& [elector] = of;
    io("elector", elector);
  }
};
template <>
struct elbowroom::recording::Names<elbowroom::toy::Collection> {
  static constexpr std::array kAll = {std::string_view("pods")};
};
template <>
struct elbowroom::recording::Names<decltype(elbowroom::toy::Observation::what)> {
  static constexpr auto kAll =
      with_shared_names(std::array<std::string_view, 3>{"podsListed", "podsSeen", "podsGone"});
};

namespace elbowroom::toy {

inline constexpr std::array<control::CollectionRow, 1> kCollectionTable = {{{
    .name = "pods",
    .words = "pods",
    .version = "v1",
    .resource = "pods",
    .kind = "Pod",
    .why = "those that failed",
}}};

struct Daemon {
  using Observation = toy::Observation;
  using Effect = toy::Effect;
  using Effects = toy::Effects;
  using Done = control::Done;
  using Collection = toy::Collection;
  static constexpr std::string_view kName = "elbowroom-toy";
  static constexpr std::string_view kController = "elbowroom.dev/toy";
  static constexpr std::string_view kLease = "elbowroom-toy";
  static const control::EventRow<int>* find_row(std::string_view /*reason*/) { return nullptr; }
  static void follow(auto& collections) {
    collections.add(Collection::Pods, control::Following<policy::Pod>{
                                          .row = kCollectionTable[0],
                                          .target = control::target_of(kCollectionTable[0]),
                                          .decode = api::decode_pod});
  }
};

inline control::LogLines lines_of(const Observation& seen) {
  return control::lines_of_seen<Collection>(seen, kCollectionTable);
}

struct Parts : Daemon {
  using Options = control::DaemonOptions<ReactorOptions, control::ApiWorkerOptions>;
  using Reactor = toy::Reactor;
  using Status = toy::Status;
  using Recording = control::ProcessRecording<Daemon, Reactor, ReactorOptions>;
  using Worker = control::ApiWorker<control::PlainWire<Daemon>>;

  static api::TransportOptions transport_options(const Options& /*options*/) {
    return Worker::transport_options();
  }
  static std::string explain(const Reactor& reactor, const std::string& pod,
                             const control::Moment& /*now*/, const ReactorOptions& /*options*/) {
    return reactor.explain(pod);
  }
  static Status status_of(const Reactor& reactor, std::chrono::milliseconds /*now*/) {
    return reactor.status();
  }
  static std::uint64_t turns(const Reactor& /*reactor*/) { return 0; }
};

struct Config {
  using Options = Parts::Options;

  static daemon::Schema schema() {
    daemon::Schema schema{.kind = "ToyConfiguration",
                          .keys = daemon::common_keys("127.0.0.1:10369")};
    schema.keys.push_back({.name = "mode",
                           .kind = daemon::Key::Kind::Choice,
                           .fallback = "sweep",
                           .choices = {"sweep"},
                           .help = "sweep: deletes pods that failed"});
    schema.keys.push_back(control::lease_namespace_key("where the Lease elbowroom-toy is"));
    return schema;
  }
  static Result<void> check_together(const daemon::Settings& /*settings*/) { return {}; }
  static Result<Options> own_options(const daemon::Settings& settings, const std::string& self) {
    Options options;
    options.record = settings.text("record");
    ASSIGN_OR_RETURN(options.record_limit, recording::record_limit(settings));
    ASSIGN_OR_RETURN(options.worker.lease_namespace, control::lease_namespace(settings));
    options.worker.identity = options.reactor.elector.identity = self;
    return options;
  }
  static std::vector<daemon::Resolution> resolved(const Options& /*options*/) { return {}; }
};

}  // namespace elbowroom::toy
