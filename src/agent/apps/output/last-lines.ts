import { isWanted, type AppOutputLine } from "#contract/endpoints/output/schemas.ts";
import type { ProcessName } from "#contract/endpoints/processes/schemas.ts";

/** The lines that a reader wants. `lines`: how many of the last ones. */
export type OutputFilter = {
  readonly process?: ProcessName | undefined;
  readonly instance?: string | undefined;
  readonly lines: number;
};

/** The last lines that a reader wants. Each instance has the same share, so that one that prints much hides no other. */
export function lastLines<Line extends AppOutputLine>(lines: readonly Line[], filter: OutputFilter): Line[] {
  const wanted = lines.filter((line) => isWanted(filter, line));
  const instances = new Set(wanted.map(({ instance }) => instance)).size;
  const share = Math.max(1, Math.floor(filter.lines / Math.max(1, instances)));
  const taken = new Map<string, number>();
  const last = wanted.toReversed().filter(({ instance }) => {
    const count = (taken.get(instance) ?? 0) + 1;
    taken.set(instance, count);
    return count <= share;
  });
  return filter.lines === 0 ? [] : last.slice(0, filter.lines).toReversed();
}
