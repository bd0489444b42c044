import type { Isolation } from "#agent/isolation/isolation.ts";
import type { Policy } from "#agent/policy/policy.ts";
import { checkImages, checkSigned } from "#agent/policy/check-containers.ts";
import { checkVariables } from "#agent/policy/check-variables.ts";
import {
  checkActivateCommand,
  checkCron,
  checkFramework,
  checkProcesses,
  checkReleaseCommand,
  checkSettingCommand,
  namedCommands,
} from "#agent/policy/check-commands.ts";
import { policyFileOf, type PolicyRefusal, refusedBy } from "#agent/policy/refuse.ts";
import { locate, matchesPattern, type RepositoryLocation } from "#agent/policy/repository-address.ts";
import type { Release } from "#agent/workspace/releases.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import { isLocal, localPath } from "#contract/addresses/repository-address.ts";
import { addressOf } from "#contract/addresses/web-address.ts";
import { maskRepository } from "#contract/git-names.ts";
import type { HealthCheck } from "#contract/endpoints/projects/settings.ts";

/** What decides which orders are carried out: the owner's policy, and whether projects are isolated from each other. */
export type Rules = { readonly policy: Policy; readonly isolation: { readonly kind: Isolation["kind"] } };

/**
 * Checks everything about an order that is known before the fetch.
 * @param way `take`: the server takes a build, so neither the install nor the build command runs here. `build_only`: only these
 * run here
 */
export function checkOrder(
  rules: Rules,
  order: RunOrder,
  way: "build" | "take" | "build_only" = "build",
): PolicyRefusal {
  const builds = way !== "take";
  return checkBuild(rules, order, builds) ?? (way === "build_only" ? null : checkUse(rules, order));
}

function checkBuild(rules: Rules, order: RunOrder, builds: boolean): PolicyRefusal {
  const { policy } = rules;
  return (
    // A release on disk was fetched by its name at that time; its commit is information only.
    checkSource(rules, order.reuse_release === null ? order.source : { ...order.source, commit: null }) ??
    checkFramework(policy, order.framework) ??
    checkSettingCommand(policy, "install_command", builds ? order.install_command : null) ??
    checkSettingCommand(policy, "build_command", builds ? order.build_command : null) ??
    checkVariables(policy, order.variables) ??
    checkSecrets(policy, order, builds)
  );
}

/** What the release does on this server when it is used. */
function checkUse({ policy }: Rules, order: RunOrder): PolicyRefusal {
  return (
    checkReleaseCommand(policy, order.release_command ?? null, "settings") ??
    checkActivateCommand(policy, order.activate_command) ??
    checkProcesses(policy, namedCommands(order.processes), {}) ??
    checkCron(
      policy,
      order.cron.map(({ name, command }) => ({ name, command, source: "project" })),
    ) ??
    checkSharedPaths(policy, order.shared_paths) ??
    checkHealthCheck(policy, order.health_check)
  );
}

