// Leaves out the objects of a cluster that cannot be decoded. One such object of another user stops
// no answer, but a node with such a pod is unclear, as for the scheduler: no pod is removed there.
// The user's own files are not read here: they must be valid.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "cli/input/manifests.h"
#include "policy/resize/resize_report.h"

namespace elbowroom::cli {

struct UndecodableObjects {
  std::vector<std::string> lines{};  // one each: the object, and why it cannot be decoded
  std::map<std::string, std::string, std::less<>> unclear{};       // why no pod is removed, by node
  std::vector<std::pair<std::string, std::string>> budgets{};      // namespace and name
  std::vector<std::pair<std::string, std::string>> own_budgets{};  // our DisruptionBudgets
};

// Removes them from `objects`, whose order stays. Invalid: the requested pod (NAMESPACE/NAME; ""
// for none) or its node is among them. `source` names the origin in errors.
[[nodiscard]] Result<UndecodableObjects> leave_out(std::vector<Value>& objects,
                                                   std::string_view pod, std::string_view source);

// The objects of a cluster that can be decoded. A PodDisruptionBudget that cannot counts as one
// that covers its whole namespace and allows no disruption; one of our DisruptionBudgets counts as
// a hard one.
struct DecodedObjects {
  Manifests manifests{};
  UndecodableObjects left_out{};
  std::vector<std::string> lacks{};  // what decides which pods go and was not read, in words
};
[[nodiscard]] Result<DecodedObjects> understand(std::vector<Value> objects, std::string_view pod,
                                                std::string_view source);
// The objects of a user's files, with none left out: the first that cannot be decoded is the error.
[[nodiscard]] Result<DecodedObjects> decode_files(const std::vector<std::string>& files);

// For resizes, as the daemons do: removes pods that their node can never run, which hold no room
// there (policy/model/rejected_pods.h); never the requested pod.
void drop_rejected_pods(Manifests& manifests, std::string_view pod);

// Writes the first ten and the number of the rest to standard error.
void warn_of(const UndecodableObjects& left_out);

// No pod is removed on an unclear node: replaces the victims with that reason.
void remove_none_on_unclear_node(policy::ResizeReport& report, const UndecodableObjects& left_out);

}  // namespace elbowroom::cli
