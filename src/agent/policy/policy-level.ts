import type { Policy } from "#agent/policy/policy.ts";
import { policySentences } from "#contract/endpoints/servers/policy-sentences.ts";
import type { PolicyLevel } from "#contract/endpoints/servers/schemas.ts";

/** The rules about commands of the control plane that are open unless a policy says otherwise. */
const usuallyOpen = ["build_commands", "activate_commands", "release_commands", "processes"] as const;

/** How far a policy lets the control plane run commands of its own. */
export function policyLevel(policy: Policy): PolicyLevel {
  if (usuallyOpen.every((rule) => policy[rule] === "any")) return "open";
  const rules = [...usuallyOpen, "commands", "cron", "variables"] as const;
  return rules.every((rule) => policy[rule] !== "any") ? "strict" : "limited";
}

/** The policy in one line, for the agent's status. */
export function describePolicy(policy: Policy): string {
  const where = policy.file === undefined ? "" : ` It is in ${policy.file}.`;
  return `${policySentences[policyLevel(policy)]} ${repositoriesText(policy)}${where}`;
}

function repositoriesText({ repositories }: Policy): string {
  if (repositories === "any") return "It may deploy any repository.";
  if (repositories === "remote" || repositories.includes("remote"))
    return "It may deploy any repository that is not on this server.";
  return "It may deploy only the repositories in the policy's list.";
}
