#include "cri/client.h"

#include <google/protobuf/stubs/logging.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <algorithm>
#include <utility>

#include "cri/runtime.grpc.pb.h"
#include "cri/wire.h"

namespace elbowroom::cri {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxSocketPath = 107;  // sizeof(sockaddr_un::sun_path) - 1

// containerd answers UNKNOWN to everything it cannot do, temporarily or permanently. Only the text
// distinguishes them.
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
      // gRPC reports a socket that may not be opened only with this text.
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

// A gRPC target is a URI: special characters of a path are escaped.
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
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // http_proxy does not apply to sockets
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);     // the reactor decides what is retried
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  args.SetInt(GRPC_ARG_ENABLE_CHANNELZ, 0);  // saves memory: the idle agent uses a few MiB
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

// gRPC wraps "Connection refused" in its attempts and the address, which our message names anyway.
std::string_view reason_in(std::string_view text) {
  if (!text.starts_with("failed to connect to all addresses")) return text;
  const std::size_t last = text.rfind(": ");
  return last == std::string_view::npos ? text : text.substr(last + 2);
}

// The remedy for a socket that cannot be reached.
std::string_view remedy_for(std::string_view reason) {
  if (reason.contains("No such file or directory")) {
    return "; start the runtime, or name its socket (runtimeEndpoint); if it runs, its folder was "
           "made anew after this program started: restart this program";
  }
  if (reason.contains("Connection refused")) {
    return "; start the runtime, or name the socket that it listens at (runtimeEndpoint)";
  }
  // A call in flight, or the first one after the runtime has ended. A runtime that shuts down
  // cancels its calls.
  if (reason.contains("Broken pipe") || reason.contains("Connection reset") ||
      reason.contains("losed") || reason == "CANCELLED") {
    return "; the runtime went away: start the runtime, or name its socket (runtimeEndpoint), if "
           "it does not come back";
  }
  if (reason.contains("Permission denied")) {
    return "; run this program by its unit, or give its user access to that socket";
  }
  return {};
}

wire::StopContainerRequest stop_request(const std::string& id, std::chrono::seconds grace) {
  wire::StopContainerRequest request;
  request.set_container_id(id);
  request.set_timeout(grace.count());
  return request;
}

std::string about(std::string_view doing, std::string_view id) {
  return std::string(doing) + " " + printable(id.substr(0, 13), 64);  // as long as in crictl
}

}  // namespace

// How long a call waits for a runtime that is not connected. gRPC connects only while a caller
// waits in it. Without this wait, calls that fail at once would not notice for seconds that a
// runtime is back.
constexpr milliseconds kConnectWait{250};
constexpr std::string_view kResponse = "Response";

struct Client::Channel {
  std::string path;
  ClientLimits limits;
  std::shared_ptr<grpc::Channel> connection;
  std::unique_ptr<wire::RuntimeService::Stub> stub;
  std::stop_token stop{};
  std::function<void(const CallOutcome&)> called{};

  // Waits briefly for a connection if there is none, and sets the deadline of the call.
  void prepare(grpc::ClientContext& context, milliseconds deadline) {
    const auto now = std::chrono::system_clock::now();
    if (connection->GetState(true) != GRPC_CHANNEL_READY) {
      connection->WaitForConnected(now + std::min(deadline, kConnectWait));
    }
    context.set_deadline(now + deadline);
  }

