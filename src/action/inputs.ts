import { readOrdered } from "#cli/commands/image-option.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { succeed } from "#contract/lib/result.ts";
import type { Runner } from "#action/runner.ts";

/** What the step deploys and whether it waits. `timeoutMs` null: no limit besides the job's. */
export type Inputs = {
  readonly project: string | null;
  readonly branch: string | null;
  readonly commit: string | null;
  /** The name of the image whose tag and digest are the branch and the commit; null: it is no image. */
  readonly image: string | null;
  readonly follow: boolean;
  readonly timeoutMs: number | null;
};

const MINUTE_MS = 60_000;
/** A job ends after six hours at GitHub, and after five days on a runner of your own. */
const MOST_MINUTES = 7200;

/** Reads the inputs of the step. Without a branch, a commit or an image, it deploys the commit of the job. */
export function readInputs(runner: Runner): Result<Inputs> {
  const [branch, commit, image] = [runner.input("branch"), runner.input("commit"), runner.input("image")];
  const isNamed = branch !== null || commit !== null || image !== null;
  const ordered = readOrdered(isNamed ? { branch, commit, image } : { ...ofJob(runner), image: null });
  if (!ordered.ok) return stop("usage", withInputNames(ordered.problem.detail));
  const follow = readFollow(runner.input("follow"));
  if (follow === null) return stop("usage", "The input follow must be true or false.");
  const minutes = runner.input("timeout");
  if (minutes !== null && !(Number(minutes) > 0 && Number(minutes) <= MOST_MINUTES))
    return stop("usage", `The input timeout must be a number of minutes, at most ${MOST_MINUTES}.`);
  return succeed({
    project: runner.input("project"),
    branch: ordered.value.branch,
    commit: ordered.value.commit,
    image: ordered.value.name,
    follow,
    timeoutMs: minutes === null ? null : Number(minutes) * MINUTE_MS,
  });
}

/** A message about options of the command as a message about inputs, which have the same names without the hyphens. */
export function withInputNames(message: string): string {
  return message.replace(/--(?=\w)/g, "");
}

/** As YAML's core schema, which GitHub reads in inputs that are true or false. */
function readFollow(text: string | null): boolean | null {
  switch (text?.toLowerCase() ?? "true") {
    case "true":
      return true;
    case "false":
      return false;
    default:
      return null;
  }
}

/** The branch or tag and the commit of the job. The reference of a pull request is neither. */
function ofJob(runner: Runner): { readonly branch: string | null; readonly commit: string | null } {
  const [, branch = null] = /^refs\/(?:heads|tags)\/(.+)$/.exec(runner.variable("GITHUB_REF") ?? "") ?? [];
  return { branch, commit: runner.variable("GITHUB_SHA") };
}
