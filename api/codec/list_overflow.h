// Who takes what of an object does not become part of its tree, because a list in it is too long.
// Without one a tree has everything that the tables name.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/document.h"

namespace elbowroom::api {

class ListOverflow {
 public:
  ListOverflow() = default;
  virtual ~ListOverflow() = default;
  ListOverflow(const ListOverflow&) = delete;
  ListOverflow& operator=(const ListOverflow&) = delete;

  // Another object is read from here on.
  virtual void begins() = 0;
  // One more item of that list, which the tables say is handed on ("containers").
  virtual void take(std::string_view list, const Value& item) = 0;
  // An entry of that list or mapping was left out.
  virtual void left_out(std::string_view list) = 0;
  // How many values of terms of placement still become part of the object's tree, whatever lists
  // they are in; counted down as they do. At zero some may be left out.
  [[nodiscard]] virtual std::size_t& placement_left() = 0;
};

}  // namespace elbowroom::api
