// The few calls that change files durably, as a seam. There are two of its kind, the real one here
// and faulty twins in the lab and in tests, which fail or stop at any call.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>

namespace elbowroom {

// Each call is the system call of its name: -1 and errno where it fails, and never repeated inside.
class Disk {
 public:
  virtual ~Disk() = default;
  [[nodiscard]] virtual int open(const std::string& path, int flags, mode_t mode) const = 0;
  [[nodiscard]] virtual ssize_t write(int fd, std::string_view bytes) const = 0;
  [[nodiscard]] virtual int fsync(int fd) const = 0;
  [[nodiscard]] virtual int link(const std::string& from, const std::string& to) const = 0;
  [[nodiscard]] virtual int rename(const std::string& from, const std::string& to) const = 0;
  [[nodiscard]] virtual int unlink(const std::string& path) const = 0;

  // Reading and closing are the real calls, but for a twin that has files of its own.
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
