// kubeconfig files, and the environment inside a cluster, as Access. What would change who we are
// or whom we trust and is not supported (auth-provider, passwords; for daemons also impersonation
// and unverified servers) is refused by name, never ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/transport/access.h"
#include "api/transport/proxy.h"
#include "base/result.h"

namespace elbowroom::api {

// A kubeconfig's text and where it lay: relative paths in it start from there.
struct KubeconfigText {
  std::string path{};
  std::string text{};
};

// The context of that name, or ("") the current one. Of entries and current-context the first
// definition counts. Invalid: file, entry and field are named.
[[nodiscard]] Result<Access> access_from(const std::vector<KubeconfigText>& files,
                                         std::string_view context = {});

// What the process was started with, as far as it says where the API server is.
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

// For daemons: the file where one is given, else the service account of the pod we run in.
// NotFound: neither. Invalid, Denied: the file.
[[nodiscard]] Result<Access> daemon_access(const std::string& kubeconfig_file,
                                           const ApiEnvironment& environment);

// For a daemon that reads its kubeconfig again. Invalid: it names another server by now, which a
// restart is needed for.
[[nodiscard]] Result<void> check_same_server(const Access& now, const Access& next);

// For people: the file where one is given, else $KUBECONFIG (missing files are skipped), else
// ~/.kube/config.
[[nodiscard]] Result<Access> user_access(const std::string& kubeconfig_file,
                                         const ApiEnvironment& environment,
                                         std::string_view context = {});

// The service account of the pod we run in. NotFound: we run in none.
[[nodiscard]] Result<Access> in_cluster_access(const ApiEnvironment& environment);

}  // namespace elbowroom::api
