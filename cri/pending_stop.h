// A container that was asked to end and may take its whole grace for it. Nobody waits for it; it is
// asked now and then whether it is over.
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"

namespace elbowroom::cri {

class PendingStop {
 public:
  ~PendingStop();  // the call is given up; the runtime goes on stopping
  PendingStop(PendingStop&&) noexcept;
  PendingStop& operator=(PendingStop&&) = delete;

  // nullopt while the container has not ended; then, once, what became of it. Never waits.
  [[nodiscard]] std::optional<Result<void>> poll();

 private:
  friend class Client;
  struct Call;
  explicit PendingStop(std::unique_ptr<Call> call);
  std::unique_ptr<Call> call_;
};

}  // namespace elbowroom::cri
