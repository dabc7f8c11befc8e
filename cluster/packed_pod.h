// A pod packed into a few hundred bytes, to keep tens of thousands of them. Packing keeps all that
// decisions read and drops the rest (unused conditions, the resourceVersion). Otherwise unpacked()
// returns what packed() was given.
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

  // Key and node name may have at most 64 KiB each; longer ones are cut (the API allows 253).
  [[nodiscard]] static PackedPod packed(const policy::Pod& pod);

  [[nodiscard]] policy::Pod unpacked() const;

  // These read without unpacking. The views are valid as long as the packed pod, unless it is
  // moved.
  [[nodiscard]] std::string_view key() const;   // "NAMESPACE/NAME"
  [[nodiscard]] std::string_view node() const;  // "" while pending
  [[nodiscard]] std::string_view uid() const;
  // The labels in packed form: equal if and only if the labels are equal. read_labels() of
  // packed_labels.h reads them.
  [[nodiscard]] std::string_view labels_text() const;

  [[nodiscard]] std::size_t bytes() const { return bytes_.size(); }

  friend bool operator==(const PackedPod&, const PackedPod&) = default;

 private:
  explicit PackedPod(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::string_view body() const;

  std::string bytes_{};
};

// The pod after packing and unpacking.
[[nodiscard]] policy::Pod as_packed(policy::Pod pod);

}  // namespace elbowroom::cluster
