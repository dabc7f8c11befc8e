#include "agent/checkpoint/state_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace elbowroom::agent {
namespace {

constexpr int kFolder = O_DIRECTORY | O_CLOEXEC;

std::unexpected<Error> refused(Code code, const std::string& directory, const std::string& why) {
  return failure(code, "state directory " + directory + ": " + why);
}

std::string reason() { return std::generic_category().message(errno); }

// Opens a parent. A link in its place is followed only if it is root's, such as /var on some
// machines.
Fd open_parent(const Fd& in, const char* name) {
  const int why_not_made = ::mkdirat(in.get(), name, 0755) == 0 ? 0 : errno;
  Fd opened(::openat(in.get(), name, kFolder | O_PATH | O_NOFOLLOW));
  if (opened.is_open()) return opened;
  struct stat facts{};
  if (::fstatat(in.get(), name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    errno = why_not_made;
    return {};
  }
  const bool is_roots_link = S_ISLNK(facts.st_mode) && facts.st_uid == 0;
  errno = S_ISLNK(facts.st_mode) ? ELOOP : ENOTDIR;
  return is_roots_link ? Fd(::openat(in.get(), name, kFolder | O_PATH)) : Fd();
}

Result<Fd> open_state(const std::string& directory) {
  constexpr const char* kRemedy =
      ": make it a directory of the user that elbowroomd runs as, or set stateDir";
  std::error_code ignored;
  std::filesystem::path whole = std::filesystem::absolute(directory, ignored).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  Fd in(::open("/", kFolder | O_PATH));
  for (const auto& part : whole.parent_path().relative_path()) {
    Fd next = open_parent(in, part.c_str());
    if (!next.is_open()) {
      return refused(Code::Invalid, directory, "it cannot be made: " + reason() + kRemedy);
    }
    in = std::move(next);
  }
  const std::string name = whole.has_filename() ? whole.filename().string() : ".";
  const bool made = ::mkdirat(in.get(), name.c_str(), 0700) == 0 || errno == EEXIST;
  const std::string why_not = made ? "" : reason();
  Fd opened(::openat(in.get(), name.c_str(), kFolder | O_RDONLY | O_NOFOLLOW));
  if (opened.is_open()) return opened;
  return refused(
      Code::Invalid, directory,
      (made ? "it cannot be opened: " + reason() : "it cannot be made: " + why_not) + kRemedy);
}

// Whoever may write to the folder may put allocations of its own into it.
Result<void> check_owner(const Fd& folder, const std::string& directory) {
  struct stat facts{};
  if (::fstat(folder.get(), &facts) != 0) {
    return refused(Code::Invalid, directory, "it cannot be looked at: " + reason());
  }
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return refused(Code::Invalid, directory,
                   "others than its owner may write to it: chmod 0700 " + directory +
                       ", or set stateDir to another directory");
  }
  if (facts.st_uid == ::geteuid() || facts.st_uid == 0) return {};
  return refused(Code::Invalid, directory,
                 "it belongs to another user (uid " + std::to_string(facts.st_uid) +
                     "): chown it to the user that elbowroomd runs as, or set stateDir");
}

}  // namespace

Result<Fd> lock_state(const std::string& directory) {
  ASSIGN_OR_RETURN(Fd lock, open_state(directory));
  RETURN_IF_ERROR(check_owner(lock, directory));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno == EWOULDBLOCK) {
    return refused(Code::Unavailable, directory,
                   "another agent uses it, and two would overwrite each other's allocations: stop "
                   "that one, or set stateDir to another directory");
  }
  return refused(
      Code::Invalid, directory,
      "it cannot be locked: " + reason() + ": set stateDir to a directory on a local file system");
}

}  // namespace elbowroom::agent
