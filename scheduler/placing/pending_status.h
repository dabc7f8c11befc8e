// Status writes of pending pods. Only one write of a pod is in flight at a time, so that none
// overtakes another. Later writes wait, merged into one.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/effect.h"

namespace elbowroom::scheduler {

class PendingStatus {
 public:
  // Returns the write if it must be sent now; nothing if it waits for the answer to an earlier one.
  [[nodiscard]] std::optional<WritePending> add(WritePending write);
  // The write of that pod was answered. Returns the waiting write, which is in flight from now on
  // if `goes_on`, and is never sent otherwise.
  [[nodiscard]] std::optional<WritePending> answered(const Victim& pod, bool goes_on);

  [[nodiscard]] bool is_under_way(std::string_view key, std::string_view uid) const;
  // The number of writes in flight.
  [[nodiscard]] std::size_t size() const { return under_way_.size(); }

 private:
  // The write that waits behind each, by key and uid.
  std::map<std::string, std::optional<WritePending>, std::less<>> under_way_{};
};

}  // namespace elbowroom::scheduler
