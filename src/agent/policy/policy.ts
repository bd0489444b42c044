import * as z from "zod/mini";

import { AddressPattern } from "#agent/policy/address-rule.ts";
import { ImageSignatures } from "#agent/policy/image-signatures.ts";
import { locate } from "#agent/policy/repository-address.ts";
import { addressOf, parseAddress, WebAddress } from "#contract/addresses/web-address.ts";
import { textBetween, wholeBetween } from "#contract/bounds.ts";
import { BranchName, SharedPath } from "#contract/git-names.ts";
import { CommitRule, Limits } from "#contract/endpoints/projects/settings.ts";
import { ShellCommand } from "#contract/shell-command.ts";
import { VariableName } from "#contract/endpoints/variables/schemas.ts";

const RepositoryPattern = textBetween(1, 2048).check(
  z.refine((pattern) => locate(pattern, "pattern") !== null, {
    message:
      "must be an address such as https://github.com/you/* or git@github.com:you/*, without a password",
  }),
);

/** The name of a branch or tag. `*` stands for any characters except `/`. */
const BranchPattern = z.string().check(
  z.refine((pattern) => BranchName.safeParse(pattern.replaceAll("*", "x")).success, {
    message: "must be a branch's or tag's name, such as main or release/*",
  }),
);

const Origin = WebAddress.check(
  z.refine((text) => parseAddress(text).ok && addressOf(text).origin === text, {
    message: "must be only scheme, host and port, such as http://127.0.0.1:3000",
  }),
);

const CommandRule = z.union([z.enum(["any", "none"]), z.array(ShellCommand)]);
/** `repository`: commands of the repository or its framework's preset, and none of the control plane. */
const RepositoryCommandRule = z.union([z.enum(["any", "repository", "none"]), z.array(ShellCommand)]);

const Rules = z.strictObject({
  version: z.literal(1),
  /**
   * `remote`: no repositories on this server itself; in a list, every repository elsewhere. With isolation, repositories
   * on this server must be in a list. Applies to submodules too.
   */
  repositories: z._default(
    z.union([z.enum(["any", "remote"]), z.array(z.union([z.literal("remote"), RepositoryPattern]))]),
    "any",
  ),
  branches: z._default(z.union([z.literal("any"), z.array(BranchPattern)]), "any"),
  /**
   * Applies to commits that are ordered by their hash. When `branches` are limited, one of them must contain the
   * commit anyway.
   */
  commits: z._default(CommitRule, "reachable"),
  /**
   * `preset`: only the command of the preset for the detected framework. `repository`: also the commands of
   * gantry.json. A list: exactly these.
   */
  build_commands: z._default(
    z.union([z.enum(["any", "repository", "preset", "none"]), z.array(ShellCommand)]),
    "any",
  ),
  activate_commands: z._default(CommandRule, "any"),
  release_commands: z.optional(RepositoryCommandRule),
  /** The commands of processes. A list counts wherever they come from. */
  processes: z.optional(RepositoryCommandRule),
  /** One-off commands, which need the scope `commands:run`. */
  commands: z._default(CommandRule, "none"),
  /** The commands of cron jobs. */
  cron: z._default(RepositoryCommandRule, "none"),
  /**
   * The names of variables and secrets in orders. `no_loaders`: none that is known to load code or to choose a program; in
   * a list, every other one.
   */
  variables: z._default(
    z.union([
      z.enum(["any", "no_loaders", "none"]),
      z.array(z.union([z.literal("no_loaders"), VariableName])),
    ]),
    "any",
  ),
  shared_paths: z._default(z.union([z.enum(["any", "none"]), z.array(SharedPath)]), "any"),
  /** Secrets in orders. `no_builds`: builds get none, whatever the project says. */
  secrets: z._default(z.enum(["any", "no_builds", "none"]), "any"),
  /** `local`: only this server itself. A list: this server and these origins. */
  health_checks: z._default(z.union([z.enum(["any", "local", "none"]), z.array(Origin)]), "any"),
  /**
   * Builds of other machines, and builds for other servers. What is in a build that was made elsewhere cannot be checked
   * against the other rules.
   */
  artifacts: z.optional(z.enum(["accept", "refuse"])),
  /** Images that are built or run here. */
  containers: z.optional(z.enum(["any", "none"])),
  /** Which images must be signed, and by which keys: images of repositories, and images that Dockerfiles name. */
  image_signatures: z._default(z.union([z.literal("any"), ImageSignatures]), "any"),
  /**
   * To which servers the ingress sends requests for a domain, as a balancer, and the checks of an issuer of certificates.
   * `checks`: this server is no balancer, and passes on checks to other servers of a project. A list: only these addresses.
   */
  balance: z.optional(z.union([z.enum(["any", "checks", "none"]), z.array(AddressPattern)])),
  /** `project`: each project has a deploy key of its own. `server`: all projects of this server share one. */
  deploy_keys: z._default(z.enum(["project", "server"]), "project"),
  /** `pin`: the key of a new ssh host is trusted on first use, and pinned. `known`: new ssh hosts are refused. */
  host_keys: z._default(z.enum(["pin", "known"]), "pin"),
  /** `keep_files`: a project's files are never deleted. `none`: no project is removed. */
  remove_projects: z._default(z.enum(["any", "keep_files", "none"]), "any"),
  /** How many MiB of dependencies and build caches each project keeps. 0: none. */
  cache_mb: z._default(wholeBetween(0, 10_000_000), 2048),
  /** How many MiB of images each project keeps. Above, the layers are removed that only the next build would use. */
  images_mb: z._default(wholeBetween(0, 10_000_000), 10_240),
  /**
   * The most that a project's build, release or activate command and each instance of a process may use, whatever their
   * own limits. Omitted: no maximum.
   */
  limits: z._default(
    z.strictObject({
      memory_mb_max: Limits.shape.memory_mb,
      cpu_weight_max: Limits.shape.cpu_weight,
      tasks_max: Limits.shape.tasks,
    }),
    {},
  ),
});

