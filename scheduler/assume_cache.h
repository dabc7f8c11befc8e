// What we said of pending pods and the watch does not show yet: the node that one is being bound
// to, and nominations. Until the watch shows it, or it is taken back, every state of the pod is
// believed with it, so that nobody else is promised the same room.
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
  // `believed`: the pod as it was believed until now.
  void bind(const policy::Pod& believed, const std::string& node);
  // The API server said so: only the watch is to show it.
  void bound(std::string_view key, std::string_view uid, std::string_view node);
  // "": it is nominated no more.
  void nominate(const policy::Pod& believed, const std::string& node);

  // What the watch shows with what was promised; ends what it shows, or what it makes void. While
  // the pod is being written what it shows may be older than what is on its way: no nomination is
  // taken for shown then.
  [[nodiscard]] cluster::PackedPod applied(cluster::PackedPod shown, bool is_being_written);
  // Nothing that was to be written of it is on its way any more.
  void all_written(std::string_view key, std::string_view uid);

  // These give the pod as it is to be believed from now on; nothing where nothing was promised.
  std::optional<cluster::PackedPod> take_back_binding(std::string_view key);
  std::optional<cluster::PackedPod> take_back_nomination(std::string_view key);
  // The write of that nomination failed: it is promised still, if nothing else is, and to be
  // written again.
  void not_written(std::string_view key, std::string_view uid, std::string_view nominated);
  // A nomination that is to be written again; it is told once for each failure.
  std::optional<std::string> take_unwritten(std::string_view key, std::string_view uid);
  // The pod is gone.
  void forget(std::string_view key);

  // The node that the pod of that uid is being bound to; "" for none.
  [[nodiscard]] std::string bound_to(std::string_view key, std::string_view uid) const;
  // Whether that binding was answered so.
  [[nodiscard]] bool is_bound(std::string_view key, std::string_view uid) const;
  [[nodiscard]] bool is_binding(std::string_view key) const;
  [[nodiscard]] std::size_t size() const { return made_.size(); }

 private:
  struct AssumedPod {
    std::string uid{};
    std::optional<std::string> node{};
    bool is_bound = false;  // to that node, as the API server said
    std::optional<std::string> nominated{};
    bool is_unwritten = false;   // the nomination, and nothing is under way that writes it
    cluster::PackedPod shown{};  // the pod as the watch showed it last
  };
  using Made = std::map<std::string, AssumedPod, std::less<>>;  // by key

  AssumedPod& made_for(const policy::Pod& believed);
  [[nodiscard]] static cluster::PackedPod believed(const AssumedPod& promise);
  [[nodiscard]] static bool shows_nomination(const AssumedPod& promise);
  [[nodiscard]] cluster::PackedPod without(Made::iterator promise);

  Made made_{};
};

}  // namespace elbowroom::scheduler
