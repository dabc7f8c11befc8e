// Which of two versions of one object is newer. Kubernetes lets resourceVersions be compared as
// numbers since 1.35, and every server on etcd bears it out; one that is no number is opaque, and
// then nobody knows.
#pragma once

#include <cstdint>
#include <string_view>

namespace elbowroom::agent {

// 0: opaque.
[[nodiscard]] std::uint64_t version_number(std::string_view resource_version);

// False where nobody knows.
[[nodiscard]] bool is_older(std::string_view resource_version, std::string_view than);

}  // namespace elbowroom::agent
