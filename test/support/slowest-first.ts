import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take half a minute and more, or long for their project, the slowest first. */
const SLOWEST = [
  "journeys/faults",
  "journeys/other-repository",
  "journeys/first-start",
  "journeys/install-service",
  "journeys/release",
  "journeys/fault-checks",
  "agent/killed-at-each-stage",
  "agent/killed-at-each-step",
  "worker/faults/walks",
  "worker/faults/requests",
  "worker/http/requests",
  "worker/faults/repair",
  "dashboard/flows/first-steps",
  "dashboard/flows/pages",
  "dashboard/flows/lost-server",
  "dashboard/flows/keyboard",
  "dashboard/flows/keyboard-pages",
  "dashboard/flows/session-end",
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
