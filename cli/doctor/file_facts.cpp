#include "cli/doctor/file_facts.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace elbowroom::cli {
namespace {

std::string user_name(uid_t id) {
  std::array<char, 4096> space{};
  passwd entry{};
  passwd* found = nullptr;
  (void)::getpwuid_r(id, &entry, space.data(), space.size(), &found);
  return found != nullptr ? found->pw_name : std::to_string(id);
}

std::string group_name(gid_t id) {
  std::array<char, 4096> space{};
  group entry{};
  group* found = nullptr;
  (void)::getgrgid_r(id, &entry, space.data(), space.size(), &found);
  return found != nullptr ? found->gr_name : std::to_string(id);
}

FileFacts::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileFacts::Kind::Regular;
  if (S_ISDIR(mode)) return FileFacts::Kind::Folder;
  if (S_ISSOCK(mode)) return FileFacts::Kind::Socket;
  return FileFacts::Kind::Other;
}

void describe(const struct stat& about, FileFacts& facts) {
  facts.kind = kind_of(about.st_mode);
  facts.mode = about.st_mode & 07777U;
  facts.owner = user_name(about.st_uid);
  facts.group = group_name(about.st_gid);
}

// From the root down. A user who may not enter a folder cannot read anything below it.
std::vector<FileFacts> closed_parents_of(const std::string& path) {
  constexpr std::uint32_t kEverybodyEnters = 0001;
  std::vector<FileFacts> gates;
  for (std::size_t end = path.find('/', 1); end != std::string::npos;
       end = path.find('/', end + 1)) {
    FileFacts folder{.path = path.substr(0, end)};
    struct stat about{};
    if (::stat(folder.path.c_str(), &about) != 0) break;
    describe(about, folder);
    if ((folder.mode & kEverybodyEnters) == 0) gates.push_back(std::move(folder));
  }
  return gates;
}

std::string reason() { return std::generic_category().message(errno); }

}  // namespace

FileFacts file_facts(const std::string& path) {
  FileFacts facts{.path = path};
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) {
    // Behind a folder that we may not enter, the file may exist.
    if (errno != ENOENT && errno != ENOTDIR) {
      facts.kind = FileFacts::Kind::Other;
      facts.closed = reason();
    }
    return facts;
  }
  describe(about, facts);
  facts.gates = closed_parents_of(path);
  const int wanted = facts.kind == FileFacts::Kind::Folder ? R_OK | X_OK : R_OK;
  if (::access(path.c_str(), wanted) != 0) facts.closed = reason();
  return facts;
}

}  // namespace elbowroom::cli
