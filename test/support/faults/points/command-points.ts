import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { FailureCode } from "#contract/endpoints/deployments/schemas.ts";

import { eventually } from "../eventually.ts";
import { canceling } from "./doings.ts";
import { faults, killBelowAgent, moveRepositoryBack, moveRepositoryAway } from "./faults.ts";
import { at } from "./moments.ts";
import type { Fault, FaultPoint, Scene } from "./point.ts";
import { withReleaseCommand } from "./released-once.ts";

const failsWith =
  (...codes: readonly FailureCode[]): NonNullable<FaultPoint["check"]> =>
  ({ failure }) => {
    if (failure === null || !codes.some((code) => code === failure.code))
      throw new Error(`it failed with ${failure?.code}, not ${codes.join(" or ")}`);
  };

const sharedPath = ({ host, site }: Scene) => join(host.home, "projects", site.projectId, "shared");

/** Puts a file where the folder of the shared paths belongs. */
const sharedPathIsTaken: Fault = async (scene) => {
  await rename(sharedPath(scene), `${sharedPath(scene)}.away`);
  await writeFile(sharedPath(scene), "");
};
const sharedPathIsBack = async (scene: Scene): Promise<void> => {
  await eventuallyEnded(scene);
  await rm(sharedPath(scene));
  await rename(`${sharedPath(scene)}.away`, sharedPath(scene));
};

/** Lets the fault last until the deployment has ended. */
async function eventuallyEnded({ installation, site }: Scene): Promise<void> {
  await eventually("the deployment has ended", async () => {
    const all = await installation.api.listDeployments(site.projectId);
    return all.every(({ status }) => status !== "building");
  });
}

const healthSays =
  (...answers: readonly (number | "hang")[]): Fault =>
  async ({ installation }) =>
    installation.health.next(...answers);

const withHealthCheck: NonNullable<FaultPoint["settings"]> = ({ health }) => ({
  health_check: { url: health.url, tries: 3, interval_seconds: 0.1, timeout_seconds: 0.3 },
});

const repositoryIsBackAfterwards = async (scene: Scene): Promise<void> => {
  await eventuallyEnded(scene);
  await moveRepositoryBack(scene);
};

const ofABuild = { at: at.gate("build"), fault: faults.none } as const;

/** The commands and files of a deployment on the server fail. */
export const commandPoints: readonly FaultPoint[] = [
  {
    name: "the repository goes away in the fetch",
    at: at.gate("fetch"),
    fault: moveRepositoryAway,
    recover: repositoryIsBackAfterwards,
    ends: ["failed"],
    check: failsWith("fetch_failed"),
  },
  {
    name: "git is killed in the fetch",
    at: at.gate("fetch"),
    fault: killBelowAgent("git"),
    ends: ["failed"],
    check: failsWith("fetch_failed"),
  },
  {
    name: "the build is killed",
    at: at.gate("build"),
    fault: killBelowAgent("sh"),
    ends: ["failed"],
    check: failsWith("build_failed"),
  },
  {
    name: "the build takes too long",
    settings: () => ({ timeouts: { build_seconds: 1 } }),
    commit: { build: "sleep 300" },
    ...ofABuild,
    ends: ["failed"],
    check: failsWith("timed_out"),
  },
  {
    name: "the build leaves a daemon behind",
    commit: { build: "setsid sleep 300 > /dev/null 2>&1 < /dev/null &" },
    ...ofABuild,
    ends: ["live"],
  },
  { name: "the build floods the log", commit: { lines: 60_000 }, ...ofABuild, ends: ["live"] },
  {
    name: "the build ignores SIGTERM",
    commit: { build: "trap '' TERM; while :; do sleep 0.1; done" },
    doing: canceling("build"),
    at: at.stop,
    fault: faults.none,
    recover: ({ site }) => site.source.gate.open(),
    ends: ["canceled"],
  },
  {
    name: "the shared path cannot be written",
    at: at.gate("build"),
    fault: sharedPathIsTaken,
    recover: sharedPathIsBack,
    ends: ["failed"],
  },
  {
    name: "the release command fails",
    settings: withReleaseCommand,
    commit: { release: "exit 4" },
    at: at.gate("release"),
    fault: faults.none,
    ends: ["failed"],
    check: failsWith("release_failed"),
  },
  {
    name: "the activate command fails",
    commit: { activate: "exit 4" },
    at: at.gate("activate"),
    fault: faults.none,
    ends: ["failed"],
    check: failsWith("activate_failed"),
  },
  {
    name: "the activate command is killed",
    at: at.gate("activate"),
    fault: killBelowAgent("sh"),
    ends: ["failed"],
    check: failsWith("activate_failed"),
  },
  {
    name: "the health check answers 500 and then 200",
    settings: withHealthCheck,
    at: at.gate("activate"),
    fault: healthSays(500, 503),
    ends: ["live"],
  },
  {
    name: "the health check never answers",
    settings: withHealthCheck,
    at: at.gate("activate"),
    fault: healthSays("hang", "hang", "hang"),
    ends: ["failed"],
    check: failsWith("health_check_failed", "timed_out"),
  },
  {
    name: "the site server dies in the activate command",
    at: at.gate("activate"),
    fault: faults.siteServerDies,
    ends: ["live"],
  },
];
