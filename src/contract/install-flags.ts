import { parseRepository } from "#contract/addresses/repository-address.ts";
import type { Server } from "#contract/endpoints/servers/schemas.ts";

/** What an install command can also do, by the installer's options. */
export type InstallFlag = "ingress" | "allow-commands" | "allow-cron";

/** The policies that the installer can write, the default choice first. */
export const installPolicies = ["strict", "open"] as const;
export type InstallPolicy = (typeof installPolicies)[number];

/** What each policy means, after its name. */
export const installPolicyTexts = {
  strict:
    "commands come from repositories (their framework, Procfile and gantry.json), never from the settings of a project",
  open: "everything that a project's settings say is allowed, with any command",
} as const satisfies Record<InstallPolicy, string>;

export type InstallChoice = {
  readonly flags: readonly InstallFlag[];
  readonly policy: InstallPolicy;
  /** With a strict policy, the only repositories that the server accepts; none: all that are not on the server itself. */
  readonly repositories: readonly string[];
};

/** @param command an install command without options, which ends with `sh` */
export function withInstallOptions(command: string, { flags, policy, repositories }: InstallChoice): string {
  const listed = policy === "strict" && repositories.length > 0;
  const options = [
    ...flags.map((flag) => `--${flag}`),
    `--policy ${policy}`,
    ...(listed ? [`--repositories '${repositories.join(",")}'`] : []),
  ];
  return `${command} -s -- ${options.join(" ")}`;
}

/** The policy to offer first: an enrolled server, whose policy file stays, keeps its policy on another machine too. */
export function usualPolicy(server: Pick<Server, "last_seen_at" | "policy"> | null): InstallPolicy {
  return server === null || server.last_seen_at === null || server.policy === "strict" ? "strict" : "open";
}

/**
 * Why an address cannot be in the list of a policy, as the end of a sentence; null if it can. The installer checks the
 * address again. A valid address can be written between single quotes.
 */
export function patternProblem(pattern: string): string | null {
  const isPlain = /^[\w@:/.*~+%[\]-]+$/.test(pattern);
  return isPlain && parseRepository(pattern.replaceAll("*", "x")).ok
    ? null
    : "must be an address such as https://github.com/you/* or git@github.com:you/*";
}
