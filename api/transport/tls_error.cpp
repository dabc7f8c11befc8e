#include "api/transport/tls_error.h"

#include <openssl/x509_vfy.h>

#include "api/codec/timestamp.h"

namespace elbowroom::api {
namespace {

std::string authority_of(const Access& access) {
  if (access.authority_pem) return "the certificate-authority-data of the kubeconfig";
  if (!access.authority_file.empty()) return access.authority_file;
  return "the system's authorities";
}

std::string clock_says(policy::Time wall) {
  return "this machine's clock says " +
         format_timestamp(std::chrono::floor<std::chrono::seconds>(wall));
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string of_the_server(long verdict, const Access& access, policy::Time wall) {
  switch (verdict) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "renew the server's certificate, or its authority's; " + clock_says(wall) +
             ": set it if that is ahead";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return clock_says(wall) +
             ": set it if that is behind, else wait until the certificate counts";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_INVALID_CA:
      return "nobody in " + authority_of(access) +
             " vouches for the server: put the certificate of the cluster's authority there";
    default:
      return {};
  }
}

// The server reports problems with our certificate as alerts.
std::string client_certificate_alert(std::string_view said, const Access& access) {
  const std::string ours = client_certificate_of(access);
  if (has(said, "alert certificate required")) {
    return ours.empty() ? "the server wants a client certificate: name client-certificate and "
                          "client-key in the kubeconfig"
                        : "the server does not take " + ours;
  }
  if (ours.empty()) return {};
  if (has(said, "alert certificate expired")) {
    return ours + " has expired, says the server: renew it";
  }
  if (has(said, "alert unknown ca") || has(said, "alert bad certificate") ||
      has(said, "alert unsupported certificate") || has(said, "alert certificate revoked") ||
      has(said, "alert certificate unknown") || has(said, "alert decrypt error")) {
    return "the server does not take " + ours +
           ": let the cluster's authority for clients issue it again";
  }
  return {};
}

}  // namespace

std::string client_certificate_of(const Access& access) {
  if (access.certificate_pem) return "the client-certificate-data of the kubeconfig";
  if (!access.certificate_file.empty()) return "client certificate " + access.certificate_file;
  if (access.exec && access.token.empty() && access.token_file.empty()) {
    return "the credential program's certificate";
  }
  return {};
}

std::string tls_remedy(std::string_view said, long verdict, const Access& access,
                       policy::Time wall) {
  if (auto remedy = of_the_server(verdict, access, wall); !remedy.empty()) return remedy;
  if (has(said, "subject name") && has(said, "match")) {
    return "the certificate is for other names: give the server one for this name, or name one "
           "that it has as tls-server-name";
  }
  if (auto remedy = client_certificate_alert(said, access); !remedy.empty()) return remedy;
  if (has(said, "protocol version") || has(said, "unsupported protocol")) {
    return "the server must speak TLS 1.2 or newer";
  }
  if (has(said, "wrong version number")) {
    return "the server does not speak TLS there: is the port right, and is it https?";
  }
  return {};
}

}  // namespace elbowroom::api
