#include "lab/node/cri_server.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "cri/runtime.grpc.pb.h"

namespace elbowroom::lab {
namespace {

namespace wire = ::runtime::v1;

constexpr std::size_t kMaxSocketPath = 107;
constexpr std::int64_t kLongestGrace = 3600;

grpc::Status status_of(const Result<void>& result) {
  if (result) return grpc::Status::OK;
  const auto code = result.error().code == Code::NotFound ? grpc::StatusCode::NOT_FOUND
                                                          : grpc::StatusCode::UNKNOWN;
  return {code, result.error().message};
}

cri::RuntimeResources size_from(const wire::LinuxContainerResources& told) {
  return {.cpu_shares = told.cpu_shares(),
          .cpu_quota_us = told.cpu_quota(),
          .cpu_period_us = told.cpu_period(),
          .memory_limit_bytes = told.memory_limit_in_bytes()};
}

template <class Map>
cri::Labels labels_from(const Map& map) {
  return {map.begin(), map.end()};
}

template <class Map>
void put_labels(const cri::Labels& labels, Map& out) {
  for (const auto& [key, value] : labels) out[key] = value;
}

void put_metadata(const FakeSandbox& sandbox, wire::PodSandboxMetadata& out) {
  out.set_name(sandbox.spec.name);
  out.set_uid(sandbox.spec.pod_uid);
  out.set_namespace_(sandbox.spec.ns);
  out.set_attempt(sandbox.spec.attempt);
}

wire::PodSandboxState wire_state(cri::SandboxState state) {
  return state == cri::SandboxState::Ready ? wire::SANDBOX_READY : wire::SANDBOX_NOTREADY;
}

wire::ContainerState wire_state(cri::ContainerState state) {
  switch (state) {
    case cri::ContainerState::Created:
      return wire::CONTAINER_CREATED;
    case cri::ContainerState::Running:
      return wire::CONTAINER_RUNNING;
    case cri::ContainerState::Exited:
      return wire::CONTAINER_EXITED;
    case cri::ContainerState::Unknown:
      break;
  }
  return wire::CONTAINER_UNKNOWN;
}

// PodSandbox and PodSandboxStatus share these fields.
template <class Message>
void put_sandbox(const FakeSandbox& sandbox, Message& out) {
  out.set_id(sandbox.id);
  put_metadata(sandbox, *out.mutable_metadata());
  out.set_state(wire_state(sandbox.state));
  out.set_created_at(sandbox.created_at_ns);
  put_labels(sandbox.spec.labels, *out.mutable_labels());
  put_labels(sandbox.spec.annotations, *out.mutable_annotations());
}

// Container and ContainerStatus share these fields.
template <class Message>
void put_container(const FakeContainer& container, Message& out) {
  out.set_id(container.id);
  out.mutable_metadata()->set_name(container.spec.name);
  out.mutable_metadata()->set_attempt(container.spec.attempt);
  out.mutable_image()->set_image(container.spec.image);
  out.set_image_ref(container.spec.image);
  out.set_state(wire_state(container.state));
  out.set_created_at(container.created_at_ns);
  put_labels(container.spec.labels, *out.mutable_labels());
  put_labels(container.spec.annotations, *out.mutable_annotations());
}

bool has_labels(const cri::Labels& labels,
                const google::protobuf::Map<std::string, std::string>& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& term) {
    const auto it = labels.find(term.first);
    return it != labels.end() && it->second == term.second;
  });
}

}  // namespace

class CriServer::Service final : public wire::RuntimeService::Service {
 public:
  explicit Service(CriServer& owner) : owner_(owner) {}

  using Context = grpc::ServerContext;

  grpc::Status Version(Context*, const wire::VersionRequest*, wire::VersionResponse* out) override {
    out->set_version("0.1.0");
    out->set_runtime_name("elbowroom-lab");
    out->set_runtime_version(ELBOWROOM_VERSION);
    out->set_runtime_api_version("v1");
    return grpc::Status::OK;
  }

  grpc::Status Status(Context*, const wire::StatusRequest*, wire::StatusResponse* out) override {
    for (const char* type : {"RuntimeReady", "NetworkReady"}) {
      auto* condition = out->mutable_status()->add_conditions();
      condition->set_type(type);
      condition->set_status(true);
    }
    return grpc::Status::OK;
  }

  grpc::Status RuntimeConfig(Context*, const wire::RuntimeConfigRequest*,
                             wire::RuntimeConfigResponse* out) override {
    out->mutable_linux()->set_cgroup_driver(wire::CGROUPFS);
    return grpc::Status::OK;
  }

