// A pod as a few hundred bytes, for tens of thousands of them. Packing keeps all that a decision
// looks at and nothing else (conditions that mean nothing to us go, and the resourceVersion); what
// comes out of unpacked() is what packed() was given, less that.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "policy/model/pod.h"
#include "policy/model/selector.h"

namespace elbowroom::cluster {

class PackedPod {
 public:
  PackedPod() = default;

  // An identity and a node's name of at most 64 KiB each; longer ones are cut (the API allows 253).
  [[nodiscard]] static PackedPod packed(const policy::Pod& pod);

  [[nodiscard]] policy::Pod unpacked() const;

  // Without unpacking. The views live as long as the packed pod, unmoved.
  [[nodiscard]] std::string_view key() const;   // "NAMESPACE/NAME"
  [[nodiscard]] std::string_view node() const;  // "" while pending
  [[nodiscard]] std::string_view uid() const;
  // The labels as they are packed: equal where the labels are, and read by labels_in().
  [[nodiscard]] std::string_view labels_text() const;
  [[nodiscard]] static policy::Labels labels_in(std::string_view text);

  [[nodiscard]] std::size_t bytes() const { return bytes_.size(); }

  friend bool operator==(const PackedPod&, const PackedPod&) = default;

 private:
  explicit PackedPod(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::string_view body() const;

  std::string bytes_{};
};

// The pod as it comes out of being packed.
[[nodiscard]] policy::Pod as_packed(policy::Pod pod);

}  // namespace elbowroom::cluster
