// The checks of `elbowroom doctor`: a table of planted faults, each of which the right check finds,
// and no other.
#include "cli/doctor/doctor_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "agent/worker/agent_rbac.h"
#include "cli/doctor/check_inputs.h"
#include "cli/doctor/doctor_report.h"
#include "cli/doctor/known_versions.h"
#include "rescheduler/rescheduler_rbac.h"
#include "scheduler/scheduler_rbac.h"

namespace elbowroom::cli {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

enum class Whose { Companion, Authority, Scheduler, Rescheduler };

constexpr policy::Time kNow{std::chrono::seconds(1'800'000'000)};

FileFacts file(const std::string& path, std::uint32_t mode, const std::string& owner,
               const std::string& group) {
  return {
      .path = path, .kind = FileFacts::Kind::Regular, .mode = mode, .owner = owner, .group = group};
}

Dates dates(const std::string& what) {
  return {.what = what, .validity = {.from = kNow - 24h, .until = kNow + 24h * 365}};
}

std::span<const api::RbacRule> rights_of(Whose whose) {
  if (whose == Whose::Scheduler) return scheduler::kRights;
  if (whose == Whose::Rescheduler) return rescheduler::kRights;
  if (whose == Whose::Authority) return agent::kAuthorityRights;
  return agent::kCompanionRights;
}

CredentialFacts credentials() {
  CredentialFacts facts;
  facts.files = {{"certificate-authority", file("/etc/elbowroom/ca.crt", 0644, "root", "root"), ""},
                 {"client-certificate", file("/etc/elbowroom/a.crt", 0644, "root", "root"), ""}};
  facts.certificate = dates("client certificate /etc/elbowroom/a.crt");
  facts.authority = dates("the authority /etc/elbowroom/ca.crt");
  facts.token_until = kNow + 1h;
  facts.program = "get-token";
  return facts;
}

ServerFacts server() {
  return {.url = "https://10.0.0.1:6443",
          .encrypted = true,
          .user = "system:serviceaccount:kube-system:elbowroom",
          .version = "v1.37.0",
          .major = 1,
          .minor = 37,
          .not_served = std::vector<std::string>{},
          .resizes = true,
          .budgets = true,
          .pod_groups = std::string("v1beta1"),
          .ahead = 1s};
}

RuntimeFacts runtime() {
  RuntimeFacts facts{.endpoint = "unix:///run/containerd/containerd.sock"};
  facts.socket = file("/run/containerd/containerd.sock", 0660, "root", "root");
  facts.socket.kind = FileFacts::Kind::Socket;
  facts.version = {.name = "containerd", .version = "1.6.20~ds1", .api = "v1"};
  facts.readiness = {.runtime = true, .network = true};
  facts.driver = cri::CgroupDriver::Cgroupfs;
  facts.renewed = false;
  return facts;
}

StateFacts state() {
  StateFacts facts{.free_bytes = std::uint64_t{1} << 30, .free_files = 1000, .holder = 4711};
  facts.folder = file("/var/lib/elbowroom", 0700, "_elbowroom", "_elbowroom");
  facts.folder.kind = FileFacts::Kind::Folder;
  return facts;
}

UnitFacts unit(Whose whose) {
  const bool leads = whose == Whose::Scheduler || whose == Whose::Rescheduler;
  const std::string part = whose == Whose::Scheduler ? "scheduler" : "rescheduler";
  return {.name = leads                       ? "elbowroom-" + part
                  : whose == Whose::Authority ? "elbowroomd-authority"
                                              : "elbowroomd",
          .loaded = true,
          .active = true,
          .enabled = true,
          .awaited =
              file(leads ? "/etc/elbowroom/" + part + ".kubeconfig" : "/etc/elbowroom/kubeconfig",
                   0640, "root", leads ? "_elbowroom-" + part : "_elbowroom"),
          .pid = 4711,
          .user_exists = true,
          .user = leads ? "_elbowroom-" + part : "_elbowroom"};
}

WebhookFacts webhook() {
  return {.listen = "0.0.0.0:10443",
          .certificate = dates("the certificate /etc/elbowroom/tls.crt"),
          .is_registered = true,
          .failure_policy = "Ignore",
          .address = "https://hook.kube-system.svc:443/review",
          .authority = dates("the authority in caBundle"),
          .refuses_when_unsure = false};
}

// Where nothing is wrong.
DoctorFacts healthy(Whose whose) {
  DoctorFacts facts;
  facts.program = whose == Whose::Scheduler     ? Program::Scheduler
                  : whose == Whose::Rescheduler ? Program::Rescheduler
                                                : Program::Agent;
  facts.authority = whose == Whose::Authority;
  facts.own_version = "0.1.0";
  facts.now = kNow;
  facts.unit = unit(whose);
  facts.config.file = file("/etc/elbowroom/config.yaml", 0644, "root", "root");
  facts.kubeconfig.origin = "/etc/elbowroom/config.yaml: line 6";
  facts.kubeconfig.file = file("/etc/elbowroom/kubeconfig", 0640, "root", facts.unit->user);
  facts.credentials = credentials();
  facts.server = server();
  for (const api::RbacRule& each : rights_of(whose)) {
    facts.rights.push_back({each, std::string(each.ns), true});
  }
  facts.may_do_all = false;
  facts.keeps_policy = false;
  facts.preemptors = PreemptorFacts{};
  facts.clock_set = true;
  facts.daemon = DaemonFacts{.address = "127.0.0.1:10361", .is_ours = true, .version = "0.1.0"};
  if (facts.program != Program::Agent) {
    facts.lease_namespace = "kube-system";
    facts.lease = LeaseFacts{.exists = true, .holder = "a_1"};
    facts.webhook = webhook();
    return facts;
  }
  facts.node = NodeFacts{.name = "node-1", .exists = true, .ready = true, .kubelet = "v1.37.0"};
  facts.kubelet = facts.authority ? api::HttpAnswer::Nobody : api::HttpAnswer::Answered;
  if (!facts.authority) return facts;
  facts.runtime = runtime();
  facts.cgroups = CgroupFacts{.root = "/sys/fs/cgroup",
                              .version = cri::CgroupVersion::V1,
                              .found = cri::CgroupDriver::Cgroupfs,
                              .manages = true};
  facts.state = state();
  return facts;
}

// A fault and the one check that is to find it.
struct Fault {
  std::string what{};
  Whose whose = Whose::Companion;
  std::function<void(DoctorFacts&)> plant{};
  std::string check{};
  CheckOutcome outcome = CheckOutcome::Fail;
  std::string cause{};   // part of it
  std::string remedy{};  // part of it
};

Error error(Code code, std::string message) { return {code, std::move(message), {}}; }

std::vector<Fault> credential_faults() {
  constexpr auto kFail = CheckOutcome::Fail;
  constexpr auto kWarn = CheckOutcome::Warn;
  return {
      {"a key that is no key", Whose::Companion,
       [](DoctorFacts& f) { f.config.trouble = "config.yaml: line 3: nodeNmae"; }, "config.valid",
       kFail, "line 3: nodeNmae", "--check-config"},
      {"a configuration that everybody may change", Whose::Companion,
       [](DoctorFacts& f) { f.config.file.mode = 0666; }, "config.mode", kFail, "mode 0666",
       "chmod 0644 /etc/elbowroom/config.yaml"},
      {"no kubeconfig", Whose::Companion,
       [](DoctorFacts& f) {
         f.kubeconfig.file = {.path = "/etc/elbowroom/kubeconfig"};
         f.kubeconfig.trouble = error(Code::NotFound, "not there");
         f.credentials = Look<CredentialFacts>::not_seen("no kubeconfig");
         f.server = Look<ServerFacts>::not_seen("no kubeconfig");
         f.unit->active = false;
         f.unit->unmet = true;
         f.daemon->silence = "refused";
       },
       "kubeconfig.found", kFail, "there is no /etc/elbowroom/kubeconfig", "docs/install.md"},
      {"no kubeconfig anywhere", Whose::Companion,
       [](DoctorFacts& f) {
         f.kubeconfig.file = {};
         f.kubeconfig.trouble = error(Code::NotFound, "no kubeconfig at ~/.kube/config");
         f.credentials = Look<CredentialFacts>::not_seen("no kubeconfig");
         f.server = Look<ServerFacts>::not_seen("no kubeconfig");
       },
       "kubeconfig.found", kFail, "no kubeconfig at", "--kubeconfig"},
      {"a folder in its place", Whose::Companion,
       [](DoctorFacts& f) { f.kubeconfig.file.kind = FileFacts::Kind::Folder; }, "kubeconfig.found",
       kFail, "is no file", "docs/install.md"},
      {"a kubeconfig with a password", Whose::Companion,
       [](DoctorFacts& f) { f.kubeconfig.trouble = error(Code::Invalid, "passwords are not"); },
       "kubeconfig.valid", kFail, "passwords are not", "docs/connect.md"},
      {"a kubeconfig that everybody may read", Whose::Companion,
       [](DoctorFacts& f) { f.kubeconfig.file.mode = 0644; }, "kubeconfig.mode", kFail,
       "everybody may use", "chmod 0640 /etc/elbowroom/kubeconfig"},
      {"a kubeconfig that its group may change", Whose::Scheduler,
       [](DoctorFacts& f) { f.kubeconfig.file.mode = 0660; }, "kubeconfig.mode", kFail,
       "its group may change it", "chgrp _elbowroom-scheduler"},
      {"a kubeconfig that is root's alone", Whose::Companion,
       [](DoctorFacts& f) { f.kubeconfig.file.mode = 0600; }, "kubeconfig.for-service", kFail,
       "_elbowroom, who may not read /etc/elbowroom/kubeconfig", "chgrp _elbowroom "},
      {"a certificate that is root's alone", Whose::Companion,
       [](DoctorFacts& f) { f.credentials->files[1].file.mode = 0600; }, "kubeconfig.for-service",
       kFail, "may not read /etc/elbowroom/a.crt", "chmod 0640 /etc/elbowroom/a.crt"},
      {"a file that the unit hides", Whose::Companion,
       [](DoctorFacts& f) { f.credentials->files[0].file.path = "/etc/kubernetes/pki/ca.crt"; },
       "kubeconfig.hidden", kFail, "does not let the service see /etc/kubernetes/pki/ca.crt",
       "copy it to /etc/elbowroom"},
      {"a kubeconfig that the unit hides", Whose::Companion,
       [](DoctorFacts& f) { f.kubeconfig.file.path = "/etc/kubernetes/kubelet.conf"; },
       "kubeconfig.hidden", kFail, "does not let the service see /etc/kubernetes/kubelet.conf",
       "copy it to /etc/elbowroom"},
      {"a kubeconfig in a home", Whose::Companion,
       [](DoctorFacts& f) {
         FileFacts home = file("/root", 0700, "root", "root");
         home.kind = FileFacts::Kind::Folder;
         f.kubeconfig.file = file("/root/.kube/config", 0600, "root", "root");
         f.kubeconfig.file.gates = {home};
       },
       "kubeconfig.hidden", kFail, "does not let the service see /root/.kube/config",
       "copy it to /etc/elbowroom"},
      {"a token that only the companion's unit would show", Whose::Authority,
       [](DoctorFacts& f) { f.credentials->files[0].file.path = "/srv/token"; },
       "kubeconfig.hidden", kFail, "does not let the service see /srv/token",
       "put its content into the kubeconfig"},
      {"a folder that is root's alone", Whose::Companion,
       [](DoctorFacts& f) {
         FileFacts folder = file("/etc/elbowroom", 0700, "root", "root");
         folder.kind = FileFacts::Kind::Folder;
         f.kubeconfig.file.gates = {folder};
       },
       "kubeconfig.for-service", kFail, "may not enter /etc/elbowroom (root:root, mode 0700)",
       "chgrp _elbowroom /etc/elbowroom; chmod 0750 /etc/elbowroom"},
      {"a configuration that names no kubeconfig", Whose::Scheduler,
       [](DoctorFacts& f) {
         f.kubeconfig.by = KubeconfigFacts::By::Surroundings;
         f.kubeconfig.origin = "KUBECONFIG";
       },
       "kubeconfig.found", kFail, "KUBECONFIG counts for you alone",
       "set kubeconfig: /etc/elbowroom/scheduler.kubeconfig in /etc/elbowroom/scheduler.yaml"},
      {"a file that is not there", Whose::Companion,
       [](DoctorFacts& f) {
         f.credentials->files[0].file.kind = FileFacts::Kind::Missing;
         f.credentials->files[0].trouble = "/etc/elbowroom/ca.crt: no such file";
       },
       "credentials.files", kFail, "certificate-authority: /etc/elbowroom/ca.crt",
       "name another one as certificate-authority"},
      {"a client certificate that has expired", Whose::Companion,
       [](DoctorFacts& f) { f.credentials->certificate->validity.until = kNow; },
       "credentials.certificate", kFail, "a.crt has expired", "issued again"},
      {"one that is not good yet", Whose::Companion,
       [](DoctorFacts& f) { f.credentials->certificate->validity.from = kNow + 1s; },
       "credentials.certificate", kFail, "is not good before", "clock"},
      {"one that expires within the week", Whose::Companion,
       [](DoctorFacts& f) { f.credentials->certificate->validity.until = kNow + 24h * 7; },
       "credentials.certificate", kWarn, "expires within a week", "issued again"},
      {"the key of another certificate", Whose::Companion,
       [](DoctorFacts& f) { f.credentials->key_pair_error = "the key is not the certificate's"; },
       "credentials.key", kFail, "the key is not", "client-key"},
      {"an authority that has expired", Whose::Companion,
       [](DoctorFacts& f) { f.credentials->authority->validity.until = kNow - 1s; },
       "credentials.authority", kFail, "the authority /etc/elbowroom/ca.crt has expired",
       "certificate-authority"},
      {"a token that has expired", Whose::Companion,
       [](DoctorFacts& f) { f.credentials->token_until = kNow; }, "credentials.token", kFail,
       "the token has expired", "kubectl create token"},
      {"a token that nobody renews", Whose::Companion,
       [](DoctorFacts& f) { f.credentials->static_token = true; }, "credentials.token", kWarn,
       "nobody renews it", "tokenFile"},
      {"a credential program that is not there", Whose::Companion,
       [](DoctorFacts& f) { f.credentials->program_error = "it is not there"; },
       "credentials.program", kFail, "get-token: it is not there", "ExecPaths="},
  };
}

std::vector<Fault> webhook_faults() {
  constexpr auto kFail = CheckOutcome::Fail;
  constexpr auto kWarn = CheckOutcome::Warn;
  constexpr auto kWhose = Whose::Rescheduler;
  return {
      {"a webhook that is not registered", kWhose,
       [](DoctorFacts& f) { f.webhook->is_registered = false; }, "webhook.registered", kWarn,
       "the API server asks nobody", "rescheduler-webhook"},
      {"a webhook's certificate that has expired", kWhose,
       [](DoctorFacts& f) { f.webhook->certificate->validity.until = kNow; }, "webhook.certificate",
       kFail, "tls.crt has expired", "issued again"},
      {"a webhook's certificate that expires soon", kWhose,
       [](DoctorFacts& f) { f.webhook->certificate->validity.until = kNow + 24h; },
       "webhook.certificate", kWarn, "expires within a week", "issued again"},
      {"a webhook's key of another certificate", kWhose,
       [](DoctorFacts& f) { f.webhook->pair_error = "the key is not the certificate's"; },
       "webhook.certificate", kFail, "the key is not", "with its key"},
      {"a caBundle that is none", kWhose,
       [](DoctorFacts& f) {
         f.webhook->authority_error = "caBundle is empty";
         f.webhook->not_connected = "caBundle cannot be used";
       },
       "webhook.authority", kFail, "caBundle is empty", "caBundle"},
      {"an authority of the webhook that has expired", kWhose,
       [](DoctorFacts& f) { f.webhook->authority->validity.until = kNow; }, "webhook.authority",
       kFail, "in caBundle has expired", "cert-manager"},
      {"a webhook that is not there", kWhose,
       [](DoctorFacts& f) { f.webhook->connection = error(Code::Unavailable, "refused"); },
       "webhook.reachable", kWarn, "refused", "--webhook-listen"},
      {"a webhook of another authority", kWhose,
       [](DoctorFacts& f) { f.webhook->connection = error(Code::Denied, "unknown authority"); },
       "webhook.reachable", kFail, "unknown authority", "caBundle"},
      {"a webhook that lets pass what its server refuses", kWhose,
       [](DoctorFacts& f) { f.webhook->failure_policy = "Fail"; }, "webhook.policies", kWarn,
       "is refused where none answers", "allow with Ignore"},
      {"a webhook that refuses what its server lets pass", kWhose,
       [](DoctorFacts& f) { f.webhook->refuses_when_unsure = true; }, "webhook.policies", kWarn,
       "passes where none answers", "refuse with Fail"},
  };
}

std::vector<Fault> server_faults() {
  constexpr auto kFail = CheckOutcome::Fail;
  constexpr auto kWarn = CheckOutcome::Warn;
  return {
      {"http", Whose::Companion,
       [](DoctorFacts& f) {
         f.server->url = "http://10.0.0.1";
         f.server->encrypted = false;
       },
       "server.encrypted", kFail, "http://10.0.0.1 is no https", "https://"},
      {"nobody there", Whose::Companion,
       [](DoctorFacts& f) { f.server->connection = error(Code::Unavailable, "refused"); },
       "server.reachable", kFail, "refused", "is the server up"},
      {"a server whose certificate has expired", Whose::Companion,
       [](DoctorFacts& f) {
         f.server->connection = error(Code::Denied, "certificate has expired");
         f.server->distrust = Distrust::Dates;
       },
       "server.tls", kFail, "certificate has expired", "kubeadm certs renew apiserver"},
      {"a server of another authority", Whose::Companion,
       [](DoctorFacts& f) {
         f.server->connection = error(Code::Denied, "nobody vouches");
         f.server->distrust = Distrust::Authority;
         f.credentials->authority_file = "/etc/elbowroom/ca.crt";
       },
       "server.tls", kFail, "nobody vouches", "/dev/stdin /etc/elbowroom/ca.crt"},
      {"a server of another name", Whose::Companion,
       [](DoctorFacts& f) {
         f.server->connection = error(Code::Denied, "for other names");
         f.server->distrust = Distrust::Name;
       },
       "server.tls", kFail, "for other names", "--server="},
      {"a server that does not take our certificate", Whose::Companion,
       [](DoctorFacts& f) {
         f.server->connection = error(Code::Denied, "does not take");
         f.server->distrust = Distrust::Ours;
         f.credentials->certificate_file = "/etc/elbowroom/a.crt";
         f.credentials->key_file = "/etc/elbowroom/a.key";
       },
       "server.tls", kFail, "does not take", "kubectl certificate approve elbowroom-agent"},
      {"a connection that ends over something else", Whose::Companion,
       [](DoctorFacts& f) { f.server->connection = error(Code::Denied, "TLS 1.2"); }, "server.tls",
       kFail, "TLS 1.2", "mend what is named"},
      {"an account that is bound to no role", Whose::Scheduler,
       [](DoctorFacts& f) {
         for (RightFacts& each : f.rights) each.allowed = false;
       },
       "rights.bound", kFail, "none of the rights", "--clusterrole=elbowroom-scheduler"},
      {"credentials of another cluster", Whose::Companion,
       [](DoctorFacts& f) { f.server->login = error(Code::Denied, "401 Unauthorized"); },
       "server.credentials", kFail, "401 Unauthorized", "count in this cluster"},
      {"a server that starts", Whose::Companion,
       [](DoctorFacts& f) { f.server->readiness = error(Code::Unavailable, "/readyz: 500"); },
       "server.ready", kWarn, "/readyz: 500", "wait until"},
      {"an old server", Whose::Companion,
       [](DoctorFacts& f) {
         f.server->version = "v1.32.4";
         f.server->minor = 32;
         f.node->kubelet = "";
       },
       "server.version", kFail, "v1.32.4 is too old", "1.33 or later"},
      {"a new one", Whose::Companion,
       [](DoctorFacts& f) {
         f.server->version = "v1.38.0";
         f.server->minor = 38;
       },
       "server.version", kWarn, "v1.38.0 was not run; the newest that was is 1.37", "--dry-run"},
      {"something that is no Kubernetes", Whose::Scheduler,
       [](DoctorFacts& f) { f.server->version = ""; }, "server.version", kWarn,
       "does not say its version", "kubectl version"},
      {"a gate that is closed", Whose::Companion, [](DoctorFacts& f) { f.server->resizes = false; },
       "server.resize", kFail, "no pods/resize", "InPlacePodVerticalScaling"},
      {"a group that is not served", Whose::Scheduler,
       [](DoctorFacts& f) { f.server->not_served = std::vector<std::string>{"policy/v1"}; },
       "server.groups", kFail, "does not serve policy/v1", "--runtime-config"},
      {"our kind in another version", Whose::Scheduler,
       [](DoctorFacts& f) { f.server->budgets = false; }, "server.budgets", kFail, "v1alpha1",
       "packaging/kustomize/crd"},
      {"pod groups whose gate is off", Whose::Scheduler,
       [](DoctorFacts& f) { f.group_gates = GroupGateFacts{.off = {"GenericWorkload"}}; },
       "server.podgroups", kWarn, "GenericWorkload off", "--feature-gates=GenericWorkload=true"},
      {"a clock a little behind", Whose::Companion, [](DoctorFacts& f) { f.server->ahead = 5s; },
       "clock.server", kWarn, "5 s behind", "NTP"},
      {"a clock far ahead", Whose::Companion, [](DoctorFacts& f) { f.server->ahead = -60s; },
       "clock.server", kFail, "60 s ahead of", "timedatectl"},
      {"an administrator's credentials", Whose::Companion,
       [](DoctorFacts& f) { f.may_do_all = true; }, "rights.least", kWarn, "may do everything",
       "service account"},
      {"no such Node", Whose::Companion,
       [](DoctorFacts& f) {
         f.node->exists = false;
         f.node->near = "node-01";
       },
       "node.there", kFail, "did you mean node-01?", "nodeName"},
      {"a Node that is not ready", Whose::Authority, [](DoctorFacts& f) { f.node->ready = false; },
       "node.ready", kWarn, "is not Ready", "kubectl describe node node-1"},
      {"an old kubelet", Whose::Companion, [](DoctorFacts& f) { f.node->kubelet = "v1.32.0"; },
       "node.kubelet", kFail, "v1.32.0", "upgrade the kubelet"},
      {"a kubelet that is newer than its server", Whose::Companion,
       [](DoctorFacts& f) { f.node->kubelet = "v1.38.0"; }, "node.kubelet-skew", kWarn, "v1.38.0",
       "control plane first"},
      {"a policy that forbids it", Whose::Companion,
       [](DoctorFacts& f) { f.node->owners = {"example.com/autoscaler"}; }, "node.policy", kWarn,
       "example.com/autoscaler", "podPreemptionPolicy"},
      {"a policy that the kubelet does not know", Whose::Companion,
       [](DoctorFacts& f) { f.node->owners = {"example.com/autoscaler"}; }, "node.policy", kWarn,
       "the kubelet preempts for resizes of critical Pods all the same", "podPreemptionPolicy"},
      {"an owner that is none", Whose::Companion,
       [](DoctorFacts& f) { f.node->malformed = {"not a key"}; }, "node.policy-owners", kWarn,
       "not a key", "example.com/owner"},
      {"what an agent in authority left", Whose::Companion,
       [](DoctorFacts& f) { f.node->removes_itself = true; }, "node.critical-preemption", kWarn,
       "this one is a companion", "elbowroom.dev/critical-preemption-"},
      {"the field is kept and nobody is yielded to", Whose::Scheduler,
       [](DoctorFacts& f) {
         f.keeps_policy = true;
         f.never_yields = true;
         f.preemptors->gated = {"kube-system/kube-scheduler-a"};
       },
       "server.policy-field", kWarn, "yieldTo is empty", "leave yieldTo out"},
      {"the field is kept and the node removes too", Whose::Authority,
       [](DoctorFacts& f) {
         f.keeps_policy = true;
         f.critical_preemption = true;
       },
       "server.policy-field", kWarn, "criticalPreemption is true", "leave criticalPreemption out"},
      {"a scheduler whose gate is open alone", Whose::Scheduler,
       [](DoctorFacts& f) { f.preemptors->gated = {"kube-system/kube-scheduler-a"}; },
       "beside.kube-scheduler", kWarn, "kube-system/kube-scheduler-a has the gate", "yieldTo"},
      {"pods that an updater of VPA does not wait for", Whose::Scheduler,
       [](DoctorFacts& f) {
         f.preemptors->updaters = {"kube-system/vpa-updater-x"};
         f.preemptors->slow = {"a/b (600 s)", "a/c (600 s)", "a/d (600 s)", "a/e (600 s)"};
       },
       "beside.vpa", kWarn, "a/b (600 s), a/c (600 s), a/d (600 s), 1 more",
       "terminationGracePeriodSeconds"},
      {"a descheduler", Whose::Scheduler,
       [](DoctorFacts& f) { f.preemptors->deschedulers = {"kube-system/descheduler-x"}; },
       "beside.descheduler", kWarn, "descheduler-x", "PodDisruptionBudgets"},
      {"a Lease that nobody renews", Whose::Scheduler,
       [](DoctorFacts& f) { f.lease->expired = true; }, "scheduler.lease", kWarn,
       "was not renewed by a_1", "start elbowroom-scheduler"},
  };
}

std::vector<Fault> machine_faults() {
  constexpr auto kFail = CheckOutcome::Fail;
  constexpr auto kWarn = CheckOutcome::Warn;
  return {
      {"no runtime", Whose::Authority,
       [](DoctorFacts& f) { f.runtime->socket.kind = FileFacts::Kind::Missing; }, "runtime.socket",
       kFail, "no container runtime's socket /run/containerd", "runtimeEndpoint"},
      {"a file in its place", Whose::Authority,
       [](DoctorFacts& f) { f.runtime->socket.kind = FileFacts::Kind::Regular; }, "runtime.socket",
       kFail, "is no socket", "runtimeEndpoint"},
      {"a socket for everybody", Whose::Authority,
       [](DoctorFacts& f) { f.runtime->socket.mode = 0666; }, "runtime.socket-mode", kFail,
       "can become root", "chmod 0660"},
      {"a runtime that hangs", Whose::Authority,
       [](DoctorFacts& f) { f.runtime->trouble = error(Code::Unavailable, "deadline"); },
       "runtime.answers", kFail, "deadline", "restart the container runtime"},
      {"a runtime without a network", Whose::Authority,
       [](DoctorFacts& f) {
         f.runtime->readiness = {.runtime = true, .network = false, .reason = "no cni"};
       },
       "runtime.ready", kWarn, "network is not ready: no cni", "/etc/cni/net.d"},
      {"an old runtime", Whose::Authority,
       [](DoctorFacts& f) { f.runtime->version.version = "v1.5.9"; }, "runtime.version", kFail,
       "older than 1.6", "1.6 or later"},
      {"another CRI", Whose::Authority, [](DoctorFacts& f) { f.runtime->version.api = "v1alpha2"; },
       "runtime.version", kFail, "CRI v1alpha2", "upgrade"},
      {"a runtime whose folder was made anew", Whose::Authority,
       [](DoctorFacts& f) { f.runtime->renewed = true; }, "runtime.renewed", kFail,
       "made anew after the service started", "systemctl restart elbowroomd-authority"},
      {"no control groups", Whose::Authority,
       [](DoctorFacts& f) {
         f.cgroups->version.reset();
         f.cgroups->trouble = "/sys/fs/cgroup: neither";
       },
       "cgroups.mounted", kFail, "neither", "cgroupRoot"},
      {"a controller that is not there", Whose::Authority,
       [](DoctorFacts& f) { f.cgroups->missing = {"memory"}; }, "cgroups.controllers", kFail,
       "controller memory", "unified_cgroup_hierarchy"},
      {"another driver than the runtime's", Whose::Authority,
       [](DoctorFacts& f) {
         f.cgroups->configured = cri::CgroupDriver::Cgroupfs;
         f.runtime->driver = cri::CgroupDriver::Systemd;
       },
       "cgroups.driver", kFail, "the runtime uses systemd", "set it to systemd"},
      {"groups of another driver", Whose::Authority,
       [](DoctorFacts& f) { f.cgroups->found = cri::CgroupDriver::Systemd; }, "cgroups.driver",
       kFail, "made by the driver systemd", "cgroupDriver: systemd"},
      {"slices of a systemd that cannot be reached", Whose::Authority,
       [](DoctorFacts& f) {
         f.cgroups->found = cri::CgroupDriver::Systemd;
         f.runtime->driver = cri::CgroupDriver::Systemd;
         f.cgroups->polkit = true;
         f.cgroups->bus_error = "connect to the system bus: No such file or directory";
       },
       "cgroups.driver-supported", kFail, "connect to the system bus", "dbus.socket"},
      {"slices of systemd without polkit", Whose::Authority,
       [](DoctorFacts& f) {
         f.cgroups->found = cri::CgroupDriver::Systemd;
         f.runtime->driver = cri::CgroupDriver::Systemd;
       },
       "cgroups.driver-supported", kFail, "let _elbowroom size", "apt install polkitd"},
      {"control groups that cannot be read", Whose::Authority,
       [](DoctorFacts& f) { f.cgroups->unreadable = "/kubepods/cpu.shares: permission denied"; },
       "cgroups.readable", kFail, "permission denied", "elbowroomd-authority"},
      {"control groups that cannot be written", Whose::Authority,
       [](DoctorFacts& f) { f.cgroups->unwritable = "memory.max: read-only"; }, "cgroups.writable",
       kFail, "read-only", "podCgroups: leave"},
      {"a file in the place of the state directory", Whose::Authority,
       [](DoctorFacts& f) { f.state->folder.kind = FileFacts::Kind::Regular; }, "disk.state", kFail,
       "is no folder", "stateDir"},
      {"no state directory", Whose::Authority,
       [](DoctorFacts& f) { f.state->folder.kind = FileFacts::Kind::Missing; }, "disk.state", kWarn,
       "no state directory", "mkdir -m 0700 /var/lib/elbowroom"},
      {"a state directory for everybody", Whose::Authority,
       [](DoctorFacts& f) { f.state->folder.mode = 0755; }, "disk.mode", kFail, "others than",
       "chmod 0700 /var/lib/elbowroom"},
      {"a state directory of somebody else", Whose::Authority,
       [](DoctorFacts& f) { f.state->folder.owner = "root"; }, "disk.mode", kFail,
       "belongs to root", "chown -R _elbowroom:_elbowroom /var/lib/elbowroom"},
      {"a disk that is read-only", Whose::Authority,
       [](DoctorFacts& f) { f.state->read_only = true; }, "disk.writable", kFail, "read-only",
       "remount,rw"},
      {"a full disk", Whose::Authority, [](DoctorFacts& f) { f.state->free_bytes = 4096; },
       "disk.room", kFail, "is full", "free some space"},
      {"a disk that is nearly full", Whose::Authority,
       [](DoctorFacts& f) { f.state->free_bytes = std::uint64_t{8} << 20; }, "disk.room", kWarn,
       "less than 16 MiB", "free some space"},
      {"no inodes", Whose::Authority, [](DoctorFacts& f) { f.state->free_files = 0; }, "disk.room",
       kFail, "no inodes", "remove some files"},
      {"a damaged checkpoint", Whose::Authority,
       [](DoctorFacts& f) { f.state->trouble = "allocations: checksum"; }, "disk.checkpoint", kFail,
       "checksum", "moves it aside"},
      {"one that was damaged", Whose::Authority,
       [](DoctorFacts& f) { f.state->set_aside = {"allocations.bad-1"}; }, "disk.set-aside", kWarn,
       "allocations.bad-1", "look why"},
      {"a second agent", Whose::Authority, [](DoctorFacts& f) { f.state->holder = 99; },
       "disk.alone", kFail, "another process, 99,", "stop that agent"},
      {"a clock that nobody keeps", Whose::Companion, [](DoctorFacts& f) { f.clock_set = false; },
       "clock.kept", kWarn, "nobody keeps", "chrony"},
      {"a kubelet beside an agent in authority", Whose::Authority,
       [](DoctorFacts& f) { f.kubelet = api::HttpAnswer::Answered; }, "beside.kubelet", kFail,
       "a kubelet answers", "mode: companion"},
      {"a companion without a kubelet", Whose::Companion,
       [](DoctorFacts& f) { f.kubelet = api::HttpAnswer::Nobody; }, "beside.kubelet", kWarn,
       "no kubelet answers", "start the kubelet"},
      {"no user", Whose::Companion, [](DoctorFacts& f) { f.unit->user_exists = false; },
       "unit.user", kFail, "no user _elbowroom", "systemd-sysusers"},
      {"both units", Whose::Companion, [](DoctorFacts& f) { f.unit->other_runs = true; },
       "unit.alone", kFail, "each stops the other", "systemctl disable --now"},
      {"a unit that was changed", Whose::Scheduler, [](DoctorFacts& f) { f.unit->stale = true; },
       "unit.read", kWarn, "has changed", "daemon-reload"},
      {"a unit that failed", Whose::Companion,
       [](DoctorFacts& f) {
         f.unit->active = false;
         f.unit->failed = true;
         f.unit->exit_status = 78;
         f.daemon->silence = "refused";
       },
       "unit.runs", kFail, "exit status 78", "journalctl -n 50 -u elbowroomd"},
      {"a unit that waits before it starts once more", Whose::Companion,
       [](DoctorFacts& f) {
         f.unit->active = false;
         f.unit->starting = true;
         f.unit->status = "starts only in 64 s, because it crashed";
         f.daemon->silence = "refused";
       },
       "unit.runs", kFail, "is not up: it starts only in 64 s", "journalctl -n 50 -u elbowroomd"},
      {"a unit that another agent keeps from starting", Whose::Authority,
       [](DoctorFacts& f) {
         f.unit->active = false;
         f.unit->starting = true;
         f.unit->exit_status = 75;
         f.daemon->silence = "refused";
       },
       "unit.runs", kFail, "is not up", "another agent has the state directory"},
      {"a unit that was not started", Whose::Scheduler,
       [](DoctorFacts& f) {
         f.unit->active = false;
         f.daemon->silence = "refused";
       },
       "unit.runs", kFail, "does not run", "systemctl enable --now elbowroom-scheduler"},
      {"a unit that waits for another kubeconfig than the one that is named", Whose::Companion,
       [](DoctorFacts& f) {
         f.kubeconfig.file.path = "/etc/elbowroom/other";
         f.unit->active = false;
         f.unit->unmet = true;
         f.unit->awaited = {.path = "/etc/elbowroom/kubeconfig"};
         f.daemon->silence = "refused";
       },
       "unit.runs", kFail,
       "waits for /etc/elbowroom/kubeconfig, which is not there: the configuration names "
       "/etc/elbowroom/other",
       "/etc/elbowroom/other >/etc/systemd/system/elbowroomd.service.d/kubeconfig.conf"},
      {"a kubeconfig that came after the start", Whose::Companion,
       [](DoctorFacts& f) {
         f.unit->active = false;
         f.unit->unmet = true;
         f.daemon->silence = "refused";
       },
       "unit.runs", kFail, "was not there when it was started", "systemctl start elbowroomd"},
      {"a unit that is not enabled", Whose::Companion,
       [](DoctorFacts& f) { f.unit->enabled = false; }, "unit.enabled", kWarn,
       "does not start with the machine", "systemctl enable elbowroomd"},
      {"a service that crashes", Whose::Companion, [](DoctorFacts& f) { f.unit->restarts = 5; },
       "unit.steady", kWarn, "started again 5 times", "journalctl -u elbowroomd"},
      {"a service that does not listen", Whose::Companion,
       [](DoctorFacts& f) { f.daemon->silence = "connection refused"; }, "daemon.answers", kFail,
       "connection refused", "systemctl restart elbowroomd"},
      {"somebody else on its port", Whose::Companion,
       [](DoctorFacts& f) { f.daemon->is_ours = false; }, "daemon.port", kFail,
       "another program answers", "another port"},
      {"a loop that hangs", Whose::Companion,
       [](DoctorFacts& f) { f.daemon->hung = {"loops failed: reactor"}; }, "daemon.turns", kFail,
       "loops failed: reactor", "the watchdog"},
      {"a service that is not ready", Whose::Companion,
       [](DoctorFacts& f) { f.daemon->failed = {"node failed: there is none"}; }, "daemon.ready",
       kFail, "node failed", "do what the line says"},
      {"a service of another version", Whose::Companion,
       [](DoctorFacts& f) { f.daemon->version = "0.0.9"; }, "daemon.version", kWarn, "0.0.9",
       "restart the service"},
  };
}

std::vector<Fault> all_faults() {
  std::vector<Fault> all = credential_faults();
  for (const auto& more : {server_faults(), machine_faults(), webhook_faults()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  for (const Whose whose :
       {Whose::Companion, Whose::Authority, Whose::Scheduler, Whose::Rescheduler}) {
    for (std::size_t i = 0; i < rights_of(whose).size(); ++i) {
      const api::RbacRule& right = rights_of(whose)[i];
      all.push_back({.what = "no right: " + check_of(right),
                     .whose = whose,
                     .plant = [i](DoctorFacts& f) { f.rights[i].allowed = false; },
                     .check = check_of(right),
                     .cause = "may not " + std::string(right.verb),
                     .remedy = "packaging/kustomize"});
    }
  }
  return all;
}

// The remedy and what to run.
std::string remedy_of(const Verdict& verdict) {
  std::string text = verdict.remedy;
  for (const std::string& command : verdict.commands) text += "; " + command;
  return text;
}

std::map<std::string, Verdict> unwell(const std::vector<Finding>& findings) {
  std::map<std::string, Verdict> found;
  for (const Finding& each : findings) {
    const bool is_well =
        each.verdict.outcome == CheckOutcome::Pass || each.verdict.outcome == CheckOutcome::Skip;
    if (!is_well) found[each.check] = each.verdict;
  }
  return found;
}

TEST(DoctorChecks, EachPlantedFaultIsFoundByItsCheckAndByNoOther) {
  for (const Fault& fault : all_faults()) {
    SCOPED_TRACE(fault.what);
    DoctorFacts facts = healthy(fault.whose);
    fault.plant(facts);
    const auto found = unwell(diagnose(facts));
    for (const auto& [check, verdict] : found) {
      EXPECT_EQ(check, fault.check) << verdict.cause;
    }
    ASSERT_TRUE(found.contains(fault.check));
    const Verdict& verdict = found.at(fault.check);
    EXPECT_EQ(to_string(verdict.outcome), to_string(fault.outcome));
    EXPECT_THAT(verdict.cause, HasSubstr(fault.cause));
    EXPECT_THAT(remedy_of(verdict), HasSubstr(fault.remedy));
  }
}

TEST(DoctorChecks, WhereNothingIsWrongNothingIsFound) {
  for (const Whose whose :
       {Whose::Companion, Whose::Authority, Whose::Scheduler, Whose::Rescheduler}) {
    const std::vector<Finding> findings = diagnose(healthy(whose));
    for (const auto& [check, verdict] : unwell(findings)) ADD_FAILURE() << check << verdict.cause;
    EXPECT_GE(findings.size(), 30U);
    std::set<std::string> names;
    for (const Finding& each : findings) {
      EXPECT_TRUE(names.insert(each.check).second) << each.check << " is there twice";
      EXPECT_THAT(each.verdict.cause, Not(IsEmpty())) << each.check;
      EXPECT_THAT(each.verdict.remedy, IsEmpty()) << each.check;
    }
  }
}

std::string cause_of(const DoctorFacts& facts, std::string_view check) {
  for (const Finding& each : diagnose(facts)) {
    if (each.check == check)
      return std::string(to_string(each.verdict.outcome)) + " " + each.verdict.cause;
  }
  return "not there";
}

TEST(DoctorChecks, PodGroupsNeedNotBeServed) {
  DoctorFacts facts = healthy(Whose::Scheduler);
  EXPECT_THAT(cause_of(facts, "server.podgroups"), HasSubstr("PASS podgroups of scheduling.k8s.io "
                                                             "are served in v1beta1; gates: "));
  facts.group_gates = GroupGateFacts{.on = {"GenericWorkload", "PodGroupPreemptionPolicy"}};
  EXPECT_THAT(cause_of(facts, "server.podgroups"),
              HasSubstr("gates: GenericWorkload, PodGroupPreemptionPolicy"));
  facts.server->pod_groups = std::string();
  EXPECT_THAT(cause_of(facts, "server.podgroups"), HasSubstr("PASS podgroups of scheduling.k8s.io "
                                                             "are not served"));
  for (RightFacts& each : facts.rights) {
    if (each.right.resource.starts_with("podgroups")) each.allowed = false;
  }
  EXPECT_THAT(unwell(diagnose(facts)), IsEmpty()) << "no right is needed either";
  EXPECT_THAT(cause_of(facts, "rights.patch-podgroups-status"), HasSubstr("SKIP "));
}

TEST(DoctorChecks, WhatTheVersionLacksIsSaid) {
  DoctorFacts facts = healthy(Whose::Companion);
  EXPECT_THAT(cause_of(facts, "server.version"),
              MatchesRegex("PASS Kubernetes v1.37.0; 1.37.[0-9]+ was run"));
  EXPECT_EQ(cause_of(facts, "node.kubelet"), "PASS the kubelet is v1.37.0");
  for (const auto& [minor, server, kubelet] :
       {std::tuple(33, "it lacks podPreemptionPolicy",
                   "; it lacks a second look at a Deferred resize"),
        std::tuple(34, "and PodGroup", ""), std::tuple(35, "and PodGroup", ""),
        std::tuple(36, "annotation counts in its place)", "")}) {
    const std::string version = "v1." + std::to_string(minor) + ".9";
    facts.server->version = version;
    facts.server->minor = minor;
    facts.node->kubelet = version;
    const std::string said = cause_of(facts, "server.version");
    EXPECT_THAT(said, HasSubstr(server));
    EXPECT_THAT(said, known_version(minor)->run.empty()
                          ? AllOf(HasSubstr("WARN"), HasSubstr(version + " was not run"))
                          : AllOf(HasSubstr("PASS"), HasSubstr(version + "; 1.")));
    EXPECT_THAT(cause_of(facts, "node.kubelet"), AllOf(HasSubstr("PASS"), HasSubstr(kubelet)));
  }
}

// ---- a check whose input is broken ----

Finding finding_of(const DoctorFacts& facts, std::string_view check) {
  for (Finding& each : diagnose(facts)) {
    if (each.check == check) return std::move(each);
  }
  ADD_FAILURE() << "there is no check " << check;
  return {};
}

TEST(DoctorChecks, WhatReadsTheConfigurationWaitsForItsCheck) {
  DoctorFacts facts = healthy(Whose::Authority);
  facts.config.trouble = "config.yaml: line 3: nodeNmae";
  facts.config.edit = "3c\\nodeName: a";
  facts.node->exists = false;  // the defaults count, and name another one
  facts.kubeconfig.trouble = error(Code::NotFound, "none is named");
  facts.runtime->socket.kind = FileFacts::Kind::Missing;
  facts.unit->active = false;
  facts.unit->failed = true;
  const auto found = unwell(diagnose(facts));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found.at("config.valid").commands,
              ElementsAre("sed -i '3c\\nodeName: a' /etc/elbowroom/config.yaml",
                          "systemctl restart elbowroomd-authority"));
  for (const char* check : {"kubeconfig.found", "node.there", "runtime.socket", "cgroups.driver",
                            "disk.room", "unit.runs", "daemon.ready", "rights.list-nodes"}) {
    const Finding finding = finding_of(facts, check);
    EXPECT_EQ(finding.verdict.outcome, CheckOutcome::Skip) << check;
    EXPECT_EQ(finding.verdict.cause, "waits for check config.valid") << check;
    EXPECT_EQ(finding.waits_for, "config.valid") << check;
  }
  EXPECT_EQ(finding_of(facts, "clock.kept").verdict.outcome, CheckOutcome::Pass);
}

// Without it no server is trusted, which is no fault of the server's certificate.
TEST(DoctorChecks, AServerIsNotJudgedByAnAuthorityThatIsMissing) {
  DoctorFacts facts = healthy(Whose::Companion);
  facts.credentials->files[0].trouble = "/etc/elbowroom/ca.crt: no such file";
  facts.credentials->authority.reset();
  facts.server->connection = error(Code::Denied, "nobody vouches for the server");
  facts.server->distrust = Distrust::Authority;
  const auto found = unwell(diagnose(facts));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found.contains("credentials.files"));
  EXPECT_EQ(finding_of(facts, "server.tls").waits_for, "credentials.files");
}

TEST(DoctorChecks, EveryInputIsACheckAndNoneWaitsForItself) {
  std::set<std::string> names;
  for (const Whose whose :
       {Whose::Companion, Whose::Authority, Whose::Scheduler, Whose::Rescheduler}) {
    for (const Finding& each : diagnose(healthy(whose))) names.insert(each.check);
  }
  const auto means_one = [&](std::string_view name) {
    return std::ranges::any_of(names, [&](const auto& each) { return is_meant(name, each); });
  };
  // Those that a check waits for, however far away; a cycle is found by its own name.
  const std::function<void(const std::string&, std::set<std::string>&)> reach =
      [&](const std::string& check, std::set<std::string>& seen) {
        std::istringstream words{std::string(inputs_of(check))};
        for (std::string word; words >> word;) {
          for (const std::string& each : names) {
            if (is_meant(word, each) && seen.insert(each).second) reach(each, seen);
          }
        }
      };
  for (const CheckInputs& row : all_check_inputs()) {
    EXPECT_TRUE(means_one(row.check)) << row.check;
    std::istringstream words{std::string(row.inputs)};
    for (std::string word; words >> word;) EXPECT_TRUE(means_one(word)) << word;
  }
  for (const std::string& each : names) {
    std::set<std::string> seen;
    reach(each, seen);
    EXPECT_FALSE(seen.contains(each)) << each << " waits for itself";
  }
}

// Every check reports something for at least one planted fault.
TEST(DoctorChecks, EveryCheckFindsAFault) {
  std::set<std::string> found;
  for (const Fault& fault : all_faults()) found.insert(fault.check);
  for (const Whose whose :
       {Whose::Companion, Whose::Authority, Whose::Scheduler, Whose::Rescheduler}) {
    for (const Finding& each : diagnose(healthy(whose))) {
      EXPECT_TRUE(found.contains(each.check)) << each.check << " is planted by nobody";
    }
  }
}

// What could not be checked is no fault, and has a reason.
TEST(DoctorChecks, WithoutFactsEverythingIsSkippedButTheKubeconfig) {
  for (const Program program : {Program::Agent, Program::Scheduler, Program::Rescheduler}) {
    DoctorFacts facts;
    facts.program = program;
    facts.kubeconfig.trouble = error(Code::NotFound, "no kubeconfig at all");
    const std::vector<Finding> findings = diagnose(facts);
    EXPECT_EQ(unwell(findings).size(), 1U);
    EXPECT_TRUE(unwell(findings).contains("kubeconfig.found"));
    for (const Finding& each : findings) {
      EXPECT_THAT(each.verdict.cause, Not(IsEmpty())) << each.check;
    }
  }
}

// In authority the service has the capability to open it.
TEST(DoctorChecks, AFileThatIsRootsAloneIsNoFaultInAuthority) {
  DoctorFacts facts = healthy(Whose::Authority);
  facts.kubeconfig.file.mode = 0600;
  EXPECT_THAT(unwell(diagnose(facts)), IsEmpty());
}

// A user runs doctor with another kubeconfig, which the service never reads.
TEST(DoctorChecks, AnotherKubeconfigThanTheServicesIsNotJudgedAsItsOwn) {
  DoctorFacts facts = healthy(Whose::Companion);
  facts.kubeconfig.by = KubeconfigFacts::By::CommandLine;
  facts.kubeconfig.origin = "--kubeconfig";
  facts.kubeconfig.file = file("/root/.kube/config", 0600, "root", "root");
  EXPECT_THAT(unwell(diagnose(facts)), IsEmpty());
  facts.kubeconfig.file.mode = 0644;
  const auto found = unwell(diagnose(facts));
  ASSERT_TRUE(found.contains("kubeconfig.mode"));
  EXPECT_THAT(found.at("kubeconfig.mode").commands, ElementsAre("chmod 0600 /root/.kube/config"));
}

// Run by a user who may not read the service's files.
TEST(DoctorChecks, WhatMayNotBeReadIsSkippedAndSaysWhoMay) {
  DoctorFacts facts = healthy(Whose::Authority);
  facts.kubeconfig.file.closed = "permission denied";
  facts.kubeconfig.trouble = error(Code::Denied, "permission denied");
  facts.credentials = Look<CredentialFacts>::not_seen("there is no kubeconfig");
  facts.server = Look<ServerFacts>::not_seen("there is no kubeconfig");
  facts.runtime->trouble = error(Code::Denied, "permission denied");
  facts.state->folder.closed = "permission denied";
  const std::vector<Finding> findings = diagnose(facts);
  EXPECT_THAT(unwell(findings), IsEmpty());
  for (const Finding& each : findings) {
    if (each.check == "kubeconfig.valid" || each.check == "runtime.answers" ||
        each.check == "disk.checkpoint") {
      EXPECT_EQ(each.verdict.outcome, CheckOutcome::Skip);
      EXPECT_THAT(each.verdict.cause, HasSubstr("run this as root"));
    }
  }
}

TEST(DoctorChecks, TheReportPutsTheWorstFirstAndCountsAll) {
  DoctorFacts facts = healthy(Whose::Companion);
  facts.node->ready = false;
  facts.server->resizes = false;
  facts.node->owners = {"\x1b[31mred"};
  const std::vector<Finding> findings = diagnose(facts);
  const std::string text = diagnosis_text(facts, findings);
  EXPECT_LT(text.find("\nFAIL server.resize"), text.find("\nWARN node.ready"));
  EXPECT_THAT(text, HasSubstr("1 fail"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const Value document = diagnosis(facts, findings);
  EXPECT_EQ(document.find("summary")->find("warn")->text, "2");
  EXPECT_EQ(document.find("checks")->items.size(), findings.size());
}

TEST(DoctorChecks, FaultsComeFirstAndWhatCouldNotBeCheckedStandsUnderItsCause) {
  DoctorFacts facts = healthy(Whose::Companion);
  facts.server->resizes = false;
  facts.node = Look<NodeFacts>::not_seen("nobody knows the Node");
  const std::vector<Finding> findings = diagnose(facts);
  const std::string text = diagnosis_text(facts, findings);
  EXPECT_THAT(text, StartsWith("1 check fails: "));
  EXPECT_LT(text.find("\nFAIL server.resize"), text.find("\nPASS "));
  EXPECT_LT(text.find("\nPASS "), text.find("\nSKIP nobody knows the Node: "));
  EXPECT_EQ(text.find("CHECK "), std::string::npos);
  EXPECT_EQ(text.find("nobody knows the Node"), text.rfind("nobody knows the Node"));
  const std::string every = diagnosis_text(facts, findings, ShownChecks::Every);
  EXPECT_THAT(every, HasSubstr("\nCHECK "));
  EXPECT_THAT(every, HasSubstr("\nnode.there "));
  EXPECT_THAT(diagnosis_text(facts, diagnose(healthy(Whose::Companion))),
              StartsWith("nothing is wrong: "));
}

TEST(DoctorChecks, WhatToRunIsALineOfItsOwnAndWhatWaitsNamesItsCheck) {
  DoctorFacts facts = healthy(Whose::Companion);
  facts.config.trouble = "line 3";
  facts.config.edit = "3c\\" + std::string(200, 'a') + "\x1b b";
  facts.config.file.path = "/etc/it's";
  const std::vector<Finding> findings = diagnose(facts);
  const std::string command = "sed -i '3c\\" + std::string(200, 'a') + "\\x1b b' '/etc/it'\\''s'\n";
  EXPECT_THAT(diagnosis_text(facts, findings), HasSubstr("\n          " + command));
  const Value document = diagnosis(facts, findings);
  std::map<std::string, std::string> waits;
  for (const Value& each : document.find("checks")->items) {
    waits[each.find("check")->text] = each.find("result")->text + " " + each.find("waitsFor")->text;
    const std::size_t commands = each.find("commands")->items.size();
    EXPECT_EQ(commands, each.find("check")->text == "config.valid" ? 1U : 0U);
  }
  EXPECT_EQ(waits.at("node.there"), "SKIP config.valid");
  EXPECT_EQ(waits.at("config.valid"), "FAIL ");
}

}  // namespace
}  // namespace elbowroom::cli
