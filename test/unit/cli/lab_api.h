// A lab API server with objects in it, for verbs that read from a cluster.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/document.h"
#include "base/document_text.h"
#include "command_line.h"
#include "lab/apiserver/api_server.h"
#include "lab/world/json.h"

namespace elbowroom::cli {

class LabApi {
 public:
  LabApi() : server_(world_, {}) { EXPECT_TRUE(server_.start()); }

  // The objects of a YAML text, as a file has them.
  void load(const std::string& yaml) {
    const auto documents = parse_yaml(yaml);
    ASSERT_TRUE(documents) << documents.error().message;
    for (const Value& each : *documents) {
      server_.with_world([&](lab::World& world) {
        const auto loaded = world.load(*lab::parse_object(to_json(each)));
        EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
      });
    }
  }
  void refuse(const std::string& path_contains, int code, const std::string& reason) {
    server_.inject({.kind = lab::Fault::Kind::Refuse,
                    .path_contains = path_contains,
                    .code = code,
                    .reason = reason,
                    .times = 1000});
  }
  // What `kubectl get` would save of a collection.
  std::string saved(const std::string& group, const std::string& version,
                    const std::string& plural) {
    return server_.with_world([&](lab::World& world) {
      auto list = world.list({.kind = lab::find_kind(group, version, plural)});
      return lab::to_text(*list) + "\n";
    });
  }
  std::string kubeconfig() { return folder_.file("kubeconfig", server_.kubeconfig()); }
  lab::ApiServer& server() { return server_; }
  const Folder& folder() { return folder_; }

 private:
  Folder folder_;
  lab::World world_{{}};
  lab::ApiServer server_;
};

}  // namespace elbowroom::cli
