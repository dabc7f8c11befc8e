// The fields of claims, volumes, storage classes, and what drivers publish, for recordings of a
// scheduler.
#pragma once

#include "policy/model/volume.h"
#include "recording/placement_fields.h"

namespace elbowroom::recording {

template <>
struct Fields<policy::VolumeClaim> {
  static void list(auto& io, auto& of) {
    auto& [ns, name, uid, resource_version, storage_class, attributes_class, volume, access_modes,
           is_block, request, selector, is_completed, is_lost, is_terminating, selected_node,
           controller_uid] = of;
    io("namespace", ns)("name", name)("uid", uid)("resourceVersion", resource_version)(
        "storageClass", storage_class)("attributesClass", attributes_class)("volume", volume)(
        "accessModes", access_modes)("block", is_block)("request", request)("selector", selector)(
        "completed", is_completed)("lost", is_lost)("terminating", is_terminating)(
        "selectedNode", selected_node)("controllerUid", controller_uid);
  }
};
template <>
struct Fields<policy::ClaimRef> {
  static void list(auto& io, auto& of) {
    auto& [ns, name, uid] = of;
    io("namespace", ns)("name", name)("uid", uid);
  }
};
template <>
struct Fields<policy::PersistentVolume> {
  static void list(auto& io, auto& of) {
    auto& [name, uid, resource_version, storage_class, attributes_class, driver, handle,
           access_modes, is_block, is_available, is_terminating, is_bound_by_controller, capacity,
           claim, labels, nodes] = of;
    io("name", name)("uid", uid)("resourceVersion", resource_version)(
        "storageClass", storage_class)("attributesClass", attributes_class)("driver", driver)(
        "handle", handle)("accessModes", access_modes)("block", is_block)(
        "available", is_available)("terminating", is_terminating)(
        "boundByController", is_bound_by_controller)("capacity", capacity)("claim", claim)(
        "labels", labels)("nodes", nodes);
  }
};
template <>
struct Fields<policy::StorageClass> {
  static void list(auto& io, auto& of) {
    auto& [name, provisioner, waits_for_consumer, topologies] = of;
    io("name", name)("provisioner", provisioner)("waitsForConsumer", waits_for_consumer)(
        "topologies", topologies);
  }
};
template <>
struct Fields<policy::CsiNode> {
  static void list(auto& io, auto& of) {
    auto& [name, limits] = of;
    io("name", name)("limits", limits);
  }
};
template <>
struct Fields<policy::CsiDriver> {
  static void list(auto& io, auto& of) {
    auto& [name, publishes_capacity] = of;
    io("name", name)("publishesCapacity", publishes_capacity);
  }
};
template <>
struct Fields<policy::StorageCapacity> {
  static void list(auto& io, auto& of) {
    auto& [ns, name, storage_class, nodes, largest] = of;
    io("namespace", ns)("name", name)("storageClass", storage_class)("nodes", nodes)("largest",
                                                                                     largest);
  }
};

}  // namespace elbowroom::recording
