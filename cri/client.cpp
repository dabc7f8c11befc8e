#include "cri/client.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cri/runtime.grpc.pb.h"

namespace elbowroom::cri {
namespace {

namespace wire = ::runtime::v1;
using std::chrono::milliseconds;

constexpr std::size_t kMaxSocketPath = 107;  // sizeof(sockaddr_un::sun_path) - 1

// One printable line of at most `limit` bytes and what marks the cut. What a runtime says is shown
// to people and written to logs, so nothing in it may move a cursor or end a line.
std::string printable(std::string_view text, std::size_t limit) {
  return clipped(sanitize_line(text.substr(0, 4 * limit)), std::max<std::size_t>(limit, 3));
}

// An id becomes part of a path and of later calls: nothing but what real runtimes use is one.
bool is_id(std::string_view id) {
  if (id.empty() || id.size() > 255 || id.front() == '.') return false;
  return std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

// containerd answers UNKNOWN to everything it cannot do, for now or for good: only the text tells.
bool is_passing(std::string_view text) {
  static constexpr std::string_view kPassing[] = {"not initialized yet",
                                                  "context deadline exceeded",
                                                  "context canceled",
                                                  "ttrpc: closed",
                                                  "connection refused",
                                                  "transport is closing",
                                                  "resource temporarily unavailable"};
  return std::ranges::any_of(kPassing,
                             [&](std::string_view phrase) { return text.contains(phrase); });
}

Code code_of(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::NOT_FOUND:
      return Code::NotFound;
    case grpc::StatusCode::UNAVAILABLE:
      // gRPC says no more than this of a socket that may not be opened.
      return status.error_message().find("Permission denied") != std::string::npos
                 ? Code::Denied
                 : Code::Unavailable;
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::ABORTED:
      return Code::Unavailable;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return Code::Exhausted;
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED:
      return Code::Denied;
    case grpc::StatusCode::ALREADY_EXISTS:
      return Code::Conflict;
    case grpc::StatusCode::UNKNOWN:
      return is_passing(status.error_message()) ? Code::Unavailable : Code::Invalid;
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::OUT_OF_RANGE:
      return Code::Invalid;
    default:
      return Code::Internal;
  }
}

std::int64_t at_least(std::int64_t least, std::int64_t claimed) { return std::max(least, claimed); }

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

ContainerState from_wire(wire::ContainerState state) {
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

// PodSandbox and PodSandboxStatus have these fields in common.
template <class Message>
Sandbox sandbox_from(const Message& told, std::size_t text_bytes) {
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

// Container and ContainerStatus have these fields in common.
template <class Message>
RuntimeContainer container_from(const Message& told, std::size_t text_bytes) {
  RuntimeContainer container;
  container.id = told.id();
  container.pod_uid = label(told.labels(), kPodUidLabel, text_bytes);
  container.ns = label(told.labels(), kPodNamespaceLabel, text_bytes);
  container.pod_name = label(told.labels(), kPodNameLabel, text_bytes);
  container.name = label(told.labels(), kContainerNameLabel, text_bytes);
  container.attempt = told.metadata().attempt();
  container.state = from_wire(told.state());
  container.created_at_ns = told.created_at();
  return container;
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

// A gRPC target is a URI: what is not plain in a path is escaped.
std::string target_of(std::string_view path) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string target = "unix:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '-' || c == '_' || c == '.';
    if (plain) {
      target += c;
    } else {
      target += '%';
      target += kHex[byte >> 4];
      target += kHex[byte & 15];
    }
  }
  return target;
}

grpc::ChannelArguments channel_arguments(const ClientLimits& limits) {
  grpc::ChannelArguments args;
  args.SetMaxReceiveMessageSize(static_cast<int>(limits.message_bytes));
  args.SetMaxSendMessageSize(static_cast<int>(limits.message_bytes));
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // http_proxy in the environment is not for sockets
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);     // what is repeated is decided by the reactor
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  args.SetInt(GRPC_ARG_ENABLE_CHANNELZ, 0);  // memory: the agent idles in a few MiB
  args.SetInt(GRPC_ARG_MAX_CHANNEL_TRACE_EVENT_MEMORY_PER_NODE, 0);
  args.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
  args.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "localhost");
  grpc::ResourceQuota quota("elbowroom-cri");
  quota.Resize(4 * limits.message_bytes);
  args.SetResourceQuota(quota);
  return args;
}

// gRPC wraps "Connection refused" into its attempts and the address, which we name ourselves.
std::string_view reason_in(std::string_view text) {
  if (!text.starts_with("failed to connect to all addresses")) return text;
  const std::size_t last = text.rfind(": ");
  return last == std::string_view::npos ? text : text.substr(last + 2);
}

std::string about(std::string_view doing, std::string_view id) {
  return std::string(doing) + " " + printable(id.substr(0, 13), 64);  // as long as crictl shows it
}

}  // namespace

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

