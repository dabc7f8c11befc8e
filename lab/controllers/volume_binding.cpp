#include "lab/controllers/volume_binding.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/decode_volume.h"
#include "lab/controllers/owned_objects.h"
#include "policy/model/volume.h"

namespace elbowroom::lab {
namespace {

constexpr const char* kCompleted = "pv.kubernetes.io/bind-completed";
constexpr const char* kByController = "pv.kubernetes.io/bound-by-controller";
constexpr const char* kSelected = "volume.kubernetes.io/selected-node";

const Kind& claim_kind() { return *find_kind("", "v1", "persistentvolumeclaims"); }
const Kind& volume_kind() { return *find_kind("", "v1", "persistentvolumes"); }
const Kind& class_kind() { return *find_kind("storage.k8s.io", "v1", "storageclasses"); }

std::optional<policy::VolumeClaim> claim_in(const Json& object) {
  auto claim = api::decode_volume_claim(to_value(object));
  return claim ? std::optional(*std::move(claim)) : std::nullopt;
}
std::optional<policy::PersistentVolume> volume_in(const Json& object) {
  auto volume = api::decode_volume(to_value(object));
  return volume ? std::optional(*std::move(volume)) : std::nullopt;
}

bool set_phase(World& world, const Kind& kind, const Json& object, const char* phase) {
  Json status = map_at(object, {"status"});
  status["phase"] = phase;
  return write_status(world, kind, object, std::move(status));
}

bool has_volumes(const Json& pod) {
  const auto spec = pod.find("spec");
  return spec != pod.end() && spec->contains("volumes");
}

// One turn over claims and volumes, and over the pods that changed after `seen`.
class VolumeBinding {
 public:
  VolumeBinding(World& world, std::uint64_t seen) : world_(world), seen_(seen) {}

  ControllerStep step() {
    make_ephemeral_claims();
    for (const Object& object : stored_objects(world_, volume_kind())) step_volume(object);
    for (const Object& object : stored_objects(world_, claim_kind())) step_claim(object);
    return {.changed = changed_};
  }

 private:
  void note(bool changed) { changed_ = changed_ || changed; }

  // The pods whose claims may be missing: a pod that changed, and all where a claim did.
  std::vector<Object> pods_to_look_at() {
    const Kind& pods = controlled_pods();
    const auto changed = world_.changed_after(pods, seen_);
    if (!changed || world_.last_change(claim_kind()) > seen_) {
      return stored_objects(world_, pods, has_volumes);
    }
    std::vector<Object> found;
    for (const ChangedObject& change : *changed) {
      const Object* pod = world_.find_stored_object(pods, change.ns, change.name);
      if (pod != nullptr && has_volumes(*pod)) found.push_back(*pod);
    }
    return found;
  }

  void make_ephemeral_claims() {
    for (const Object& pod : pods_to_look_at()) {
      if (is_leaving(pod)) continue;
      for (const Json& volume : list_at(pod, {"spec", "volumes"})) {
        if (find_at(volume, {"ephemeral"}) != nullptr) make_claim(pod, volume);
      }
    }
  }

  void make_claim(const Json& pod, const Json& volume) {
    const std::string ns = text_at(pod, {"metadata", "namespace"});
    const std::string name = text_at(pod, {"metadata", "name"}) + "-" + text_at(volume, {"name"});
    if (world_.find_stored_object(claim_kind(), ns, name) != nullptr) return;
    Json claim = {
        {"apiVersion", "v1"},
        {"kind", "PersistentVolumeClaim"},
        {"metadata",
         {{"namespace", ns},
          {"name", name},
          {"ownerReferences", Json::array({controller_reference(controlled_pods(), pod)})}}},
        {"spec", map_at(volume, {"ephemeral", "volumeClaimTemplate", "spec"})}};
    note(world_.create(claim_kind(), ns, std::move(claim), {}).has_value());
  }

  void step_volume(const Json& object) {
    const std::string phase = text_at(object, {"status", "phase"});
    const auto volume = volume_in(object);
    if (!volume) return;
    if (!volume->claim) {
      if (phase != "Available") note(set_phase(world_, volume_kind(), object, "Available"));
      return;
    }
    const Object* claim =
        world_.find_stored_object(claim_kind(), volume->claim->ns, volume->claim->name);
    const bool is_gone =
        claim == nullptr ||
        (!volume->claim->uid.empty() && text_at(*claim, {"metadata", "uid"}) != volume->claim->uid);
    if (is_gone && phase == "Bound") note(set_phase(world_, volume_kind(), object, "Released"));
    if (is_gone || claim == nullptr) return;
    // Another volume was bound to the claim: what a controller reserved is free again.
    const std::string bound = text_at(*claim, {"spec", "volumeName"});
    if (!bound.empty() && bound != volume->name && volume->is_bound_by_controller) {
      Json freed = object;
      freed["spec"].erase("claimRef");
      note(write_object(world_, volume_kind(), std::move(freed)));
    }
  }

