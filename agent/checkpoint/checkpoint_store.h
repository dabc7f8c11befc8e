// The checkpoint's file in the state directory. An unreadable file never prevents a start: it is
// moved aside and the previous copy is used. If that copy is damaged, it is moved aside, too. What
// neither copy holds is rebuilt from the API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "agent/checkpoint/checkpoint.h"
#include "base/disk.h"
#include "base/result.h"

namespace elbowroom::agent {

struct Restored {
  Checkpoint checkpoint{};
  bool rebuilt = false;   // the latest copy was unusable
  std::string trouble{};  // what was wrong and where the evidence is; "" if nothing was
};

class CheckpointStore {
 public:
  explicit CheckpointStore(std::string state_dir, const Disk& disk);

  // Never fails; `trouble` holds what was wrong. Unusable files are moved aside, except in a dry
  // run, which may run beside the agent that owns the file.
  enum class Damaged : std::uint8_t { MoveAside, Leave };
  [[nodiscard]] Restored load(Damaged damaged = Damaged::MoveAside) const;

  // Durable on return. Returns the size in bytes; see base/durable_file.h for the errors.
  [[nodiscard]] Result<std::size_t> save(const Checkpoint& checkpoint) const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  const Disk& disk_;
};

}  // namespace elbowroom::agent
