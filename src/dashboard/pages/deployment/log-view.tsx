import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Deployment } from "#contract/deployments.ts";
import type { LogStore } from "#dashboard/data/log-store.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { firstError } from "#dashboard/pages/deployment/first-error.ts";
import { LogRow } from "#dashboard/pages/deployment/log-row.tsx";
import { LogSearch } from "#dashboard/pages/deployment/log-search.tsx";
import { RawLog } from "#dashboard/pages/deployment/raw-log.tsx";
import { useLineLink } from "#dashboard/pages/deployment/use-line-link.ts";
import { Button } from "#dashboard/parts/button.tsx";
import { ProblemBox } from "#dashboard/parts/problem-box.tsx";
import { VirtualList } from "#dashboard/parts/virtual-list.tsx";
import { Waiting } from "#dashboard/parts/waiting.tsx";

/** In pixels, as the style sheet has it. */
const LINE_HEIGHT = 20;
/** So near to the end counts as being there. */
const NEAR_PX = 2 * LINE_HEIGHT;

type Props = { readonly deployment: Deployment; readonly log: LogStore };

/** A log: it is followed to its end until somebody scrolls away from it, and again when they come back. */
export function LogView({ deployment, log }: Props) {
  const { count, isOver, problem } = useSignal(log.state);
  const box = useRef<HTMLDivElement>(null);
  const lastTop = useRef(0);
  const [linked, link] = useLineLink();
  const [isFollowing, setIsFollowing] = useState(linked === null && deployment.status === "building");
  const [query, setQuery] = useState("");

  const scrollToLine = (line: number) => {
    setIsFollowing(false);
    box.current?.scrollTo({ top: (line - 1) * LINE_HEIGHT - box.current.clientHeight / 3 });
  };
  useLayoutEffect(() => {
    if (isFollowing) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [count, isFollowing]);
  const isLinkedThere = linked !== null && count >= linked;
  useEffect(() => {
    if (isLinkedThere) scrollToLine(linked);
  }, [linked, isLinkedThere]);

  const onScroll = () => {
    if (box.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    // Lines that come make the end move away; only whoever scrolls up wants to leave it.
    if (scrollTop < lastTop.current) setIsFollowing(false);
    if (scrollTop + clientHeight >= scrollHeight - NEAR_PX && !isOver) setIsFollowing(true);
    lastTop.current = scrollTop;
  };
  const error = firstError(log, deployment.failure !== null);
  return (
    <section class="log" aria-label="Log">
      <header>
        <h2>Log</h2>
        <LogSearch log={log} count={count} query={query} onQuery={setQuery} onFound={scrollToLine} />
        {error === null ? null : <Button onClick={() => link(error)}>First error</Button>}
        {isOver ? null : (
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
      {problem === null ? null : isOver ? null : (
        <ProblemBox
          problem={problem}
          doing={problem.status === 410 ? "Reading the log" : "Following the log"}
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
      >
        {count === 0 ? (
          problem === null && !isOver ? (
            <Waiting what="Waiting for the first line" />
          ) : null
        ) : (
          <VirtualList
            count={count}
            rowHeight={LINE_HEIGHT}
            label="Lines of the log"
            total={isOver ? count : -1}
            keyOf={(index) => index}
            rowClass={(index) => (index + 1 === linked ? "linked" : "")}
            row={(index) => {
              const line = log.lines[index];
              return line === undefined ? null : <LogRow line={line} marked={query.toLowerCase()} />;
            }}
          />
        )}
      </div>
    </section>
  );
}
