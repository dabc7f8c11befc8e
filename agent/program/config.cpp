#include "agent/program/config.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <functional>

#include "api/codec/decode_node.h"
#include "cri/client.h"
#include "recording/record_limit.h"

namespace elbowroom::agent {
namespace {

using Kind = daemon::Key::Kind;

constexpr std::array kUsualSockets = {"/run/containerd/containerd.sock", "/run/crio/crio.sock"};

bool is_socket(const char* path) {
  struct stat about{};
  return ::stat(path, &about) == 0 && S_ISSOCK(about.st_mode);
}

std::optional<cri::CgroupDriver> driver_from(const std::string& value) {
  if (value == "cgroupfs") return cri::CgroupDriver::Cgroupfs;
  if (value == "systemd") return cri::CgroupDriver::Systemd;
  return std::nullopt;
}

}  // namespace

std::string common_endpoint() {
  for (const char* path : kUsualSockets) {
    if (is_socket(path)) return std::string("unix://") + path;
  }
  return std::string("unix://") + kUsualSockets.front();
}

daemon::Schema agent_schema() {
  daemon::Schema schema{.kind = "AgentConfiguration",
                        .keys = daemon::common_keys("127.0.0.1:10361")};
  const auto add = [&](daemon::Key key) { schema.keys.push_back(std::move(key)); };
  add({.name = "nodeName", .help = "the name of this machine's Node; the host name by default"});
  add({.name = "mode",
       .kind = Kind::Choice,
       .fallback = "companion",
       .choices = {"companion", "authority"},
       .help = "companion: beside a kubelet; authority: nobody else resizes pods on this node"});
  add({.name = "runtimeEndpoint",
       .help = "the CRI socket, unix:PATH; containerd's or CRI-O's usual one by default"});
  add({.name = "cgroupRoot",
       .kind = Kind::Path,
       .fallback = "/sys/fs/cgroup",
       .help = "where the control groups are mounted"});
  add({.name = "cgroupDriver",
       .kind = Kind::Choice,
       .fallback = "auto",
       .choices = {"auto", "cgroupfs", "systemd"},
       .help = "who makes the control groups of pods; auto asks the runtime"});
  add({.name = "podCgroups",
       .kind = Kind::Choice,
       .fallback = "",
       .choices = {"manage", "leave"},
       .help = "whether the pods' own cgroups are resized too; manage in authority"});
  add({.name = "stateDir",
       .kind = Kind::Path,
       .fallback = "/var/lib/elbowroom",
       .help = "where allocations are kept"});
  add({.name = "criticalPreemption",
       .kind = Kind::Bool,
       .fallback = "",
       .help =
           "whether this node makes room for critical pods itself; in authority true unless the "
           "API server keeps podPreemptionPolicy"});
  add({.name = "cpuManagerPolicy",
       .kind = Kind::Choice,
       .fallback = "none",
       .choices = {"none", "static"},
       .help = "the node's CPU manager policy"});
  add({.name = "memoryManagerPolicy",
       .kind = Kind::Choice,
       .fallback = "None",
       .choices = {"None", "Static"},
       .help = "the node's memory manager policy"});
  add({.name = "kubeletHealthz",
       .kind = Kind::Address,
       .fallback = "127.0.0.1:10248",
       .help = "where a kubelet of this machine would answer; authority does not work beside one; "
               "\"\": do not look",
       .may_be_empty = true});
  add({.name = "dryRun",
       .kind = Kind::Bool,
       .fallback = "false",
       .help = "decide and explain, but write and change nothing"});
  return schema;
}

Result<void> check_together(const daemon::Settings& settings) {
  RETURN_IF_ERROR(recording::record_limit(settings));
  if (settings.text("mode") != "authority" && settings.at("criticalPreemption").given() &&
      settings.truth("criticalPreemption")) {
    return failure(Code::Invalid,
                   "criticalPreemption: only an agent in mode authority makes room for critical "
                   "pods itself: set mode: authority, or leave criticalPreemption out");
  }
  return {};
}

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Source: kubelet pkg/util/node/node.go, GetHostname.
std::string node_name_of(std::string host_name) {
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  const auto first = std::ranges::find_if_not(host_name, is_space);
  host_name.erase(host_name.begin(), first);
  while (!host_name.empty() && is_space(host_name.back())) host_name.pop_back();
  std::ranges::transform(host_name, host_name.begin(), lower);
  return host_name;
}

}  // namespace

