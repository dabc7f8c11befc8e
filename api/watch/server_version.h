// Which Kubernetes an API server is. Pods are resized in place from 1.33 on, so with an older one
// there is nothing to do for us, and somebody has to be told.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/transport/transport.h"
#include "api/watch/watch_loop.h"
#include "base/result.h"

namespace elbowroom::api {

inline constexpr int kFirstMinorThatResizes = 33;  // pods/resize, on by default

struct ServerVersion {
  std::string text{};  // "v1.37.0"
  int major = 0;
  int minor = 0;
};

// What /version answered, as far as it can be read.
[[nodiscard]] ServerVersion server_version_from(std::string_view body);

// What is wrong and what helps; "": it is new enough, or does not say.
[[nodiscard]] std::string too_old(const ServerVersion& server);

// Asks when the server is first reached, and each time that it is again: it may have been upgraded,
// or put back.
class VersionLook {
 public:
  using Tell = std::function<void(const std::string& trouble)>;

  // `transport` must outlive it; `tell` is called on its thread, once for each trouble.
  VersionLook(Transport& transport, Tell tell);

  // Every now and then, on the transport's thread, with how well the server is followed.
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
