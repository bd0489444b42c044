import { useEffect, useState } from "preact/hooks";

import type { LogStore } from "#dashboard/data/log-store.ts";
import { type LogRows, logRows } from "#dashboard/pages/deployment/log-rows.ts";
import { warningRuns } from "#dashboard/pages/deployment/warning-runs.ts";

type Options = {
  /** The number of lines so far. */
  readonly count: number;
  /** The stage that failed. Its warnings are not folded, because they may be why. */
  readonly failedStage: string | null;
  /** The line in the address, which is always shown when it changes. */
  readonly linked: number | null;
};

/** The rows of a log, with its warnings folded until they are opened. */
export function useLogRows(
  log: LogStore,
  { count, failedStage, linked }: Options,
): LogRows & { readonly toggle: (first: number) => void } {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const runs = warningRuns(log, count).filter(({ stage }) => stage !== failedStage);
  const around =
    linked === null
      ? undefined
      : runs.find(({ first, count: length }) => linked > first && linked <= first + length);
  const first = around?.first ?? null;
  useEffect(() => {
    if (first !== null) setOpened((now) => (now.has(first) ? now : new Set([...now, first])));
  }, [linked, first]);
  return {
    ...logRows(count, runs, opened),
    toggle: (run) => setOpened((now) => (now.has(run) ? without(now, run) : new Set([...now, run]))),
  };
}

function without(all: ReadonlySet<number>, one: number): ReadonlySet<number> {
  return new Set([...all].filter((each) => each !== one));
}
