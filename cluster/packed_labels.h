// The labels of a packed pod, read in place.
#pragma once

#include <string_view>

#include "policy/model/label_views.h"

namespace elbowroom::cluster {

// Replaces what is in `to` by the labels in PackedPod's format, as views of `text`.
void read_labels(std::string_view text, policy::LabelViews& to);

}  // namespace elbowroom::cluster
