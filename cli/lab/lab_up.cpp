#include "cli/lab/lab_up.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "base/document.h"
#include "base/durable_file.h"
#include "cli/input/read_input.h"
#include "cli/interruption.h"
#include "cli/lab/lab_options.h"
#include "cli/lab/temporary_directory.h"
#include "cli/verbs.h"
#include "daemon/program/stop_signals.h"
#include "lab/cluster.h"

namespace elbowroom::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::size_t kMostKubeconfig = std::size_t{1} << 20;
constexpr std::string_view kLabContext = "current-context: lab\n";

struct UpOptions {
  std::optional<std::size_t> nodes{};  // 1, or none beside named ones
  std::vector<std::string> named_nodes{};
  std::string cpu = "4";
  std::string memory = "8Gi";
  std::int64_t pods = 110;
  int port = 0;
  std::string kubeconfig_out{};
  std::vector<std::string> files{};
  std::string agents = "embedded";
  std::string agent_mode = "authority";
  std::string controllers = "embedded";
  std::string scheduler = "full";
  std::string pod_groups = "v1beta1,v1alpha3";
  std::string admission{};  // "": what every version lets through
  std::string runtime_dir{};
  std::string runtime_endpoint{};
  std::string cgroup_root = "/sys/fs/cgroup";
};

Result<void> add_object(const Value& object, std::vector<lab::Json>& objects) {
  ASSIGN_OR_RETURN(lab::Json json, lab::parse_object(api::to_json(object)));
  objects.push_back(std::move(json));
  return {};
}

// Every object of the files, in order; the items of lists one by one.
Result<std::vector<lab::Json>> objects_in(const std::vector<std::string>& files) {
  std::vector<lab::Json> objects;
  for (const std::string& file : files) {
    ASSIGN_OR_RETURN(const auto texts, read_input(file));
    for (const InputText& input : texts) {
      auto documents = parse_yaml(input.text);
      if (!documents) return std::unexpected(documents.error().with(input.name));
      for (const Value& document : *documents) {
        const Value* items = document.find("items");
        if (items == nullptr || items->kind != Value::Kind::List) {
          RETURN_IF_ERROR(add_object(document, objects));
          continue;
        }
        for (const Value& item : items->items) RETURN_IF_ERROR(add_object(item, objects));
      }
    }
  }
  return objects;
}

// Whether the file exists and was not written by a lab: a user's own kubeconfig, for example.
bool is_foreign(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  const auto there = read_file(path, kMostKubeconfig);
  return !there || (!there->empty() && !there->contains(kLabContext));
}

Result<void> write_kubeconfig(const std::string& path, const std::string& text) {
  if (is_foreign(path)) {
    return failure(Code::Invalid, "write " + path +
                                      ": it is not a lab's kubeconfig, and would be lost; give "
                                      "another place by --kubeconfig-out, or take it away");
  }
  std::error_code ignored;
  const bool is_file = !fs::exists(path, ignored) || fs::is_regular_file(path, ignored);
  if (is_file) {  // with mode 0600: private, as kubectl and doctor require
    const auto written = replace_file(path, text);
    if (written) return {};
    return std::unexpected(written.error().with("--kubeconfig-out"));
  }
  std::ofstream out(path);  // /dev/stdout, a pipe
  out << text;
  out.flush();
  if (out) return {};
  return failure(Code::Denied,
                 "write " + path + ": not possible; give another place by --kubeconfig-out");
}

lab::SchedulerMode mode_of(const std::string& word) {
  if (word == "none") return lab::SchedulerMode::None;
  return word == "full" ? lab::SchedulerMode::Full : lab::SchedulerMode::Resize;
}

lab::GroupVersions group_versions_of(const std::string& word) {
  if (word == "none") return lab::GroupVersions::None;
  return word == "v1alpha3" ? lab::GroupVersions::Alpha : lab::GroupVersions::All;
}

Result<lab::ClusterOptions> cluster_options(const UpOptions& asked,
                                            const std::vector<lab::Json>& objects,
                                            const fs::path& folder) {
  ASSIGN_OR_RETURN(const std::int64_t cpu, amount_option("--cpu", "cpu", asked.cpu));
  ASSIGN_OR_RETURN(const std::int64_t memory, amount_option("--memory", "memory", asked.memory));
  const auto seed = std::chrono::system_clock::now().time_since_epoch() / 1ms;
  const std::size_t nodes = asked.nodes.value_or(asked.named_nodes.empty() ? 1 : 0);
  return lab::ClusterOptions{.nodes = nodes,
                             .named_nodes = asked.named_nodes,
                             .objects = objects,
                             .cpu = {cpu},
                             .memory = {memory},
                             .pods = asked.pods,
                             .port = asked.port,
                             .agents = asked.agents == "embedded",
                             .companion = asked.agent_mode == "companion",
                             .controllers = asked.controllers == "embedded",
                             .scheduler = mode_of(asked.scheduler),
                             .serves_groups = group_versions_of(asked.pod_groups),
                             .validates_capacity = asked.admission == "1.36",
                             .seed = static_cast<std::uint64_t>(seed),
                             .folder = folder,
                             .runtime_endpoint = asked.runtime_endpoint,
                             .runtime_cgroup_root = asked.cgroup_root,
                             .complain = print_error_line};
}

// For people; a program reads the line that says "ready".
std::string next_steps(const std::string& kubeconfig) {
  return "In another terminal:\n"
         "  export KUBECONFIG=" +
         kubeconfig +
         "\n"
         "  kubectl get nodes,pods -A\n"
         "  elbowroom explain pod NAMESPACE/NAME\n"
         "Ctrl-C ends it.\n";
}