Result<AgentOptions> Config::own_options(const daemon::Settings& settings,
                                         const std::string& host_name) {
  RETURN_IF_ERROR(check_together(settings));
  AgentOptions options;
  ReactorOptions& reactor = options.reactor;
  reactor.node_name =
      settings.is_set("nodeName") ? settings.text("nodeName") : node_name_of(host_name);
  if (!api::is_dns_subdomain(reactor.node_name)) {
    return failure(Code::Invalid,
                   "nodeName: \"" + reactor.node_name +
                       "\" can be no Node's name (lower case letters, digits, '-' and '.'): set "
                       "nodeName to the one that `kubectl get nodes` shows for this machine");
  }
  reactor.authority = settings.text("mode") == "authority";
  reactor.critical_preemption = false;
  if (settings.is_set("criticalPreemption")) {
    reactor.critical_preemption = settings.truth("criticalPreemption");
  } else if (reactor.authority) {
    reactor.critical_preemption = std::nullopt;
  }
  reactor.manage_pod_cgroups =
      settings.is_set("podCgroups") ? settings.text("podCgroups") == "manage" : reactor.authority;
  reactor.dry_run = settings.truth("dryRun");
  reactor.in_pod = !settings.is_set("kubeconfig");  // the in-cluster configuration
  reactor.managers.static_cpu = settings.text("cpuManagerPolicy") == "static";
  reactor.managers.static_memory = settings.text("memoryManagerPolicy") == "Static";
  // Agents of one cluster must not all come back at the same instant.
  reactor.jitter_seed = std::hash<std::string>()(reactor.node_name);
  options.runtime = {.endpoint = settings.is_set("runtimeEndpoint")
                                     ? settings.text("runtimeEndpoint")
                                     : common_endpoint(),
                     .cgroup_root = settings.text("cgroupRoot"),
                     .driver = driver_from(settings.text("cgroupDriver")),
                     .manage_pod_cgroups = reactor.manage_pod_cgroups};
  if (reactor.authority) {
    if (const auto path = cri::Client::socket_path(options.runtime.endpoint); !path) {
      return std::unexpected(path.error().with("runtimeEndpoint"));
    }
  }
  options.state_dir = settings.text("stateDir");
  options.record = settings.text("record");
  ASSIGN_OR_RETURN(options.record_limit, recording::record_limit(settings));
  // A dry run disturbs nobody, so it may be tried beside a kubelet.
  if (reactor.authority && !reactor.dry_run && settings.is_set("kubeletHealthz")) {
    options.kubelet_healthz = settings.address("kubeletHealthz");
  }
  return options;
}

Result<AgentOptions> options_from(const daemon::Settings& settings, const std::string& host_name,
                                  const api::ApiEnvironment& environment) {
  return control::options_from<Config>(settings, host_name, environment);
}

std::vector<daemon::Resolution> resolved(const AgentOptions& options,
                                         std::optional<bool> critical_preemption) {
  const ReactorOptions& reactor = options.reactor;
  const bool by_probe = !reactor.critical_preemption;
  return {{.key = "nodeName", .value = reactor.node_name, .why = "the host name"},
          {.key = "runtimeEndpoint",
           .value = reactor.authority ? options.runtime.endpoint : "",
           .why = reactor.authority ? "the usual one" : "not used in mode companion"},
          {.key = "podCgroups",
           .value = reactor.manage_pod_cgroups ? "manage" : "leave",
           .why = "by mode"},
          {.key = "criticalPreemption",
           .value = !critical_preemption   ? ""
                    : *critical_preemption ? "true"
                                           : "false",
           .why = !critical_preemption ? "by a probe of the API server, when it is first reached"
                  : by_probe           ? "by a probe of the API server"
                                       : "by mode"}};
}

}  // namespace elbowroom::agent
