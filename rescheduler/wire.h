// What elbowroom-rescheduler has of its own on the line to the API server: how its collections are
// followed, and the writes that no other daemon makes. Pods are packed as they are decoded, item by
// item, so a list of fifty thousand is never in memory as anything larger.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/transport/transport.h"
#include "api/watch/pod_reader.h"
#include "cluster/packed_pod.h"
#include "control/api_line.h"
#include "control/api_worker.h"
#include "control/followed_collections.h"
#include "rescheduler/effect.h"
#include "rescheduler/event_table.h"
#include "rescheduler/moving/avoidances.h"
#include "rescheduler/observation.h"

namespace elbowroom::rescheduler {

class Wire {
 public:
  struct Options : control::ApiWorkerOptions {
    // Takes the answer to a review, on the transport's thread.
    std::function<void(const AnswerReview&)> answer{};
  };
  // See control/api_line.h.
  struct Daemon {
    using Observation = rescheduler::Observation;
    using Effect = rescheduler::Effect;
    using Effects = rescheduler::Effects;
    using Done = rescheduler::Done;
    using Collection = rescheduler::Collection;
    static constexpr std::string_view kName = "elbowroom-rescheduler";
    static constexpr std::string_view kController = "elbowroom.dev/rescheduler";
    static constexpr std::string_view kLease = "elbowroom-rescheduler";
    static const EventRow* find_row(std::string_view reason) {
      return rescheduler::find_row(reason);
    }
  };
  using Line = control::ApiLine<Daemon>;
  using Collections = control::FollowedCollections<Line, Collection>;

  [[nodiscard]] static api::TransportOptions transport_options();

  // `line` must outlive it.
  Wire(Line& line, const Options& options) : line_(line), answer_(options.answer) {}

  void follow(Collections& collections);

  void write(EffectId id, const WriteBudget& write);
  void write(EffectId id, const ReportOdd& odd);
  void write(EffectId id, const DropAvoided& drop);
  void write(EffectId id, const AvoidNode& avoid);
  void write(EffectId id, const AllowNode& allow);
  void write(EffectId id, const EvictPod& evict);
  void write(EffectId id, const ReadLedger& read);
  void write(EffectId id, const WriteLedger& write);
  void write(EffectId id, const WriteRests& rests);
  void write(EffectId id, const AnswerReview& answer);

  [[nodiscard]] std::vector<std::string> take_news() { return pod_reader_.take_news(); }
  [[nodiscard]] std::uint64_t reduced_pods() const { return pod_reader_.reduced(); }

 private:
  void report(EffectId id, const ReportOdd& odd, Result<api::Response> budget);
  void send(EffectId id, api::Request request);
  void drop_from(EffectId id, const DropAvoided& drop, Result<api::Response> node);
  void avoid(EffectId id, const AvoidNode& avoid, Result<api::Response> pod);
  void avoid(EffectId id, const AvoidNode& avoid, const std::string& pod,
             Result<api::Response> node);
  void allow(EffectId id, const AllowNode& allow, int tries);
  void take_back(EffectId id, const AllowNode& allow, api::Request request, int tries);
  void post(EffectId id, const EvictPod& evict);
  [[nodiscard]] api::Client::Raw budget_reporter(EffectId id);
  [[nodiscard]] control::Following<cluster::PackedPod> pods();
  [[nodiscard]] Result<cluster::PackedPod> decode_packed(const Value& object);

  Line& line_;
  std::function<void(const AnswerReview&)> answer_;
  api::PodReader pod_reader_{};
  Avoidances avoidances_{};
};

using ApiWorker = control::ApiWorker<Wire>;

// What a ConfigMap says, as the API has it.
[[nodiscard]] Result<ConfigText> config_text_of(const Value& object);

// Creates the ConfigMap of the owners' rests, or puts it in place of its version.
[[nodiscard]] Result<api::Request> rests_request(const WriteRests& rests);

// The request that takes the entries of ours that have ended by `now` out of the Node's annotation;
// none: there is nothing to take away. Invalid: the annotation cannot be read, and stays as it is.
[[nodiscard]] Result<std::optional<api::Request>> without_ended(const std::string& node_object,
                                                                policy::Time now);

}  // namespace elbowroom::rescheduler