  void step_claim(const Json& object) {
    const auto claim = claim_in(object);
    if (!claim || claim->is_terminating) return;
    if (claim->is_bound()) {
      const bool is_there = world_.find_stored_object(volume_kind(), "", claim->volume) != nullptr;
      note(set_phase(world_, claim_kind(), object, is_there ? "Bound" : "Lost"));
      return;
    }
    if (text_at(object, {"status", "phase"}).empty()) {
      return note(set_phase(world_, claim_kind(), object, "Pending"));
    }
    const Object* of = world_.find_stored_object(class_kind(), "", claim->storage_class);
    const bool waits =
        of != nullptr && text_at(*of, {"volumeBindingMode"}) == "WaitForFirstConsumer";
    if (const auto volume = volume_for(*claim, waits)) return bind(object, *claim, *volume);
    if (of == nullptr || (waits && !claim->selected_node)) return;
    provision(object, *claim, *of, waits);
  }

  // One that is reserved for the claim, or, unless it waits for its consumer, the smallest that
  // fits.
  std::optional<policy::PersistentVolume> volume_for(const policy::VolumeClaim& claim, bool waits) {
    std::optional<policy::PersistentVolume> best;
    for (const Object& object : stored_objects(world_, volume_kind())) {
      auto volume = volume_in(object);
      if (!volume || volume->is_terminating) continue;
      if (volume->claim) {
        const bool fits = policy::refers_to(*volume->claim, claim) &&
                          volume->capacity >= claim.request.value_or(0);
        if (fits) return volume;
        continue;
      }
      const bool fits =
          !waits && volume->is_available && volume->storage_class == claim.storage_class &&
          volume->capacity >= claim.request.value_or(0) && volume->is_block == claim.is_block &&
          (claim.access_modes & volume->access_modes) == claim.access_modes &&
          (claim.volume.empty() || claim.volume == volume->name) &&
          (!claim.selector || policy::matches(*claim.selector, volume->labels));
      if (fits && (!best || volume->capacity < best->capacity)) best = std::move(volume);
    }
    return best;
  }

  // The volume first, then the claim, each with its status.
  void bind(const Json& object, const policy::VolumeClaim& claim,
            const policy::PersistentVolume& volume) {
    Json reserved = *world_.find_stored_object(volume_kind(), "", volume.name);
    if (!volume.claim) make_at(reserved, {"metadata", "annotations"})[kByController] = "yes";
    reserved["spec"]["claimRef"] = {{"apiVersion", "v1"},
                                    {"kind", "PersistentVolumeClaim"},
                                    {"namespace", claim.ns},
                                    {"name", claim.name},
                                    {"uid", claim.uid}};
    note(write_object(world_, volume_kind(), std::move(reserved)));
    const Object* written = world_.find_stored_object(volume_kind(), "", volume.name);
    if (written != nullptr) note(set_phase(world_, volume_kind(), *written, "Bound"));
    Json bound = object;
    Json& annotations = make_at(bound, {"metadata", "annotations"});
    annotations[kCompleted] = "yes";
    annotations[kByController] = "yes";
    bound["spec"]["volumeName"] = volume.name;
    note(write_object(world_, claim_kind(), std::move(bound)));
  }

  void provision(const Json& object, const policy::VolumeClaim& claim, const Json& of, bool waits) {
    const std::string provisioner = text_at(of, {"provisioner"});
    if (provisioner == policy::kNoProvisioner) return;
    const std::string node = waits ? claim.selected_node.value_or("") : "";
    if (!node.empty() && text_at(of, {"parameters", "fails"}) == node) {
      Json again = object;
      again["metadata"]["annotations"].erase(kSelected);
      return note(write_object(world_, claim_kind(), std::move(again)));
    }
    std::string name = "pvc-" + claim.uid;
    std::ranges::replace(name, '/', '-');  // in scenarios a uid is NAMESPACE/NAME
    Json volume = {{"apiVersion", "v1"},
                   {"kind", "PersistentVolume"},
                   {"metadata", {{"name", name}}},
                   {"spec",
                    {{"storageClassName", claim.storage_class},
                     {"accessModes", list_at(object, {"spec", "accessModes"})},
                     {"capacity", map_at(object, {"spec", "resources", "requests"})},
                     {"csi", {{"driver", provisioner}, {"volumeHandle", name}}},
                     {"claimRef",
                      {{"apiVersion", "v1"},
                       {"kind", "PersistentVolumeClaim"},
                       {"namespace", claim.ns},
                       {"name", claim.name},
                       {"uid", claim.uid}}}}}};
    if (!node.empty()) {
      volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"] =
          Json::array({{{"matchFields", Json::array({{{"key", "metadata.name"},
                                                      {"operator", "In"},
                                                      {"values", Json::array({node})}}})}}});
    }
    note(world_.create(volume_kind(), "", std::move(volume), {}).has_value());
  }

  World& world_;
  const std::uint64_t seen_;
  bool changed_ = false;
};

}  // namespace

ControllerStep VolumeController::step() {
  const std::uint64_t now = world_.version();
  const ControllerStep step = VolumeBinding(world_, seen_).step();
  seen_ = now;
  return step;
}

}  // namespace elbowroom::lab
