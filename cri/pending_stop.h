// A container that is being stopped and may use its whole grace period. No thread waits for it;
// poll() checks whether it has ended.
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"

namespace elbowroom::cri {

class PendingStop {
 public:
  ~PendingStop();  // abandons the call; the runtime continues to stop the container
  PendingStop(PendingStop&&) noexcept;
  PendingStop& operator=(PendingStop&&) = delete;

  // nullopt while the container has not ended; then, once, the outcome. Never waits.
  [[nodiscard]] std::optional<Result<void>> poll();

 private:
  friend class Client;
  struct Call;
  explicit PendingStop(std::unique_ptr<Call> call);
  std::unique_ptr<Call> call_;
};

}  // namespace elbowroom::cri
