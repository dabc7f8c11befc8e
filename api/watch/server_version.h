// The Kubernetes version of an API server. Pods are resized in place from 1.33 on. With an older
// server there is nothing to do, which must be reported.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/transport/transport.h"
#include "api/watch/watch_loop.h"
#include "base/result.h"

namespace elbowroom::api {

inline constexpr int kFirstMinorThatResizes = 33;  // pods/resize is on by default

struct ServerVersion {
  std::string text{};  // "v1.37.0"
  int major = 0;
  int minor = 0;
};

// Parses the response of /version, as far as possible.
[[nodiscard]] ServerVersion server_version_from(std::string_view body);

// The problem and its remedy; "": the server is new enough, or its version unknown.
[[nodiscard]] std::string too_old(const ServerVersion& server);

// Requests the version when the server is first reached, and whenever it is reached again: it may
// have been upgraded, or rolled back.
class VersionCheck {
 public:
  using Tell = std::function<void(const std::string& trouble)>;

  // `transport` must outlive this object. `tell` is called on its thread, once for each problem.
  VersionCheck(Transport& transport, Tell tell);

  // Call it periodically on the transport's thread, with the freshness of a followed collection.
  void look(const Freshness& followed);

 private:
  void take(const Result<Response>& answer);

  Transport& transport_;
  const Tell tell_;
  bool is_due_ = true;
  bool was_stale_ = false;
  std::string told_{};
};

}  // namespace elbowroom::api