  grpc::Status RunPodSandbox(Context*, const wire::RunPodSandboxRequest* in,
                             wire::RunPodSandboxResponse* out) override {
    const wire::PodSandboxConfig& config = in->config();
    const cri::SandboxSpec spec{.pod_uid = config.metadata().uid(),
                                .ns = config.metadata().namespace_(),
                                .name = config.metadata().name(),
                                .attempt = config.metadata().attempt(),
                                .cgroup_parent = config.linux().cgroup_parent(),
                                .log_directory = config.log_directory(),
                                .labels = labels_from(config.labels()),
                                .annotations = labels_from(config.annotations())};
    std::unique_lock lock = enter("RunPodSandbox", "");
    const auto id = owner_.runtime_.run_sandbox(spec);
    if (!id) return status_of(std::unexpected(id.error()));
    out->set_pod_sandbox_id(*id);
    return grpc::Status::OK;
  }

  grpc::Status StopPodSandbox(Context*, const wire::StopPodSandboxRequest* in,
                              wire::StopPodSandboxResponse*) override {
    std::unique_lock lock = enter("StopPodSandbox", in->pod_sandbox_id());
    return status_of(owner_.runtime_.stop_sandbox(in->pod_sandbox_id()));
  }

  grpc::Status RemovePodSandbox(Context*, const wire::RemovePodSandboxRequest* in,
                                wire::RemovePodSandboxResponse*) override {
    std::unique_lock lock = enter("RemovePodSandbox", in->pod_sandbox_id());
    return status_of(owner_.runtime_.remove_sandbox(in->pod_sandbox_id()));
  }

  grpc::Status PodSandboxStatus(Context*, const wire::PodSandboxStatusRequest* in,
                                wire::PodSandboxStatusResponse* out) override {
    const std::unique_lock lock = enter("PodSandboxStatus", in->pod_sandbox_id());
    const auto& sandboxes = owner_.runtime_.sandboxes();
    const auto it = sandboxes.find(in->pod_sandbox_id());
    if (it == sandboxes.end()) return {grpc::StatusCode::NOT_FOUND, "no such sandbox"};
    put_sandbox(it->second, *out->mutable_status());
    out->mutable_status()->mutable_network()->set_ip("127.0.0.1");
    return grpc::Status::OK;
  }

  grpc::Status ListPodSandbox(Context*, const wire::ListPodSandboxRequest* in,
                              wire::ListPodSandboxResponse* out) override {
    const std::unique_lock lock = enter("ListPodSandbox", "");
    const wire::PodSandboxFilter& filter = in->filter();
    for (const auto& [id, sandbox] : owner_.runtime_.sandboxes()) {
      if (!id.starts_with(filter.id())) continue;
      if (filter.has_state() && filter.state().state() != wire_state(sandbox.state)) continue;
      if (!has_labels(sandbox.spec.labels, filter.label_selector())) continue;
      put_sandbox(sandbox, *out->add_items());
    }
    return grpc::Status::OK;
  }

  grpc::Status UpdatePodSandboxResources(Context*, const wire::UpdatePodSandboxResourcesRequest*,
                                         wire::UpdatePodSandboxResourcesResponse*) override {
    return grpc::Status::OK;
  }

  grpc::Status CreateContainer(Context*, const wire::CreateContainerRequest* in,
                               wire::CreateContainerResponse* out) override {
    const wire::ContainerConfig& config = in->config();
    const cri::ContainerSpec spec{.name = config.metadata().name(),
                                  .attempt = config.metadata().attempt(),
                                  .image = config.image().image(),
                                  .command = {config.command().begin(), config.command().end()},
                                  .args = {config.args().begin(), config.args().end()},
                                  .resources = size_from(config.linux().resources()),
                                  .labels = labels_from(config.labels()),
                                  .annotations = labels_from(config.annotations())};
    std::unique_lock lock = enter("CreateContainer", "");
    const auto id = owner_.runtime_.create_container(in->pod_sandbox_id(), spec);
    if (!id) return status_of(std::unexpected(id.error()));
    out->set_container_id(*id);
    return grpc::Status::OK;
  }

  grpc::Status StartContainer(Context*, const wire::StartContainerRequest* in,
                              wire::StartContainerResponse*) override {
    std::unique_lock lock = enter("StartContainer", in->container_id());
    return status_of(owner_.runtime_.start_container(in->container_id()));
  }

  grpc::Status StopContainer(Context* context, const wire::StopContainerRequest* in,
                             wire::StopContainerResponse*) override {
    std::unique_lock lock = enter("StopContainer", in->container_id());
    const std::int64_t grace_ms = std::clamp<std::int64_t>(in->timeout(), 0, kLongestGrace) * 1000;
    const std::int64_t needs_ms = owner_.runtime_.terminates_after_ms(in->container_id());
    const bool killed = needs_ms > grace_ms;
    const auto ends =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(std::min(grace_ms, needs_ms));
    while (!owner_.stopping_ && !context->IsCancelled() && runs(in->container_id()) &&
           std::chrono::steady_clock::now() < ends) {
      const auto slice = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
      owner_.changed_.wait_until(lock, std::min(ends, slice));
    }
    if (owner_.stopping_ || context->IsCancelled()) {
      return {grpc::StatusCode::UNAVAILABLE, "the runtime is going away"};
    }
    owner_.touch_clock();
    return status_of(owner_.runtime_.stop_container(in->container_id(), killed));
  }

