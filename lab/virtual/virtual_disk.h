// A disk in memory, for the simulation. It tells what a process sees from what would survive a
// power cut: bytes survive once their file was synced, names once their folder was.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/disk.h"

namespace elbowroom::lab {

enum class DiskCall : std::uint8_t { Open, Write, Fsync, Rename };

// The next `times` calls of that kind fail with that errno. A write that fails has put half of its
// bytes there.
struct DiskFault {
  DiskCall call = DiskCall::Write;
  int error = 0;  // ENOSPC, EIO
  int times = 1;

  friend bool operator==(const DiskFault&, const DiskFault&) = default;
};

class VirtualDisk final : public Disk {
 public:
  VirtualDisk();
  ~VirtualDisk() override;

  void arm(DiskFault fault);
  void disarm();
  // Called each time a fault was met.
  void on_fault(std::function<void(const DiskFault&)> told);

  // What was not synced is gone: names as at the folder's last sync, bytes as at the file's; of a
  // file that was never synced the first half.
  void cut_power();

  // What somebody else does to a file behind our back, durably; nothing where it is not there.
  void truncate(const std::string& path, std::size_t to);
  // Puts back what stood in that file `versions` replacements ago, whole; the oldest there is at
  // most. False where there is no earlier version.
  bool put_back(const std::string& path, std::size_t versions);
  void write_whole(const std::string& path, std::string bytes);

  // The file's bytes; "" where there is none.
  [[nodiscard]] std::string content(const std::string& path) const;

  [[nodiscard]] int open(const std::string& path, int flags, mode_t mode) const override;
  [[nodiscard]] ssize_t write(int fd, std::string_view bytes) const override;
  [[nodiscard]] int fsync(int fd) const override;
  [[nodiscard]] int link(const std::string& from, const std::string& to) const override;
  [[nodiscard]] int rename(const std::string& from, const std::string& to) const override;
  [[nodiscard]] int unlink(const std::string& path) const override;
  [[nodiscard]] ssize_t read(int fd, std::span<char> bytes) const override;
  [[nodiscard]] int fstat(int fd, struct stat& facts) const override;
  [[nodiscard]] int lstat(const std::string& path, struct stat& facts) const override;
  void close(int fd) const override;

 private:
  struct State;
  // Calls of a Disk are const, as system calls are: what they change lies behind this.
  std::unique_ptr<State> state_;
};

}  // namespace elbowroom::lab
