#include "test/simulation/history_pods.h"

#include <cstdint>

#include "lab/node/runtime_rules.h"

namespace elbowroom::test {
namespace {

using lab::Json;

std::uint64_t number_of(const std::string& pod, std::uint64_t begin) {
  std::uint64_t value = begin;
  for (const char c : pod) value = value * 31 + static_cast<unsigned char>(c);
  return value;
}
std::uint64_t trait_of(const std::string& pod) { return number_of(pod, 7) % 12; }
bool has_limits(const std::string& pod) { return trait_of(pod) % 3 == 1; }
bool is_guaranteed(const std::string& pod) { return trait_of(pod) % 3 == 2; }

Json amounts_of(std::int64_t cpu, std::int64_t memory) {
  return {{"cpu", std::to_string(cpu) + "m"}, {"memory", std::to_string(memory) + "Mi"}};
}

Json size_object(const std::string& pod, std::int64_t cpu, std::int64_t memory) {
  Json size = {{"requests", amounts_of(cpu, memory)}};
  if (has_limits(pod)) size["limits"] = amounts_of(2 * cpu, 2 * memory);
  if (is_guaranteed(pod)) size["limits"] = size["requests"];
  return size;
}

// What lies beside the main container.
Json second_size(const std::string& pod, std::int64_t cpu, std::int64_t memory) {
  return size_object(pod, cpu / 4 + 10, memory / 4 + 16);
}

Json container_object(std::string_view name, Json size) {
  return {{"name", name}, {"image", "pause"}, {"resources", std::move(size)}};
}

// Which of a pod's sizes a resize changes.
struct Part {
  bool main = true;
  bool second = false;
};
Part part_of(const Step& step) {
  if (shape_of(step.pod) == Shape::Single) return {};
  const std::int64_t dice = (step.a / 50 + step.b / 64) % 3;
  return {.main = dice != 1, .second = dice != 0};
}

Json one_resize(std::string_view name, Json size) {
  return {{"name", name}, {"resources", std::move(size)}};
}

}  // namespace

Shape shape_of(const std::string& pod) {
  switch (number_of(pod, 11) % 7) {
    case 1:
      return Shape::Pair;
    case 3:
      return Shape::Sidecar;
    case 5:
      return Shape::PodLevel;
    default:
      return Shape::Single;
  }
}

Json pod_object(const Step& step, const std::string& node) {
  const Shape shape = shape_of(step.pod);
  Json app = container_object("app", size_object(step.pod, step.a, step.b));
  if (trait_of(step.pod) == 4) {
    app["resizePolicy"] =
        Json::array({{{"resourceName", "memory"}, {"restartPolicy", "RestartContainer"}},
                     {{"resourceName", "cpu"}, {"restartPolicy", "NotRequired"}}});
  }
  const std::int64_t grace = 2 + 4 * static_cast<std::int64_t>(trait_of(step.pod));
  Json spec = {{"nodeName", node},
               {"priority", step.c},
               {"terminationGracePeriodSeconds", grace},
               {"containers", Json::array({std::move(app)})}};
  const Json second = second_size(step.pod, step.a, step.b);
  if (shape == Shape::Pair) spec["containers"].push_back(container_object("side", second));
  if (shape == Shape::Sidecar) {
    Json proxy = container_object("proxy", second);
    proxy["restartPolicy"] = "Always";
    spec["initContainers"] =
        Json::array({std::move(proxy), container_object("prepares", size_object(step.pod, 10, 8))});
  }
  if (shape == Shape::PodLevel) spec["resources"] = size_object(step.pod, 2 * step.a, 2 * step.b);
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", step.pod},
            {"annotations",
             {{std::string(lab::kTerminatesAfter), std::to_string(1 + grace / 2) + "s"}}}}},
          {"spec", std::move(spec)}};
}

Json resize_patch(const Step& step) {
  const Part part = part_of(step);
  const Json size = size_object(step.pod, step.a, step.b);
  const Json second = second_size(step.pod, step.a, step.b);
  Json spec = Json::object();
  Json containers = Json::array();
  if (part.main) containers.push_back(one_resize("app", size));
  if (part.second) {
    switch (shape_of(step.pod)) {
      case Shape::Single:
        break;
      case Shape::Pair:
        containers.push_back(one_resize("side", second));
        break;
      case Shape::Sidecar:
        spec["initContainers"] = Json::array({one_resize("proxy", second)});
        break;
      case Shape::PodLevel:
        spec["resources"] = size_object(step.pod, 2 * step.a, 2 * step.b);
        break;
    }
  }
  if (!containers.empty()) spec["containers"] = std::move(containers);
  return {{"spec", std::move(spec)}};
}

std::string memory_user(const Step& step) {
  const Shape shape = shape_of(step.pod);
  if (step.b / 32 % 3 != 0) return "app";
  return shape == Shape::Pair ? "side" : shape == Shape::Sidecar ? "proxy" : "app";
}

}  // namespace elbowroom::test
