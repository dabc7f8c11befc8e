// What `elbowroom doctor` found on the machine and at the API server, before any check evaluates
// it. It holds facts only, and each missing fact has a reason, so that tests can run a check on
// made-up facts.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/transport/certificate.h"
#include "api/transport/http_answer.h"
#include "api/transport/rbac_rule.h"
#include "base/result.h"
#include "cri/cgroup.h"
#include "cri/types.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

// A fact, or why it could not be read.
template <class T>
struct Look {
  std::optional<T> seen{};
  std::string why_not{"nobody looked"};  // when there is no fact

  Look() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a fact that was read converts, as with an optional
  Look(T value) : seen(std::move(value)) {}
  [[nodiscard]] static Look not_seen(std::string why) {
    Look look;
    look.why_not = std::move(why);
    return look;
  }
  [[nodiscard]] explicit operator bool() const { return seen.has_value(); }
  [[nodiscard]] const T& operator*() const { return *seen; }
  [[nodiscard]] const T* operator->() const { return &*seen; }
  [[nodiscard]] T* operator->() { return &*seen; }
};

enum class Program { Agent, Scheduler, Rescheduler };

struct FileFacts {
  enum class Kind { Missing, Regular, Folder, Socket, Other };

  std::string path{};
  Kind kind = Kind::Missing;
  std::uint32_t mode = 0;  // permission bits
  std::string owner{};     // names; numbers for ids without a name
  std::string group{};
  std::string closed{};            // why this process may not read it; "": it may
  std::vector<FileFacts> gates{};  // parent folders that not every user may enter
};

struct ConfigFacts {
  FileFacts file{};  // without a path: no file, and the defaults apply
  std::string trouble{};
  std::string advice{};                // which values the named key may have; "": it names none
  std::string edit{};                  // an expression for sed after which it is valid; "": none
  std::map<std::string, int> lines{};  // of the keys that the file has, from 1
};

struct KubeconfigFacts {
  // The service reads only what its configuration names.
  enum class By { Config, CommandLine, Surroundings };

  By by = By::Config;
  std::string
      origin{};      // what names it: "flag", "/etc/elbowroom/config.yaml: line 5", "KUBECONFIG"
  FileFacts file{};  // without a path: the service account of a pod, or several files
  std::optional<Error> trouble{};  // why it cannot be used
};

// What a TLS session failed by.
enum class Distrust { None, Authority, Dates, Name, Ours, Other };

// A file that the kubeconfig names.
struct CredentialFile {
  std::string field{};  // "client-certificate"
  FileFacts file{};
  std::string trouble{};  // why its content is unusable
};

struct Dates {
  std::string what{};  // "client certificate /etc/elbowroom/agent.crt"
  api::Validity validity{};
};

struct CredentialFacts {
  std::vector<CredentialFile> files{};
  std::optional<Dates> certificate{};  // our own
  std::string key_pair_error{};        // key and certificate
  std::optional<Dates> authority{};
  std::optional<policy::Time> token_until{};  // a token with an expiry time
  bool static_token = false;                  // written into the kubeconfig, so it is never renewed
  std::string authority_file{};               // "": in the kubeconfig, or the system's authorities
  std::string certificate_file{};
  std::string key_file{};
  std::string token_file{};
  std::string program{};        // that provides our credentials; "": none
  std::string program_error{};  // why it cannot be run
};

struct ServerFacts {
  std::string url{};
  bool encrypted = false;
  bool on_loopback = false;
  std::optional<Error> connection{};  // why the server does not answer; the rest is empty then
  Distrust distrust = Distrust::None;
  std::optional<Error> login{};  // why it rejects our credentials
  std::string user{};            // our user on the server; "": the server does not say
  std::optional<Error> readiness{};
  std::string version{};  // "v1.37.0"
  int major = 0;
  int minor = 0;
  Look<std::vector<std::string>> not_served{};  // "events.k8s.io/v1": asked for by the program
  Look<bool> resizes{};                         // pods/resize is served
  Look<bool> budgets{};                         // our kind; false: only in another version
  Look<std::string> pod_groups{};               // the newest version served; "": none
  Look<std::chrono::seconds> ahead{};           // its clock minus ours
};

struct RightFacts {
  api::RbacRule right{};
  std::string ns{};  // where it was asked for; "": everywhere. Not always right.ns
  Look<bool> allowed{};
};

struct NodeFacts {
  std::string name{};
  bool exists = false;
  std::string near{};  // a name that may have been meant; "": none
  bool ready = false;
  std::string kubelet{};  // "v1.37.0"; "": not said
  std::string runtime{};  // "containerd://1.6.20"
  // owners in its policy that forbid preemption for resizes
  std::vector<std::string> owners{};
  std::vector<std::string> malformed{};  // entries of the owners
  bool removes_itself = false;           // the annotation that an agent in authority sets
};

struct PreemptorFacts {
  std::vector<std::string> gated{};     // kube-schedulers with the gate on, NAMESPACE/NAME
  std::vector<std::string> updaters{};  // of VPA
  // Beside an updater: pods that may take as long to leave as it waits, "NAMESPACE/NAME (600 s)".
  std::vector<std::string> slow{};
  std::vector<std::string> deschedulers{};
};

// The feature gates of kube-apiserver about pod groups, as its pods name them.
struct GroupGateFacts {
  std::vector<std::string> on{};
  std::vector<std::string> off{};
};

struct LeaseFacts {
  bool exists = false;
  std::string holder{};
  bool expired = false;
};

