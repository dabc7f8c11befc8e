#include "lab/virtual/virtual_disk.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace elbowroom::lab {
namespace {

constexpr std::size_t kKeptVersions = 32;

struct File {
  std::string bytes{};
  std::optional<std::string> synced{};
};

using FilePtr = std::size_t;  // index into the files
using Names = std::map<std::string, FilePtr, std::less<>>;

}  // namespace

struct VirtualDisk::State {
  struct Opened {
    std::optional<FilePtr> file{};  // none: a folder
    std::size_t at = 0;
  };

  std::map<FilePtr, File> files{};
  FilePtr last_file = 0;
  Names names{};
  Names synced_names{};
  std::map<int, Opened> opened{};
  std::map<std::string, std::deque<std::string>, std::less<>> earlier{};  // by path, newest first
  std::deque<DiskFault> faults{};
  std::function<void(const DiskFault&)> told{};

  // Returns true, with errno set, if the call must fail.
  bool fails(DiskCall call) {
    const auto at = std::ranges::find(faults, call, &DiskFault::call);
    if (at == faults.end()) return false;
    const DiskFault met = *at;
    if (--at->times <= 0) faults.erase(at);
    if (told) told(met);
    errno = met.error;
    return true;
  }

  FilePtr make(std::string bytes) {
    const FilePtr file = ++last_file;
    files[file] = {.bytes = std::move(bytes)};
    return file;
  }

  void forget_nameless() {
    std::erase_if(files, [&](const auto& entry) {
      const auto is_it = [&](const auto& name) { return name.second == entry.first; };
      const auto is_open = [&](const auto& each) { return each.second.file == entry.first; };
      return std::ranges::none_of(names, is_it) && std::ranges::none_of(synced_names, is_it) &&
             std::ranges::none_of(opened, is_open);
    });
  }

  File* find(const std::string& path) {
    const auto at = names.find(path);
    return at == names.end() ? nullptr : &files[at->second];
  }

  void remember(const std::string& path) {
    const File* file = find(path);
    if (file == nullptr) return;
    std::deque<std::string>& versions = earlier[path];
    versions.push_front(file->bytes);
    if (versions.size() > kKeptVersions) versions.pop_back();
  }
};

VirtualDisk::VirtualDisk() : state_(std::make_unique<State>()) {}
VirtualDisk::~VirtualDisk() = default;

void VirtualDisk::arm(DiskFault fault) { state_->faults.push_back(fault); }
void VirtualDisk::disarm() { state_->faults.clear(); }
void VirtualDisk::on_fault(std::function<void(const DiskFault&)> told) {
  state_->told = std::move(told);
}

void VirtualDisk::cut_power() {
  state_->opened.clear();
  state_->names = state_->synced_names;
  for (auto& [id, file] : state_->files) {
    if (!file.synced) file.bytes.resize(file.bytes.size() / 2);
    if (file.synced) file.bytes = *file.synced;
  }
  state_->forget_nameless();
}

void VirtualDisk::truncate(const std::string& path, std::size_t to) {
  if (const File* file = state_->find(path)) write_whole(path, file->bytes.substr(0, to));
}

bool VirtualDisk::put_back(const std::string& path, std::size_t versions) {
  const auto at = state_->earlier.find(path);
  if (at == state_->earlier.end() || at->second.empty() || versions == 0) return false;
  write_whole(path, at->second[std::min(versions, at->second.size()) - 1]);
  return true;
}

void VirtualDisk::write_whole(const std::string& path, std::string bytes) {
  const FilePtr file = state_->make(std::move(bytes));
  state_->files[file].synced = state_->files[file].bytes;
  state_->names[path] = file;
  state_->synced_names[path] = file;
  state_->forget_nameless();
}

std::string VirtualDisk::content(const std::string& path) const {
  const File* file = state_->find(path);
  return file == nullptr ? "" : file->bytes;
}

