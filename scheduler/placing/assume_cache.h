// What the scheduler has assumed of pending pods and the watch does not show yet: the node that a
// pod is being bound to, and nominations. Until the watch shows it, or it is forgotten, every
// version of the pod is read with it, so that the same room is not given to another pod.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/packed_pod.h"
#include "policy/model/pod.h"

namespace elbowroom::scheduler {

class AssumeCache {
 public:
  // `believed`: the pod as assumed until now.
  void bind(const policy::Pod& believed, const std::string& node);
  // The API server confirmed the binding; only the watch has not shown it yet.
  void bound(std::string_view key, std::string_view uid, std::string_view node);
  // "": the pod is no longer nominated.
  void nominate(const policy::Pod& believed, const std::string& node);

  // Returns the pod from the watch with what is assumed. Drops what the watch confirms or makes
  // void. While a write of the pod is in flight the watch may be stale, so a nomination is not
  // confirmed then.
  [[nodiscard]] cluster::PackedPod applied(cluster::PackedPod shown, bool is_being_written);
  // No write of the pod is in flight any more.
  void all_written(std::string_view key, std::string_view uid);

  // These return the pod as assumed from now on; nothing if nothing was assumed.
  std::optional<cluster::PackedPod> take_back_binding(std::string_view key);
  std::optional<cluster::PackedPod> take_back_nomination(std::string_view key);
  // The write of that nomination failed: it stays assumed, unless it was replaced, and must be
  // written again.
  void not_written(std::string_view key, std::string_view uid, std::string_view nominated);
  // Returns a nomination that must be written again, once for each failure.
  std::optional<std::string> take_unwritten(std::string_view key, std::string_view uid);
  // The pod is gone.
  void forget(std::string_view key);

  // Returns the node that the pod of that uid is being bound to; "" for none.
  [[nodiscard]] std::string bound_to(std::string_view key, std::string_view uid) const;
  // True if the API server confirmed that binding.
  [[nodiscard]] bool is_bound(std::string_view key, std::string_view uid) const;
  [[nodiscard]] bool is_binding(std::string_view key) const;
  [[nodiscard]] std::size_t size() const { return made_.size(); }

 private:
  struct AssumedPod {
    std::string uid{};
    std::optional<std::string> node{};
    bool is_bound = false;  // confirmed by the API server
    std::optional<std::string> nominated{};
    bool is_unwritten = false;   // the nomination must be written, and no write is in flight
    cluster::PackedPod shown{};  // the latest pod from the watch
  };
  using Made = std::map<std::string, AssumedPod, std::less<>>;  // by key

  AssumedPod& made_for(const policy::Pod& believed);
  [[nodiscard]] static cluster::PackedPod believed(const AssumedPod& assumed);
  [[nodiscard]] static bool shows_nomination(const AssumedPod& assumed);
  [[nodiscard]] cluster::PackedPod without(Made::iterator assumed);

  Made made_{};
};

}  // namespace elbowroom::scheduler
