import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that mostly wait. They run next to the Worker's files, which mostly compute. */
const FIRST = [
  "journeys/faults",
  "agent/killed-at-each-step",
  "client/node/follow-log",
  "agent/killed-at-each-stage",
];

/** The Worker's slowest files, the slowest first. */
const WORKER = [
  "worker/faults/walks",
  "worker/faults/requests",
  "worker/faults/repair",
  "worker/http/requests",
  "worker/http/authentication",
  "worker/isolation",
];

/** The slowest other files, the slowest first. */
const OTHERS = [
  "journeys/release",
  "journeys/install-service",
  "dashboard/flows/pages",
  "dashboard/flows/keyboard-pages",
  "dashboard/flows/session-end",
  "dashboard/flows/keyboard",
  "cli/deployments",
  "openapi/requests",
  "journeys/first-start",
  "journeys/other-repository",
  "cli/account",
  "agent/main",
  "agent/outage",
  "agent/build",
  "dashboard/flows/list",
  "dashboard/flows/first-steps",
  "dashboard/flows/lost-server",
  "dashboard/flows/keyboard-deployments",
  "agent/disk-full",
  "agent/fetch",
  "journeys/install",
  "domain/lane/interleavings",
];

/**
 * Starts the slowest files first. By default vitest sorts by file size, and the slowest file could run alone at the end.
 * The Worker's files stay together, because vitest keeps their workerd only if the next file in the queue is of the same
 * project: a new one costs seconds of CPU time until it is warm.
 */
export class SlowestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isIn = (list: readonly string[], { moduleId }: TestSpecification) =>
      placeIn(list, moduleId) < list.length;
    const sorted = (list: readonly string[], specs: TestSpecification[]) =>
      specs.toSorted((a, b) => placeIn(list, a.moduleId) - placeIn(list, b.moduleId));
    const first = files.filter((file) => isIn(FIRST, file));
    const rest = files.filter((file) => !isIn(FIRST, file));
    const ofWorker = rest.filter(({ project }) => project.name === "worker");
    const others = rest.filter(({ project }) => project.name !== "worker");
    return Promise.resolve([...sorted(FIRST, first), ...sorted(WORKER, ofWorker), ...sorted(OTHERS, others)]);
  }
}

/** The file's position in the list; the list's length if it is not listed. */
function placeIn(list: readonly string[], moduleId: string): number {
  const at = list.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at === -1 ? list.length : at;
}
