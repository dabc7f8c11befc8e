// A fake runtime for tests: CRI v1 on a unix socket in a folder of its own, in this process. It
// returns exactly what a test put into its members, even invalid values.
#pragma once

#include <grpc/grpc.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_context.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cri/runtime.grpc.pb.h"
#include "cri/types.h"
#include "test/temporary_folder.h"

namespace elbowroom::cri {

class FakeRuntime final : public ::runtime::v1::RuntimeService::Service {
 public:
  using Context = grpc::ServerContext;

  explicit FakeRuntime(std::string socket) : socket_(std::move(socket)) { start(); }
  ~FakeRuntime() override { stop(); }

  void start() {
    // gRPC stays up until the program ends: its shutdown waits ten seconds for a poll of its own
    // that never ends where a large answer did not fit into the socket at once.
    static const bool stays_up = (grpc_init(), true);
    ASSERT_TRUE(stays_up);
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + socket_, grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }
  void stop() {
    release();
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
    server_.reset();
  }

  // Calls of this name wait until release() or the end of the call.
  void hold(const std::string& call) {
    const std::lock_guard lock(mutex_);
    held_ = call;
  }
  void release() {
    const std::lock_guard lock(mutex_);
    held_.clear();
    changed_.notify_all();
  }
  void change(const std::function<void(FakeRuntime&)>& f) {
    const std::lock_guard lock(mutex_);
    f(*this);
  }
  [[nodiscard]] std::vector<std::string> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  void forget_calls() {
    const std::lock_guard lock(mutex_);
    calls_.clear();
  }

  // What it says. Once it has started, to be read and changed inside change() only; what begins
  // with add_ takes the lock itself.
  std::vector<::runtime::v1::PodSandbox> sandboxes;
  std::vector<::runtime::v1::Container> containers;
  std::map<std::string, ::runtime::v1::LinuxContainerResources> sizes;  // by container id
  std::map<std::string, grpc::Status> failures;                         // by the name of the call
  std::optional<CgroupDriver> driver{};  // none: it is too old to tell

  void add_sandbox(const std::string& id, const std::string& uid) {
    const std::lock_guard lock(mutex_);
    auto& sandbox = sandboxes.emplace_back();
    sandbox.set_id(id);
    if (!uid.empty()) (*sandbox.mutable_labels())["io.kubernetes.pod.uid"] = uid;
    (*sandbox.mutable_labels())["io.kubernetes.pod.name"] = "pod-" + uid;
    (*sandbox.mutable_labels())["io.kubernetes.pod.namespace"] = "default";
  }
  void add_container(const std::string& id, const std::string& uid, const std::string& name,
                     std::uint32_t attempt = 0) {
    const std::lock_guard lock(mutex_);
    auto& container = containers.emplace_back();
    container.set_id(id);
    container.set_state(::runtime::v1::CONTAINER_RUNNING);
    container.mutable_metadata()->set_attempt(attempt);
    if (!uid.empty()) (*container.mutable_labels())["io.kubernetes.pod.uid"] = uid;
    if (!name.empty()) (*container.mutable_labels())["io.kubernetes.container.name"] = name;
  }

