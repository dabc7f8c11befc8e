#include "cri/wire.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "cri/convert.h"

namespace elbowroom::cri {
namespace {

// A sandbox carries its pod's annotations, which the API limits to 256 KiB.
constexpr int kMaxEntryBytes = 2 << 20;

std::int64_t at_least(std::int64_t least, std::int64_t claimed) { return std::max(least, claimed); }

ContainerState state_from(wire::ContainerState state) {
  switch (state) {
    case wire::CONTAINER_CREATED:
      return ContainerState::Created;
    case wire::CONTAINER_RUNNING:
      return ContainerState::Running;
    case wire::CONTAINER_EXITED:
      return ContainerState::Exited;
    default:
      return ContainerState::Unknown;
  }
}

template <class Map>
std::string label(const Map& labels, std::string_view key, std::size_t limit) {
  const auto at = labels.find(std::string(key));
  return at == labels.end() ? std::string() : printable(at->second, limit);
}

// For the fields that PodSandbox and PodSandboxStatus have in common.
template <class Message>
Sandbox common_sandbox(const Message& told, std::size_t text_bytes) {
  Sandbox sandbox;
  sandbox.id = told.id();
  sandbox.pod_uid = label(told.labels(), kPodUidLabel, text_bytes);
  sandbox.ns = label(told.labels(), kPodNamespaceLabel, text_bytes);
  sandbox.name = label(told.labels(), kPodNameLabel, text_bytes);
  sandbox.attempt = told.metadata().attempt();
  sandbox.state =
      told.state() == wire::SANDBOX_READY ? SandboxState::Ready : SandboxState::NotReady;
  sandbox.created_at_ns = told.created_at();
  return sandbox;
}

// 0 if it is no number.
std::uint32_t number_from(std::string_view text) {
  std::uint32_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  return end.ec == std::errc() && end.ptr == text.data() + text.size() ? number : 0;
}

// For the fields that Container and ContainerStatus have in common.
template <class Message>
RuntimeContainer common_container(const Message& told, std::size_t text_bytes) {
  RuntimeContainer container;
  container.id = told.id();
  container.pod_uid = label(told.labels(), kPodUidLabel, text_bytes);
  container.ns = label(told.labels(), kPodNamespaceLabel, text_bytes);
  container.pod_name = label(told.labels(), kPodNameLabel, text_bytes);
  container.name = label(told.labels(), kContainerNameLabel, text_bytes);
  container.attempt = told.metadata().attempt();
  container.state = state_from(told.state());
  container.created_at_ns = told.created_at();
  container.created = size_from_text(label(told.annotations(), kCreatedSize, text_bytes));
  container.resize_restarts = number_from(label(told.annotations(), kResizeRestarts, text_bytes));
  return container;
}

// Reads `repeated Entry ... = 1`, the one field of both list responses.
template <class Entry, class Take>
Result<void> read_list(google::protobuf::io::ZeroCopyInputStream& bytes, std::size_t most,
                       std::string_view doing, Take take) {
  using google::protobuf::internal::WireFormatLite;
  constexpr std::uint32_t kEntryTag =
      WireFormatLite::MakeTag(1, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
  const auto torn = [&] {
    return failure(Code::Internal, std::string(doing) + ": the answer is no such list");
  };
  google::protobuf::io::CodedInputStream in(&bytes);
  Entry entry;
  std::size_t entries = 0;
  while (const std::uint32_t tag = in.ReadTag()) {
    if (tag != kEntryTag) {
      if (!WireFormatLite::SkipField(&in, tag)) return torn();
      continue;
    }
    int size = 0;
    if (!in.ReadVarintSizeAsInt(&size)) return torn();
    if (++entries > most || size > kMaxEntryBytes) {
      return failure(Code::Exhausted, std::string(doing) + ": more than " + std::to_string(most) +
                                          " entries, or one of more than " +
                                          std::to_string(kMaxEntryBytes) + " bytes");
    }
    const auto limit = in.PushLimit(size);
    entry.Clear();
    if (!entry.MergeFromCodedStream(&in) || !in.ConsumedEntireMessage() ||
        in.BytesUntilLimit() != 0) {
      return torn();
    }
    in.PopLimit(limit);
    take(entry);
  }
  return in.ConsumedEntireMessage() ? Result<void>() : torn();
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  return clipped(sanitize_line(text.substr(0, 4 * limit)), std::max<std::size_t>(limit, 3));
}

bool is_id(std::string_view id) {
  if (id.empty() || id.size() > 255 || id.front() == '.') return false;
  return std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

std::string_view to_string(ContainerState state) {
  switch (state) {
    case ContainerState::Created:
      return "Created";
    case ContainerState::Running:
      return "Running";
    case ContainerState::Exited:
      return "Exited";
    case ContainerState::Unknown:
      return "Unknown";
  }
  return "Unknown";
}

RuntimeResources from_wire(const wire::LinuxContainerResources& told) {
  RuntimeResources size;
  size.cpu_shares = at_least(0, told.cpu_shares());
  size.cpu_quota_us = at_least(-1, told.cpu_quota());
  size.cpu_period_us = at_least(0, told.cpu_period());
  size.memory_limit_bytes = at_least(-1, told.memory_limit_in_bytes());
  return size;
}

void to_wire(const RuntimeResources& size, wire::LinuxContainerResources& out) {
  out.set_cpu_shares(size.cpu_shares);
  out.set_cpu_quota(size.cpu_quota_us);
  out.set_cpu_period(size.cpu_period_us);
  out.set_memory_limit_in_bytes(size.memory_limit_bytes);
}

void to_wire(const SandboxSpec& spec, wire::PodSandboxConfig& out) {
  out.mutable_metadata()->set_name(spec.name);
  out.mutable_metadata()->set_namespace_(spec.ns);
  out.mutable_metadata()->set_uid(spec.pod_uid);
  out.mutable_metadata()->set_attempt(spec.attempt);
  if (!spec.host_network) out.set_hostname(spec.name);
  out.set_log_directory(spec.log_directory);
  auto& labels = *out.mutable_labels();
  for (const auto& [key, value] : spec.labels) labels[key] = value;
  labels[std::string(kPodUidLabel)] = spec.pod_uid;
  labels[std::string(kPodNamespaceLabel)] = spec.ns;
  labels[std::string(kPodNameLabel)] = spec.name;
  for (const auto& [key, value] : spec.annotations) (*out.mutable_annotations())[key] = value;
  out.mutable_linux()->set_cgroup_parent(spec.cgroup_parent);
  auto* namespaces = out.mutable_linux()->mutable_security_context()->mutable_namespace_options();
  namespaces->set_network(spec.host_network ? wire::NODE : wire::POD);
  namespaces->set_pid(wire::CONTAINER);
}

void to_wire(const SandboxSpec& sandbox, const ContainerSpec& spec, wire::ContainerConfig& out) {
  out.mutable_metadata()->set_name(spec.name);
  out.mutable_metadata()->set_attempt(spec.attempt);
  out.mutable_image()->set_image(spec.image);
  for (const std::string& word : spec.command) out.add_command(word);
  for (const std::string& word : spec.args) out.add_args(word);
  for (const auto& [name, value] : spec.env) {
    auto* variable = out.add_envs();
    variable->set_key(name);
    variable->set_value(value);
  }
  auto& labels = *out.mutable_labels();
  for (const auto& [key, value] : spec.labels) labels[key] = value;
  labels[std::string(kPodUidLabel)] = sandbox.pod_uid;
  labels[std::string(kPodNamespaceLabel)] = sandbox.ns;
  labels[std::string(kPodNameLabel)] = sandbox.name;
  labels[std::string(kContainerNameLabel)] = spec.name;
  for (const auto& [key, value] : spec.annotations) (*out.mutable_annotations())[key] = value;
  out.set_log_path(spec.name + "_" + std::to_string(spec.attempt) + ".log");
  to_wire(spec.resources, *out.mutable_linux()->mutable_resources());
  out.mutable_linux()->mutable_resources()->set_oom_score_adj(spec.oom_score_adj);
  auto* namespaces = out.mutable_linux()->mutable_security_context()->mutable_namespace_options();
  namespaces->set_network(sandbox.host_network ? wire::NODE : wire::POD);
  namespaces->set_pid(wire::CONTAINER);
}

Sandbox sandbox_from(const wire::PodSandboxStatus& told, std::size_t text_bytes) {
  Sandbox sandbox = common_sandbox(told, text_bytes);
  sandbox.ip = printable(told.network().ip(), 64);
  return sandbox;
}

RuntimeContainer container_from(const wire::ContainerStatus& told, std::size_t text_bytes) {
  RuntimeContainer container = common_container(told, text_bytes);
  container.started_at_ns = told.started_at();
  container.finished_at_ns = told.finished_at();
  container.exit_code = told.exit_code();
  container.reason = printable(told.reason(), text_bytes);
  container.message = printable(told.message(), text_bytes);
  if (told.has_resources() && told.resources().has_linux()) {
    const auto& size = told.resources().linux();
    container.resources = from_wire(size);
    container.may_swap = size.memory_limit_in_bytes() > 0 &&
                         size.memory_swap_limit_in_bytes() > size.memory_limit_in_bytes();
  }
  return container;
}

Result<std::vector<Sandbox>> read_sandboxes(google::protobuf::io::ZeroCopyInputStream& bytes,
                                            const ClientLimits& limits) {
  std::vector<Sandbox> sandboxes;
  RETURN_IF_ERROR(read_list<wire::PodSandbox>(
      bytes, limits.list_entries, "list sandboxes", [&](const wire::PodSandbox& told) {
        if (is_id(told.id())) sandboxes.push_back(common_sandbox(told, limits.text_bytes));
      }));
  return sandboxes;
}

Result<std::vector<RuntimeContainer>> read_containers(
    google::protobuf::io::ZeroCopyInputStream& bytes, const ClientLimits& limits) {
  std::vector<RuntimeContainer> containers;
  RETURN_IF_ERROR(read_list<wire::Container>(
      bytes, limits.list_entries, "list containers", [&](const wire::Container& told) {
        if (!is_id(told.id())) return;
        containers.push_back(common_container(told, limits.text_bytes));
        if (is_id(told.pod_sandbox_id())) containers.back().sandbox_id = told.pod_sandbox_id();
      }));
  return containers;
}

}  // namespace elbowroom::cri
