// How to reach one API server and what to show it: the outcome of a kubeconfig or of the
// in-cluster environment. The one thing to know: files are named, not read, so that what rotates on
// disk is seen; inline data was decoded once and stays.
#pragma once

#include <optional>
#include <string>

#include "api/url.h"

namespace elbowroom::api {

struct Access {
  ServerUrl server{};

  // Whom to trust: data wins over a file; neither means the system's authorities. A file or data
  // without a certificate in it means that nothing is trusted.
  std::optional<std::string> authority_pem{};
  std::string authority_file{};
  bool skip_verification = false;
  std::string tls_server_name{};  // "": the server's host
  std::string proxy_url{};        // "": the environment's HTTPS_PROXY and NO_PROXY

  // Who we are: data wins over files; a token file wins over a token. Only ever sent over TLS.
  std::optional<std::string> certificate_pem{};
  std::optional<std::string> key_pem{};
  std::string certificate_file{};
  std::string key_file{};
  std::string token{};
  std::string token_file{};

  std::string ns = "default";  // the context's namespace

  friend bool operator==(const Access&, const Access&) = default;
};

}  // namespace elbowroom::api
