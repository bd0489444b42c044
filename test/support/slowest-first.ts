import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that mostly wait. They run next to the Worker's files, which mostly compute. */
const FIRST = [
  "journeys/faults",
  "agent/killed-at-each-step",
  "agent/apps/killed",
  "agent/apps/supervisor-killed",
  "client/node/follow-log",
  "agent/killed-at-each-stage",
];

/** The Worker's slowest files, the slowest first. */
const WORKER = [
  "worker/faults/walks",
  "worker/faults/requests",
  "worker/faults/repair",
  "worker/http/requests",
  "worker/isolation",
  "worker/request-costs",
  "worker/http/authentication",
];

/** The flows that use sign-in links, which expire, and then the slowest flows of the dashboard, the slowest first. */
const FLOWS = [
  "dashboard/flows/first-steps",
  "dashboard/flows/first-visit",
  "dashboard/flows/keyboard-pages",
  "dashboard/flows/processes",
  "dashboard/flows/pages",
  "dashboard/flows/keyboard",
  "dashboard/flows/variables",
  "dashboard/flows/keyboard-deployments",
  "dashboard/flows/lost-server",
  "dashboard/flows/session-end",
];

/** The agent's slowest files, the slowest first. */
const AGENT = [
  "agent/apps/switch",
  "agent/tools",
  "agent/private-repository",
  "agent/cache",
  "agent/rude-builds",
  "agent/sites/main",
  "agent/reachable",
  "agent/outage",
  "agent/apps/start",
  "agent/shared-paths",
  "agent/bad-network",
  "agent/activate",
];

/** The slowest files of the domain. */
const DOMAIN = ["domain/lane/interleavings"];

/** The slowest journeys, the slowest first. */
const JOURNEYS = [
  "journeys/release",
  "journeys/install-service",
  "journeys/first-start",
  "journeys/other-repository",
  "journeys/install",
];

/** The slowest files of the command, the slowest first. */
const COMMAND = ["cli/deployments", "cli/account", "cli/variables", "cli/processes"];

/** The projects whose files share processes. */
const SHARING = new Set(["worker", "dashboard", "journeys", "command", "agent", "domain"]);

/** The slowest other files, the slowest first. */
const OTHERS = [
  "openapi/requests",
  // On booted machines.
  "server/guides",
  "server/kills",
  "server/ordinary-apps",
  "server/load",
  "server/supervisor",
  "server/isolation",
];

/**
 * Starts the slowest files first. By default vitest sorts by file size, and the slowest file could run alone at the end.
 * The files of a project that shares processes stay together, because vitest keeps a process only if the next file in the
 * queue is of the same project: a new workerd costs seconds of CPU time until it is warm.
 */
export class SlowestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isIn = (list: readonly string[], { moduleId }: TestSpecification) =>
      placeIn(list, moduleId) < list.length;
    const sorted = (list: readonly string[], specs: TestSpecification[]) =>
      specs.toSorted((a, b) => placeIn(list, a.moduleId) - placeIn(list, b.moduleId));
    const first = files.filter((file) => isIn(FIRST, file));
    const rest = files.filter((file) => !isIn(FIRST, file));
    const ofProject = (name: string) => rest.filter(({ project }) => project.name === name);
    const others = rest.filter(({ project }) => !SHARING.has(project.name));
    return Promise.resolve([
      ...sorted(FIRST, first),
      ...sorted(WORKER, ofProject("worker")),
      ...sorted(FLOWS, ofProject("dashboard")),
      ...sorted(JOURNEYS, ofProject("journeys")),
      ...sorted(COMMAND, ofProject("command")),
      ...sorted(OTHERS, others),
      ...sorted(DOMAIN, ofProject("domain")),
      ...sorted(AGENT, ofProject("agent")),
    ]);
  }
}

/** The file's position in the list; the list's length if it is not listed. */
function placeIn(list: readonly string[], moduleId: string): number {
  const at = list.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at === -1 ? list.length : at;
}
