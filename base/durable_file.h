// Whole files that survive a crash: read with a bound, replaced atomically, moved aside when bad.
// After replace_file() returns without an error, the bytes are on the disk. After any error or
// crash the file holds either the earlier or the later bytes, complete.
//
//   NAME.tmp --write, fsync-->  NAME --hard link--> NAME.prev    then  NAME.tmp --rename--> NAME,
//   and the folder is synced.
//
// One writer per file. Where a file system has no hard links, NAME is renamed to NAME.prev, and for
// a moment only that exists. Readers try previous_of(path) if path is missing or bad.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/disk.h"
#include "base/result.h"

namespace elbowroom {

// The content of a regular file (symbolic links are followed) of at most `most` bytes. NotFound: it
// does not exist; Exhausted: it is larger; Invalid: it is not a regular file; otherwise as
// replace_file(). Never waits for the other end of a pipe.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t most,
                                            const Disk& disk = RealDisk());

// Durably replaces the file with `bytes`, mode 0600. The previous content stays as
// previous_of(path). Every error names the path and the remedy: Unavailable where a retry may
// succeed (disk full, quota, read-only, I/O error), Denied, NotFound (no such folder), Invalid (a
// path that cannot be a file).
[[nodiscard]] Result<void> replace_file(const std::string& path, std::string_view bytes,
                                        const Disk& disk = RealDisk());

// Renames the file to NAME.bad-N, with N the first free of 1 to 5. If all are taken, the fifth is
// replaced, so that the first evidence stays and the folder stays small. Returns the new name;
// errors as above.
[[nodiscard]] Result<std::string> move_aside(const std::string& path,
                                             const Disk& disk = RealDisk());

// NAME.prev.
[[nodiscard]] std::string previous_of(const std::string& path);

// Converts a failed system call to an error: "WHAT PATH: no space left on device: free some space
// there".
[[nodiscard]] Error error_of_errno(int number, std::string_view what, std::string_view path);

}  // namespace elbowroom
