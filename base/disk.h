// The few calls that change files durably, behind an interface. Implementations are the real one
// here and faulty ones in the lab and in tests, which fail or stop at any call.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>

namespace elbowroom {

// Each call is the system call of its name. It returns -1 and sets errno on failure, and is never
// repeated inside.
class Disk {
 public:
  virtual ~Disk() = default;
  [[nodiscard]] virtual int open(const std::string& path, int flags, mode_t mode) const = 0;
  [[nodiscard]] virtual ssize_t write(int fd, std::string_view bytes) const = 0;
  [[nodiscard]] virtual int fsync(int fd) const = 0;
  [[nodiscard]] virtual int link(const std::string& from, const std::string& to) const = 0;
  [[nodiscard]] virtual int rename(const std::string& from, const std::string& to) const = 0;
  [[nodiscard]] virtual int unlink(const std::string& path) const = 0;

  // Reading and closing are the real calls, unless an implementation has its own files.
  [[nodiscard]] virtual ssize_t read(int fd, std::span<char> bytes) const;
  [[nodiscard]] virtual int fstat(int fd, struct stat& facts) const;
  [[nodiscard]] virtual int lstat(const std::string& path, struct stat& facts) const;
  virtual void close(int fd) const;
};

class RealDisk final : public Disk {
 public:
  [[nodiscard]] int open(const std::string& path, int flags, mode_t mode) const override;
  [[nodiscard]] ssize_t write(int fd, std::string_view bytes) const override;
  [[nodiscard]] int fsync(int fd) const override;
  [[nodiscard]] int link(const std::string& from, const std::string& to) const override;
  [[nodiscard]] int rename(const std::string& from, const std::string& to) const override;
  [[nodiscard]] int unlink(const std::string& path) const override;
};

}  // namespace elbowroom