// Serves until a signal arrives. Returns the signal that arrived before the cluster was ready, or
// None if it was ready.
Result<daemon::StopSignal> serve(const UpOptions& asked, const std::vector<lab::Json>& objects) {
  RETURN_IF_ERROR(daemon::block_stop_signals());
  ASSIGN_OR_RETURN(const auto own, TemporaryDirectory::make("--runtime-dir"));
  Interruption interruption([&own] { own->remove(); });
  fs::path folder = asked.runtime_dir.empty() ? own->path() : fs::path(asked.runtime_dir);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return failure(Code::Denied, "make " + folder.string() + ": " + error.message());
  ASSIGN_OR_RETURN(auto options, cluster_options(asked, objects, fs::absolute(folder)));
  ASSIGN_OR_RETURN(const auto cluster, lab::Cluster::start(std::move(options)));

  const std::string kubeconfig =
      asked.kubeconfig_out.empty() ? (own->path() / "kubeconfig").string() : asked.kubeconfig_out;
  RETURN_IF_ERROR(write_kubeconfig(kubeconfig, cluster->api().kubeconfig()));
  interruption.serve();
  while (!cluster->is_ready()) {
    const daemon::StopSignal signal = interruption.wait(50ms);
    if (signal != daemon::StopSignal::None) return signal;
  }
  const std::string file = fs::absolute(kubeconfig).string();
  std::cout << "ready: KUBECONFIG=" << file << std::endl;
  if (::isatty(STDOUT_FILENO) == 1) std::cout << next_steps(file) << std::flush;
  while (interruption.wait(10s) == daemon::StopSignal::None) {
  }
  return daemon::StopSignal::None;
}

Result<void> up(const UpOptions& asked) {
  // Before signals are blocked, so that they end a wait for standard input.
  ASSIGN_OR_RETURN(const auto objects, objects_in(asked.files));
  ASSIGN_OR_RETURN(const daemon::StopSignal too_early, serve(asked, objects));
  if (too_early != daemon::StopSignal::None) end_by(too_early);
  return {};
}

}  // namespace

void add_lab_up(CLI::App& lab) {
  auto asked = std::make_shared<UpOptions>();  // CLI11 fills it, the callback reads it
  CLI::App* verb = lab.add_subcommand("up", "a cluster in one process, until it is interrupted");
  verb->add_option("--nodes", asked->nodes,
                   "how many nodes: node-1, node-2, ... [1, or none beside --node]")
      ->check(CLI::Range(1, 64));
  verb->add_option(
      "--node", asked->named_nodes,
      "one more node, by name, with a runtime and a kubelet double; its Node object is "
      "that of -f or of a client");
  verb->add_option("--cpu", asked->cpu, "allocatable cpu of each node [4]");
  verb->add_option("--memory", asked->memory, "allocatable memory of each node [8Gi]");
  verb->add_option("--pods", asked->pods, "most pods on each node [110]")
      ->check(CLI::Range(1, 10'000));
  verb->add_option("--port", asked->port, "of the API server on 127.0.0.1 [one that is free]")
      ->check(CLI::Range(0, 65'535));
  verb->add_option("--kubeconfig-out", asked->kubeconfig_out, "where to write the kubeconfig");
  verb->add_option("-f,--filename", asked->files, "objects to begin with: a file, a folder, or -");
  verb->add_option("--agents", asked->agents, "embedded: one on every node; none [embedded]")
      ->check(CLI::IsMember({"embedded", "none"}));
  verb->add_option(
          "--agent-mode", asked->agent_mode,
          "authority: agents judge resizes; companion: beside kubelets that do [authority]")
      ->check(CLI::IsMember({"authority", "companion"}));
  verb->add_option("--controllers", asked->controllers,
                   "embedded: those of Deployments, ReplicaSets, StatefulSets, DaemonSets and "
                   "PodDisruptionBudgets run here; none: nobody makes pods [embedded]")
      ->check(CLI::IsMember({"embedded", "none"}));
  verb->add_option("--scheduler", asked->scheduler,
                   "full: one that places pods, too, also those that name none; resize: one that "
                   "only makes room for Deferred resizes; none [full]")
      ->check(CLI::IsMember({"full", "resize", "none"}));
  verb->add_option("--pod-groups", asked->pod_groups,
                   "the versions of scheduling.k8s.io that serve PodGroup and Workload; none: as "
                   "API servers do by default [v1beta1,v1alpha3]")
      ->check(CLI::IsMember({"v1beta1,v1alpha3", "v1alpha3", "none"}));
  verb->add_option("--admission", asked->admission,
                   "1.36: refuse resizes above allocatable, as newer API servers do")
      ->check(CLI::IsMember({"1.36"}));
  verb->add_option("--runtime-dir", asked->runtime_dir,
                   "a folder for NODE.sock (CRI), NODE.cgroup, NODE.state and NODE.kubelet");
  verb->add_option(
      "--runtime-endpoint", asked->runtime_endpoint,
      "a real container runtime for node-1, unix:PATH, with cgroupfs as its cgroup driver");
  verb->add_option("--cgroup-root", asked->cgroup_root,
                   "where that runtime's control groups are [/sys/fs/cgroup]");
  verb->callback([asked] {
    if (const auto done = up(*asked); !done) {
      complain("lab up: " + done.error().message);
      throw CLI::RuntimeError(kExitFailure);
    }
  });
}

}  // namespace elbowroom::cli
