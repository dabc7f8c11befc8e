// Prints a scenario as JSON, read as `elbowroom simulate run` reads it: Python's standard library
// has no YAML. usage: scenario_as_json_e2e FILE
#include <iostream>
#include <string>

#include "api/codec/json.h"
#include "base/document.h"
#include "base/durable_file.h"

int main(int argc, char** argv) {
  constexpr std::size_t kLargest = std::size_t{1} << 20;
  if (argc != 2) return 2;
  const auto text = elbowroom::read_file(argv[1], kLargest);
  if (!text) {
    std::cerr << text.error().message << "\n";
    return 1;
  }
  const auto documents = elbowroom::parse_yaml(*text);
  if (!documents || documents->size() != 1) {
    std::cerr << argv[1] << ": " << (documents ? "not one document" : documents.error().message)
              << "\n";
    return 1;
  }
  std::cout << elbowroom::api::to_json(documents->front()) << "\n";
  return 0;
}
