import type { Isolation } from "#agent/isolation/isolation.ts";
import type { Policy } from "#agent/policy/policy.ts";
import { locate, matchesPattern, type RepositoryLocation } from "#agent/policy/repository-address.ts";
import type { Release } from "#agent/workspace/releases.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import { isLocal, localPath } from "#contract/addresses/repository-address.ts";
import { addressOf } from "#contract/addresses/web-address.ts";
import { maskUrlPassword, maskRepository } from "#contract/git-names.ts";
import type { HealthCheck, Preset } from "#contract/endpoints/projects/settings.ts";

/** Why the policy refuses an order, as a sentence that names the rule; `null` when it is allowed. */
export type PolicyRefusal = string | null;

const refuse = (rule: keyof Policy, what: string) =>
  `this server's policy (${rule}) does not allow ${maskUrlPassword(what)}`;

/** What decides which orders are carried out: the owner's policy, and whether projects are isolated from each other. */
export type Rules = { readonly policy: Policy; readonly isolation: { readonly kind: Isolation["kind"] } };

/** Checks everything about an order that is known before the fetch. */
export function checkOrder(rules: Rules, order: RunOrder): PolicyRefusal {
  const { policy } = rules;
  return (
    // A release on disk was fetched by its name at that time; its commit is information only.
    checkSource(rules, order.reuse_release === null ? order.source : { ...order.source, commit: null }) ??
    checkOwnCommand(policy, order.install_command) ??
    checkOwnCommand(policy, order.build_command) ??
    checkReleaseCommand(policy, order.release_command ?? null) ??
    checkActivateCommand(policy, order.activate_command) ??
    checkProcesses(policy, Object.values(order.processes ?? {})) ??
    checkCron(policy, order.cron ?? []) ??
    checkSharedPaths(policy, order.shared_paths) ??
    checkSecrets(policy, order) ??
    checkHealthCheck(policy, order.health_check)
  );
}

/** Checks what is fetched. A commit that was the tip of its branch is checked when it is fetched. */
export function checkSource(
  rules: Rules,
  { repository, branch, commit, was_tip: wasTip = false }: RunOrder["source"],
): PolicyRefusal {
  return (
    checkRepository(rules, repository) ??
    checkBranch(rules.policy, branch) ??
    (commit !== null && !wasTip && rules.policy.commits === "none"
      ? refuse("commits", `a commit by its hash (${commit})`)
      : null)
  );
}

/**
 * Checks an address before git fetches from it. On a server that isolates projects, a repository on the server itself
 * must be in a list: the control plane must not choose which of the server's files a project can read.
 */
export function checkRepository({ policy, isolation }: Rules, repository: string): PolicyRefusal {
  const { repositories } = policy;
  const address = locate(repository, "address");
  if (Array.isArray(repositories)) {
    if (repositories.some((pattern) => isNamed(repository, address, pattern))) return null;
  } else {
    const isElsewhere = address !== null && address.kind !== "local";
    if (isElsewhere || (repositories === "any" && (isolation.kind === "none" || !isLocal(repository))))
      return null;
  }
  const refusal = refuse("repositories", `the repository ${maskRepository(repository)}`);
  return isLocal(repository) && isolation.kind !== "none"
    ? `${refusal}. ${howToName(repositories, repository)}`
    : refusal;
}

function isNamed(repository: string, address: RepositoryLocation | null, pattern: string): boolean {
  return pattern === "remote"
    ? address !== null && address.kind !== "local"
    : matchesPattern(repository, pattern);
}

function howToName(repositories: Policy["repositories"], repository: string): string {
  const name = JSON.stringify(localPath(repository) ?? repository);
  const way = Array.isArray(repositories)
    ? `can add ${name} to the list "repositories" in the policy file`
    : `allows it with the line "repositories": ["remote", ${name}] in the policy file`;
  return `Its administrator ${way}, and restarts the agent`;
}

/** Checks a branch or tag before it is read. */
export function checkBranch(policy: Policy, branch: string): PolicyRefusal {
  return isBranchAllowed(policy, branch) ? null : refuse("branches", `the branch ${branch}`);
}

/** Whether a branch or tag of this name may be deployed. */
export function isBranchAllowed({ branches }: Policy, branch: string): boolean {
  return branches === "any" || branches.some((pattern) => isBranch(branch, pattern));
}

function isBranch(branch: string, pattern: string): boolean {
  const escaped = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[^/]*")}$`, "u").test(branch);
}

/** Checks an install or build command that the order contains, as opposed to a preset's. */
function checkOwnCommand(policy: Policy, command: string | null | undefined): PolicyRefusal {
  if (command === undefined || command === null) return null;
  if (policy.build_commands === "preset")
    return refuse("build_commands", `a command that is not a preset's: ${command}`);
  return checkBuildCommand(policy, command);
}

/**
 * Checks the install and the build command before they run, wherever they come from. A list may also have both as one
 * command, `install && build`, as policies of before the two were separate have it.
 * @param presetCommands those of the preset
 */
export function checkBuildCommands(
  policy: Policy,
  { install_command, build_command }: Pick<Preset, "install_command" | "build_command">,
  presetCommands: readonly string[],
): PolicyRefusal {
  const commands = [install_command, build_command].filter((command) => command !== null);
  const both = commands.join(" && ");
  if (Array.isArray(policy.build_commands) && policy.build_commands.includes(both)) return null;
  const refusals = commands.map((command) =>
    presetCommands.includes(command) ? checkBuildCommand(policy, command) : checkOwnCommand(policy, command),
  );
  return refusals.find((refusal) => refusal !== null) ?? null;
}

