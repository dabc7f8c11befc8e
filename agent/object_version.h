// Compares two versions of one object. Since 1.35 Kubernetes defines resourceVersions as comparable
// numbers, and every server on etcd complies. A value that is not a number is opaque, and its order
// is unknown.
#pragma once

#include <cstdint>
#include <string_view>

namespace elbowroom::agent {

// 0: opaque.
[[nodiscard]] std::uint64_t version_number(std::string_view resource_version);

// False if the order is unknown.
[[nodiscard]] bool is_older(std::string_view resource_version, std::string_view than);

}  // namespace elbowroom::agent
