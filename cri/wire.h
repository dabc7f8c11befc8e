// Converts between the generated CRI messages and our values. Here a runtime's claims are bounded
// and made printable. Only the client, fuzz targets and the lab's runtime include it; everything
// else relies on cri/types.h.
#pragma once

#include <google/protobuf/io/zero_copy_stream.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cri/client.h"
#include "cri/runtime.pb.h"
#include "cri/types.h"

namespace elbowroom::cri {

namespace wire = ::runtime::v1;

// One printable line of at most `limit` bytes. A runtime's text is shown to people and written to
// logs, so it must not move a cursor or end a line.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit);

// An id becomes part of a path and of later calls. Allowed: letters, digits, '-', '_' and '.', but
// no '.' first.
[[nodiscard]] bool is_id(std::string_view id);

[[nodiscard]] RuntimeResources from_wire(const wire::LinuxContainerResources& told);
void to_wire(const RuntimeResources& size, wire::LinuxContainerResources& out);
void to_wire(const SandboxSpec& spec, wire::PodSandboxConfig& out);
void to_wire(const SandboxSpec& sandbox, const ContainerSpec& spec, wire::ContainerConfig& out);

// The ids in them must have passed is_id().
[[nodiscard]] Sandbox sandbox_from(const wire::PodSandboxStatus& told, std::size_t text_bytes);
[[nodiscard]] RuntimeContainer container_from(const wire::ContainerStatus& told,
                                              std::size_t text_bytes);

// The entries of a ListPodSandboxResponse and a ListContainersResponse, read one by one: a list
// uses the memory of its bytes and one entry, however many it claims to have. Entries without a
// usable id are left out. Exhausted beyond the limits, Internal if the bytes are not such a
// message.
[[nodiscard]] Result<std::vector<Sandbox>> read_sandboxes(
    google::protobuf::io::ZeroCopyInputStream& bytes, const ClientLimits& limits);
[[nodiscard]] Result<std::vector<RuntimeContainer>> read_containers(
    google::protobuf::io::ZeroCopyInputStream& bytes, const ClientLimits& limits);

}  // namespace elbowroom::cri
