// What an agent was told to be durable is there when it starts again, whatever happened to its
// machine in between.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/checkpoint/checkpoint_store.h"
#include "agent/effect.h"
#include "agent/observation.h"

namespace elbowroom::test {

class KeptCheckpoint {
 public:
  void performing(const agent::Effect& effect);
  void observed(const agent::Observation& seen);
  // Another program changed the file.
  void rewritten() { is_known_ = false; }
  // The disk refused to open a file, perhaps while an agent started.
  void open_failed() { is_readable_ = false; }

  // What is wrong with that start; "": nothing.
  [[nodiscard]] std::string restored(const agent::Restored& restored);

 private:
  bool is_known_ = true;
  bool is_readable_ = true;
  agent::Checkpoint durable_{};  // acknowledged
  // Saves since then, of which some may have reached the disk.
  std::map<agent::EffectId, agent::Checkpoint> under_way_{};
  std::vector<agent::Checkpoint> perhaps_{};
};

}  // namespace elbowroom::test
