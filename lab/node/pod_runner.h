// A pod runner: does a kubelet's work for pods, against any API server and any CRI runtime. It
// starts and ends pods and reports their states; it writes no resize condition and no allocation
// after a container's first, because those belong to the agent in authority mode.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "api/transport/access.h"
#include "api/transport/transport.h"
#include "api/write/client.h"
#include "base/mailbox.h"
#include "base/result.h"
#include "cri/cgroup.h"
#include "cri/client.h"
#include "cri/pod_cgroup.h"
#include "cri/runtime_view.h"
#include "lab/node/pod_plan.h"
#include "policy/model/resources.h"

namespace elbowroom::lab {

// What is known of the node's container runtime.
struct RuntimeStatus {
  std::string name{};         // and version, containerd://1.6.20; "" where it never answered
  std::string trouble{};      // why it does not answer now; "": it does
  std::int64_t since_ns = 0;  // when that state began
};

struct PodRunnerOptions {
  std::string node_name{};
  policy::MilliCpu cpu{4000};
  policy::Bytes memory{std::int64_t{8} << 30};
  std::int64_t pods = 110;
  std::string node_ip = "127.0.0.1";
  // Where the pods' own cgroups are created and removed; "": left to the runtime.
  std::string cgroup_root{};
  cri::CgroupDriver cgroup_driver = cri::CgroupDriver::Cgroupfs;
  std::chrono::milliseconds poll{200};  // interval of runtime polls
  // False: another client writes the Node. The runner neither registers nor updates it, renews its
  // Lease, and rejects no Pod.
  bool writes_node = true;
  // Ends a container as if its process had exited with 0, by id; empty: the runtime cannot. Called
  // on the runner's thread.
  std::function<void(const std::string&)> exit_container{};
  // Called with each problem, one line; called on the runner's thread.
  std::function<void(const std::string&)> complain{};
};

class PodRunner {
 public:
  // Invalid: a bad endpoint or cgroup root. Connects to nothing yet.
  [[nodiscard]] static Result<std::unique_ptr<PodRunner>> make(api::Access access,
                                                               std::string_view runtime_endpoint,
                                                               PodRunnerOptions options);
  ~PodRunner();
  PodRunner(const PodRunner&) = delete;
  PodRunner& operator=(const PodRunner&) = delete;

  // Starts the pods of this node whose statuses show containers, with the sizes that they show;
  // containers that have terminated are ended again. Nothing is reported. Call it before run().
  [[nodiscard]] Result<void> adopt(std::vector<Json> pods);

  // Registers the node and runs its pods until stop is requested; then leaves them running. Returns
  // early if the API server refuses the Node: a retry would change nothing.
  [[nodiscard]] Result<void> run(const std::stop_token& stop);

 private:
  struct Listed {
    std::vector<Json> pods{};
  };
  struct Changed {
    Json pod{};
  };
  struct Gone {
    std::string uid{};
  };
  // The answer to a write about a pod: the object after the write, or the error.
  struct Written {
    std::string uid{};
    Result<Json> object{};
  };
  // An object that belongs to the node: created once, and updated from time to time.
  struct Own {
    bool is_known = false;
    bool is_being_written = false;
    Mailbox<int>::Clock::time_point next{};
  };
  // The answer to a read of a pod before the ends of its containers are judged.
  struct ReadAgain {
    std::string uid{};
    Result<Json> object{};
  };
  struct OwnWritten {
    bool is_lease = false;  // else the Node
    bool was_creation = false;
    Result<void> outcome{};
  };
  struct Stopped {  // a StopContainers step has ended
    std::string uid{};
    Result<void> outcome{};
  };
  using News = std::variant<Listed, Changed, Gone, Written, ReadAgain, OwnWritten, Stopped>;

