import { MAX_LINK_MESSAGE } from "#contract/agent-protocol.ts";
import { isWanted, type AppOutputLine } from "#contract/endpoints/output/schemas.ts";
import type { ProcessName } from "#contract/endpoints/processes/schemas.ts";

/** The lines that a reader wants. `lines`: how many of the last ones. */
export type OutputFilter = {
  readonly process?: ProcessName | undefined;
  readonly instance?: string | undefined;
  readonly lines: number;
  /** The instances that have ended, instead of the running ones. */
  readonly ended?: boolean | undefined;
};

/** The limit of the lines as JSON, in UTF-16 code units. A longer message would close the link of the whole server. */
const MAX_LENGTH = MAX_LINK_MESSAGE / 4;

/**
 * The last lines that a reader wants. Each instance has the same share, so that an instance that prints a lot does not
 * crowd out the others.
 */
export function lastLines<Line extends AppOutputLine>(lines: readonly Line[], filter: OutputFilter): Line[] {
  const wanted = lines.filter((line) => isWanted(filter, line));
  const instances = Math.max(1, new Set(wanted.map(({ instance }) => instance)).size);
  const share = Math.max(1, Math.floor(filter.lines / instances));
  const taken = new Map<string, { readonly count: number; readonly length: number }>();
  const last = wanted.toReversed().filter((line) => {
    const { count, length } = taken.get(line.instance) ?? { count: 0, length: 0 };
    const next = { count: count + 1, length: length + JSON.stringify(line).length };
    taken.set(line.instance, next);
    return next.count <= share && next.length <= MAX_LENGTH / instances;
  });
  return filter.lines === 0 ? [] : last.slice(0, filter.lines).toReversed();
}
