// How a daemon's transport reaches the API server, and what there is to tell of that. The worker
// that was made with the transport owns it; use() may be called by any thread, the rest belongs to
// the transport's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/transport/access.h"
#include "api/transport/curl_transport.h"
#include "api/watch/server_version.h"

namespace elbowroom::control {

class ServerAccess {
 public:
  using Tell = std::function<void(const std::string& trouble)>;

  // `changed`: the API server has another version than before.
  ServerAccess(Tell tell, api::VersionCheck::Changed changed)
      : tell_(std::move(tell)), changed_(std::move(changed)) {}

  // Once; the transport must outlive every other call.
  [[nodiscard]] std::unique_ptr<api::Transport> made(const api::Access& access,
                                                     api::TransportOptions options) {
    auto made = std::make_unique<api::CurlTransport>(access, std::move(options));
    transport_ = made.get();
    version_.emplace(*transport_, tell_, changed_);
    return made;
  }

  // From now on this is how the API server is reached.
  void use(api::Access access) {
    transport_->post([this, access = std::move(access)] { transport_->use(access); });
  }

  // Every now and then: tells what is wrong with the credentials and the server's version, once,
  // and again when it is something else.
  void look(const api::Freshness& followed);

  // When the client certificate that is shown expires; nullopt: none is.
  [[nodiscard]] std::optional<policy::Time> certificate_expires() const {
    return transport_->certificate_expires();
  }

  [[nodiscard]] api::Transport& transport() { return *transport_; }

 private:
  const Tell tell_;
  const api::VersionCheck::Changed changed_;
  api::CurlTransport* transport_ = nullptr;
  std::optional<api::VersionCheck> version_{};
  std::string credential_problem_{};  // reported already
};

}  // namespace elbowroom::control