  grpc::Status RemoveContainer(Context*, const wire::RemoveContainerRequest* in,
                               wire::RemoveContainerResponse*) override {
    std::unique_lock lock = enter("RemoveContainer", in->container_id());
    return status_of(owner_.runtime_.remove_container(in->container_id()));
  }

  grpc::Status ListContainers(Context*, const wire::ListContainersRequest* in,
                              wire::ListContainersResponse* out) override {
    const std::unique_lock lock = enter("ListContainers", "");
    const wire::ContainerFilter& filter = in->filter();
    for (const auto& [id, container] : owner_.runtime_.containers()) {
      if (!id.starts_with(filter.id())) continue;
      if (filter.has_state() && filter.state().state() != wire_state(container.state)) continue;
      if (!container.sandbox_id.starts_with(filter.pod_sandbox_id())) continue;
      if (!has_labels(container.spec.labels, filter.label_selector())) continue;
      wire::Container& entry = *out->add_containers();
      put_container(container, entry);
      entry.set_pod_sandbox_id(container.sandbox_id);
    }
    return grpc::Status::OK;
  }

  grpc::Status ContainerStatus(Context*, const wire::ContainerStatusRequest* in,
                               wire::ContainerStatusResponse* out) override {
    const std::unique_lock lock = enter("ContainerStatus", in->container_id());
    const auto& containers = owner_.runtime_.containers();
    const auto it = containers.find(in->container_id());
    if (it == containers.end()) return {grpc::StatusCode::NOT_FOUND, "no such container"};
    const FakeContainer& container = it->second;
    wire::ContainerStatus& status = *out->mutable_status();
    put_container(container, status);
    status.set_started_at(container.started_at_ns);
    status.set_finished_at(container.finished_at_ns);
    status.set_exit_code(container.exit_code);
    status.set_reason(container.reason);
    wire::LinuxContainerResources& size = *status.mutable_resources()->mutable_linux();
    size.set_cpu_shares(container.stored.cpu_shares);
    size.set_cpu_quota(container.stored.cpu_quota_us);
    size.set_cpu_period(container.stored.cpu_period_us);
    size.set_memory_limit_in_bytes(container.stored.memory_limit_bytes);
    return grpc::Status::OK;
  }

  grpc::Status UpdateContainerResources(Context*, const wire::UpdateContainerResourcesRequest* in,
                                        wire::UpdateContainerResourcesResponse*) override {
    std::unique_lock lock = enter("UpdateContainerResources", in->container_id());
    return status_of(owner_.runtime_.update_container(in->container_id(), size_from(in->linux())));
  }

 private:
  // Waits out a fault that makes the call hang, then returns the lock under which it is served.
  std::unique_lock<std::mutex> enter(std::string_view method, const std::string& id) {
    std::unique_lock lock(owner_.mutex_);
    owner_.touch_clock();
    if (owner_.runtime_.is_hanging(method, id)) {
      const std::uint64_t epoch = owner_.fault_epoch_;
      owner_.changed_.wait(lock, [&] { return owner_.stopping_ || owner_.fault_epoch_ != epoch; });
      owner_.touch_clock();
    }
    return lock;
  }

  [[nodiscard]] bool runs(const std::string& id) const {
    const auto it = owner_.runtime_.containers().find(id);
    return it != owner_.runtime_.containers().end() &&
           it->second.state == cri::ContainerState::Running;
  }

  CriServer& owner_;
};

CriServer::CriServer(FakeCriRuntime& runtime, std::string socket_path)
    : runtime_(runtime),
      path_(std::move(socket_path)),
      service_(std::make_unique<Service>(*this)) {}

CriServer::~CriServer() { stop(); }

void CriServer::touch_clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  runtime_.set_time(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

Result<void> CriServer::start() {
  if (path_.size() > kMaxSocketPath) {
    return failure(Code::Unavailable, "make socket " + path_ +
                                          ": the path is longer than 107 bytes; choose a shorter "
                                          "folder");
  }
  (void)::unlink(path_.c_str());
  stopping_ = false;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix://" + path_, grpc::InsecureServerCredentials());
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  if (!server_) {
    return failure(Code::Unavailable,
                   "make socket " + path_ + ": nobody can listen there; choose another folder");
  }
  return {};
}

void CriServer::stop() {
  if (!server_) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  server_->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
  server_.reset();
  (void)::unlink(path_.c_str());
}

void CriServer::clear_faults() {
  const std::lock_guard lock(mutex_);
  runtime_.clear_faults();
  ++fault_epoch_;
  changed_.notify_all();
}

}  // namespace elbowroom::lab