/** Checks the fetched commit. A commit that was the tip of its branch is checked when it is fetched. */
export function checkSource(
  rules: Rules,
  { repository, branch, commit, was_tip: wasTip = false }: RunOrder["source"],
): PolicyRefusal {
  return (
    checkRepository(rules, repository) ??
    checkImages(rules.policy, repository) ??
    checkBranch(rules.policy, branch) ??
    (commit !== null && !wasTip && rules.policy.commits === "none"
      ? refusedBy(rules.policy, "commits", `a commit by its hash (${commit})`)
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
  const way = isLocal(repository) && isolation.kind !== "none" ? howToName(policy, repository) : undefined;
  return refusedBy(policy, "repositories", `the repository ${maskRepository(repository)}`, way);
}

function isNamed(repository: string, address: RepositoryLocation | null, pattern: string): boolean {
  return pattern === "remote"
    ? address !== null && address.kind !== "local"
    : matchesPattern(repository, pattern);
}

function howToName(policy: Policy, repository: string): string {
  const { repositories } = policy;
  const file = policyFileOf(policy);
  const name = JSON.stringify(localPath(repository) ?? repository);
  const way = Array.isArray(repositories)
    ? `can add ${name} to the list "repositories" in ${file}`
    : `allows it with the line "repositories": ["remote", ${name}] in ${file}`;
  return `Its administrator ${way}, and restarts the agent`;
}

/** Checks a branch or tag before it is read. */
export function checkBranch(policy: Policy, branch: string): PolicyRefusal {
  return isBranchAllowed(policy, branch) ? null : refusedBy(policy, "branches", `the branch ${branch}`);
}

/** Whether a branch or tag of this name may be deployed. */
export function isBranchAllowed({ branches }: Policy, branch: string): boolean {
  return branches === "any" || branches.some((pattern) => isBranch(branch, pattern));
}

function isBranch(branch: string, pattern: string): boolean {
  const escaped = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[^/]*")}$`, "u").test(branch);
}

function checkSharedPaths(policy: Policy, paths: readonly string[]): PolicyRefusal {
  const { shared_paths: rule } = policy;
  if (rule === "any") return null;
  const other = paths.find((path) => rule === "none" || !rule.includes(path));
  return other === undefined ? null : refusedBy(policy, "shared_paths", `the shared path ${other}`);
}

function checkSecrets(
  policy: Policy,
  { variables, reuse_release }: RunOrder,
  builds: boolean,
): PolicyRefusal {
  const { secrets: rule } = policy;
  const secrets = variables?.secrets ?? [];
  if (rule === "none" && secrets.length > 0) return refusedBy(policy, "secrets", "secrets");
  const forBuild = builds && reuse_release === null ? secrets.find(({ build }) => build) : undefined;
  return rule === "no_builds" && forBuild !== undefined
    ? refusedBy(policy, "secrets", `the secret ${forBuild.name} in a build`)
    : null;
}

const OWN_HOSTS = ["127.0.0.1", "[::1]", "localhost"];

function checkHealthCheck(policy: Policy, check: HealthCheck | null): PolicyRefusal {
  const { health_checks } = policy;
  if (check === null || health_checks === "any") return null;
  if (health_checks === "none") return refusedBy(policy, "health_checks", "a health check");
  // A path is requested from this server itself. The project's domain comes from the control plane, so it is not
  // trusted.
  if (check.url === undefined) return null;
  const { hostname, origin } = addressOf(check.url);
  if (OWN_HOSTS.includes(hostname)) return null;
  if (health_checks !== "local" && health_checks.includes(origin)) return null;
  return refusedBy(policy, "health_checks", `a request to ${origin}`);
}

/**
 * Checks a release on disk before the agent switches to it: it may be older than the policy.
 * @param live the release that is live; null: none
 */
export function checkRelease(rules: Rules, release: Release, live: number | null): PolicyRefusal {
  const { policy } = rules;
  const again = "Deploy its commit again";
  if (policy.build_commands === "repository" && release.commands_from !== "repository")
    return refusedBy(
      policy,
      "build_commands",
      `release ${release.version}, because the project's settings had a part in its build`,
      again,
    );
  if (release.taken === true && policy.artifacts !== "accept")
    return refusedBy(
      policy,
      "artifacts",
      `release ${release.version}, which another machine has built`,
      again,
    );
  return (
    checkRepository(rules, release.repository) ??
    checkSigned(policy, release, live) ??
    checkActivateCommand(policy, release.activate_command)
  );
}

/** Checks a build that this server takes from another machine, or makes for other servers. @param what as a noun */
export function checkArtifacts(policy: Policy, what: string): PolicyRefusal {
  if (policy.artifacts === "accept") return null;
  const way = `Its administrator allows it with the line "artifacts": "accept" in ${policyFileOf(policy)}`;
  return refusedBy(policy, "artifacts", what, way);
}

/** Checks a `remove_project` message. @param purge whether it also asks to delete the project's files */
export function checkRemoval(policy: Policy, purge: boolean): PolicyRefusal {
  const { remove_projects: rule } = policy;
  if (rule === "none") return refusedBy(policy, "remove_projects", "removing a project");
  if (rule === "keep_files" && purge)
    return refusedBy(policy, "remove_projects", "deleting a project's files");
  return null;
}

/** Whether git may only fetch from the allowed address, without redirects and Git LFS. */
export function isGitConfined({ repositories }: Policy): boolean {
  return repositories !== "any";
}
