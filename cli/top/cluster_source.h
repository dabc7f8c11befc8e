// A cluster, followed by list and watch with the rights to read that a person has.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "api/transport/access.h"
#include "cli/top/source.h"

namespace elbowroom::cli::top {

class ClusterSource final : public Source {
 public:
  // `news` is called by its thread, after each sight.
  ClusterSource(api::Access access, std::function<void()> news);
  ~ClusterSource() override;

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::shared_ptr<const Sight> last() const override { return sights_.last(); }
  void explain(std::string pod) override;

 private:
  class Follower;

  std::string name_;
  Sights sights_;
  std::unique_ptr<Follower> follower_;
  std::jthread thread_;  // last, so that it ends first
};

}  // namespace elbowroom::cli::top
