import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest, the slowest first. */
const SLOWEST = [
  "journeys/faults",
  "agent/killed-at-each-step",
  "agent/killed-at-each-stage",
  "worker/faults/walks",
  "journeys/release",
  "worker/faults/requests",
  "journeys/install-service",
  "dashboard/flows/pages",
  "dashboard/flows/keyboard-pages",
  "dashboard/flows/session-end",
  "dashboard/flows/keyboard",
  "worker/faults/repair",
  "worker/http/requests",
  "worker/http/authentication",
  "worker/isolation",
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
  "client/node/follow-log",
  "agent/disk-full",
  "agent/fetch",
  "journeys/install",
  "domain/lane/interleavings",
];

/** Begins with the slowest files: vitest goes by a file's size, and would leave the longest one alone to the end. */
export class SlowestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = SLOWEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return at === -1 ? SLOWEST.length : at;
    };
    return Promise.resolve(files.toSorted((a, b) => place(a) - place(b)));
  }
}
