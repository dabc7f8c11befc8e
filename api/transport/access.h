// How to reach one API server and what to show it: the outcome of a kubeconfig or of the in-cluster
// environment. Files are named, not read, so that what rotates on disk is seen; inline data was
// decoded once and stays.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/transport/url.h"

namespace elbowroom::api {

// A program that says who we are ("exec" of a user). Source: client-go's clientcmd ExecConfig.
struct ExecPlugin {
  enum class Interactive { Never, IfAvailable, Always };

  std::string api_version{};  // client.authentication.k8s.io/v1 or .../v1beta1
  std::string command{};      // absolute, or a name to be found in PATH
  std::vector<std::string> arguments{};
  std::vector<std::pair<std::string, std::string>> environment{};  // beside our own
  bool gets_cluster = false;                                       // provideClusterInfo
  std::string cluster_config{};  // JSON that the cluster has for it; "": none
  Interactive interactive = Interactive::IfAvailable;
  bool has_terminal = false;  // a person sits there to answer it
  std::string install_hint{};

  friend bool operator==(const ExecPlugin&, const ExecPlugin&) = default;
};

// In whose name we ask, where that is not our own.
struct Impersonation {
  std::string user{};  // "": nobody else's
  std::string uid{};
  std::vector<std::string> groups{};
  std::vector<std::pair<std::string, std::string>> extra{};  // a key may be there repeatedly

  friend bool operator==(const Impersonation&, const Impersonation&) = default;
};

struct Access {
  ServerUrl server{};

  // Whom to trust: data wins over a file; neither means the system's authorities. A file or data
  // without a certificate in it means that nothing is trusted.
  std::optional<std::string> authority_pem{};
  std::string authority_file{};
  bool skip_verification = false;
  std::string tls_server_name{};  // "": the server's host
  std::string proxy_url{};        // "": none; may hold a password

  // Who we are: data wins over files; a token file wins over a token. Only ever sent over TLS.
  std::optional<std::string> certificate_pem{};
  std::optional<std::string> key_pem{};
  std::string certificate_file{};
  std::string key_file{};
  std::string token{};
  std::string token_file{};
  std::optional<ExecPlugin> exec{};  // counts where there is no certificate or token
  Impersonation impersonation{};

  std::string ns = "default";  // the context's namespace

  friend bool operator==(const Access&, const Access&) = default;
};

}  // namespace elbowroom::api
