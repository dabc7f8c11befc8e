// What is shown to the API server and whom is trusted, read from files again as they rotate. The
// one thing to know: a file that cannot be read or makes no sense for a moment changes nothing; the
// last good content stays in use, and problem() says why.
#pragma once

#include <optional>
#include <string>

#include "api/access.h"
#include "api/token_bucket.h"
#include "base/result.h"

namespace elbowroom::api {

// PEM texts for one connection; "" for none.
struct TlsIdentity {
  std::optional<std::string> authority{};  // nullopt: the system's authorities
  std::string certificate{};
  std::string key{};

  friend bool operator==(const TlsIdentity&, const TlsIdentity&) = default;
};

// How long a file's content is used before the file is looked at again.
inline constexpr std::chrono::seconds kTokenAge{60};
inline constexpr std::chrono::seconds kCertificateAge{60};
inline constexpr std::chrono::seconds kAuthorityAge{300};

class Credentials {
 public:
  explicit Credentials(Access access) : access_(std::move(access)) {}

  // The bearer token, "" where there is none. Denied: the file could never be read.
  [[nodiscard]] Result<std::string> token(Clock::time_point now);

  // The server answered 401 to `refused`: reads the file at once. True when there is another token
  // to try.
  [[nodiscard]] bool renew_token(const std::string& refused, Clock::time_point now);

  // Denied: a file could never be read, or holds no PEM of its kind.
  [[nodiscard]] Result<TlsIdentity> tls(Clock::time_point now);

  // Why the last reading of a file failed; nullopt when all is well.
  [[nodiscard]] std::optional<Error> problem() const;

 private:
  struct Cached {
    std::optional<std::string> content{};
    std::optional<Clock::time_point> read_at{};
    std::optional<Error> problem{};  // of the last reading
  };

  [[nodiscard]] Result<std::string> fresh(Cached& cached, const std::string& path,
                                          std::chrono::seconds age, std::string_view marker,
                                          Clock::time_point now);
  [[nodiscard]] Result<void> refresh_pair(Clock::time_point now);

  Access access_;
  Cached token_;
  Cached authority_;
  Cached certificate_;
  Cached key_;
};

}  // namespace elbowroom::api
