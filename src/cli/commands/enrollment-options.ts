import type { Enrollment } from "#contract/endpoints/servers/schemas.ts";
import {
  type InstallFlag,
  installPolicies,
  type InstallPolicy,
  patternProblem,
  withInstallOptions,
} from "#contract/install-flags.ts";
import type { Options } from "#cli/arguments/command-spec.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { succeed } from "#contract/lib/result.ts";

const flagOptions = {
  ingress: {
    kind: "flag",
    help: "Also install the ingress, which serves the projects at their domains with TLS",
  },
  "allow-commands": { kind: "flag", help: "Also allow gantry run on the server" },
  "allow-cron": { kind: "flag", help: "Also allow cron jobs on the server" },
} as const satisfies Record<InstallFlag, unknown>;

/** The options of the commands that print an install command. */
export const enrollmentOptions = {
  ...flagOptions,
  policy: {
    kind: "text",
    value: "POLICY",
    choices: installPolicies,
    help: "Policy of a server that has none: with strict, commands come from repositories and never from settings; open allows them all (default: strict, and of a server that was enrolled before, its own)",
  },
  repositories: {
    kind: "list",
    value: "ADDRESS",
    help: "With a strict policy, deploy only these repositories, such as 'https://github.com/you/*'",
  },
} as const;

/** An enrolment whose install command does what the options say. */
export type ChosenEnrollment = {
  readonly enrollment: Enrollment;
  readonly policy: InstallPolicy;
  /** Whether the policy lists repositories. */
  readonly isListed: boolean;
};

/** Reads the options, before anything is created. @param usual the policy if none is named */
export function readInstallOptions(
  options: Options<typeof enrollmentOptions>,
  usual: InstallPolicy,
): Result<(enrollment: Enrollment) => ChosenEnrollment> {
  const policy = installPolicies.find((one) => one === options.policy) ?? usual;
  const { repositories } = options;
  if (repositories.length > 0 && policy === "open")
    return stop("usage", "--repositories is for --policy strict: an open policy allows all repositories.");
  for (const pattern of repositories) {
    const problem = patternProblem(pattern);
    if (problem !== null) return stop("usage", `--repositories: ${pattern} ${problem}.`);
  }
  const flags = (["ingress", "allow-commands", "allow-cron"] as const).filter((flag) => options[flag]);
  return succeed((enrollment) => ({
    enrollment: {
      ...enrollment,
      command: withInstallOptions(enrollment.command, { flags, policy, repositories }),
    },
    policy,
    isListed: repositories.length > 0,
  }));
}