  [[nodiscard]] Error error_of(const grpc::Status& status, milliseconds deadline,
                               const std::string& doing) const {
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
      return {Code::Unavailable, doing + ": no answer from " + path + " within " +
                                     std::to_string(deadline.count()) +
                                     " ms; restart the runtime if it stays so"};
    }
    const Code code = code_of(status);
    std::string said = printable(reason_in(status.error_message()), limits.text_bytes);
    if (said.empty()) said = "failed with code " + std::to_string(status.error_code());
    if (code == Code::Unavailable || code == Code::Denied) {
      said = path + ": " + said + std::string(remedy_for(said));
    }
    return {code, doing + ": " + said};
  }

  // Returns the outcome of a call, and reports it if a callback is set.
  [[nodiscard]] grpc::Status told(std::string_view method,
                                  std::chrono::steady_clock::time_point began,
                                  grpc::Status status) const {
    if (!called) return status;
    CallOutcome call{.method = method, .took = std::chrono::steady_clock::now() - began};
    if (!status.ok()) call.failure = code_of(status);
    called(call);
    return status;
  }

  // Calls `method` of the stub with that request. `doing` begins the message of a failure.
  template <class Response, class Method, class Request>
  Result<Response> call(Method method, const Request& request, milliseconds deadline,
                        const std::string& doing) {
    grpc::ClientContext context;
    prepare(context, deadline);
    const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
    Response response;
    const auto began = std::chrono::steady_clock::now();
    // "runtime.v1.VersionResponse" is the response of Version.
    const std::string type = response.GetTypeName();
    const std::size_t from = type.rfind('.') + 1;
    const std::string name = type.substr(from, type.size() - from - kResponse.size());
    const grpc::Status status = told(name, began, ((*stub).*method)(&context, request, &response));
    if (!status.ok()) return std::unexpected(error_of(status, deadline, doing));
    return response;
  }

  // Calls a list method by its name. The response stays bytes.
  template <class Response, class Request>
  Result<Response> call_by_name(const char* method, const Request& request, milliseconds deadline,
                                const std::string& doing) {
    grpc::ClientContext context;
    prepare(context, deadline);
    const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
    grpc::CompletionQueue queue;
    grpc::TemplatedGenericStub<Request, Response> calls(connection);
    const auto call = calls.PrepareUnaryCall(&context, method, request, &queue);
    const auto began = std::chrono::steady_clock::now();
    call->StartCall();
    Response response;
    grpc::Status status;
    call->Finish(&response, &status, nullptr);
    void* tag = nullptr;
    bool is_done = false;
    queue.Next(&tag, &is_done);  // bounded by the deadline of the call
    status = told(std::string_view(method).substr(std::string_view(method).rfind('/') + 1), began,
                  std::move(status));
    if (!status.ok()) return std::unexpected(error_of(status, deadline, doing));
    return response;
  }

  // The same for a call with an empty response.
  template <class Response, class Method, class Request>
  Result<void> command(Method method, const Request& request, milliseconds deadline,
                       const std::string& doing) {
    RETURN_IF_ERROR((call<Response>(method, request, deadline, doing)));
    return {};
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

Result<std::string_view> Client::socket_path(std::string_view endpoint) {
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
  return path;
}

Result<std::unique_ptr<Client>> Client::open(std::string_view endpoint,
                                             const ClientLimits& limits) {
  ASSIGN_OR_RETURN(const std::string_view path, socket_path(endpoint));
  // protobuf writes a line to standard error for each string that is not UTF-8. The call's error
  // already reports that, and a runtime must not be able to fill a log.
  google::protobuf::SetLogHandler(nullptr);
  auto channel = std::make_unique<Channel>();
  channel->path = printable(path, kMaxSocketPath);
  channel->limits = limits;
  channel->connection = grpc::CreateCustomChannel(
      target_of(path), grpc::InsecureChannelCredentials(), channel_arguments(limits));
  channel->stub = wire::RuntimeService::NewStub(channel->connection);
  return std::unique_ptr<Client>(new Client(std::move(channel)));
}

void Client::tell(std::function<void(const CallOutcome&)> called) {
  channel_->called = std::move(called);
}

void Client::end_with(std::stop_token stop) { channel_->stop = std::move(stop); }

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
  ASSIGN_OR_RETURN(grpc::ByteBuffer bytes,
                   channel_->call_by_name<grpc::ByteBuffer>(
                       "/runtime.v1.RuntimeService/ListPodSandbox", wire::ListPodSandboxRequest(),
                       deadline, "list sandboxes"));
  grpc::ProtoBufferReader reader(&bytes);
  return read_sandboxes(reader, channel_->limits);
}

