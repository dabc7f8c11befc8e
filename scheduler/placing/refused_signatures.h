// Pending pods of one signature get one answer: once no node admitted a pod, pods like it are
// refused without a look at the nodes, until something happens that could help.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "policy/model/pod_text.h"

namespace elbowroom::scheduler {

class RefusedSignatures {
 public:
  // Something happened that could help a pod that no node admitted.
  void note_relief() { ++relief_; }
  void clear() { refused_.clear(); }
  // The message of the refusal of that signature; nullptr: none since the last relief.
  [[nodiscard]] const policy::PodText* find(const std::string& signature) const;
  void add(const std::string& signature, policy::PodText message);

 private:
  static constexpr std::size_t kMost = 1'000;
  struct Refusal {
    std::uint64_t relief = 0;
    policy::PodText message{};
  };
  std::uint64_t relief_ = 1;
  std::map<std::string, Refusal, std::less<>> refused_{};
};

}  // namespace elbowroom::scheduler
