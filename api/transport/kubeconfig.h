// Reads kubeconfig files, and the environment inside a cluster, into Access. Unsupported settings
// that would change the identity or the trust (auth-provider, passwords; for daemons also
// impersonation and unverified servers) are refused by name, never ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/transport/access.h"
#include "api/transport/proxy.h"
#include "base/result.h"

namespace elbowroom::api {

// A kubeconfig's text and its path: relative paths in it start from there.
struct KubeconfigText {
  std::string path{};
  std::string text{};
};

// The context with that name, or ("") the current one. The first definition of an entry or of
// current-context counts. Invalid: the message names file, entry and field.
[[nodiscard]] Result<Access> access_from(const std::vector<KubeconfigText>& files,
                                         std::string_view context = {});

// The process environment that determines where the API server is.
struct ApiEnvironment {
  std::string kubeconfig{};    // KUBECONFIG: paths, separated by colons
  std::string home{};          // HOME
  std::string service_host{};  // KUBERNETES_SERVICE_HOST
  std::string service_port{};  // KUBERNETES_SERVICE_PORT
  std::string account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";
  ProxyEnvironment proxies{};

  friend bool operator==(const ApiEnvironment&, const ApiEnvironment&) = default;
};
[[nodiscard]] ApiEnvironment api_environment();

// For daemons: the file if given, otherwise the service account of the pod that runs the daemon.
// NotFound: neither. Invalid, Denied: the file.
[[nodiscard]] Result<Access> daemon_access(const std::string& kubeconfig_file,
                                           const ApiEnvironment& environment);

// For a daemon that reads its kubeconfig again. Invalid: it now names another server, which
// requires a restart.
[[nodiscard]] Result<void> check_same_server(const Access& now, const Access& next);

// For people: the file if given, otherwise $KUBECONFIG (missing files are skipped), otherwise
// ~/.kube/config.
[[nodiscard]] Result<Access> user_access(const std::string& kubeconfig_file,
                                         const ApiEnvironment& environment,
                                         std::string_view context = {});

// The service account of the pod that runs the process. NotFound: it does not run in a pod.
[[nodiscard]] Result<Access> in_cluster_access(const ApiEnvironment& environment);

}  // namespace elbowroom::api
