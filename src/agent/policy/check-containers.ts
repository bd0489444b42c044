import type { Policy } from "#agent/policy/policy.ts";
import { policyFileOf, type PolicyRefusal, refusedBy } from "#agent/policy/refuse.ts";

/** Checks that containers may run on this server. */
export function checkContainers(policy: Policy): PolicyRefusal {
  if (policy.containers === "any") return null;
  const way = `Its administrator allows them with the line "containers": "any" in ${policyFileOf(policy)}`;
  return refusedBy(policy, "containers", "containers", way);
}

/** Checks that an image may be built: its Dockerfile can run any command. */
export function checkImageBuild(policy: Policy): PolicyRefusal {
  if (policy.build_commands === "any" || policy.build_commands === "repository")
    return checkContainers(policy);
  return refusedBy(policy, "build_commands", "the instructions of a Dockerfile");
}