  struct Known {
    NodePod pod{};
    bool is_writing = false;   // a write is in flight
    bool is_stopping = false;  // containers are being stopped
    bool is_reading = false;   // a read is in flight
    PodOrders orders{};
    // Ids of the ended containers that the last read was for, since when, and whether it succeeded.
    std::set<std::string> read_for{};
    Mailbox<int>::Clock::time_point read_since{};
    bool was_read = false;
    std::optional<Mailbox<int>::Clock::time_point> waits_since{};  // for its admission
    bool has_begun = false;  // the runtime has something of it
    // removed from the API; something may be left here
    bool is_gone = false;
    Mailbox<int>::Clock::time_point not_before{};  // after a failure
    std::string ip{};                              // of the sandbox `ip_of`
    std::string ip_of{};
  };

  PodRunner(api::Access access, std::unique_ptr<cri::Client> runtime, PodRunnerOptions options,
            std::optional<cri::Cgroups> cgroups);

  void take(News news);
  void on(Listed listed);
  void on(Changed changed);
  void on(const Gone& gone);
  void on(Written written);
  void on(ReadAgain read);
  void on(const OwnWritten& written);
  void on(const Stopped& stopped);
  void learn(Json object);

  // Lists the runtime's pods; nothing if it does not answer, which the Node then reports.
  [[nodiscard]] std::optional<cri::RuntimeView> poll_runtime();
  void sync_pods(const cri::RuntimeView& view);
  void look_after(const std::string& uid, Known& known, const cri::RuntimePod* runtime);
  [[nodiscard]] bool reads_first(const std::string& uid, Known& known,
                                 const cri::RuntimePod* runtime);
  [[nodiscard]] bool holds_back(const std::string& uid, Known& known);
  [[nodiscard]] Result<void> adopt(const NodePod& pod);
  void exit_containers(const cri::RuntimePod& runtime);
  void report(const std::string& uid, Known& known, const cri::RuntimePod* runtime);
  void write_status(const std::string& uid, Known& known, const Json& patch);
  [[nodiscard]] Result<void> perform(Known& known, const cri::RuntimePod* runtime,
                                     const PodStep& step);
  [[nodiscard]] Result<void> run_sandbox(const NodePod& pod, const RunSandbox& step);
  // Returns the container's id.
  [[nodiscard]] Result<std::string> start_container(const NodePod& pod,
                                                    const std::string& sandbox_id,
                                                    const StartContainer& step);
  [[nodiscard]] Result<void> remove_sandbox(const NodePod& pod, const std::string& sandbox_id);
  void stop_containers(const std::string& uid, Known& known, const StopContainers& step);
  void delete_object(const std::string& uid, Known& known);

  void update_node();
  void renew_lease();
  [[nodiscard]] static bool is_due(const Own& own);
  void write_own(bool is_lease, api::Method method, std::string path, const Json& what);
  void send(api::Method method, std::string path, std::string content_type, std::string body,
            api::Client::Raw done);
  void put(News news);
  void complain(const std::string& what);
  [[nodiscard]] std::string pod_path(const NodePod& pod, const char* subresource) const;

  api::Access access_;
  std::unique_ptr<cri::Client> runtime_;
  PodRunnerOptions options_;
  std::optional<cri::Cgroups> cgroups_;
  cri::RuntimePoll poll_;

  std::map<std::string, Known> pods_;  // by uid
  std::optional<Error> runtime_error_;
  RuntimeStatus runtime_status_{};
  bool reported_ready_ = false;   // in the last write of the Node
  bool was_registered_ = false;   // the Node existed at least once
  std::optional<Error> refused_;  // the registration, permanently
  Own node_{};
  Own lease_{};

  std::stop_token stop_;
  Mailbox<News> news_{4096};
  std::map<std::string, std::jthread> stoppers_;  // by pod uid; destroyed before the mailbox
  api::Transport* transport_ = nullptr;           // set while run() runs
  api::Client* client_ = nullptr;
};

}  // namespace elbowroom::lab
