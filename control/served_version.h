// Which version of a collection the API server serves: it asks discovery for the group, then for
// the resources of the row's versions that are there, newest first.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/transport/transport.h"
#include "base/document.h"
#include "base/result.h"
#include "control/collection.h"

namespace elbowroom::control {

// The versions of an APIGroup. Invalid: it is none.
[[nodiscard]] Result<std::vector<std::string>> versions_in(const Value& group);
// Whether an APIResourceList has that resource. Invalid: it is none.
[[nodiscard]] Result<bool> has_resource(const Value& list, std::string_view resource);

class ServedVersion {
 public:
  // "": the server serves none of the row's versions. An Error: that is not known.
  using Done = std::move_only_function<void(Result<std::string_view>)>;

  // `transport` and `row` must outlive this object, which must live while the transport runs.
  ServedVersion(api::Transport& transport, const CollectionRow& row);
  ServedVersion(const ServedVersion&) = delete;
  ServedVersion& operator=(const ServedVersion&) = delete;

  // One question at a time.
  void ask(Done done);
  [[nodiscard]] bool is_asking() const { return done_ != nullptr; }

 private:
  using Take = std::move_only_function<void(Result<Value>)>;

  void get(std::string path, Take take);
  void take_group(Result<Value> group);
  void ask_next();
  void take_resources(Result<Value> list);
  void end(Result<std::string_view> answer);

  api::Transport& transport_;
  const CollectionRow& row_;
  Done done_{};
  std::vector<std::string_view> left_{};  // to ask about; the last one is the newest
};

}  // namespace elbowroom::control
