// How to reach and authenticate to one API server: the result of a kubeconfig or of the in-cluster
// environment. Files are named, not read, so that rotation on disk is noticed. Inline data is
// decoded once and stays.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/transport/url.h"

namespace elbowroom::api {

// A credential program ("exec" of a user). Source: client-go's clientcmd ExecConfig.
struct ExecPlugin {
  enum class Interactive { Never, IfAvailable, Always };

  std::string api_version{};  // client.authentication.k8s.io/v1 or .../v1beta1
  std::string command{};      // absolute, or a name looked up in PATH
  std::vector<std::string> arguments{};
  std::vector<std::pair<std::string, std::string>> environment{};  // added to our own
  bool gets_cluster = false;                                       // provideClusterInfo
  std::string cluster_config{};  // JSON from the cluster entry; "": none
  Interactive interactive = Interactive::IfAvailable;
  bool has_terminal = false;  // a person can answer its prompts
  std::string install_hint{};

  friend bool operator==(const ExecPlugin&, const ExecPlugin&) = default;
};

// The identity to impersonate, if any.
struct Impersonation {
  std::string user{};  // "": no impersonation
  std::string uid{};
  std::vector<std::string> groups{};
  std::vector<std::pair<std::string, std::string>> extra{};  // a key may occur repeatedly

  friend bool operator==(const Impersonation&, const Impersonation&) = default;
};

struct Access {
  ServerUrl server{};

  // The trusted authorities. Data takes precedence over a file; with neither, the system's
  // authorities are trusted. A file or data without a certificate means that nothing is trusted.
  std::optional<std::string> authority_pem{};
  std::string authority_file{};
  bool skip_verification = false;
  std::string tls_server_name{};  // "": the server's host
  std::string proxy_url{};        // "": none; may hold a password

  // The client's credentials. Data takes precedence over files, a token file over a token. Only
  // sent over TLS.
  std::optional<std::string> certificate_pem{};
  std::optional<std::string> key_pem{};
  std::string certificate_file{};
  std::string key_file{};
  std::string token{};
  std::string token_file{};
  std::optional<ExecPlugin> exec{};  // used if there is no certificate or token
  Impersonation impersonation{};

  std::string ns = "default";  // the context's namespace
  bool is_daemon = false;      // the server is a daemon of ours, and no API server

  friend bool operator==(const Access&, const Access&) = default;
};

}  // namespace elbowroom::api
