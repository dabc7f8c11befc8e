#include "cli/output/picture_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "cli/output/room_picture.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"

namespace elbowroom::cli {

void add_picture_option(CLI::App& verb, const std::string& what) {
  add_valued(verb, "--svg", what)->type_name("FILE");
}

bool asks_for_picture(const CLI::App& verb) { return verb.get_option("--svg")->count() > 0; }

void write_picture(const CLI::App& verb, const Value& decision) {
  write_picture_text(verb, room_picture(decision));
}

void write_picture_text(const CLI::App& verb, const std::string& picture) {
  const std::string path = value_of(verb, "--svg", "");
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << picture;
  file.close();
  if (file) return;
  stop(kExitFailure, "write " + path + ": " + (errno == 0 ? "failed" : std::strerror(errno)) +
                         "; see that its folder exists and can be written");
}

}  // namespace elbowroom::cli
