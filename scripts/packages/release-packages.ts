import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import semver from "semver";

import { bundleAction } from "../shared/build-action.ts";
import { packageVersion } from "../shared/package-version.ts";
import { Problem } from "../shared/problem.ts";
import { root } from "../shared/root.ts";
import { type CommandOutcome, runCommand } from "../shared/run-command.ts";
import { print } from "../shared/terminal.ts";
import { type ChangelogProblem, moveUnreleased } from "./changelog.ts";
import { hasMention, versionFiles, withVersion } from "./versions.ts";

const CHANGELOG = "CHANGELOG.md";

/** What a release needs to know of the repository. */
export type RepositoryState = {
  /** Of package.json. */
  readonly version: string;
  /** Files that differ from the last commit. */
  readonly changed: readonly string[];
  readonly tags: readonly string[];
  /** The subject of the last commit. */
  readonly subject: string;
};

/**
 * `prepare`: set the versions, commit and tag. `tag`: an earlier call has committed and was stopped before the tag.
 * `refuse`: the reason, a sentence.
 */
export type ReleaseDecision =
  | { readonly kind: "prepare" | "tag" }
  | { readonly kind: "refuse"; readonly reason: string };

export const tagOf = (version: string): string => `v${version}`;
const subjectOf = (version: string): string => `release: version ${version}`;

/** What a release of a version does in a repository. */
export function decideRelease(version: string, state: RepositoryState): ReleaseDecision {
  const refuse = (reason: string) => ({ kind: "refuse", reason }) as const;
  if (semver.valid(version) !== version)
    return refuse(`${version} is not a version such as 1.2.3 or 1.2.3-rc.1.`);
  if (state.tags.includes(tagOf(version)))
    return refuse(`The tag ${tagOf(version)} exists. Choose another version.`);
  if (state.changed.length > 0)
    return refuse(`Commit or remove your changes first: ${state.changed.slice(0, 5).join(", ")}`);
  if (state.version === version && state.subject === subjectOf(version)) return { kind: "tag" };
  if (!semver.gt(version, state.version))
    return refuse(`${version} is not newer than the version ${state.version} of package.json.`);
  return { kind: "prepare" };
}

const changelogProblems: Readonly<Record<ChangelogProblem["reason"], string>> = {
  no_unreleased_heading: `${CHANGELOG} has no heading [Unreleased].`,
  nothing_unreleased: `${CHANGELOG} has nothing below [Unreleased]. Write what changes for users.`,
  version_exists: `${CHANGELOG} has this version already.`,
};

const runChecks = () => runCommand(["node", "scripts/check.ts"]);

/**
 * Sets the versions, moves the changelog, runs the checks, commits and tags. If it is stopped, the next call continues.
 * @param date of the release, such as 2026-12-01
 * @throws Problem if it is refused, or if a check fails; then the files are as before
 */
export async function prepareRelease(
  version: string,
  date: string,
  check: () => Promise<CommandOutcome> = runChecks,
): Promise<void> {
  const state = await readState();
  const decision = decideRelease(version, state);
  if (decision.kind === "refuse") throw new Problem(decision.reason);
  if (decision.kind === "prepare") {
    const written = new Set<string>();
    try {
      await setVersion(state.version, version, date, written);
      print("Running the checks");
      const checked = await check();
      if (checked.code !== 0) throw new Problem(`The checks failed:\n${checked.output.trim()}`);
      const others = (await linesOf("diff", "--name-only", "HEAD")).filter((name) => !written.has(name));
      if (others.length > 0)
        throw new Problem(
          `${others.slice(0, 5).join(", ")} was changed while the checks ran. Commit it first.`,
        );
    } catch (error) {
      // Before, none of these files was changed. Others can be since, by somebody who works here.
      if (written.size > 0) await git("checkout", "--quiet", "HEAD", "--", ...written);
      throw error;
    }
    await git("commit", "--quiet", "--message", subjectOf(version), "--", ...written);
  }
  await git("tag", "--annotate", tagOf(version), "--message", `Gantry ${version}`);
  print(`Tagged ${tagOf(version)}. Publish it with: git push --atomic origin HEAD ${tagOf(version)}`);
}

/** Changes the files. @param written receives their names */
async function setVersion(from: string, to: string, date: string, written: Set<string>): Promise<void> {
  const changelog = moveUnreleased(await readFile(join(root, CHANGELOG), "utf8"), to, date);
  if (!changelog.ok) throw new Problem(changelogProblems[changelog.reason]);
  const tracked = (await git("ls-files", "-z")).split("\0").filter(hasMention);
  const files = new Map([[CHANGELOG, changelog.value]]);
  for (const name of tracked) {
    const text = await readFile(join(root, name), "utf8");
    const changed = withVersion(name, text, from, to);
    if (changed !== text) files.set(name, changed);
  }
  const missing = versionFiles.find((name) => !files.has(name));
  if (missing !== undefined) throw new Problem(`${missing} does not have the version ${from}.`);
  const write = async ([name, text]: readonly [string, string]) => {
    written.add(name);
    await writeFile(join(root, name), text);
  };
  for (const file of files) await write(file);
  // The bundle of the action has the version of the command.
  for (const file of await bundleAction()) await write(file);
}

async function readState(): Promise<RepositoryState> {
  return {
    version: await packageVersion(),
    changed: await linesOf("status", "--porcelain"),
    tags: await linesOf("tag", "--list"),
    subject: (await git("log", "-1", "--format=%s")).trim(),
  };
}

const linesOf = async (...words: [string, ...string[]]): Promise<string[]> =>
  (await git(...words)).split("\n").filter((line) => line !== "");

/** @returns what git prints. @throws Problem if it fails */
async function git(...words: [string, ...string[]]): Promise<string> {
  const { code, output, stdout } = await runCommand(["git", ...words]);
  if (code !== 0) throw new Problem(`git ${words[0]} failed:\n${output.trim()}`);
  return stdout;
}
