// A text about pods in two forms: the full form for readers who may see every pod (the log,
// explain, simulate), and the form written onto a pod, which the pod's owner reads. A text on a pod
// identifies pods of other namespaces by uid only. Source: kube-scheduler and kubelet, which leave
// the names of other tenants' pods out of events and conditions.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "policy/model/pod.h"

namespace elbowroom::policy {

class PodText {
 public:
  PodText() = default;
  // The same text in both forms.
  template <class Text>
    requires std::convertible_to<Text, std::string_view>
  PodText(const Text& same)  // NOLINT(google-explicit-constructor): a plain text is words too
      : full_(std::string_view(same)), on_pod_(full_) {}
  PodText(std::string full, std::string on_pod)
      : full_(std::move(full)), on_pod_(std::move(on_pod)) {}

  [[nodiscard]] const std::string& full() const { return full_; }
  [[nodiscard]] const std::string& on_pod() const { return on_pod_; }
  [[nodiscard]] bool empty() const { return full_.empty(); }

  PodText& operator+=(const PodText& more) {
    full_ += more.full_;
    on_pod_ += more.on_pod_;
    return *this;
  }
  friend PodText operator+(PodText first, const PodText& more) { return first += more; }
  friend bool operator==(const PodText&, const PodText&) = default;

 private:
  std::string full_{};
  std::string on_pod_{};
};

// Both forms of the name of the pod with that key (NAMESPACE/NAME) and uid: as a text on a pod of
// namespace `reader` names it, and as everything else does. This is the only place that decides it.
// Without a namespace the reader is a Node.
[[nodiscard]] PodText name_for_reader(std::string_view reader, std::string_view key,
                                      std::string_view uid);
[[nodiscard]] PodText name_for_reader(std::string_view reader, const Pod& pod);

}  // namespace elbowroom::policy
