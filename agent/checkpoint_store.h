// The checkpoint's file in the state directory. A file that cannot be read never stops the start:
// it is moved aside, the copy before it is tried (and moved aside too where that is spoilt), and
// what neither holds is rebuilt from what the API shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "agent/checkpoint.h"
#include "base/disk.h"
#include "base/result.h"

namespace elbowroom::agent {

struct Restored {
  Checkpoint checkpoint{};
  bool rebuilt = false;   // the newest copy could not be used
  std::string trouble{};  // what was wrong and where the evidence is; "" when nothing was
};

class CheckpointStore {
 public:
  explicit CheckpointStore(std::string state_dir, const Disk& disk);

  // Never fails; says in `trouble` what it met. What cannot be used is moved aside, but for a dry
  // run, which may run beside the agent whose file it is.
  enum class Damaged : std::uint8_t { MoveAside, Leave };
  [[nodiscard]] Restored load(Damaged damaged = Damaged::MoveAside) const;

  // Durable on return, and how many bytes it takes; see base/durable_file.h for the errors.
  [[nodiscard]] Result<std::size_t> save(const Checkpoint& checkpoint) const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  const Disk& disk_;
};

}  // namespace elbowroom::agent
