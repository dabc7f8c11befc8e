#include "policy/placement/volume_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace elbowroom::policy {
namespace {

constexpr int kNames = 5;

// What exists, by name: the room is to say what follows from this alone, however it came about.
struct Truth {
  std::map<std::string, VolumeClaim> claims{};
  std::map<std::string, PersistentVolume> volumes{};
  std::map<std::string, StorageClass> classes{};
  std::map<std::string, Pod> pods{};
};

std::string named(char kind, std::mt19937& random) {
  return std::string(1, kind) + std::to_string(random() % kNames);
}

VolumeClaim random_claim(const std::string& name, std::mt19937& random) {
  VolumeClaim made{.ns = "n", .name = name, .uid = "u" + name, .storage_class = named('s', random)};
  if (random() % 2 == 0) made.volume = named('v', random);
  made.is_completed = random() % 2 == 0;
  if (random() % 3 == 0) made.controller_uid = named('p', random);
  return made;
}

PersistentVolume random_volume(const std::string& name, std::mt19937& random) {
  PersistentVolume made{.name = name,
                        .storage_class = named('s', random),
                        .is_available = random() % 2 == 0,
                        .is_terminating = random() % 4 == 0,
                        .capacity = static_cast<std::int64_t>(random() % 3)};
  if (random() % 2 == 0) {
    made.driver = named('d', random);
    made.handle = named('h', random);
  }
  if (random() % 2 == 0) made.claim = ClaimRef{.ns = "n", .name = named('c', random)};
  if (random() % 2 == 0) {
    made.nodes = std::vector<NodeTerm>{
        {.labels = {{.key = "host", .op = NodeOperator::In, .values = {named('n', random)}}}}};
  }
  return made;
}

Pod random_user(const std::string& name, std::mt19937& random) {
  Pod made;
  made.ns = "n";
  made.name = made.uid = name;
  made.node = named('n', random);
  for (std::size_t i = random() % 3; i-- > 0;) {
    made.placement.claims.push_back(
        {.name = named('c', random), .is_ephemeral = random() % 3 == 0});
  }
  return made;
}

// One change of both.
void change(Truth& truth, VolumeRoom& room, std::mt19937& random) {
  const bool goes = random() % 3 == 0;
  switch (random() % 4) {
    case 0: {
      const std::string name = named('c', random);
      if (goes) {
        truth.claims.erase(name);
        room.remove_claim("n/" + name);
      } else {
        room.put(truth.claims[name] = random_claim(name, random));
      }
      return;
    }
    case 1: {
      const std::string name = named('v', random);
      if (goes) {
        truth.volumes.erase(name);
        room.remove_volume(name);
      } else {
        room.put(truth.volumes[name] = random_volume(name, random));
      }
      return;
    }
    case 2: {
      const std::string name = named('s', random);
      if (goes) {
        truth.classes.erase(name);
        room.remove_class(name);
      } else {
        room.put(truth.classes[name] = {
                     .name = name,
                     .provisioner = random() % 2 == 0 ? std::string(kNoProvisioner) : "d1"});
      }
      return;
    }
    default: {
      const std::string name = named('p', random);
      if (const auto at = truth.pods.find(name); at != truth.pods.end()) {
        room.remove(at->second);
        truth.pods.erase(at);
      }
      if (goes) return;
      Pod pod = random_user(name, random);
      room.add(pod, pod.node, false);
      truth.pods.emplace(name, std::move(pod));
    }
  }
}

// ---- the oracle: by the rules, from the truth alone ----

std::optional<std::string> counted_as(const Truth& truth, const VolumeClaim& claim) {
  const auto volume = truth.volumes.find(claim.volume);
  const bool is_its_own = !claim.volume.empty() && volume != truth.volumes.end() &&
                          volume->second.claim && volume->second.claim->name == claim.name;
  if (is_its_own) {
    if (volume->second.driver.empty()) return std::nullopt;
    return volume->second.driver + " " + volume->second.handle;
  }
  const auto of = truth.classes.find(claim.storage_class);
  if (of == truth.classes.end() || of->second.provisioner == kNoProvisioner) return std::nullopt;
  return of->second.provisioner + " of " + claim.name;
}

std::int64_t used_by(const Truth& truth, const std::string& node, const std::string& driver) {
  std::set<std::string> distinct;
  for (const auto& [name, pod] : truth.pods) {
    if (pod.node != node) continue;
    std::set<std::string> seen;  // the first mention of a claim counts
    for (const PodClaim& each : pod.placement.claims) {
      if (!seen.insert(each.name).second) continue;
      const auto claim = truth.claims.find(each.name);
      if (claim == truth.claims.end()) continue;
      if (each.is_ephemeral && claim->second.controller_uid != pod.uid) continue;
      const auto as = counted_as(truth, claim->second);
      if (as && as->starts_with(driver + " ")) distinct.insert(*as);
    }
  }
  return static_cast<std::int64_t>(distinct.size());
}

std::set<std::string> free_on(const Truth& truth, const std::string& of, const std::string& node) {
  std::set<std::string> names;
  for (const auto& [name, volume] : truth.volumes) {
    const bool reaches =
        !volume.nodes || volume.nodes->front().labels.front().values.front() == node;
    const bool is_free = volume.is_available && !volume.is_terminating && !volume.claim;
    if (is_free && reaches && volume.storage_class == of) names.insert(name);
  }
  return names;
}

TEST(VolumeRoom, SaysWhatFollowsFromWhatExistsHoweverItCameAbout) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    Truth truth;
    VolumeRoom room;
    for (int step = 0; step < 60; ++step) change(truth, room, random);
    for (int i = 0; i < kNames; ++i) {
      const std::string number = std::to_string(i);
      for (int j = 0; j < kNames; ++j) {
        const std::string other = std::to_string(j);
        EXPECT_EQ(room.used_on("n" + number, "d" + other),
                  used_by(truth, "n" + number, "d" + other))
            << "seed " << seed;
        std::set<std::string> available;
        for (const VolumeRoom::BySize* each :
             room.available("s" + number, {{"host", "n" + other}})) {
          for (const auto& [size, name] : *each) available.insert(name);
        }
        EXPECT_EQ(available, free_on(truth, "s" + number, "n" + other)) << "seed " << seed;
      }
    }
    // Nothing is left of what is gone.
    for (const auto& [name, pod] : truth.pods) room.remove(pod);
    for (const auto& [name, claim] : truth.claims) room.remove_claim("n/" + name);
    for (const auto& [name, volume] : truth.volumes) room.remove_volume(name);
    EXPECT_EQ(room.claims(), 0U);
    for (int i = 0; i < kNames; ++i) {
      EXPECT_TRUE(room.volumes_for("n/c" + std::to_string(i)).empty());
      EXPECT_TRUE(room.users_of("n/c" + std::to_string(i)).empty());
    }
  }
}

