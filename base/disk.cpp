#include "base/disk.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace elbowroom {

ssize_t Disk::read(int fd, std::span<char> bytes) const {
  return ::read(fd, bytes.data(), bytes.size());
}
int Disk::fstat(int fd, struct stat& facts) const { return ::fstat(fd, &facts); }
int Disk::lstat(const std::string& path, struct stat& facts) const {
  return ::lstat(path.c_str(), &facts);
}
// Never repeated after EINTR: Linux has closed the descriptor in that case, too.
void Disk::close(int fd) const { ::close(fd); }

int RealDisk::open(const std::string& path, int flags, mode_t mode) const {
  return ::open(path.c_str(), flags, mode);
}
ssize_t RealDisk::write(int fd, std::string_view bytes) const {
  return ::write(fd, bytes.data(), bytes.size());
}
int RealDisk::fsync(int fd) const { return ::fsync(fd); }
int RealDisk::link(const std::string& from, const std::string& to) const {
  return ::link(from.c_str(), to.c_str());
}
int RealDisk::rename(const std::string& from, const std::string& to) const {
  return ::rename(from.c_str(), to.c_str());
}
int RealDisk::unlink(const std::string& path) const { return ::unlink(path.c_str()); }

}  // namespace elbowroom
