// The annotation kPreferAvoidPods of a Node: the controllers whose pods are better placed
// elsewhere. Only entries of ours are ever changed; those of other people stay as they are.
// Source: kubernetes core/v1 AvoidPods, PreferAvoidPodsEntry; pkg/apis/core/validation (1.37).
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/object_ref.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/node.h"
#include "policy/model/time.h"

namespace elbowroom::api {

inline constexpr std::string_view kPreferAvoidPods =
    "scheduler.alpha.kubernetes.io/preferAvoidPods";
inline constexpr std::size_t kMostAvoidEntries = 64;
// The API server takes no more of all annotations of an object together.
inline constexpr std::size_t kMostAnnotationBytes = std::size_t{256} << 10;
// An entry of ours that ends later than that from now comes from a clock that was wrong.
inline constexpr std::chrono::hours kLongestAvoidance{720};

// The controllers in the annotation, by uid, each once: its longest entry. Of more than 64 entries
// the first 64. Malformed JSON gives none.
[[nodiscard]] std::vector<policy::AvoidedController> avoided_controllers(
    std::string_view annotation);

// "(until T)" at the end of an entry's message, T as RFC 3339. None: it says no such thing.
[[nodiscard]] std::optional<policy::Time> avoided_until(std::string_view message);

// Upstream's OwnerReference of a controller.
struct ControllerReference {
  std::string api_version{};
  std::string kind{};
  std::string name{};
  std::string uid{};

  friend bool operator==(const ControllerReference&, const ControllerReference&) = default;
};
// That of a pod as the API has it; none: no owner controls it. Invalid: it is malformed.
[[nodiscard]] Result<std::optional<ControllerReference>> controller_of(const Value& pod);

// An entry of ours. Times are the API server's, in whole seconds.
struct AvoidEntry {
  ControllerReference controller{};
  std::string pod_uid{};  // of the pod for which it is written
  std::string by{};       // the program that writes it
  policy::Time evicted{};
  policy::Time until{};

  friend bool operator==(const AvoidEntry&, const AvoidEntry&) = default;
};

// What put() did, so that take_back() can undo it.
struct AvoidChange {
  AvoidEntry written{};
  std::optional<Value> replaced{};  // the entry of ours that was there for the controller
};

class AvoidEntries {
 public:
  // Of an annotation; none: there is no such annotation. Invalid, with the field's name: it is no
  // JSON, has a wrong type somewhere or more than kMostAnnotationBytes. Then it is best left alone.
  [[nodiscard]] static Result<AvoidEntries> parse(const std::optional<std::string>& annotation);

  // The annotation to store; none: nothing is left in it.
  [[nodiscard]] std::optional<std::string> text() const;

  // Drops entries of ours that have ended, and says how many.
  std::size_t drop_expired(policy::Time now);
  // Drops all entries of ours, and says how many.
  std::size_t drop_ours();
  // Adds the entry, in place of one of ours for the same controller, whose time is never shortened.
  // Entries of ours that have ended are dropped, and the oldest of ours where there is no room.
  // Exhausted: the entries of others leave no room; Invalid: a time beyond the year 9999. Then
  // nothing is changed.
  [[nodiscard]] Result<AvoidChange> put(const AvoidEntry& entry);
  // Takes the entry out again, and puts back what it replaced unless that has ended. False: the
  // entry is not there any more as it was written; nothing is changed.
  bool take_back(const AvoidChange& change, policy::Time now);

 private:
  [[nodiscard]] std::vector<Value>& items();
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] bool drop_oldest();

  Value root_{.kind = Value::Kind::Map};  // its list is always there
};

}  // namespace elbowroom::api
