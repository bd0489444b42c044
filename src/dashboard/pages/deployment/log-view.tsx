import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { LogStore } from "#dashboard/data/log-store.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { firstError } from "#dashboard/pages/deployment/first-error.ts";
import { LogRow } from "#dashboard/pages/deployment/log-row.tsx";
import { LogSearch } from "#dashboard/pages/deployment/log-search.tsx";
import { RawLog } from "#dashboard/pages/deployment/raw-log.tsx";
import { useLineLink } from "#dashboard/pages/deployment/use-line-link.ts";
import { useLogRows } from "#dashboard/pages/deployment/use-log-rows.ts";
import { WarningsRow } from "#dashboard/pages/deployment/warnings-row.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { VirtualList } from "#dashboard/shared/virtual-list.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";

/** In pixels, as in the style sheet. */
const LINE_HEIGHT = 20;
/** A position this close to the end counts as the end. */
const NEAR_PX = 2 * LINE_HEIGHT;

type Props = { readonly deployment: Deployment; readonly log: LogStore };

/** A log. It scrolls with new lines until the user scrolls up, and again once the user scrolls back to the end. */
export function LogView({ deployment, log }: Props) {
  const { count, hasEnded, problem } = useSignal(log.state);
  const box = useRef<HTMLDivElement>(null);
  const lastTop = useRef(0);
  const isAtNumber = useRef(false);
  const { line: linked, link } = useLineLink();
  const [isFollowing, setIsFollowing] = useState(linked === null && deployment.status === "building");
  const [query, setQuery] = useState("");
  const failedStage = deployment.failure?.stage ?? null;
  const rows = useLogRows(log, { count, failedStage, linked });
  const linkedRow = linked === null || linked > count ? null : rows.rowOf(linked - 1);

  const scrollToRow = (row: number) => {
    setIsFollowing(false);
    if (box.current === null) return;
    const { scrollTop, clientHeight } = box.current;
    const top = row * LINE_HEIGHT;
    const isSeen = top >= scrollTop && top + LINE_HEIGHT <= scrollTop + clientHeight;
    if (!isSeen) box.current.scrollTo({ top: top - clientHeight / 3 });
  };
  /** On a line number, the arrow keys move to the next number and update the address. */
  const onKeyDown = (event: KeyboardEvent) => {
    const number = event.target instanceof HTMLElement ? event.target.closest(".number") : null;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (number === null || step === 0) return;
    event.preventDefault();
    link(Math.min(count, Math.max(1, Number(number.textContent) + step)), { replace: true });
    isAtNumber.current = true;
  };
  useLayoutEffect(() => {
    if (isFollowing) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [count, isFollowing]);
  const isLinkedShown = linkedRow !== null;
  useEffect(() => {
    if (!isLinkedShown) return;
    scrollToRow(linkedRow);
    if (!isAtNumber.current) return;
    isAtNumber.current = false;
    box.current?.querySelector<HTMLElement>(`[href="#L${linked}"]`)?.focus({ preventScroll: true });
  }, [linked, isLinkedShown]);

  const onScroll = () => {
    if (box.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    // New lines also move the end away. Only scrolling up stops following.
    if (scrollTop < lastTop.current) setIsFollowing(false);
    if (scrollTop + clientHeight >= scrollHeight - NEAR_PX && !hasEnded) setIsFollowing(true);
    lastTop.current = scrollTop;
  };
  const error = firstError(log, deployment.failure !== null);
  return (
    <section class="log" aria-label="Log">
      <header>
        <h2>Log</h2>
        <LogSearch
          log={log}
          count={count}
          query={query}
          onQuery={setQuery}
          onFound={(line) => link(line, { replace: true })}
        />
        {error === null ? null : <Button onClick={() => link(error)}>First error</Button>}
        {hasEnded ? null : (
          <label class="check">
            <input
              type="checkbox"
              checked={isFollowing}
              onChange={(event) => setIsFollowing(event.currentTarget.checked)}
            />
            Follow
          </label>
        )}
        <RawLog deployment={deployment} />
      </header>
      {hasEnded ? null : (
        <ProblemBox
          problem={problem}
          doing={deployment.status === "building" ? "Following the log" : "Loading the log"}
          retry={log.retry}
        />
      )}
      <div
        ref={box}
        class="lines"
        data-scrolls
        tabIndex={0}
        role="region"
        aria-label="Lines"
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        {count === 0 ? (
          problem === null && !hasEnded ? (
            <Waiting what="Waiting for output" />
          ) : null
        ) : (
          <VirtualList
            count={rows.count}
            rowHeight={LINE_HEIGHT}
            label="Lines of the log"
            total={hasEnded ? rows.count : -1}
            keyOf={(at) => {
              const row = rows.at(at);
              return row.kind === "line" ? row.index : `warnings ${row.run.first}`;
            }}
            rowClass={(at) => (at === linkedRow ? "linked" : "")}
            stop={linkedRow}
            row={(at, isStop) => {
              const row = rows.at(at);
              if (row.kind === "warnings")
                return <WarningsRow {...row} isStop={isStop} onToggle={() => rows.toggle(row.run.first)} />;
              const { index } = row;
              const line = log.lines[index];
              if (line === undefined) return null;
              const style = log.styles.at(index);
              return <LogRow line={line} style={style} marked={query.toLowerCase()} isStop={isStop} />;
            }}
          />
        )}
      </div>
    </section>
  );
}
