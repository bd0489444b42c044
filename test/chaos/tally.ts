import type { DeploymentStatus } from "#contract/endpoints/deployments/schemas.ts";

import type { LogFollower } from "../support/faults/log-follower.ts";
import type { SiteVisitor } from "../support/faults/site-visitor.ts";

/** Counts of the events so far. Its size does not grow with the run. */
export type Tally = {
  rounds: number;
  operation(name: string): void;
  fault(name: string): void;
  verdict(status: DeploymentStatus): void;
  visits(visitor: SiteVisitor): void;
  followed(follower: LogFollower): void;
  /** Megabytes. */
  memory(of: string, megabytes: number): void;
  /** Renders the table that is printed at the end. */
  render(): string;
};

export function createTally(): Tally {
  const operations = new Map<string, number>();
  const faults = new Map<string, number>();
  const verdicts = new Map<string, number>();
  const memory = new Map<string, number>();
  let visited = 0;
  let failed = 0;
  let followers = 0;
  let followedLines = 0;
  let streams = 0;
  const count = (counts: Map<string, number>, name: string): void =>
    void counts.set(name, (counts.get(name) ?? 0) + 1);
  const lines = (counts: Map<string, number>, unit = ""): string[] =>
    [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, n]) => `    ${`${n}${unit}`.padStart(9)}  ${name}`);
  const sum = (counts: Map<string, number>): number =>
    [...counts.values()].reduce((all, one) => all + one, 0);
  return {
    rounds: 0,
    operation: (name) => count(operations, name),
    fault: (name) => count(faults, name),
    verdict: (status) => count(verdicts, status),
    visits(visitor) {
      visited += visitor.requests;
      failed += visitor.failed;
    },
    followed(follower) {
      followers += 1;
      followedLines += follower.lines;
      streams += follower.streams;
    },
    memory: (of, megabytes) => void memory.set(of, Math.max(megabytes, memory.get(of) ?? 0)),
    render() {
      return [
        `  rounds      ${this.rounds}`,
        `  operations  ${sum(operations)}`,
        ...lines(operations),
        `  faults      ${sum(faults)}`,
        ...lines(faults),
        `  deployments ${sum(verdicts)}`,
        ...lines(verdicts),
        `  visitors    ${visited} requests, ${failed} failed`,
        `  followers   ${followers} of logs, ${followedLines} lines in ${streams} streams`,
        `  peak memory`,
        ...lines(memory, " MB"),
      ].join("\n");
    },
  };
}
