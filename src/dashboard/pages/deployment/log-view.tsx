import { useEffect, useRef, useState } from "preact/hooks";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { LogStore } from "#dashboard/pages/deployment/log-store.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { firstError } from "#dashboard/pages/deployment/first-error.ts";
import { LogGroupView } from "#dashboard/pages/deployment/log-group.tsx";
import { type LogGroup, logGroups } from "#dashboard/pages/deployment/log-groups.ts";
import { LogSearch } from "#dashboard/pages/deployment/log-search.tsx";
import { RawLog } from "#dashboard/pages/deployment/raw-log.tsx";
import { useFollow } from "#dashboard/pages/deployment/use-follow.ts";
import type { LineLink, LinkedLine } from "#dashboard/pages/deployment/use-line-link.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";

type Props = { readonly deployment: Deployment; readonly log: LogStore; readonly lineLink: LineLink };

/** A log in groups, one for each stage. The page scrolls with new lines until the user scrolls up. */
export function LogView({ deployment, log, lineLink: { linked, link } }: Props) {
  const { count, hasEnded, problem } = useSignal(log.state);
  const takesFocus = useRef(false);
  const { isFollowing, setIsFollowing } = useFollow(count, {
    starts: linked.line === null && deployment.status === "building",
    hasEnded,
  });
  const [query, setQuery] = useState("");
  // Long lines are hard to read on a phone if each must be scrolled.
  const [isWrapped, setIsWrapped] = useState(() => matchMedia("(width < 640px)").matches);
  // The log of an ended deployment grows only while it loads.
  const isFollowable = !hasEnded && deployment.status === "building";
  const failedStage = deployment.failure?.stage ?? null;
  const groups = logGroups(log, count);
  const { isOpen, toggle } = useOpenGroups(groups, failedStage, linked);
  /** On a line number, the arrow keys move to the next number and update the address. */
  const onKeyDown = (event: KeyboardEvent) => {
    const number = event.target instanceof HTMLElement ? event.target.closest(".number") : null;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (number === null || step === 0) return;
    event.preventDefault();
    takesFocus.current = true;
    link(Math.min(count, Math.max(1, Number(number.textContent) + step)), { replace: true });
  };
  const error = firstError(log, failedStage);
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
        <Switch label="Wrap" isOn={isWrapped} onChange={setIsWrapped} />
        {isFollowable ? <Switch label="Follow" isOn={isFollowing} onChange={setIsFollowing} /> : null}
        <RawLog deployment={deployment} />
      </header>
      {hasEnded ? null : (
        <ProblemBox
          problem={problem}
          doing={deployment.status === "building" ? "Following the log" : "Loading the log"}
          retry={log.retry}
        />
      )}
      <div class="groups" role="region" aria-label="Lines" onKeyDown={onKeyDown}>
        {count === 0 && problem === null && !hasEnded ? <Waiting what="Waiting for output" /> : null}
        {groups.map((group, at) => (
          <LogGroupView
            key={group.first}
            log={log}
            group={group}
            isOpen={isOpen(group)}
            onToggle={() => toggle(group)}
            hasFailed={group.stage === failedStage}
            isGrowing={!hasEnded && at === groups.length - 1}
            isWrapped={isWrapped}
            linked={isIn(group, linked) ? linked : null}
            takesFocus={takesFocus}
            onSeek={() => setIsFollowing(false)}
            marked={query.toLowerCase()}
          />
        ))}
      </div>
    </section>
  );
}

type SwitchProps = {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
};

function Switch({ label, isOn, onChange }: SwitchProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

function isIn({ first, count }: LogGroup, { line }: LinkedLine): boolean {
  return line !== null && line > first && line <= first + count;
}

/**
 * Which groups are open: all. Of a deployment that had failed before the page was opened, only the failed stage's
 * group. The line in the address is always shown when it changes.
 */
function useOpenGroups(groups: readonly LogGroup[], failedStage: string | null, linked: LinkedLine) {
  const [chosen, setChosen] = useState<ReadonlyMap<number, boolean>>(new Map());
  const failedBefore = useRef(failedStage).current;
  const isOpen = ({ first, stage }: LogGroup) =>
    chosen.get(first) ?? (failedBefore === null || stage === failedBefore || stage === "end");
  const choose = (first: number, open: boolean) => setChosen((now) => new Map([...now, [first, open]]));
  const around = groups.find((group) => isIn(group, linked))?.first ?? null;
  useEffect(() => {
    if (around !== null) choose(around, true);
  }, [linked, around]);
  return { isOpen, toggle: (group: LogGroup) => choose(group.first, !isOpen(group)) };
}
