// Which pods are on which node, and which of them changed, read from a world once for all nodes. A
// reader of one node pays only for that node's pods, so a cluster costs as much as its pods, not as
// its pods times its nodes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/world/world.h"

namespace elbowroom::lab {

class PodsByNode {
 public:
  explicit PodsByNode(const World& world) : world_(world) {}  // it must outlive this

  // The pods of that node that were created, changed or removed after that version, oldest first; a
  // pod that changed twice may be listed twice. Nothing: the version is too old, list the pods
  // instead.
  [[nodiscard]] std::optional<std::vector<ChangedObject>> changed_after(std::string_view node,
                                                                        std::uint64_t version);

  // All pods of that node, by namespace and name. Valid until the world changes.
  [[nodiscard]] std::vector<const Json*> pods_of(std::string_view node);

 private:
  using Name = std::pair<std::string, std::string>;  // namespace and name
  struct Node {
    std::map<std::string, Name, std::less<>> pods{};  // by NAMESPACE/NAME
    std::deque<ChangedObject> changes{};
    std::uint64_t forgotten = 0;  // changes up to this version are no longer known
  };

  void catch_up();
  void begin_again();
  void note(const ChangedObject& change);
  void note_at(const std::string& node, const ChangedObject& change);

  const World& world_;
  std::uint64_t version_ = 0;                                  // the world's version as read here
  std::uint64_t begun_ = 0;                                    // changes before it are not known
  std::map<std::string, Node, std::less<>> nodes_{};           // by name
  std::map<std::string, std::string, std::less<>> node_of_{};  // existing pods, by NAMESPACE/NAME
};

}  // namespace elbowroom::lab
