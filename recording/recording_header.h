// How a recording begins: a line that says which program recorded it, and in which format. Both are
// looked at before anything else, so that a later format is told as such.
#pragma once

#include <string_view>

#include "base/document.h"
#include "base/result.h"

namespace elbowroom::recording {

// Whether `line`, which has a member `recording`, begins a recording of `program` in a format up to
// `last_format`. Invalid: it does not; says why.
[[nodiscard]] Result<void> check_header(const Value& line, std::string_view program,
                                        int last_format);

}  // namespace elbowroom::recording
