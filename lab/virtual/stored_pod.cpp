#include "lab/virtual/stored_pod.h"

#include <cassert>

#include "api/codec/decode_cluster_pod.h"

namespace elbowroom::lab {
namespace {

// Of a finished pod the decoders read less than is stored.
bool is_read_whole(const Object& object) {
  return object.pod() != nullptr && !policy::is_finished(*object.pod());
}

}  // namespace

const Object& stored_pod(const World& world, const Json& pod) {
  static const Kind& kind = *find_kind("", "v1", "pods");
  const Object* stored = world.find_stored_object(kind, text_at(pod, {"metadata", "namespace"}),
                                                  text_at(pod, {"metadata", "name"}));
  assert(stored != nullptr);
  return *stored;
}

Result<policy::Pod> cluster_pod(const Object& object) {
  if (!is_read_whole(object)) return api::decode_cluster_pod(to_value(object));
  return *object.pod();
}

Result<policy::Pod> placed_pod(const Object& object) {
  if (!is_read_whole(object)) return api::decode_placed_pod(to_value(object));
  policy::Pod pod = *object.pod();
  pod.placement = {};
  return pod;
}

}  // namespace elbowroom::lab