function checkBuildCommand({ build_commands }: Policy, command: string): PolicyRefusal {
  if (build_commands === "any" || build_commands === "preset") return null;
  if (build_commands !== "none" && build_commands.includes(command)) return null;
  return refuse("build_commands", `the command ${command}`);
}

/** Checks the activate command before it runs; `null` when there is none. */
export function checkActivateCommand({ activate_commands }: Policy, command: string | null): PolicyRefusal {
  if (command === null || activate_commands === "any") return null;
  if (activate_commands !== "none" && activate_commands.includes(command)) return null;
  return refuse("activate_commands", `the activate command ${command}`);
}

/** Checks the release command before it runs; `null` when there is none. */
export function checkReleaseCommand({ release_commands }: Policy, command: string | null): PolicyRefusal {
  if (command === null || release_commands === "any") return null;
  if (release_commands !== "none" && release_commands.includes(command)) return null;
  return refuse("release_commands", `the release command ${command}`);
}

/** Checks processes before they are started. Those of the repository are known once the release is. */
export function checkProcesses(
  { processes: rule }: Policy,
  processes: readonly { readonly command?: string | undefined }[],
): PolicyRefusal {
  if (rule === "any") return null;
  const commands = processes.flatMap(({ command }) => (command === undefined ? [] : [command]));
  const refused = commands.find((command) => rule === "none" || !rule.includes(command));
  return refused === undefined ? null : refuse("processes", `a process with the command ${refused}`);
}

/** Checks a one-off command before it is started. */
export function checkCommand({ commands }: Policy, command: string): PolicyRefusal {
  if (commands === "any" || (commands !== "none" && commands.includes(command))) return null;
  const what = commands === "none" ? "one-off commands" : `the command ${command}`;
  return refuseByDefault("commands", commands, what);
}

/** Checks cron jobs before they are part of a deployment, and before each run. */
export function checkCron({ cron }: Policy, jobs: readonly { readonly command: string }[]): PolicyRefusal {
  if (cron === "any") return null;
  const refused = jobs.find(({ command }) => cron === "none" || !cron.includes(command));
  if (refused === undefined) return null;
  const what = cron === "none" ? "cron jobs" : `a cron job with the command ${refused.command}`;
  return refuseByDefault("cron", cron, what);
}

/** The default of these rules refuses all, so the sentence says how to allow it. */
function refuseByDefault<Rule extends "commands" | "cron">(
  rule: Rule,
  value: Exclude<Policy[Rule], "any">,
  what: string,
): string {
  const way =
    value === "none"
      ? `allows them with the line "${rule}": "any" in the policy file, or by running the install command with --allow-${rule}`
      : `can add this line to the list "${rule}" in the policy file`;
  return `${refuse(rule, what)}. Its administrator ${way}`;
}

function checkSharedPaths({ shared_paths }: Policy, paths: readonly string[]): PolicyRefusal {
  if (shared_paths === "any") return null;
  const other = paths.find((path) => shared_paths === "none" || !shared_paths.includes(path));
  return other === undefined ? null : refuse("shared_paths", `the shared path ${other}`);
}

function checkSecrets({ secrets: rule }: Policy, { variables, reuse_release }: RunOrder): PolicyRefusal {
  const secrets = variables?.secrets ?? [];
  if (rule === "none" && secrets.length > 0) return refuse("secrets", "secrets");
  const forBuild = reuse_release === null ? secrets.find(({ build }) => build) : undefined;
  return rule === "no_builds" && forBuild !== undefined
    ? refuse("secrets", `the secret ${forBuild.name} in a build`)
    : null;
}

const OWN_HOSTS = ["127.0.0.1", "[::1]", "localhost"];

function checkHealthCheck({ health_checks }: Policy, check: HealthCheck | null): PolicyRefusal {
  if (check === null || health_checks === "any") return null;
  if (health_checks === "none") return refuse("health_checks", "a health check");
  // A path is requested from this server itself. The project's domain comes from the control plane, so it is not
  // trusted.
  if (check.url === undefined) return null;
  const { hostname, origin } = addressOf(check.url);
  if (OWN_HOSTS.includes(hostname)) return null;
  if (health_checks !== "local" && health_checks.includes(origin)) return null;
  return refuse("health_checks", `a request to ${origin}`);
}

/** Checks a release on disk before the agent switches to it: it may be older than the policy. */
export function checkRelease(rules: Rules, release: Release): PolicyRefusal {
  const { policy } = rules;
  if (policy.repositories !== "any" && release.repository === undefined)
    return refuse("repositories", `release ${release.version}, because its repository is not recorded`);
  return (
    (release.repository === undefined ? null : checkRepository(rules, release.repository)) ??
    checkActivateCommand(policy, release.activate_command)
  );
}

/** Checks a `remove_project` message. @param purge whether it also asks to delete the project's files */
export function checkRemoval({ remove_projects: rule }: Policy, purge: boolean): PolicyRefusal {
  if (rule === "none") return refuse("remove_projects", "removing a project");
  if (rule === "keep_files" && purge) return refuse("remove_projects", "deleting a project's files");
  return null;
}

/** Whether git may only fetch from the allowed address, without redirects and Git LFS. */
export function isGitConfined({ repositories }: Policy): boolean {
  return repositories !== "any";
}