/** Whether some code of the control plane's choice must not run on this server. */
function limitsCode(rules: z.infer<typeof Rules>): boolean {
  const { repositories, branches, build_commands, activate_commands } = rules;
  const { release_commands = "any", processes = "any" } = rules;
  const all = [repositories, branches, build_commands, activate_commands, release_commands, processes];
  return all.some((rule) => rule !== "any");
}

/** Whether a build that was made elsewhere could have what must not be made here. */
function limitsBuilds(rules: z.infer<typeof Rules>): boolean {
  return limitsCode(rules) || rules.image_signatures !== "any";
}

/**
 * What this server's owner allows the control plane to order. Omitted rules are `any`, except `commits`, which is
 * `reachable`, `commands` and `cron`, which are `none`, and `release_commands` and `processes`, which have the value of
 * `activate_commands`: a policy from before them must not allow more than it says. `artifacts` is `accept`, `containers` is `any`
 * and `balance` is `any` if no rule limits which repositories and branches are deployed and which commands run, and otherwise
 * `refuse`, `none` and `checks`. `artifacts` is `refuse` with `image_signatures`, too. Unknown names are errors, so that a mistyped rule is
 * not ignored.
 */
export const Policy = z.pipe(
  Rules,
  z.transform((rules) => ({
    ...rules,
    release_commands: rules.release_commands ?? rules.activate_commands,
    processes: rules.processes ?? rules.activate_commands,
    artifacts: rules.artifacts ?? (limitsBuilds(rules) ? ("refuse" as const) : ("accept" as const)),
    containers: rules.containers ?? (limitsCode(rules) ? ("none" as const) : ("any" as const)),
    balance: rules.balance ?? (limitsCode(rules) ? ("checks" as const) : ("any" as const)),
  })),
);
/** The files by which podman's programs check signatures. `registries`: a folder. `hash`: of both. */
export type ImagePolicy = { readonly hash: string; readonly policy: string; readonly registries: string };

/** `file`: where it was read, for messages. `imagePolicy`: the files of the rule `image_signatures`, if there is one. */
export type Policy = z.infer<typeof Policy> & { readonly file?: string; readonly imagePolicy?: ImagePolicy };
/** The name of a rule. */
export type Rule = Exclude<keyof Policy, "file" | "imagePolicy" | "version">;

/** The policy of a server without a policy file: every order is allowed, and the project's settings decide. */
export const openPolicy: Policy = Policy.parse({ version: 1, commits: "any" });
