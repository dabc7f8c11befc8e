#include "agent/checkpoint/checkpoint_store.h"

#include <cstddef>
#include <utility>

#include "base/durable_file.h"

namespace elbowroom::agent {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;

Result<Checkpoint> read(const std::string& path, const Disk& disk) {
  struct stat facts{};
  if (disk.lstat(path, facts) == 0 && S_ISLNK(facts.st_mode)) {
    return failure(Code::Invalid, "read " + path + ": it is a link, and none is followed");
  }
  ASSIGN_OR_RETURN(const std::string text, read_file(path, kMostBytes, disk));
  return decode_checkpoint(text);
}

}  // namespace

CheckpointStore::CheckpointStore(std::string state_dir, const Disk& disk)
    : path_(std::move(state_dir) + "/allocations"), disk_(disk) {}

Restored CheckpointStore::load(Damaged damaged) const {
  auto newest = read(path_, disk_);
  if (newest) return {.checkpoint = *std::move(newest)};

  const bool missing = newest.error().code == Code::NotFound;
  auto previous = read(previous_of(path_), disk_);
  // Neither file exists: this is the first start.
  if (missing && !previous && previous.error().code == Code::NotFound) return {};

  Restored restored{.rebuilt = true,
                    .trouble = "checkpoint " + path_ + ": " + newest.error().message};
  const auto set_aside = [&](const std::string& path) {
    if (damaged != Damaged::MoveAside) return;
    const auto evidence = move_aside(path, disk_);
    restored.trouble += evidence ? "; moved to " + *evidence
                                 : "; could not be moved aside: " + evidence.error().message;
  };
  if (!missing) set_aside(path_);
  if (previous) {
    restored.checkpoint = *std::move(previous);
    restored.trouble += "; the copy before it is used, newer allocations come from the API";
    return restored;
  }
  // It is evidence, too: the next checkpoint would replace it.
  if (previous.error().code != Code::NotFound) {
    restored.trouble +=
        "; the copy before it, " + previous_of(path_) + ": " + previous.error().message;
    set_aside(previous_of(path_));
  }
  restored.trouble += "; allocations are rebuilt from what the API shows";
  return restored;
}

Result<std::size_t> CheckpointStore::save(const Checkpoint& checkpoint) const {
  const std::string bytes = encode(checkpoint);
  RETURN_IF_ERROR(replace_file(path_, bytes, disk_));
  return bytes.size();
}

}  // namespace elbowroom::agent