int VirtualDisk::open(const std::string& path, int flags, mode_t /*mode*/) const {
  if (state_->fails(DiskCall::Open)) return -1;
  int fd = 3;
  while (state_->opened.contains(fd)) ++fd;
  if ((flags & O_DIRECTORY) != 0) {
    state_->opened[fd] = {};
    return fd;
  }
  const auto at = state_->names.find(path);
  const bool creates = (flags & O_CREAT) != 0;
  if (at == state_->names.end() && !creates) {
    errno = ENOENT;
    return -1;
  }
  if (at != state_->names.end() && creates && (flags & O_EXCL) != 0) {
    errno = EEXIST;
    return -1;
  }
  const FilePtr file = at != state_->names.end() ? at->second : state_->make("");
  state_->names[path] = file;
  state_->opened[fd] = {.file = file};
  return fd;
}

ssize_t VirtualDisk::write(int fd, std::string_view bytes) const {
  const auto at = state_->opened.find(fd);
  if (at == state_->opened.end() || !at->second.file) {
    errno = EBADF;
    return -1;
  }
  std::string& into = state_->files[*at->second.file].bytes;
  if (state_->fails(DiskCall::Write)) {
    into.append(bytes.substr(0, bytes.size() / 2));
    return -1;
  }
  into.append(bytes);
  return static_cast<ssize_t>(bytes.size());
}

int VirtualDisk::fsync(int fd) const {
  const auto at = state_->opened.find(fd);
  if (at == state_->opened.end()) {
    errno = EBADF;
    return -1;
  }
  if (state_->fails(DiskCall::Fsync)) return -1;
  if (at->second.file) {
    File& file = state_->files[*at->second.file];
    file.synced = file.bytes;
  } else {
    state_->synced_names = state_->names;
    state_->forget_nameless();
  }
  return 0;
}

int VirtualDisk::link(const std::string& from, const std::string& to) const {
  const auto at = state_->names.find(from);
  if (at == state_->names.end() || state_->names.contains(to)) {
    errno = at == state_->names.end() ? ENOENT : EEXIST;
    return -1;
  }
  state_->names[to] = at->second;
  return 0;
}

int VirtualDisk::rename(const std::string& from, const std::string& to) const {
  if (state_->fails(DiskCall::Rename)) return -1;
  const auto at = state_->names.find(from);
  if (at == state_->names.end()) {
    errno = ENOENT;
    return -1;
  }
  state_->remember(to);
  const FilePtr file = at->second;
  state_->names.erase(at);
  state_->names[to] = file;
  return 0;
}

int VirtualDisk::unlink(const std::string& path) const {
  if (state_->names.erase(path) == 1) return 0;
  errno = ENOENT;
  return -1;
}

ssize_t VirtualDisk::read(int fd, std::span<char> bytes) const {
  const auto at = state_->opened.find(fd);
  if (at == state_->opened.end() || !at->second.file) {
    errno = EBADF;
    return -1;
  }
  const std::string& from = state_->files[*at->second.file].bytes;
  const std::size_t size =
      std::min(bytes.size(), from.size() - std::min(at->second.at, from.size()));
  std::copy_n(from.data() + at->second.at, size, bytes.data());
  at->second.at += size;
  return static_cast<ssize_t>(size);
}

int VirtualDisk::fstat(int fd, struct stat& facts) const {
  const auto at = state_->opened.find(fd);
  if (at == state_->opened.end()) {
    errno = EBADF;
    return -1;
  }
  facts = {};
  facts.st_mode = at->second.file ? S_IFREG : S_IFDIR;
  if (at->second.file) {
    facts.st_size = static_cast<off_t>(state_->files[*at->second.file].bytes.size());
  }
  return 0;
}

int VirtualDisk::lstat(const std::string& path, struct stat& facts) const {
  const File* file = state_->find(path);
  if (file == nullptr) {
    errno = ENOENT;
    return -1;
  }
  facts = {};
  facts.st_mode = S_IFREG;
  facts.st_size = static_cast<off_t>(file->bytes.size());
  return 0;
}

void VirtualDisk::close(int fd) const { state_->opened.erase(fd); }

}  // namespace elbowroom::lab