struct RuntimeFacts {
  std::string endpoint{};
  FileFacts socket{};
  std::string other_socket{};      // a runtime's usual one that exists; "": none
  std::optional<Error> trouble{};  // why it does not answer
  cri::RuntimeVersion version{};
  cri::RuntimeReadiness readiness{};
  Look<cri::CgroupDriver> driver{};
  Look<bool> renewed{};  // the daemon sees another folder than the present one
};

struct CgroupFacts {
  std::string root{};
  std::string trouble{};      // why it is no cgroup tree
  bool is_usual_one = false;  // /sys/fs/cgroup is a cgroup tree
  std::optional<cri::CgroupVersion> version{};
  std::vector<std::string> missing{};             // controllers
  std::optional<cri::CgroupDriver> configured{};  // by cgroupDriver; nothing: auto
  std::optional<cri::CgroupDriver> found{};       // the driver that made the existing pod cgroups
  bool manages = false;                           // podCgroups: manage
  std::string unreadable{};                       // "GROUP: WHY"
  std::string unwritable{};
  std::string bus_error{};  // why systemd cannot be used to resize a slice
  bool polkit = false;      // polkit is installed to authorize requests
};

struct StateFacts {
  FileFacts folder{};
  bool read_only = false;  // the file system
  std::uint64_t free_bytes = 0;
  std::uint64_t free_files = 0;
  std::string trouble{};                 // of the checkpoint
  std::vector<std::string> set_aside{};  // checkpoints that could not be read
  std::optional<int> holder{};           // the process that holds its lock
};

struct UnitFacts {
  std::string name{};
  bool loaded = false;
  bool active = false;
  bool failed = false;
  bool starting = false;  // or waiting for a restart
  std::string status{};   // what it says of itself; "": nothing
  bool enabled = false;
  bool unmet = false;   // one of its conditions
  FileFacts awaited{};  // the file that it waits for
  bool stale = false;   // its file has changed since systemd read it
  int restarts = 0;
  int exit_status = 0;
  int pid = 0;
  bool user_exists = false;
  std::string user{};       // "_elbowroom", also the name of its group
  bool other_runs = false;  // the unit of the other mode, active or enabled
};

struct DaemonFacts {
  std::string address{};
  std::string silence{};              // why it does not answer; ""
  bool is_ours = false;               // the answer looks like one of our daemons
  std::string free_address{};         // where nobody answers, if it is not ours; "": unknown
  std::vector<std::string> hung{};    // lines of /livez that failed
  std::vector<std::string> failed{};  // lines of /readyz that failed
  std::string version{};
};

// The webhook that reviews evictions, by the configuration here and by the API server.
struct WebhookFacts {
  std::string listen{};                // ADDR:PORT of the configuration here; "": none
  std::optional<Dates> certificate{};  // of webhookCert
  std::string pair_error{};            // why webhookCert and webhookKey cannot be used
  std::string unread{};                // why the registration could not be read; "": it was
  bool is_registered = false;          // the ValidatingWebhookConfiguration exists
  std::string failure_policy{};        // Ignore or Fail
  std::string address{};               // where the API server asks, an https URL
  std::optional<Dates> authority{};    // the first one of caBundle
  std::string authority_error{};       // why caBundle cannot be used
  std::optional<Error> connection{};   // why a TLS session with it did not come about
  std::string not_connected{};         // why none was tried; "": it was
  Look<bool> refuses_when_unsure{};    // webhook.whenUnsure
};

struct DoctorFacts {
  Program program = Program::Agent;
  bool authority = false;
  bool dry_run = false;
  bool away = false;  // looked at from elsewhere: neither its machine nor its account
  std::string own_version{};
  policy::Time now{};
  std::string lease_namespace{};
  std::string node_name{};                    // an agent's
  bool never_yields = false;                  // yieldTo: ""
  std::optional<bool> critical_preemption{};  // nothing: decided by what the server stores

  ConfigFacts config{};
  KubeconfigFacts kubeconfig{};
  Look<CredentialFacts> credentials{};
  Look<ServerFacts> server{};
  std::vector<RightFacts> rights{};
  Look<bool> may_do_all{};
  Look<NodeFacts> node{};
  Look<bool> keeps_policy{};
  Look<PreemptorFacts> preemptors{};
  Look<GroupGateFacts> group_gates{};
  Look<LeaseFacts> lease{};
  Look<RuntimeFacts> runtime{};
  Look<CgroupFacts> cgroups{};
  Look<StateFacts> state{};
  Look<bool> clock_set{};           // a program synchronizes the kernel's clock
  Look<api::HttpAnswer> kubelet{};  // on this machine
  Look<UnitFacts> unit{};
  Look<DaemonFacts> daemon{};
  Look<WebhookFacts> webhook{};  // of a rescheduler
};

// "elbowroomd", "elbowroom-scheduler" or "elbowroom-rescheduler".
[[nodiscard]] inline std::string name_of(Program program) {
  switch (program) {
    case Program::Agent:
      return "elbowroomd";
    case Program::Scheduler:
      return "elbowroom-scheduler";
    case Program::Rescheduler:
      return "elbowroom-rescheduler";
  }
  return "";
}

// Its configuration, in /etc/elbowroom.
[[nodiscard]] inline std::string config_file_of(Program program) {
  switch (program) {
    case Program::Agent:
      return "config.yaml";
    case Program::Scheduler:
      return "scheduler.yaml";
    case Program::Rescheduler:
      return "rescheduler.yaml";
  }
  return "";
}

// Its service account and its ClusterRole in packaging/kustomize.
[[nodiscard]] inline std::string role_of(const DoctorFacts& facts) {
  if (facts.program != Program::Agent) return name_of(facts.program);
  return facts.authority ? "elbowroom-agent-authority" : "elbowroom-agent";
}

}  // namespace elbowroom::cli
