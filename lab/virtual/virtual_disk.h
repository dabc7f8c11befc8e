// A disk in memory, for the simulation. It distinguishes what a process sees from what survives a
// power cut: bytes survive once their file is synced, names once their folder is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/disk.h"

namespace elbowroom::lab {

enum class DiskCall : std::uint8_t { Open, Write, Fsync, Rename };

// The next `times` calls of that kind fail with that errno. A failed write still writes half of its
// bytes.
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
  // Called each time a fault occurs.
  void on_fault(std::function<void(const DiskFault&)> told);

  // Drops everything unsynced: names return to the folder's last sync, bytes to the file's. A file
  // that was never synced keeps its first half.
  void cut_power();

  // Truncates a file durably, as another program would; does nothing if it does not exist.
  void truncate(const std::string& path, std::size_t to);
  // Restores the file's content from `versions` replacements ago, at most the oldest. Returns false
  // if there is no earlier version.
  bool put_back(const std::string& path, std::size_t versions);
  void write_whole(const std::string& path, std::string bytes);

  // Returns the file's bytes; "" if it does not exist.
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
  // The calls of a Disk are const, as system calls are; they change this state.
  std::unique_ptr<State> state_;
};

}  // namespace elbowroom::lab