// How long a call waits for a runtime that is not connected. gRPC connects only while somebody
// waits in it: without this, calls that fail at once would keep a runtime that is back unseen for
// seconds.
constexpr milliseconds kConnectWait{250};

struct Client::Channel {
  std::string path;
  ClientLimits limits;
  std::shared_ptr<grpc::Channel> connection;
  std::unique_ptr<wire::RuntimeService::Stub> stub;

  // One call: `method` of the stub with that request. `doing` opens the message of a failure.
  template <class Response, class Method, class Request>
  Result<Response> call(Method method, const Request& request, milliseconds deadline,
                        const std::string& doing) {
    const auto end = std::chrono::system_clock::now() + deadline;
    if (connection->GetState(true) != GRPC_CHANNEL_READY) {
      connection->WaitForConnected(std::min(end, end - deadline + kConnectWait));
    }
    grpc::ClientContext context;
    context.set_deadline(end);
    Response response;
    const grpc::Status status = ((*stub).*method)(&context, request, &response);
    if (status.ok()) return response;
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
      return failure(Code::Unavailable, doing + ": no answer from " + path + " within " +
                                            std::to_string(deadline.count()) + " ms");
    }
    const Code code = code_of(status);
    std::string said = printable(reason_in(status.error_message()), limits.text_bytes);
    if (said.empty()) said = "failed with code " + std::to_string(status.error_code());
    if (code == Code::Unavailable || code == Code::Denied) said = path + ": " + said;
    return failure(code, doing + ": " + said);
  }

  // The same where the answer says nothing.
  template <class Response, class Method, class Request>
  Result<void> command(Method method, const Request& request, milliseconds deadline,
                       const std::string& doing) {
    RETURN_IF_ERROR((call<Response>(method, request, deadline, doing)));
    return {};
  }

  Result<void> check_size(int entries, std::string_view doing) const {
    if (static_cast<std::size_t>(entries) <= limits.list_entries) return {};
    return failure(Code::Exhausted, std::string(doing) + ": " + std::to_string(entries) +
                                        " entries, more than the " +
                                        std::to_string(limits.list_entries) + " that are read");
  }

  Result<std::string> checked_id(const std::string& id, const std::string& doing) const {
    if (is_id(id)) return id;
    return failure(Code::Invalid, doing + ": the runtime answered with an unusable id \"" +
                                      printable(id, 64) + "\"");
  }
};

using Stub = wire::RuntimeService::Stub;

Client::Client(std::unique_ptr<Channel> channel) : channel_(std::move(channel)) {}
Client::~Client() = default;

Result<std::unique_ptr<Client>> Client::open(std::string_view endpoint,
                                             const ClientLimits& limits) {
  std::string_view path = endpoint;
  if (path.starts_with("unix://")) {
    path.remove_prefix(7);
  } else if (path.starts_with("unix:")) {
    path.remove_prefix(5);
  }
  if (!path.starts_with('/') || path.contains('\0')) {
    return failure(Code::Invalid, "runtime endpoint \"" + printable(endpoint, 256) +
                                      "\": not a unix socket; write unix:///run/NAME.sock");
  }
  if (path.size() > kMaxSocketPath) {
    return failure(Code::Invalid, "runtime endpoint \"" + printable(endpoint, 256) +
                                      "\": longer than the " + std::to_string(kMaxSocketPath) +
                                      " bytes that a socket's path may have");
  }
  auto channel = std::make_unique<Channel>();
  channel->path = printable(path, kMaxSocketPath);
  channel->limits = limits;
  channel->connection = grpc::CreateCustomChannel(
      target_of(path), grpc::InsecureChannelCredentials(), channel_arguments(limits));
  channel->stub = wire::RuntimeService::NewStub(channel->connection);
  return std::unique_ptr<Client>(new Client(std::move(channel)));
}

