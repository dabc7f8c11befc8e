// Finds out whether the API server keeps Node.spec.podPreemptionPolicy, with a dry run that sets
// it. The answer is parsed, not searched as text: metadata.managedFields contains the field and its
// value even if the server has dropped both (seen with 1.37, the gate off).
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/transport/transport.h"
#include "api/write/client.h"
#include "base/result.h"

namespace elbowroom::api {

// A merge patch of a Node; send it with dryRun=All.
inline constexpr std::string_view kPolicyProbe =
    R"({"spec":{"podPreemptionPolicy":{"disableResizePreemption":["elbowroom.dev/probe"]}}})";

// Whether the server keeps the field, from its answer. A refusal (422) means no. An error: the
// answer is inconclusive.
[[nodiscard]] Result<bool> keeps_policy_field(const Result<Response>& answer);

// Repeats the question: the field's feature gate is opened and closed by a restart of the API
// server, which no object shows. Used on the transport's thread only.
class PolicyProbe {
 public:
  // After a clear answer, and without the right to ask; after an answer that tells nothing.
  static constexpr std::chrono::minutes kEvery{10};
  static constexpr std::chrono::seconds kSoon{5};

  // Called with the first clear answer, and with each that differs from the one before.
  using Tell = std::function<void(bool keeps)>;

  // Both must outlive this object.
  PolicyProbe(Transport& transport, Client& client, Tell tell)
      : transport_(transport), client_(client), tell_(std::move(tell)) {}

  // A Node that exists: the first one begins the questions, which are about it until it is deleted.
  void seen(const std::string& node);

  // The API server may be another one: asks at once.
  void server_changed();

 private:
  void ask();
  void take(const Result<Response>& answer);

  Transport& transport_;
  Client& client_;
  const Tell tell_;
  std::string node_{};
  bool is_asking_ = false;
  bool asks_again_ = false;  // the server changed while a question was open
  std::optional<bool> told_{};
  Ticket next_{};
};

}  // namespace elbowroom::api
