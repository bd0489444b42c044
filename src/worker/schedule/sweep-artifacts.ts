import { ArtifactStore, type FoundArtifact } from "#worker/artifacts/artifact-store.ts";
import { logFailure } from "#worker/log-failure.ts";
import { inTime } from "#worker/schedule/in-time.ts";
import type { Part } from "#worker/schedule/part.ts";

/** How long an upload may wait for the start of its deployment. */
const UNNAMED_MS = 24 * 60 * 60 * 1000;

/** The objects that one step lists, at most R2's 1,000, and the calls to lanes that it makes. */
const LIMITS = { objects: 1_000, questions: 20 };

/** How long a lane may take to answer. */
const QUESTION_MS = 2_000;

/**
 * Removes builds that no deployment names: an upload without a start, or what a builder has left that died. The lanes remove
 * the builds of their own deployments.
 */
export const sweepArtifacts = artifactSweep(LIMITS);

/** As `sweepArtifacts`, with other limits of a step. */
export function artifactSweep({ objects, questions }: typeof LIMITS): Part {
  return {
    name: "sweep artifacts",
    everyMs: 20 * 60 * 60 * 1000,
    // Statements: the position. Calls: the list and the lanes, which delete.
    cost: { statements: 1, calls: questions + 1 },
    async step({ env, clock, from }) {
      const store = new ArtifactStore(env.LOGS);
      const { artifacts, next } = await store.list(from, objects);
      const old = artifacts.filter(({ uploadedAt }) => uploadedAt < clock.now() - UNNAMED_MS);
      const asked = old.slice(0, questions);
      const answers = await Promise.all(asked.map((artifact) => remove(env, artifact)));
      const failures = answers.filter((hasAnswered) => !hasAnswered).length;
      const rest = old[questions];
      return { next: rest === undefined ? next : keyBefore(artifacts, rest), failures };
    },
  };
}

/**
 * Lets the lane of its project remove a build, unless a deployment has it: only the lane knows whether one starts meanwhile.
 * @returns whether the lane has answered; if not, the build stays until the next round
 */
async function remove(env: Env, { projectId, sha256, keys }: FoundArtifact): Promise<boolean> {
  try {
    const lane = env.PROJECT_LANE.getByName(projectId);
    await inTime(QUESTION_MS, lane.removeUnnamedBuild({ sha256, keys: [...keys] }));
    return true;
  } catch (error) {
    logFailure("schedule", { what: "sweep artifacts", project_id: projectId }, error);
    return false;
  }
}

function keyBefore(artifacts: readonly FoundArtifact[], rest: FoundArtifact): string | null {
  return artifacts[artifacts.indexOf(rest) - 1]?.keys.at(-1) ?? null;
}
