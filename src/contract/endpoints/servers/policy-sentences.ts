import type { PolicyLevel } from "#contract/endpoints/servers/schemas.ts";

/** What the policy of a server lets the control plane do, for people. */
export const policySentences = {
  open: "Open: the control plane may run any command in the projects.",
  limited: "Limited: the control plane may run some commands of its own in the projects.",
  strict: "Strict: commands come from repositories, presets and the policy, never from the control plane.",
} as const satisfies Record<PolicyLevel, string>;
