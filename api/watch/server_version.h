// The Kubernetes version of an API server. Pods are resized in place from 1.33 on. With an older
// server there is nothing to do, which must be reported.
#pragma once

#include <cstdint>
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

// Requests the version when the server is first reached, whenever it is reached again, and whenever
// a watch begins, which a restart of the server ends: it may have been upgraded, or rolled back.
class VersionCheck {
 public:
  using Tell = std::function<void(const std::string& trouble)>;
  using Changed = std::function<void()>;

  // `transport` must outlive this object. Both are called on its thread: `tell` once for each
  // problem, `changed` when the version is another one than before.
  VersionCheck(Transport& transport, Tell tell, Changed changed = [] {});

  // Call it periodically on the transport's thread, with the freshness of a followed collection.
  void look(const Freshness& followed);

 private:
  void take(const Result<Response>& answer);

  Transport& transport_;
  const Tell tell_;
  const Changed changed_;
  bool is_due_ = true;
  bool was_stale_ = false;
  std::uint64_t watches_ = 0;  // that had begun
  std::string version_{};      // as answered last
  std::string told_{};
};

}  // namespace elbowroom::api