Result<Sandbox> Client::sandbox_status(const std::string& id, milliseconds deadline) {
  wire::PodSandboxStatusRequest request;
  request.set_pod_sandbox_id(id);
  ASSIGN_OR_RETURN(const auto told,
                   (channel_->call<wire::PodSandboxStatusResponse>(
                       &Stub::PodSandboxStatus, request, deadline, about("sandbox status", id))));
  RETURN_IF_ERROR(channel_->checked_id(told.status().id(), about("sandbox status", id)));
  return sandbox_from(told.status(), channel_->limits.text_bytes);
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
  ASSIGN_OR_RETURN(grpc::ByteBuffer bytes,
                   channel_->call_by_name<grpc::ByteBuffer>(
                       "/runtime.v1.RuntimeService/ListContainers", wire::ListContainersRequest(),
                       deadline, "list containers"));
  grpc::ProtoBufferReader reader(&bytes);
  return read_containers(reader, channel_->limits);
}

Result<RuntimeContainer> Client::container_status(const std::string& id, milliseconds deadline) {
  wire::ContainerStatusRequest request;
  request.set_container_id(id);
  const std::string doing = about("container status", id);
  ASSIGN_OR_RETURN(const auto told, (channel_->call<wire::ContainerStatusResponse>(
                                        &Stub::ContainerStatus, request, deadline, doing)));
  RETURN_IF_ERROR(channel_->checked_id(told.status().id(), doing));
  return container_from(told.status(), channel_->limits.text_bytes);
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
  return channel_->command<wire::StopContainerResponse>(
      &Stub::StopContainer, stop_request(id, grace), deadline, about("stop container", id));
}

struct PendingStop::Call {
  Call(const Client::Channel& of, milliseconds within, std::string what)
      : channel(of),
        deadline(within),
        doing(std::move(what)),
        cancel(of.stop, [this] { context.TryCancel(); }) {}

  const Client::Channel& channel;
  milliseconds deadline;
  std::string doing;
  grpc::ClientContext context{};
  grpc::CompletionQueue queue{};
  wire::StopContainerResponse response{};
  grpc::Status status{};
  std::unique_ptr<grpc::ClientAsyncResponseReader<wire::StopContainerResponse>> reader{};
  bool is_over = false;
  std::stop_callback<std::function<void()>> cancel;  // last member: destroyed first
};

PendingStop::PendingStop(std::unique_ptr<Call> call) : call_(std::move(call)) {}
PendingStop::PendingStop(PendingStop&&) noexcept = default;

PendingStop::~PendingStop() {
  if (!call_ || call_->is_over) return;
  call_->context.TryCancel();
  void* tag = nullptr;
  bool is_done = false;
  call_->queue.Next(&tag, &is_done);  // returns at once after the cancellation
}

std::optional<Result<void>> PendingStop::poll() {
  if (call_->is_over) return std::nullopt;
  void* tag = nullptr;
  bool is_done = false;
  const auto next = call_->queue.AsyncNext(&tag, &is_done, std::chrono::system_clock::now());
  if (next == grpc::CompletionQueue::TIMEOUT) return std::nullopt;
  call_->is_over = true;
  if (call_->status.ok()) return Result<void>();
  return std::unexpected(call_->channel.error_of(call_->status, call_->deadline, call_->doing));
}

PendingStop Client::begin_stop_container(const std::string& id, std::chrono::seconds grace,
                                         milliseconds deadline) {
  auto call = std::make_unique<PendingStop::Call>(*channel_, deadline, about("stop container", id));
  channel_->prepare(call->context, deadline);
  call->reader =
      channel_->stub->AsyncStopContainer(&call->context, stop_request(id, grace), &call->queue);
  call->reader->Finish(&call->response, &call->status, nullptr);
  return PendingStop(std::move(call));
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