  grpc::Status Version(Context* context, const ::runtime::v1::VersionRequest*,
                       ::runtime::v1::VersionResponse* out) override {
    out->set_runtime_name("fake");
    out->set_runtime_version("1.0");
    out->set_runtime_api_version("v1");
    return answer(context, "Version");
  }
  grpc::Status RuntimeConfig(Context*, const ::runtime::v1::RuntimeConfigRequest*,
                             ::runtime::v1::RuntimeConfigResponse* out) override {
    const std::lock_guard lock(mutex_);
    if (!driver) return {grpc::StatusCode::UNIMPLEMENTED, "unknown method RuntimeConfig"};
    out->mutable_linux()->set_cgroup_driver(
        *driver == CgroupDriver::Systemd ? ::runtime::v1::SYSTEMD : ::runtime::v1::CGROUPFS);
    return grpc::Status::OK;
  }
  grpc::Status ListPodSandbox(Context* context, const ::runtime::v1::ListPodSandboxRequest*,
                              ::runtime::v1::ListPodSandboxResponse* out) override {
    const grpc::Status status = answer(context, "ListPodSandbox");
    const std::lock_guard lock(mutex_);
    for (const auto& sandbox : sandboxes) *out->add_items() = sandbox;
    return status;
  }
  grpc::Status ListContainers(Context* context, const ::runtime::v1::ListContainersRequest*,
                              ::runtime::v1::ListContainersResponse* out) override {
    const grpc::Status status = answer(context, "ListContainers");
    const std::lock_guard lock(mutex_);
    for (const auto& container : containers) *out->add_containers() = container;
    return status;
  }
  grpc::Status ContainerStatus(Context* context,
                               const ::runtime::v1::ContainerStatusRequest* request,
                               ::runtime::v1::ContainerStatusResponse* out) override {
    const grpc::Status status = answer(context, "ContainerStatus " + request->container_id());
    const std::lock_guard lock(mutex_);
    for (const auto& container : containers) {
      if (container.id() != request->container_id()) continue;
      out->mutable_status()->set_id(container.id());
      out->mutable_status()->set_state(container.state());
      *out->mutable_status()->mutable_metadata() = container.metadata();
      *out->mutable_status()->mutable_labels() = container.labels();
      if (const auto size = sizes.find(container.id()); size != sizes.end()) {
        *out->mutable_status()->mutable_resources()->mutable_linux() = size->second;
      }
      return status;
    }
    return {grpc::StatusCode::NOT_FOUND, "no such container"};
  }
  grpc::Status UpdateContainerResources(
      Context* context, const ::runtime::v1::UpdateContainerResourcesRequest* request,
      ::runtime::v1::UpdateContainerResourcesResponse*) override {
    const grpc::Status status =
        answer(context, "UpdateContainerResources " + request->container_id());
    if (!status.ok()) return status;
    const std::lock_guard lock(mutex_);
    sizes[request->container_id()] = request->linux();
    return status;
  }
  grpc::Status RunPodSandbox(Context* context, const ::runtime::v1::RunPodSandboxRequest* request,
                             ::runtime::v1::RunPodSandboxResponse* out) override {
    const grpc::Status status = answer(context, "RunPodSandbox");
    const std::lock_guard lock(mutex_);
    last_sandbox = request->config();
    out->set_pod_sandbox_id(next_id);
    return status;
  }
  grpc::Status CreateContainer(Context* context,
                               const ::runtime::v1::CreateContainerRequest* request,
                               ::runtime::v1::CreateContainerResponse* out) override {
    const grpc::Status status = answer(context, "CreateContainer");
    const std::lock_guard lock(mutex_);
    last_container = request->config();
    out->set_container_id(next_id);
    return status;
  }
  grpc::Status StopContainer(Context* context, const ::runtime::v1::StopContainerRequest* request,
                             ::runtime::v1::StopContainerResponse*) override {
    return answer(context, "StopContainer " + request->container_id() + " " +
                               std::to_string(request->timeout()));
  }

  std::string next_id = "made-1";
  ::runtime::v1::PodSandboxConfig last_sandbox;
  ::runtime::v1::ContainerConfig last_container;

 private:
  // Notes the call, waits while it is held, and fails it where the test says so.
  grpc::Status answer(Context* context, const std::string& call) {
    std::unique_lock lock(mutex_);
    calls_.push_back(call);
    const std::string name = call.substr(0, call.find(' '));
    while (held_ == name && !context->IsCancelled()) {
      changed_.wait_for(lock, std::chrono::milliseconds(10));
    }
    const auto at = failures.find(name);
    return at == failures.end() ? grpc::Status::OK : at->second;
  }

  std::string socket_;
  std::unique_ptr<grpc::Server> server_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string held_;
  std::vector<std::string> calls_;
};

}  // namespace elbowroom::cri
