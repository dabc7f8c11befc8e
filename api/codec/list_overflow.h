// Receives the parts of an object that do not become part of its tree, because a list is too long.
// Without an overflow, a tree contains everything that the tables name.
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

  // Reading of another object begins.
  virtual void begins() = 0;
  // Receives one more item of a list that the tables hand on ("containers").
  virtual void take(std::string_view list, const Value& item) = 0;
  // An entry of that list or mapping was left out.
  virtual void left_out(std::string_view list) = 0;
  // How many values of placement terms may still become part of the object's tree, over all lists.
  // Each value decrements it. At zero, values may be left out.
  [[nodiscard]] virtual std::size_t& placement_left() = 0;
};

}  // namespace elbowroom::api
