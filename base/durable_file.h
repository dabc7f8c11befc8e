// Whole files that survive a crash: read with a bound, replaced at once, moved aside when bad.
// After replace() has returned without an error the bytes are on the disk, and after any error or
// crash the file holds either the earlier or the later bytes, whole.
//
//   NAME.tmp --write, fsync-->  NAME --hard link--> NAME.prev    then  NAME.tmp --rename--> NAME,
//   and the folder is synced.
//
// One writer per file. Where a file system has no hard links NAME is renamed to NAME.prev, and for
// a moment only that is there: readers try previous_of(path) where path is missing or bad.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/disk.h"
#include "base/result.h"

namespace elbowroom {

// The content of a regular file (symbolic links are followed) of at most `most` bytes. NotFound:
// there is none; Exhausted: it is larger; Invalid: no regular file; else as replace(). Never waits
// for the other end of a pipe.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t most,
                                            const Disk& disk = RealDisk());

// Puts `bytes` durably in the place of the file, mode 0600; what was there before stays as
// previous_of(path). Every error names the path and the remedy: Unavailable where a later try may
// succeed (disk full, quota, read-only, I/O error), Denied, NotFound (no such folder), Invalid (a
// path that cannot be a file).
[[nodiscard]] Result<void> replace_file(const std::string& path, std::string_view bytes,
                                        const Disk& disk = RealDisk());

// Renames the file to NAME.bad-N, N the first free of 1 to 5; where all are taken the fifth goes,
// so that the first evidence stays and the folder stays small. Returns the other name; errors as
// above.
[[nodiscard]] Result<std::string> move_aside(const std::string& path,
                                             const Disk& disk = RealDisk());

// NAME.prev.
[[nodiscard]] std::string previous_of(const std::string& path);

// A failed system call as an error: "WHAT PATH: no space left on device: free some space there".
[[nodiscard]] Error error_of_errno(int number, std::string_view what, std::string_view path);

}  // namespace elbowroom
