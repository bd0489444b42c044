import * as z from "zod/mini";

import { parseRepository } from "#agent/policy/repository-address.ts";
import { textBetween } from "#contract/bounds.ts";
import { BranchName, SharedPath } from "#contract/git-names.ts";
import { CommitRule, ShellCommand } from "#contract/endpoints/projects/schemas.ts";

const RepositoryPattern = textBetween(1, 2048).check(
  z.refine((pattern) => parseRepository(pattern, "pattern") !== null, {
    message:
      "must be an address such as https://github.com/you/* or git@github.com:you/*, without a password",
  }),
);

/** A branch's or tag's name, in which a `*` stands for anything that git allows there but a `/`. */
const BranchPattern = z.string().check(
  z.refine((pattern) => BranchName.safeParse(pattern.replaceAll("*", "x")).success, {
    message: "must be a branch's or tag's name, such as main or release/*",
  }),
);

const Origin = z.url({ protocol: /^https?$/, abort: true }).check(
  z.refine((text) => new URL(text).origin === text, {
    message: "must be only scheme, host and port, such as http://127.0.0.1:3000",
  }),
);

/**
 * What this server's owner lets the control plane order. What is left out is `any`, but `commits` is `reachable` then; an
 * unknown name is an error, so that a mistyped rule does not go without effect.
 */
export const Policy = z.strictObject({
  version: z.literal(1),
  /** `remote`: none that lies on this server. Submodules count too. */
  repositories: z._default(z.union([z.enum(["any", "remote"]), z.array(RepositoryPattern)]), "any"),
  branches: z._default(z.union([z.literal("any"), z.array(BranchPattern)]), "any"),
  /** Of those that are ordered by their hash. Where `branches` are limited, one of those has to contain it in any case. */
  commits: z._default(CommitRule, "reachable"),
  /** `preset`: only what the framework's preset says of the files. A list: exactly these. */
  build_commands: z._default(z.union([z.enum(["any", "preset", "none"]), z.array(ShellCommand)]), "any"),
  activate_commands: z._default(z.union([z.enum(["any", "none"]), z.array(ShellCommand)]), "any"),
  shared_paths: z._default(z.union([z.enum(["any", "none"]), z.array(SharedPath)]), "any"),
  /** `local`: only this server itself. A list: that, and these. */
  health_checks: z._default(z.union([z.enum(["any", "local", "none"]), z.array(Origin)]), "any"),
  /** `keep_files`: a project's files are never deleted. `none`: no project is removed. */
  remove_projects: z._default(z.enum(["any", "keep_files", "none"]), "any"),
});
export type Policy = z.infer<typeof Policy>;

/** Without a policy, the control plane may order all that the protocol has. The project's settings alone decide. */
export const openPolicy: Policy = Policy.parse({ version: 1, commits: "any" });
