// The objects of a cluster that cannot be understood, and are left out of what is read from it. One
// object of a stranger stops no answer, but a node that holds such a pod is unclear, as it is for
// the scheduler: nobody is removed there. Files of the user's own are not read here: they are to be
// sound.
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

struct SkippedObjects {
  std::vector<std::string> lines{};  // one each: the object, and why it cannot be understood
  std::map<std::string, std::string, std::less<>> unclear{};       // why nobody is removed, by node
  std::vector<std::pair<std::string, std::string>> budgets{};      // namespace and name
  std::vector<std::pair<std::string, std::string>> own_budgets{};  // of ours
};

// Takes them out of `objects`, whose order stays. Invalid: the pod that is asked for (by
// NAMESPACE/NAME; "" for none), or its node, is among them. `source` is what errors call the place
// they are from.
[[nodiscard]] Result<SkippedObjects> leave_out(std::vector<Value>& objects, std::string_view pod,
                                               std::string_view source);

// The objects of a cluster that can be understood. A budget that cannot counts as one that
// covers its whole namespace and lets nobody go, one of ours as a hard one.
struct Understood {
  Manifests manifests{};
  SkippedObjects left_out{};
};
[[nodiscard]] Result<Understood> understand(std::vector<Value> objects, std::string_view pod,
                                            std::string_view source);
// Those of a person's files, of which nothing is left out: the first that cannot be understood is
// the error.
[[nodiscard]] Result<Understood> understand_files(const std::vector<std::string>& files);

// For resizes, and as the daemons do: takes the pods away that their node can never take, which
// hold no room there (policy/model/rejected_pods.h); never the pod that is asked for.
void drop_what_never_fits(Manifests& manifests, std::string_view pod);

// On standard error: the first ten, then how many more there are.
void warn_of(const SkippedObjects& left_out);

// On an unclear node nobody is removed: says so in place of who would go.
void keep_all_on_unclear(policy::ResizeReport& report, const SkippedObjects& left_out);

}  // namespace elbowroom::cli
