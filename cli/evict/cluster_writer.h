// Sends single writes to one cluster, and waits for each answer.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "api/transport/access.h"
#include "api/transport/transport.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

class ClusterWriter {
 public:
  explicit ClusterWriter(const api::Access& access);
  // `server`: for messages.
  ClusterWriter(std::string server, std::unique_ptr<api::Transport> transport);

  // Any answer of the server, errors included. Writes carry the field manager `elbowroom`. An
  // error: no answer.
  [[nodiscard]] Result<api::Response> send(api::Request request);
  // The object at that path, as it is now.
  [[nodiscard]] Result<Value> read(const std::string& path);
  // Waits that long.
  void pause(std::chrono::milliseconds time);
  // By the Date of the latest answer. Unavailable: no answer had one yet; ledgers and entries have
  // no other clock.
  [[nodiscard]] Result<policy::Time> server_time() const;

 private:
  std::string server_;
  std::optional<policy::Time> server_time_{};
  std::unique_ptr<api::Transport> transport_;
};

}  // namespace elbowroom::cli