Result<RuntimeVersion> Client::version(milliseconds deadline) {
  wire::VersionRequest request;
  request.set_version("v1");
  ASSIGN_OR_RETURN(const auto told, (channel_->call<wire::VersionResponse>(
                                        &Stub::Version, request, deadline, "version of runtime")));
  const std::size_t limit = channel_->limits.text_bytes;
  return RuntimeVersion{printable(told.runtime_name(), limit),
                        printable(told.runtime_version(), limit),
                        printable(told.runtime_api_version(), limit)};
}

Result<RuntimeReadiness> Client::status(milliseconds deadline) {
  ASSIGN_OR_RETURN(const auto told,
                   (channel_->call<wire::StatusResponse>(&Stub::Status, wire::StatusRequest(),
                                                         deadline, "status of runtime")));
  RuntimeReadiness ready;
  for (const auto& condition : told.status().conditions()) {
    if (condition.type() == "RuntimeReady") ready.runtime = condition.status();
    if (condition.type() == "NetworkReady") ready.network = condition.status();
    if (!condition.status() && ready.reason.empty()) {
      ready.reason =
          printable(condition.reason() + ": " + condition.message(), channel_->limits.text_bytes);
    }
  }
  return ready;
}

Result<CgroupDriver> Client::cgroup_driver(milliseconds deadline) {
  ASSIGN_OR_RETURN(const auto told, (channel_->call<wire::RuntimeConfigResponse>(
                                        &Stub::RuntimeConfig, wire::RuntimeConfigRequest(),
                                        deadline, "configuration of runtime")));
  if (!told.has_linux()) {
    return failure(Code::Internal, "configuration of runtime: it names no cgroup driver");
  }
  return told.linux().cgroup_driver() == wire::CGROUPFS ? CgroupDriver::Cgroupfs
                                                        : CgroupDriver::Systemd;
}

Result<std::vector<Sandbox>> Client::list_sandboxes(milliseconds deadline) {
  ASSIGN_OR_RETURN(const auto told, (channel_->call<wire::ListPodSandboxResponse>(
                                        &Stub::ListPodSandbox, wire::ListPodSandboxRequest(),
                                        deadline, "list sandboxes")));
  RETURN_IF_ERROR(channel_->check_size(told.items_size(), "list sandboxes"));
  std::vector<Sandbox> sandboxes;
  sandboxes.reserve(static_cast<std::size_t>(told.items_size()));
  for (const auto& item : told.items()) {
    if (is_id(item.id())) sandboxes.push_back(sandbox_from(item, channel_->limits.text_bytes));
  }
  return sandboxes;
}

Result<Sandbox> Client::sandbox_status(const std::string& id, milliseconds deadline) {
  wire::PodSandboxStatusRequest request;
  request.set_pod_sandbox_id(id);
  ASSIGN_OR_RETURN(const auto told,
                   (channel_->call<wire::PodSandboxStatusResponse>(
                       &Stub::PodSandboxStatus, request, deadline, about("sandbox status", id))));
  RETURN_IF_ERROR(channel_->checked_id(told.status().id(), about("sandbox status", id)));
  Sandbox sandbox = sandbox_from(told.status(), channel_->limits.text_bytes);
  sandbox.ip = printable(told.status().network().ip(), 64);
  return sandbox;
}

Result<std::string> Client::run_sandbox(const SandboxSpec& spec, milliseconds deadline) {
  wire::RunPodSandboxRequest request;
  to_wire(spec, *request.mutable_config());
  const std::string doing = "run sandbox of " + printable(spec.ns + "/" + spec.name, 512);
  ASSIGN_OR_RETURN(const auto told, (channel_->call<wire::RunPodSandboxResponse>(
                                        &Stub::RunPodSandbox, request, deadline, doing)));
  return channel_->checked_id(told.pod_sandbox_id(), doing);
}

Result<void> Client::stop_sandbox(const std::string& id, milliseconds deadline) {
  wire::StopPodSandboxRequest request;
  request.set_pod_sandbox_id(id);
  return channel_->command<wire::StopPodSandboxResponse>(&Stub::StopPodSandbox, request, deadline,
                                                         about("stop sandbox", id));
}

Result<void> Client::remove_sandbox(const std::string& id, milliseconds deadline) {
  wire::RemovePodSandboxRequest request;
  request.set_pod_sandbox_id(id);
  return channel_->command<wire::RemovePodSandboxResponse>(&Stub::RemovePodSandbox, request,
                                                           deadline, about("remove sandbox", id));
}

