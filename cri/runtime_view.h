// Everything that a container runtime holds at one moment: its pods by uid, their containers by
// name. It combines two lists and a few status calls, so it is consistent only per container. A
// caller must expect that a container in it has just been removed.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cri/client.h"
#include "cri/types.h"

namespace elbowroom::cri {

struct RuntimePod {
  std::string uid{};
  std::string ns{};
  std::string name{};
  std::string sandbox_id{};  // of the latest attempt
  SandboxState sandbox_state = SandboxState::NotReady;
  std::map<std::string, RuntimeContainer, std::less<>> containers{};  // by name, latest attempt

  friend bool operator==(const RuntimePod&, const RuntimePod&) = default;
};

struct RuntimeView {
  std::map<std::string, RuntimePod, std::less<>> pods{};  // by uid
  std::size_t unlabelled = 0;  // entries without pod labels, or of an unknown sandbox

  [[nodiscard]] const RuntimePod* find(std::string_view uid) const;
  [[nodiscard]] const RuntimeContainer* find(std::string_view uid,
                                             std::string_view container) const;

  friend bool operator==(const RuntimeView&, const RuntimeView&) = default;
};

// Builds a view from the two lists. Pure. Duplicate ids count once. Of several sandboxes of a pod,
// or containers of a name, the one with the highest attempt counts, then the youngest, then the
// greater id, whatever the order of the lists. Entries without a uid or name label are counted, not
// kept.
[[nodiscard]] RuntimeView view_of(const std::vector<Sandbox>& sandboxes,
                                  const std::vector<RuntimeContainer>& containers);

// Polls a runtime. Owns no connection: `client` must outlive it.
class RuntimePoll {
 public:
  explicit RuntimePoll(Client& client) : client_(client) {}

  // One relist: ListPodSandbox, ListContainers, and ContainerStatus for each container that is new,
  // has changed its state, or was named to expect(). A container that vanishes in between is left
  // out. Any other error ends the poll and is returned. Each call has its own deadline; all
  // together have five times as long.
  [[nodiscard]] Result<RuntimeView> poll(std::chrono::milliseconds deadline = kCallDeadline);

  // The next poll reads the sizes of that container, or of all, again. Call it after an update, and
  // periodically where another writer updates containers, too.
  void expect(const std::string& container_id);
  void expect_all();

 private:
  Client& client_;
  std::map<std::string, RuntimeContainer, std::less<>> known_;  // by id, as last read
};

}  // namespace elbowroom::cri
