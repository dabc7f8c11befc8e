#include "api/transport/exec_credential.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/codec/base64.h"
#include "api/codec/field.h"
#include "base/document.h"
#include "base/document_text.h"

namespace elbowroom::api {
namespace {

constexpr DocumentLimits kLimits{.bytes = 1 << 20, .depth = 32, .values = 10'000};

std::unexpected<Error> denied(std::string_view why) {
  return failure(Code::Denied, "its output " + std::string(why));
}

// Go omits empty values.
void add_text(std::vector<Member>& members, std::string_view key, const std::string& text) {
  if (!text.empty()) members.push_back(member(std::string(key), text_value(text)));
}

Value cluster_value(const Access& access, std::string_view authority) {
  std::vector<Member> members;
  add_text(members, "server", to_string(access.server));
  add_text(members, "tls-server-name", access.tls_server_name);
  if (access.skip_verification) {
    members.push_back(member("insecure-skip-tls-verify", bool_value(true)));
  }
  add_text(members, "certificate-authority-data", encode_base64(authority));
  add_text(members, "proxy-url", access.proxy_url);
  if (auto config = parse_json(access.exec->cluster_config, kLimits)) {
    members.push_back(member("config", *std::move(config)));
  }
  return map_value(std::move(members));
}

// The token goes into a header: a line break in it would start another header.
bool is_token(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

Result<ExecCredential> credential_in(const Field& status) {
  ExecCredential credential;
  ASSIGN_OR_RETURN(credential.token, status.text("token"));
  ASSIGN_OR_RETURN(credential.certificate, status.text("clientCertificateData"));
  ASSIGN_OR_RETURN(credential.key, status.text("clientKeyData"));
  ASSIGN_OR_RETURN(credential.expires, status.time("expirationTimestamp"));
  return credential;
}

}  // namespace

std::string exec_info(const Access& access, std::string_view authority) {
  const ExecPlugin& plugin = *access.exec;
  std::vector<Member> spec;
  spec.push_back(member("interactive", bool_value(plugin.has_terminal)));
  if (plugin.gets_cluster) spec.push_back(member("cluster", cluster_value(access, authority)));
  std::vector<Member> root;
  root.push_back(member("apiVersion", text_value(plugin.api_version)));
  root.push_back(member("kind", text_value("ExecCredential")));
  root.push_back(member("spec", map_value(std::move(spec))));
  return to_json_line(map_value(std::move(root)));
}

Result<ExecCredential> exec_credential_from(std::string_view output, std::string_view api_version) {
  const auto root = parse_json(output, kLimits);
  if (!root) return denied("is no JSON object");
  const Value* kind = root->find("kind");
  const Value* version = root->find("apiVersion");
  if (kind == nullptr || kind->text != "ExecCredential") return denied("is no ExecCredential");
  if (version == nullptr || version->text != api_version) {
    return denied("is not of apiVersion " + std::string(api_version) +
                  ", as the kubeconfig says: write there what the program speaks");
  }
  const Value* status = root->find("status");
  if (status == nullptr) return denied("has no status");
  const auto credential = credential_in(Field(*status));
  if (!credential) return denied("has a status of another form than an ExecCredential's");
  if (credential->certificate.empty() != credential->key.empty()) {
    return denied("has only one of clientCertificateData and clientKeyData");
  }
  if (credential->token.empty() && credential->certificate.empty()) {
    return denied("has neither a token nor a client certificate in its status");
  }
  if (!is_token(credential->token)) {
    return denied("has a token with spaces or control characters in it");
  }
  return *credential;
}

}  // namespace elbowroom::api
