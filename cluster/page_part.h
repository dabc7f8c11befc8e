// What a daemon that keeps a snapshot copies of it for its page.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cluster/snapshot.h"
#include "page/page_part.h"
#include "policy/model/rules.h"
#include "policy/model/time.h"

namespace elbowroom::cluster {

struct PageSource {
  const Snapshot& snapshot;
  // A node on which a resize waits, as decisions see it.
  std::function<std::optional<NodeView>(const std::string& node)> view_of{};
  policy::RuleSet rules = policy::RuleSet::Elbowroom;
  policy::Time now{};  // by the API server's clock
};

// Stops after 2 ms: a node or a namespace more is another part.
[[nodiscard]] page::PagePart page_part(const PageSource& source, const page::PageAsked& asked);

}  // namespace elbowroom::cluster