TEST(VolumeRoom, WhatIsAssumedCountsUntilItIsTakenBack) {
  VolumeRoom room;
  const VolumeClaim claim{.ns = "n", .name = "c", .uid = "u"};
  const PersistentVolume volume{.name = "v", .is_available = true};
  room.put(claim);
  room.put(volume);
  EXPECT_EQ(room.claim_of(volume), nullptr);
  room.assume_bound("v", claim);
  room.assume_selected("n/c", "node");
  room.put(volume);  // an older state comes again
  EXPECT_EQ(room.claim_of(volume)->uid, "u");
  EXPECT_EQ(room.volumes_for("n/c"), std::vector<std::string>{"v"});
  EXPECT_EQ(*room.selected_node(claim), "node");
  room.take_back_bound("v");
  room.take_back_selected("n/c");
  EXPECT_EQ(room.claim_of(volume), nullptr);
  EXPECT_EQ(room.selected_node(claim), nullptr);
  EXPECT_TRUE(room.volumes_for("n/c").empty());
}

TEST(VolumeRoom, ACapacityIsWhatItSaidLast) {
  VolumeRoom room;
  room.put(StorageCapacity{.name = "c", .storage_class = "fast", .nodes = {{}}, .largest = 10});
  EXPECT_TRUE(room.has_capacity("fast", 10, {}));
  room.put(StorageCapacity{.name = "c", .storage_class = "slow", .nodes = {{}}, .largest = 5});
  EXPECT_FALSE(room.has_capacity("fast", 1, {}));
  EXPECT_TRUE(room.has_capacity("slow", 5, {}));
  EXPECT_FALSE(room.has_capacity("slow", 6, {}));
}

TEST(VolumeRoom, ANominatedPodIsOnNoNode) {
  VolumeRoom room;
  Pod pod;
  pod.ns = "n";
  pod.name = pod.uid = "web";
  pod.placement.claims = {{.name = "c"}};
  room.add(pod, "node-1", true);
  EXPECT_EQ(room.node_of(key_of(pod)), "");
  room.remove(pod);
  room.add(pod, "node-1", false);
  EXPECT_EQ(room.node_of(key_of(pod)), "node-1");
}

// ---- what hostile objects may cost ----

TEST(VolumeRoom, TenThousandClaimsAndOneVolumeNamedByAll) {
  VolumeRoom room;
  for (int i = 0; i < 10'000; ++i) {
    room.put(VolumeClaim{.ns = "n", .name = "c" + std::to_string(i), .volume = "v"});
    PersistentVolume volume{.name = "v" + std::to_string(i)};
    volume.claim = ClaimRef{.ns = "n", .name = "c0"};
    room.put(volume);
  }
  EXPECT_EQ(room.claims(), 10'000U);
  EXPECT_EQ(room.volumes_for("n/c0").size(), 10'000U);
}

}  // namespace
}  // namespace elbowroom::policy
