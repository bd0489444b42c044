import type { Policy, Rule } from "#agent/policy/policy.ts";
import { maskUrlPassword } from "#contract/git-names.ts";

/** Why the policy refuses an order, as a sentence that names the rule; `null` when it is allowed. */
export type PolicyRefusal = string | null;

/** @param way what to do about it; omitted: to change the rule */
export function refusedBy(policy: Pick<Policy, "file">, rule: Rule, what: string, way?: string): string {
  const refusal = `this server's policy (${rule}) does not allow ${maskUrlPassword(what)}`;
  return `${refusal}. ${way ?? `Its administrator can change the rule "${rule}" in ${policyFileOf(policy)}`}`;
}

/** The policy file, for a message. */
export const policyFileOf = ({ file }: Pick<Policy, "file">): string => file ?? "the policy file";

const MAX_SHOWN_COMMAND = 300;

/** A command on its own must not take the place of what to do. */
export const shownCommand = (command: string): string =>
  command.length > MAX_SHOWN_COMMAND ? `${command.slice(0, MAX_SHOWN_COMMAND)}…` : command;

/** Refuses a command of the settings where only commands of repositories run. @param place where to write it instead */
export function refuseSetting(
  policy: Policy,
  rule: Rule,
  what: string,
  setting: string,
  place: string,
): string {
  return refusedBy(
    policy,
    rule,
    `${what}, because it is from the project's settings (${setting})`,
    `Write it into ${place} of the repository, and remove it from the settings. Or the server's administrator changes the rule "${rule}" in ${policyFileOf(policy)}`,
  );
}
