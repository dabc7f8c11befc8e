// One node of the lab with a real agent, and faults around that agent: its API server, its runtime,
// its disk. The faults hit only the agent; the pod runner beside it continues undisturbed.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "agent/program/wiring.h"
#include "base/disk.h"
#include "lab/cluster.h"
#include "lab/daemon_process.h"
#include "lab/world/json.h"
#include "test/simulation/gate.h"
#include "test/temporary_folder.h"

namespace elbowroom::test {

inline constexpr std::chrono::milliseconds kPatience{20'000};

// A disk that says `failure` (an errno; 0: works) to every change.
class FaultyDisk final : public Disk {
 public:
  std::atomic<int> failure{0};

  [[nodiscard]] int open(const std::string& path, int flags, mode_t mode) const override;
  [[nodiscard]] ssize_t write(int fd, std::string_view bytes) const override;
  [[nodiscard]] int fsync(int fd) const override;
  [[nodiscard]] int link(const std::string& from, const std::string& to) const override;
  [[nodiscard]] int rename(const std::string& from, const std::string& to) const override;
  [[nodiscard]] int unlink(const std::string& path) const override;

 private:
  [[nodiscard]] bool fails() const;
  RealDisk real_{};
};

class FaultyNode {
 public:
  FaultyNode();  // 4 cpus; no agent yet, both gates open
  ~FaultyNode();
  FaultyNode(const FaultyNode&) = delete;
  FaultyNode& operator=(const FaultyNode&) = delete;

  // The agent in this process, in authority mode.
  void start_agent();
  void stop_agent();

  // A pod of one container "app" with that request and no limits, once it runs.
  void create(const std::string& name, const std::string& cpu, int priority = 0);
  void resize(const std::string& name, const std::string& cpu);
  void load(const lab::Json& object);
  void remove(const std::string& name);

  [[nodiscard]] lab::Json get(const std::string& name);
  [[nodiscard]] std::string reason_of_pending(const std::string& name);
  [[nodiscard]] std::string allocated_cpu(const std::string& name);  // as the API shows it
  [[nodiscard]] std::string actual_cpu(const std::string& name);
  [[nodiscard]] std::int64_t shares(const std::string& name);  // as the runtime has it
  [[nodiscard]] std::size_t updates();                         // runtime calls that change a size
  [[nodiscard]] bool has_event(const std::string& reason);     // about whatever

  // True once the agent is ready.
  [[nodiscard]] bool gets_ready();
  // True once that check fails and says this.
  [[nodiscard]] bool complains(const std::string& check, const std::string& what);
  // True once the container has that size and the API shows it, with nothing pending.
  [[nodiscard]] bool gets(const std::string& name, const std::string& cpu);
  // What the checks say now, for messages of failed tests.
  [[nodiscard]] std::string health();
  [[nodiscard]] std::vector<std::string> remedies_text();

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  [[nodiscard]] std::string checkpoint() const { return state_dir() + "/allocations"; }
  [[nodiscard]] std::string state_dir() const { return (folder() / "state").string(); }
  [[nodiscard]] std::string kubeconfig() const;  // that leads through the gate
  [[nodiscard]] std::string endpoint() const;    // likewise

  lab::Cluster& cluster() { return *cluster_; }
  Gate& api() { return *api_; }
  Gate& runtime() { return *runtime_; }
  FaultyDisk& disk() { return disk_; }

 private:
  test::TemporaryFolder folder_;
  std::unique_ptr<lab::Cluster> cluster_;
  std::unique_ptr<Gate> api_;
  std::unique_ptr<Gate> runtime_;
  FaultyDisk disk_;
  std::mutex mutex_;
  std::vector<std::string> troubles_;  // guarded by mutex_
  std::unique_ptr<agent::Agent> agent_;
  std::jthread thread_;
};

}  // namespace elbowroom::test
