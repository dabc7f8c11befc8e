#include "lab/node/node_report.h"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "api/codec/quantity.h"
#include "api/codec/timestamp.h"
#include "base/durable_file.h"
#include "base/text.h"
#include "lab/node/pod_report.h"

namespace elbowroom::lab {
namespace {

constexpr std::size_t kMostOsRelease = 65'536;
constexpr std::size_t kMostTrouble = 1024;
constexpr int kLeaseSeconds = 40;  // as a kubelet's

policy::Time time_of(std::int64_t now_ns) {
  return policy::Time(std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::nanoseconds(std::max<std::int64_t>(now_ns, 0))));
}
std::string seconds_of(std::int64_t now_ns) {
  return api::format_timestamp(std::chrono::floor<std::chrono::seconds>(time_of(now_ns)));
}

// The times of a Lease are MicroTimes: always six digits.
std::string micro_time(std::int64_t now_ns) {
  const std::string seconds = seconds_of(now_ns);
  const std::int64_t micros = std::max<std::int64_t>(now_ns, 0) / 1000 % 1'000'000;
  std::string digits = std::to_string(micros);
  digits.insert(0, 6 - digits.size(), '0');
  return seconds.substr(0, seconds.size() - 1) + "." + digits + "Z";
}

std::string os_image() {
  const auto text = read_file("/etc/os-release", kMostOsRelease);
  if (!text) return "";
  std::istringstream lines(*text);
  constexpr std::string_view kName = "PRETTY_NAME=";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kName)) continue;
    std::string name = line.substr(kName.size());
    std::erase(name, '"');
    return name;
  }
  return "";
}

// The machine's architecture under Go's name, as every Node reports it.
std::string architecture_of(const std::string& machine) {
  if (machine == "x86_64") return "amd64";
  return machine == "aarch64" ? "arm64" : machine;
}

// Reasons and the messages about the runtime are the kubelet's (pkg/kubelet/nodestatus,
// ReadyCondition).
Json ready_condition(const RuntimeStatus& runtime, std::int64_t now_ns) {
  const bool is_up = runtime.trouble.empty();
  const std::string down = "container runtime is down: " + sanitize_line(runtime.trouble);
  return {{"type", "Ready"},
          {"status", is_up ? "True" : "False"},
          {"reason", is_up ? "KubeletReady" : "KubeletNotReady"},
          {"message", is_up ? "the pod runner is ready" : clipped(down, kMostTrouble)},
          {"lastHeartbeatTime", seconds_of(now_ns)},
          {"lastTransitionTime", seconds_of(runtime.since_ns)}};
}

}  // namespace

Json node_object(const PodRunnerOptions& options, const RuntimeStatus& runtime,
                 std::int64_t now_ns) {
  utsname machine{};
  (void)uname(&machine);
  const std::string architecture = architecture_of(machine.machine);
  const Json amounts = {
      {"cpu", api::format_quantity("cpu", options.cpu.value)},
      {"memory", api::format_quantity("memory", options.memory.value)},
      {"pods", std::to_string(options.pods)},
  };
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata",
           {{"name", options.node_name},
            {"labels",
             {{"kubernetes.io/hostname", options.node_name},
              {"kubernetes.io/os", "linux"},
              {"kubernetes.io/arch", architecture}}}}},
          {"status",
           {{"capacity", amounts},
            {"allocatable", amounts},
            {"conditions", Json::array({ready_condition(runtime, now_ns)})},
            {"declaredFeatures", Json::array({"InPlacePodLevelResourcesVerticalScaling"})},
            {"addresses", Json::array({{{"type", "InternalIP"}, {"address", options.node_ip}},
                                       {{"type", "Hostname"}, {"address", options.node_name}}})},
            {"nodeInfo",
             {{"kubeletVersion", std::string("v1.37.0-elbowroom-") + ELBOWROOM_VERSION},
              {"kernelVersion", machine.release},
              {"osImage", os_image()},
              {"containerRuntimeVersion", runtime.name},
              {"operatingSystem", "linux"},
              {"architecture", architecture},
              {"machineID", ""},
              {"systemUUID", ""},
              {"bootID", ""},
              {"kubeProxyVersion", ""}}}}}};
}

Json node_lease(const std::string& node, std::int64_t now_ns) {
  return {{"apiVersion", "coordination.k8s.io/v1"},
          {"kind", "Lease"},
          {"metadata", {{"name", node}, {"namespace", "kube-node-lease"}}},
          {"spec",
           {{"holderIdentity", node},
            {"leaseDurationSeconds", kLeaseSeconds},
            {"renewTime", micro_time(now_ns)}}}};
}

std::string node_lease_path(const std::string& node) {
  return "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases" +
         (node.empty() ? "" : "/" + node);
}

void add_place(const NodePod& pod, const std::string& host_ip, const std::string& pod_ip,
               std::int64_t now_ns, Json& status) {
  set_pod_condition(status, "PodScheduled", true, "", pod.value.generation, now_ns);
  status["hostIP"] = host_ip;
  status["hostIPs"] = Json::array({{{"ip", host_ip}}});
  if (pod_ip.empty()) return;
  status["podIP"] = pod_ip;
  status["podIPs"] = Json::array({{{"ip", pod_ip}}});
}

}  // namespace elbowroom::lab
