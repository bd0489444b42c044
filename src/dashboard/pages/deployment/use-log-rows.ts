import { useEffect, useState } from "preact/hooks";

import { type LogRows, logRows } from "#dashboard/pages/deployment/log-rows.ts";
import type { ShownGroup } from "#dashboard/pages/deployment/shown-groups.ts";
import { warningRuns } from "#dashboard/pages/deployment/warning-runs.ts";

type Options = {
  /** Not in a stage that failed: its warnings may be why. */
  readonly isFolding: boolean;
  /** The index of the line in the address, which is always shown when it changes. */
  readonly linked: number | null;
};

type FoldedRows = LogRows & {
  readonly toggle: (first: number) => void;
  /** Changes when warnings are shown or hidden. */
  readonly opened: ReadonlySet<number>;
};

/** The rows of a group, with its warnings folded until they are opened. */
export function useLogRows(
  { log, first: begin, count }: ShownGroup,
  { isFolding, linked }: Options,
): FoldedRows {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const runs = isFolding
    ? warningRuns(log, begin + count).filter(({ first }) => first >= begin && first < begin + count)
    : [];
  const around =
    linked === null
      ? undefined
      : runs.find(({ first, count: length }) => linked >= first && linked < first + length);
  const first = around?.first ?? null;
  useEffect(() => {
    if (first !== null) setOpened((now) => (now.has(first) ? now : new Set([...now, first])));
  }, [linked, first]);
  return {
    ...logRows({ first: begin, count }, runs, opened),
    opened,
    toggle: (run) => setOpened((now) => (now.has(run) ? without(now, run) : new Set([...now, run]))),
  };
}

function without(all: ReadonlySet<number>, one: number): ReadonlySet<number> {
  return new Set([...all].filter((each) => each !== one));
}