Result<void> Client::update_sandbox(const std::string& id, const RuntimeResources& size,
                                    milliseconds deadline) {
  wire::UpdatePodSandboxResourcesRequest request;
  request.set_pod_sandbox_id(id);
  to_wire(size, *request.mutable_resources());
  return channel_->command<wire::UpdatePodSandboxResourcesResponse>(
      &Stub::UpdatePodSandboxResources, request, deadline, about("update sandbox", id));
}

Result<std::vector<RuntimeContainer>> Client::list_containers(milliseconds deadline) {
  ASSIGN_OR_RETURN(const auto told, (channel_->call<wire::ListContainersResponse>(
                                        &Stub::ListContainers, wire::ListContainersRequest(),
                                        deadline, "list containers")));
  RETURN_IF_ERROR(channel_->check_size(told.containers_size(), "list containers"));
  std::vector<RuntimeContainer> containers;
  containers.reserve(static_cast<std::size_t>(told.containers_size()));
  for (const auto& item : told.containers()) {
    if (!is_id(item.id())) continue;
    containers.push_back(container_from(item, channel_->limits.text_bytes));
    if (is_id(item.pod_sandbox_id())) containers.back().sandbox_id = item.pod_sandbox_id();
  }
  return containers;
}

Result<RuntimeContainer> Client::container_status(const std::string& id, milliseconds deadline) {
  wire::ContainerStatusRequest request;
  request.set_container_id(id);
  const std::string doing = about("container status", id);
  ASSIGN_OR_RETURN(const auto told, (channel_->call<wire::ContainerStatusResponse>(
                                        &Stub::ContainerStatus, request, deadline, doing)));
  const auto& status = told.status();
  RETURN_IF_ERROR(channel_->checked_id(status.id(), doing));
  const std::size_t limit = channel_->limits.text_bytes;
  RuntimeContainer container = container_from(status, limit);
  container.started_at_ns = status.started_at();
  container.finished_at_ns = status.finished_at();
  container.exit_code = status.exit_code();
  container.reason = printable(status.reason(), limit);
  container.message = printable(status.message(), limit);
  if (status.has_resources() && status.resources().has_linux()) {
    container.resources = from_wire(status.resources().linux());
  }
  return container;
}

Result<std::string> Client::create_container(const std::string& sandbox_id,
                                             const SandboxSpec& sandbox, const ContainerSpec& spec,
                                             milliseconds deadline) {
  wire::CreateContainerRequest request;
  request.set_pod_sandbox_id(sandbox_id);
  to_wire(sandbox, spec, *request.mutable_config());
  to_wire(sandbox, *request.mutable_sandbox_config());
  const std::string doing =
      "create container " + printable(sandbox.ns + "/" + sandbox.name + "/" + spec.name, 800);
  ASSIGN_OR_RETURN(const auto told, (channel_->call<wire::CreateContainerResponse>(
                                        &Stub::CreateContainer, request, deadline, doing)));
  return channel_->checked_id(told.container_id(), doing);
}

Result<void> Client::start_container(const std::string& id, milliseconds deadline) {
  wire::StartContainerRequest request;
  request.set_container_id(id);
  return channel_->command<wire::StartContainerResponse>(&Stub::StartContainer, request, deadline,
                                                         about("start container", id));
}

Result<void> Client::stop_container(const std::string& id, std::chrono::seconds grace,
                                    milliseconds deadline) {
  wire::StopContainerRequest request;
  request.set_container_id(id);
  request.set_timeout(grace.count());
  return channel_->command<wire::StopContainerResponse>(&Stub::StopContainer, request, deadline,
                                                        about("stop container", id));
}

Result<void> Client::remove_container(const std::string& id, milliseconds deadline) {
  wire::RemoveContainerRequest request;
  request.set_container_id(id);
  return channel_->command<wire::RemoveContainerResponse>(&Stub::RemoveContainer, request, deadline,
                                                          about("remove container", id));
}

Result<void> Client::update_container(const std::string& id, const RuntimeResources& size,
                                      milliseconds deadline) {
  wire::UpdateContainerResourcesRequest request;
  request.set_container_id(id);
  to_wire(size, *request.mutable_linux());
  return channel_->command<wire::UpdateContainerResourcesResponse>(
      &Stub::UpdateContainerResources, request, deadline, about("update container", id));
}

}  // namespace elbowroom::cri
