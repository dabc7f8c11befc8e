// The certificate that a TLS server shows, with its key, from two files. They are read again when
// they change; a pair that cannot be used is told of by the file's name, and the one before stays.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom::daemon {

struct CertificateFiles {
  std::string certificate{};  // PEM: the server's own, then those between it and the authority
  std::string key{};          // PEM, without a passphrase
};

class ServerCertificate {
 public:
  using Time = std::chrono::system_clock::time_point;

  // TLS 1.2 and later, HTTP/1.1. The files need not be usable yet: see trouble().
  [[nodiscard]] static Result<ServerCertificate> open(CertificateFiles files, Time now);

  // Looks at the files, and takes a pair that has changed; true: it was taken. New connections are
  // shown it, those that are open go on.
  bool read_again(Time now);

  // What is wrong with the files, or with what is shown, by the file's name; "": nothing.
  [[nodiscard]] std::string trouble(Time now) const;
  // When the certificate that is shown expires; the clock's zero: none is shown.
  [[nodiscard]] Time expires() const { return expires_; }

  // For a new connection; nullptr: there is no certificate to show. Valid until the next call of
  // read_again(); OpenSSL counts its own references.
  [[nodiscard]] SSL_CTX* context() const { return context_.get(); }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  using Context = std::unique_ptr<SSL_CTX, Free>;

  explicit ServerCertificate(CertificateFiles files) : files_(std::move(files)) {}
  // With what the texts hold; Invalid: they hold no pair, or one that is not valid now.
  [[nodiscard]] Result<void> take(const std::string& certificate, const std::string& key, Time now);

  CertificateFiles files_;
  Context context_{};
  Time expires_{};
  std::string seen_{};     // both texts as last looked at
  std::string trouble_{};  // of the files
};

}  // namespace elbowroom::daemon
