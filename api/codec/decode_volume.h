// Claims, volumes, storage classes, and what drivers publish, as values for decisions. What a
// driver or a user may have written is bounded here: negative sizes are 0, sizes beyond 64 bits are
// the largest number, and a term that cannot be understood matches no node.
#pragma once

#include <cstddef>

#include "api/codec/field.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/volume.h"

namespace elbowroom::api {

// Terms, expressions and values of one object; more than that match no node.
inline constexpr std::size_t kMaxVolumeTerms = 1'000;

// Invalid: no metadata.name, or a member of a wrong type. `source` is as for Field.
[[nodiscard]] Result<policy::VolumeClaim> decode_volume_claim(const Value& object,
                                                              Source source = Source::Server);
[[nodiscard]] Result<policy::PersistentVolume> decode_volume(const Value& object,
                                                             Source source = Source::Server);
[[nodiscard]] Result<policy::StorageClass> decode_storage_class(const Value& object,
                                                                Source source = Source::Server);
[[nodiscard]] Result<policy::CsiNode> decode_csi_node(const Value& object,
                                                      Source source = Source::Server);
[[nodiscard]] Result<policy::CsiDriver> decode_csi_driver(const Value& object,
                                                          Source source = Source::Server);
[[nodiscard]] Result<policy::StorageCapacity> decode_storage_capacity(
    const Value& object, Source source = Source::Server);

// Approximate sizes in bytes.
[[nodiscard]] std::size_t weight_of(const policy::VolumeClaim& of);
[[nodiscard]] std::size_t weight_of(const policy::PersistentVolume& of);
[[nodiscard]] std::size_t weight_of(const policy::StorageClass& of);
[[nodiscard]] std::size_t weight_of(const policy::CsiNode& of);
[[nodiscard]] std::size_t weight_of(const policy::CsiDriver& of);
[[nodiscard]] std::size_t weight_of(const policy::StorageCapacity& of);

}  // namespace elbowroom::api
