// The unpacked pods of the nodes that were asked for last, kept up to date by events, so that a
// node that is judged again is not unpacked again. It keeps at most 8,192 pods; the nodes that were
// asked for longest ago are forgotten first, and a node with more pods is not kept at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "policy/model/pod.h"

namespace elbowroom::cluster {

// Pods that several readers share, as a contiguous range. A change copies them first where there is
// another reader.
class SharedPods {
 public:
  using Pods = std::vector<policy::Pod>;

  SharedPods() : SharedPods(Pods()) {}
  explicit SharedPods(Pods pods) : pods_(std::make_shared<Pods>(std::move(pods))) {}

  [[nodiscard]] Pods::const_iterator begin() const { return pods_->begin(); }
  [[nodiscard]] Pods::const_iterator end() const { return pods_->end(); }
  [[nodiscard]] std::size_t size() const { return pods_->size(); }
  [[nodiscard]] bool empty() const { return pods_->empty(); }
  [[nodiscard]] const policy::Pod& operator[](std::size_t at) const { return (*pods_)[at]; }

  // To change them; valid until the next copy of this object.
  [[nodiscard]] Pods& own() {
    if (pods_.use_count() > 1) pods_ = std::make_shared<Pods>(*pods_);
    return *pods_;
  }

 private:
  std::shared_ptr<Pods> pods_;
};

class KeptPods {
 public:
  // The pods of the node, and "" or the message that `contradiction_in` returns for them.
  struct Node {
    SharedPods pods{};
    std::string contradiction{};
  };
  using Unpack = std::function<SharedPods::Pods()>;  // by key
  using Contradiction = std::function<std::string(std::span<const policy::Pod>)>;

  // The node as it was kept, or as `unpack` returns it.
  [[nodiscard]] Node of(std::string_view node, const Unpack& unpack,
                        const Contradiction& contradiction_in);

  // A pod of that node was added or changed, or removed by its key. They change nothing where the
  // node is not kept.
  void put(std::string_view node, const policy::Pod& pod);
  void remove(std::string_view node, const std::string& key);
  // The node is unpacked again.
  void forget(std::string_view node);

  [[nodiscard]] std::size_t pods() const { return count_; }

 private:
  struct Kept {
    Node node{};
    bool is_checked = false;  // for a contradiction
    std::uint64_t used = 0;   // the turn in which it was asked for last
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Nodes = std::unordered_map<std::string, Kept, Hash, std::equal_to<>>;

  void make_room();
  void forget(Nodes::iterator node);

  Nodes nodes_{};
  std::size_t count_ = 0;
  std::uint64_t turn_ = 0;
};

}  // namespace elbowroom::cluster
