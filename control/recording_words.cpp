#include "control/recording_words.h"

#include "api/codec/timestamp.h"

namespace elbowroom::control {

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string seen_in_words(const policy::Pod& pod) {
  std::string words =
      "pod " + policy::key_of(pod) + " seen, generation " + std::to_string(pod.generation);
  for (const policy::Condition& each : pod.conditions) {
    words += ", " + each.type + (each.reason.empty() ? "" : " (" + each.reason + ")");
  }
  return words + (policy::is_terminating(pod) ? ", terminating" : "");
}

std::string held_by(const api::Lease& lease) {
  return lease.holder.empty() ? "held by nobody" : "held by " + lease.holder;
}

std::string SeenWords::operator()(const Unreadable& seen) const {
  return seen.kind + " " + seen.key + " cannot be read: " + seen.why;
}
std::string SeenWords::operator()(const PolicyFieldProbed& seen) const {
  return std::string("the API server ") + (seen.kept ? "keeps" : "drops") + " podPreemptionPolicy";
}
std::string SeenWords::operator()(const ServerDated& seen) const {
  return "the API server's clock shows " + api::format_timestamp(seen.date);
}
std::string SeenWords::operator()(const LeaseSeen& seen) const {
  return seen.lease ? "the Lease seen, " + held_by(*seen.lease) : "there is no Lease";
}
std::string SeenWords::operator()(const LeaseUnseen& seen) const {
  return seen.why.empty() ? "the Lease can be followed again" : "the Lease unseen: " + seen.why;
}
std::string SeenWords::operator()(const StopAsked& /*seen*/) const { return "asked to stop"; }
std::string SeenWords::operator()(const TimePassed& /*seen*/) const { return "time passed"; }
std::string SeenWords::operator()(const Failed& seen) const {
  return "#" + std::to_string(seen.effect) + " failed: " + seen.error.message;
}

std::string EffectWords::operator()(const MarkVictim& mark) const {
  return (mark.clear ? "unmark " : "mark ") + name_of(mark.victim);
}
std::string EffectWords::operator()(const DeleteVictim& victim) const {
  return (victim.dry_run ? "try to delete " : "delete ") + name_of(victim.victim);
}
std::string EffectWords::operator()(const EmitEvent& event) const {
  return (event.log_only ? "log " : "event ") + event.reason + " on " +
         (event.kind == Subject::Pod ? "" : std::string(to_string(event.kind)) + " ") +
         name_of(event.regarding) + ": " + event.note;
}
std::string EffectWords::operator()(const WriteLease& write) const {
  return "write the Lease, " + held_by(write.lease);
}
std::string EffectWords::operator()(const GiveUpWrites& /*all*/) const {
  return "give up what is not answered";
}

}  // namespace elbowroom::control
