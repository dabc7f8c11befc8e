#include "api/transport/credentials.h"

#include <algorithm>

#include "api/transport/certificate.h"
#include "api/transport/credential_file.h"

namespace elbowroom::api {
namespace {

constexpr std::string_view kCertificateMark = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view kKeyMark = "PRIVATE KEY-----";

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// A half-written PEM file has its first line but not its last.
bool is_whole_pem(std::string_view text, std::string_view marker) {
  const std::size_t begin = text.find(marker);
  return begin != std::string_view::npos && text.find("-----END ", begin) != std::string_view::npos;
}

// The token goes into a header: a line break in it would start another header.
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

Credentials::Credentials(Access access) : access_(std::move(access)) {
  const bool has_own = !access_.token.empty() || !access_.token_file.empty() ||
                       access_.certificate_pem || !access_.certificate_file.empty();
  if (access_.exec && !has_own) program_ = std::make_unique<CredentialProgram>(access_);
  if (access_.certificate_pem && access_.key_pem) {
    inline_pair_ = check_pair(*access_.certificate_pem, *access_.key_pem);
  }
}

bool Credentials::ready(Clock::time_point now, policy::Time wall) {
  return !program_ || program_->advance(now, wall);
}

std::array<int, 3> Credentials::descriptors() const {
  return program_ ? program_->descriptors() : std::array<int, 3>{-1, -1, -1};
}

Result<std::string> Credentials::fresh(Cached& cached, const std::string& path,
                                       std::chrono::seconds age, std::string_view marker,
                                       Clock::time_point now) {
  if (cached.read_at && now - *cached.read_at < age) {
    if (cached.content) return *cached.content;
    return std::unexpected(*cached.problem);
  }
  cached.read_at = now;
  cached.problem.reset();

  auto text = read_credential(path);
  if (text && marker.empty()) {
    *text = std::string(trimmed(*text));
    if (!is_token(*text)) text = failure(Code::Denied, path + " holds no token");
  } else if (text && !is_whole_pem(*text, marker)) {
    text = failure(Code::Denied, path + " holds no whole PEM block of the kind expected there");
  }
  if (text) {
    cached.content = std::move(*text);
    return *cached.content;
  }
  // Never NotFound: to a caller that would mean that its object does not exist.
  cached.problem = Error{Code::Denied, text.error().message, {}};
  // One second, so that a file that appears a little later is found.
  if (!cached.content) cached.read_at = now - age + std::chrono::seconds(1);
  if (cached.content) return *cached.content;
  return std::unexpected(*cached.problem);
}

Result<std::string> Credentials::token(Clock::time_point now) {
  if (program_) {
    const auto& credential = program_->credential();
    if (!credential) return std::unexpected(credential.error());
    return credential->token;
  }
  if (access_.token_file.empty()) {
    if (access_.token.empty() || is_token(access_.token)) return access_.token;
    return failure(Code::Denied, "the token in the kubeconfig holds spaces or control characters");
  }
  auto token = fresh(token_, access_.token_file, kTokenAge, "", now);
  // If both are given, the token is used until the file is readable.
  if (!token && is_token(access_.token)) return access_.token;
  return token;
}

bool Credentials::renew_token(const std::string& refused, Clock::time_point now) {
  if (program_) return program_->renew(refused, now);
  if (access_.token_file.empty()) return false;
  if (token_.content == refused) token_.read_at.reset();
  const auto renewed = token(now);
  return renewed && *renewed != refused;
}

Result<TlsIdentity> Credentials::tls(Clock::time_point now) {
  TlsIdentity identity;
  if (access_.authority_pem) {
    identity.authority = access_.authority_pem;
  } else if (!access_.authority_file.empty()) {
    ASSIGN_OR_RETURN(identity.authority, fresh(authority_, access_.authority_file, kAuthorityAge,
                                               kCertificateMark, now));
  }
  if (identity.authority && !access_.skip_verification &&
      !is_whole_pem(*identity.authority, kCertificateMark)) {
    return failure(Code::Denied,
                   "the certificate authority holds no certificate, so no server can be trusted");
  }

  if (program_) {
    const auto& credential = program_->credential();
    if (!credential) return std::unexpected(credential.error());
    identity.certificate = credential->certificate;
    identity.key = credential->key;
  } else if (access_.certificate_pem && access_.key_pem) {
    if (!inline_pair_) {
      return std::unexpected(
          inline_pair_.error().with("client-certificate-data and client-key-data"));
    }
    identity.certificate = *access_.certificate_pem;
    identity.key = *access_.key_pem;
  } else if (!access_.certificate_file.empty()) {
    RETURN_IF_ERROR(refresh_pair(now));
    identity.certificate = *certificate_.content;
    identity.key = *key_.content;
  }
  return identity;
}

// Reads both files at the same moment. If one is malformed, or they do not belong together yet, the
// pair stays unchanged.
Result<void> Credentials::refresh_pair(Clock::time_point now) {
  const std::optional<std::string> certificate_before = certificate_.content;
  const std::optional<std::string> key_before = key_.content;
  const auto read_before = certificate_.read_at;
  const std::string& key_file =
      access_.key_file.empty() ? access_.certificate_file : access_.key_file;

  RETURN_IF_ERROR(
      fresh(certificate_, access_.certificate_file, kCertificateAge, kCertificateMark, now));
  if (certificate_.read_at != read_before) key_.read_at.reset();
  RETURN_IF_ERROR(fresh(key_, key_file, kCertificateAge, kKeyMark, now));

  const bool has_changed = certificate_.content != certificate_before || key_.content != key_before;
  if (has_changed && !certificate_.problem && !key_.problem) {
    if (const auto pair = check_pair(*certificate_.content, *key_.content); !pair) {
      key_.problem = Error{Code::Denied,
                           access_.certificate_file + " and " + key_file + ": " +
                               pair.error().message + "; replace both",
                           {}};
    }
  }
  if (!certificate_.problem && !key_.problem) return {};
  // Soon, because the other file may be about to change.
  certificate_.read_at = now - kCertificateAge + std::chrono::seconds(1);
  if (!certificate_before || !key_before) {
    const Error problem = certificate_.problem.value_or(key_.problem.value_or(Error{}));
    certificate_.content.reset();
    key_.content.reset();
    certificate_.problem = problem;
    return std::unexpected(problem);
  }
  certificate_.content = certificate_before;
  key_.content = key_before;
  return {};
}

std::optional<Error> Credentials::problem() const {
  if (program_) {
    if (auto problem = program_->problem()) return problem;
  }
  for (const Cached* cached : {&token_, &authority_, &certificate_, &key_}) {
    if (cached->problem) return cached->problem;
  }
  return std::nullopt;
}

std::optional<policy::Time> Credentials::expires() const {
  std::string pem = access_.certificate_pem.value_or(certificate_.content.value_or(""));
  if (program_ && program_->credential()) pem = program_->credential()->certificate;
  if (pem.empty()) return std::nullopt;
  const auto validity = validity_of(pem);
  if (!validity) return std::nullopt;
  return validity->until;
}

}  // namespace elbowroom::api
