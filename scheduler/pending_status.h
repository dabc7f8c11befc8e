// What is written in the status of pending pods. One write of a pod is under way at a time, so that
// none overtakes another; what is to be written meanwhile waits, as one.
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
  // The write, if it is to be sent now; nothing where it waits for an answer to an earlier one.
  [[nodiscard]] std::optional<WritePending> add(WritePending write);
  // The write of that pod was answered: the one that has waited for it, which is under way from now
  // on if `goes_on`, and never sent otherwise.
  [[nodiscard]] std::optional<WritePending> answered(const Victim& pod, bool goes_on);

  [[nodiscard]] bool is_under_way(std::string_view key, std::string_view uid) const;
  // How many are under way.
  [[nodiscard]] std::size_t size() const { return under_way_.size(); }

 private:
  // What waits behind each, by key and uid.
  std::map<std::string, std::optional<WritePending>, std::less<>> under_way_{};
};

}  // namespace elbowroom::scheduler
