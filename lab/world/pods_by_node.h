// Which pods are on which node, and which of them changed, read from a world once for all nodes.
// Whoever asks for one node pays for the pods of that node, so that a cluster of many costs as much
// as its pods, not as its pods times its nodes.
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

  // Which pods of that node came, changed or went after that version, oldest first; a pod that
  // changed twice may be there twice. Nothing: that was too long ago, list them.
  [[nodiscard]] std::optional<std::vector<ChangedObject>> changed_after(std::string_view node,
                                                                        std::uint64_t version);

  // All of that node, by namespace and name; until the world changes.
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
  std::uint64_t version_ = 0;                                  // of the world, as read here
  std::uint64_t begun_ = 0;                                    // nothing before it is known
  std::map<std::string, Node, std::less<>> nodes_{};           // by name
  std::map<std::string, std::string, std::less<>> node_of_{};  // by NAMESPACE/NAME, of those there
};

}  // namespace elbowroom::lab
