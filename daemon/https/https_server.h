// A small TLS server for what an API server asks: one thread serves all connections and blocks on
// none. Requests are handed on as they come, and answered from any thread. The certificate is read
// again when its files change, without a restart.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "daemon/http/address.h"
#include "daemon/http/endpoints.h"
#include "daemon/https/server_certificate.h"
#include "daemon/https/tls_connections.h"

namespace elbowroom::daemon {

class HttpsServer {
 public:
  struct Options {
    Address listen{};
    CertificateFiles files{};
    TlsConnections::Limits limits{};
    std::chrono::milliseconds look_every{5000};  // at the files
    std::function<void()> alive{};  // by the server's thread in each turn, within a second
  };
  struct Health {
    std::string trouble{};    // with the certificate, by its file's name; "": none
    bool is_serving = false;  // it has a certificate to show that is valid
    ServerCertificate::Time expires{};
    std::uint64_t handshakes_failed = 0;
    std::string last_failure{};    // of a handshake
    std::uint64_t late = 0;        // requests that were not answered in time
    std::uint64_t unanswered = 0;  // connections that were closed with a request begun
    std::uint64_t refused = 0;     // requests that were answered with 4xx
    std::uint64_t rotations = 0;
    std::chrono::milliseconds silent_for{0};  // since the server's thread last turned

    friend bool operator==(const Health&, const Health&) = default;
  };
  // Takes a request, on the server's thread, and must not wait. Nothing: it is answered later.
  using Take = std::function<std::optional<Reply>(HttpsRequest)>;

  // Listens from now on. Fails as listen_on (daemon/http/listener.h). Without a certificate that
  // can be used it listens all the same, closes each connection, and says why in health().
  // Everything that `take` uses must outlive the server.
  [[nodiscard]] static Result<std::unique_ptr<HttpsServer>> start(const Options& options,
                                                                  Take take);
  HttpsServer(const HttpsServer&) = delete;
  HttpsServer& operator=(const HttpsServer&) = delete;
  // Ends all connections; `take` runs no more.
  ~HttpsServer();

  // Answers a request; any thread may.
  void respond(std::uint64_t number, Reply reply);

  // Returns the address with its actual port.
  [[nodiscard]] const Address& address() const;
  // As it was within the last second, but for `silent_for`; any thread may ask.
  [[nodiscard]] Health health() const;

 private:
  struct Running;
  explicit HttpsServer(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace elbowroom::daemon
