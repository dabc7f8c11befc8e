// The client's credentials and trusted authorities, read again as their files rotate. A file that
// is temporarily unreadable or malformed changes nothing: the last good content stays in use, and
// problem() gives the reason.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "api/transport/access.h"
#include "api/transport/credential_program.h"
#include "api/transport/token_bucket.h"
#include "base/result.h"

namespace elbowroom::api {

// PEM texts for one connection; "" for none.
struct TlsIdentity {
  std::optional<std::string> authority{};  // nullopt: the system's authorities
  std::string certificate{};
  std::string key{};

  friend bool operator==(const TlsIdentity&, const TlsIdentity&) = default;
};

// How long a file's content is used before the file is read again.
inline constexpr std::chrono::seconds kTokenAge{5};
inline constexpr std::chrono::seconds kCertificateAge{60};
inline constexpr std::chrono::seconds kAuthorityAge{300};

class Credentials {
 public:
  explicit Credentials(Access access);

  // True: token() and tls() have their answers. False: a credential program runs; call again when
  // one of descriptors() is readable, or in a second.
  [[nodiscard]] bool ready(Clock::time_point now, policy::Time wall);
  [[nodiscard]] std::array<int, 3> descriptors() const;  // -1 for none

  // The bearer token, "" if there is none. Denied: the file was never readable.
  [[nodiscard]] Result<std::string> token(Clock::time_point now);

  // Call this when the server answers 401 to `refused` ("" for a certificate). Reads the file at
  // once, or lets the credential program run again. True if, after ready(), there is another token
  // to try.
  [[nodiscard]] bool renew_token(const std::string& refused, Clock::time_point now);

  // Denied: a file was never readable, contains no PEM of its kind, or the key does not belong to
  // the certificate.
  [[nodiscard]] Result<TlsIdentity> tls(Clock::time_point now);

  // Why the last read of a file or the last run of the program failed; nullopt if it did not.
  [[nodiscard]] std::optional<Error> problem() const;

  // When the client certificate in use expires; nullopt if there is none.
  [[nodiscard]] std::optional<policy::Time> expires() const;

 private:
  struct Cached {
    std::optional<std::string> content{};
    std::optional<Clock::time_point> read_at{};
    std::optional<Error> problem{};  // of the last read
  };

  [[nodiscard]] Result<std::string> fresh(Cached& cached, const std::string& path,
                                          std::chrono::seconds age, std::string_view marker,
                                          Clock::time_point now);
  [[nodiscard]] Result<void> refresh_pair(Clock::time_point now);

  Access access_;
  std::unique_ptr<CredentialProgram> program_{};  // used if there is no certificate or token
  Result<void> inline_pair_{};                    // of certificate_pem and key_pem
  Cached token_;
  Cached authority_;
  Cached certificate_;
  Cached key_;
};

}  // namespace elbowroom::api
