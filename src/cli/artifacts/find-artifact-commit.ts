import type { CommandContext } from "#cli/context.ts";
import { readGit } from "#cli/builds/git.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { variable } from "#cli/settings/variable.ts";
import { CommitSha, MAX_COMMIT_MESSAGE } from "#contract/git-names.ts";
import { succeed } from "#contract/lib/result.ts";

/** The commit of a build. `message`: the first line of its message; empty if it is not known. */
export type ArtifactCommit = { readonly sha: string; readonly message: string };

/** Where CI systems say which commit a job is for. Sources: their references of variables. */
const jobVariables = [
  "GITHUB_SHA",
  "CI_COMMIT_SHA",
  "BUILDKITE_COMMIT",
  "CIRCLE_SHA1",
  "BITBUCKET_COMMIT",
  "DRONE_COMMIT_SHA",
  "BUILD_SOURCEVERSION",
  "GIT_COMMIT",
] as const;

/**
 * Finds the commit that a build was made from: --commit, or the commit of the CI job, or the checked out commit of the folder's
 * repository.
 * @param folder of the build
 */
export async function findArtifactCommit(
  context: CommandContext,
  given: string | null,
  folder: string,
): Promise<Result<ArtifactCommit>> {
  const named = given ?? commitOfJob(context.environment);
  const sha = named ?? (await headOf(context, folder));
  if (sha === null || !CommitSha.safeParse(sha).success)
    return stop(
      "usage",
      given === null
        ? "Pass --commit with the full hash of the commit that was built: the folder is in no repository of git."
        : "--commit must be the full hash of the commit that was built, in lower case.",
    );
  const message = await readGit(context, folder, "log", "-1", "--format=%s", sha, "--");
  const line = message.ok ? (message.value.split("\n")[0] ?? "") : "";
  return succeed({ sha, message: line.slice(0, MAX_COMMIT_MESSAGE).toWellFormed() });
}

function commitOfJob(environment: NodeJS.ProcessEnv): string | null {
  const values = jobVariables.map((name) => variable(environment, name));
  return values.find((value) => value !== null && CommitSha.safeParse(value).success) ?? null;
}

async function headOf(context: CommandContext, folder: string): Promise<string | null> {
  const found = await readGit(context, folder, "rev-parse", "--verify", "HEAD^{commit}");
  return found.ok ? found.value.trim() : null;
}
