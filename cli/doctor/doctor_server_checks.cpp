// Checks of the API server: reachable, accepts our credentials, new enough, serves the required
// kinds.
#include <array>
#include <chrono>
#include <string>

#include "api/watch/server_version.h"
#include "cli/doctor/doctor_checks.h"
#include "cli/doctor/known_versions.h"
#include "cli/doctor/repairs.h"

namespace elbowroom::cli {
namespace {

constexpr std::chrono::seconds kClockNoticed{5};
constexpr std::chrono::seconds kClockBad{60};

// "" if the server answered.
std::string no_answer_reason(const DoctorFacts& facts) {
  if (!facts.server) return facts.server.why_not;
  if (facts.server->connection) return facts.server->url + " does not answer";
  return {};
}

// The same, and it accepted our credentials.
std::string no_login_reason(const DoctorFacts& facts) {
  if (std::string why = no_answer_reason(facts); !why.empty()) return why;
  return facts.server->login ? "the API server does not take our credentials" : "";
}

Verdict encrypted(const DoctorFacts& facts) {
  if (!facts.server) return skip(facts.server.why_not);
  const ServerFacts& server = *facts.server;
  if (server.encrypted) return pass(server.url + " is asked over TLS");
  if (server.on_loopback) return pass(server.url + " is on this machine");
  return fail(server.url + " is no https: credentials are never sent there, and anybody may answer",
              "name the server with https:// in the kubeconfig", renew_server(facts));
}

Verdict reachable(const DoctorFacts& facts) {
  if (!facts.server) return skip(facts.server.why_not);
  const ServerFacts& server = *facts.server;
  if (!server.connection) return pass(server.url + " answers");
  if (server.connection->code == Code::Denied) {
    return pass(server.url + " is there, and the connection ends over TLS");
  }
  return fail(server.connection->message,
              "is the server up, is its address right in the kubeconfig, does a firewall or a "
              "proxy stand between (docs/connect.md)? If it is up, name it as kubectl does",
              renew_server(facts));
}

// What to do depends on which certificate ended it.
Verdict distrusted(const DoctorFacts& facts) {
  const std::string& message = facts.server->connection->message;
  switch (facts.server->distrust) {
    case Distrust::Authority:
      return fail(message, "name the cluster's authority (certificate-authority) in the kubeconfig",
                  renew_authority(facts));
    case Distrust::Dates:
      return fail(message,
                  "set this machine's clock if it is wrong; else renew the server's certificate "
                  "on each control plane, and restart kube-apiserver",
                  {"kubeadm certs renew apiserver"});
    case Distrust::Name:
      return fail(message, "name the server as kubectl does", renew_server(facts));
    case Distrust::Ours:
      return fail(message, "have our certificate issued by the cluster's authority for clients",
                  renew_certificate(facts, false));
    case Distrust::None:
    case Distrust::Other:
      return fail(message,
                  "mend what is named, at the server or in the kubeconfig; docs/connect.md says "
                  "whom we trust");
  }
  return fail(message, "docs/connect.md says whom we trust");
}

// Credentials of the kind that the server has refused.
Commands renew_login(const DoctorFacts& facts) {
  const bool has_certificate = facts.credentials && facts.credentials->certificate;
  return has_certificate ? renew_certificate(facts, false) : renew_token(facts);
}

Verdict trusted(const DoctorFacts& facts) {
  if (!facts.server) return skip(facts.server.why_not);
  const ServerFacts& server = *facts.server;
  if (server.connection && server.connection->code == Code::Denied) {
    return distrusted(facts);
  }
  if (server.connection) return skip(server.url + " does not answer");
  if (!server.encrypted) return skip("no TLS is used");
  return pass("its certificate is valid, and that of an authority we trust");
}

Verdict taken(const DoctorFacts& facts) {
  if (const std::string why = no_answer_reason(facts); !why.empty()) return skip(why);
  const ServerFacts& server = *facts.server;
  if (server.login) {
    return fail(server.login->message,
                "give the kubeconfig credentials that count in this cluster: a token or client "
                "certificate that is not revoked, expired, or of another cluster",
                renew_login(facts));
  }
  return pass(server.user.empty() ? "it takes our credentials" : "we are " + server.user);
}

Verdict ready(const DoctorFacts& facts) {
  if (const std::string why = no_login_reason(facts); !why.empty()) return skip(why);
  if (!facts.server->readiness) return pass("/readyz is well");
  return warn(facts.server->readiness->message,
              "wait until the API server has started, or look at its log");
}

Verdict new_enough(const DoctorFacts& facts) {
  if (const std::string why = no_login_reason(facts); !why.empty()) return skip(why);
  const ServerFacts& server = *facts.server;
  if (server.version.empty()) {
    return warn("the API server does not say its version",
                "look whether kubectl version does: something else than Kubernetes may answer");
  }
  if (server.major != 1) return pass("Kubernetes " + server.version);
  if (server.minor < api::kFirstMinorThatResizes) {
    return fail(
        "Kubernetes " + server.version + " is too old: pods are resized in place from 1.33 on",
        "upgrade the control plane to 1.33 or later; docs/compatibility.md says what was run");
  }
  const KnownVersion* const known = known_version(server.minor);
  std::string lacks;
  if (known != nullptr && !known->server_lacks.empty()) {
    lacks = "; it lacks " + std::string(known->server_lacks);
  }
  if (known == nullptr || known->run.empty()) {
    return warn("Kubernetes " + server.version + " was not run; the newest that was is 1." +
                    std::to_string(kNewestKnownMinor) + lacks,
                "try it with --dry-run first; look for a newer Elbowroom");
  }
  return pass("Kubernetes " + server.version + "; " + std::string(known->run) + " was run" + lacks);
}

Verdict resizes(const DoctorFacts& facts) {
  if (const std::string why = no_login_reason(facts); !why.empty()) return skip(why);
  const Look<bool>& served = facts.server->resizes;
  if (!served) return skip(served.why_not);
  if (*served) return pass("pods/resize is served");
  return fail("the API server serves no pods/resize: nobody can resize a pod in place",
              "upgrade to 1.33 or later, and do not close its gate InPlacePodVerticalScaling");
}

Verdict groups(const DoctorFacts& facts) {
  if (const std::string why = no_login_reason(facts); !why.empty()) return skip(why);
  const auto& missing = facts.server->not_served;
  if (!missing) return skip(missing.why_not);
  if (missing->empty()) return pass("every API group that is asked for is served");
  return fail("the API server does not serve " + missing->front(),
              "let it serve that group (its --runtime-config), or bring its extension server back");
}

Verdict own_budgets(const DoctorFacts& facts) {
  if (const std::string why = no_login_reason(facts); !why.empty()) return skip(why);
  const Look<bool>& budgets = facts.server->budgets;
  if (!budgets) return skip(budgets.why_not);
  if (*budgets) return pass("DisruptionBudgets of elbowroom.dev/v1alpha1 are served");
  return fail(
      "elbowroom.dev is served, but not in version v1alpha1: DisruptionBudgets do not count",
      "install the kind of this version: kubectl apply -k packaging/kustomize/crd");
}

// Without GenericWorkload the server drops the group that a new pod names.
Verdict pod_groups(const DoctorFacts& facts) {
  if (const std::string why = no_login_reason(facts); !why.empty()) return skip(why);
  const Look<std::string>& version = facts.server->pod_groups;
  if (!version) return skip(version.why_not);
  if (version->empty()) {
    return pass(
        "podgroups of scheduling.k8s.io are not served: pods are placed and removed one by one");
  }
  const std::string served = "podgroups of scheduling.k8s.io are served in " + *version;
  if (!facts.group_gates) return pass(served + "; gates: " + facts.group_gates.why_not);
  const GroupGateFacts& gates = *facts.group_gates;
  if (!gates.off.empty()) {
    return warn(served + ", but kube-apiserver is started with the feature gate " +
                    gates.off.front() + " off: it drops the fields that the gate is for",
                "start it with --feature-gates=" + gates.off.front() +
                    "=true where pod groups are to be used");
  }
  std::string on;
  for (const std::string& each : gates.on) on += (on.empty() ? "" : ", ") + each;
  return pass(served + "; gates: " + (on.empty() ? "as they are by default" : on));
}

Verdict clocks_agree(const DoctorFacts& facts) {
  if (const std::string why = no_answer_reason(facts); !why.empty()) return skip(why);
  const auto& ahead = facts.server->ahead;
  if (!ahead) return skip(ahead.why_not);
  const std::chrono::seconds apart = *ahead < std::chrono::seconds(0) ? -*ahead : *ahead;
  if (apart < kClockNoticed) return pass("it agrees with the API server's");
  const std::string cause = "this machine's clock is " + std::to_string(apart.count()) + " s " +
                            (*ahead > std::chrono::seconds(0) ? "behind" : "ahead of") +
                            " the API server's";
  const std::string remedy =
      "set the clock that is wrong, and let NTP keep it (timedatectl set-ntp true)";
  return apart >= kClockBad ? fail(cause, remedy) : warn(cause, remedy);
}

Verdict least_rights(const DoctorFacts& facts) {
  if (const std::string why = no_login_reason(facts); !why.empty()) return skip(why);
  if (!facts.may_do_all) return skip(facts.may_do_all.why_not);
  if (!*facts.may_do_all) return pass("it may not do everything");
  return warn("these credentials may do everything in the cluster",
              "give " + name_of(facts.program) +
                  " its own service account, with the rights of docs/rbac.md and no others");
}

constexpr std::array kChecks = {
    Check{"server.encrypted", Check::Of::All, encrypted},
    Check{"server.reachable", Check::Of::All, reachable},
    Check{"server.tls", Check::Of::All, trusted},
    Check{"server.credentials", Check::Of::All, taken},
    Check{"server.ready", Check::Of::All, ready},
    Check{"server.version", Check::Of::All, new_enough},
    Check{"server.resize", Check::Of::All, resizes},
    Check{"server.groups", Check::Of::All, groups},
    Check{"server.budgets", Check::Of::Leaders, own_budgets},
    Check{"server.podgroups", Check::Of::Scheduler, pod_groups},
    Check{"clock.server", Check::Of::All, clocks_agree},
    Check{"rights.least", Check::Of::All, least_rights},
};

}  // namespace

std::span<const Check> server_checks() { return kChecks; }

}  // namespace elbowroom::cli
