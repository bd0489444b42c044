import { useEffect, useRef, useState } from "preact/hooks";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import type { LogStore } from "#dashboard/pages/deployment/log-store.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { firstError } from "#dashboard/pages/deployment/first-error.ts";
import { LogGroupView } from "#dashboard/pages/deployment/log-group.tsx";
import { LogSearch } from "#dashboard/pages/deployment/log-search.tsx";
import { RawLog } from "#dashboard/pages/deployment/raw-log.tsx";
import { partOfLog } from "#dashboard/pages/deployment/log-part.ts";
import { indexIn, nextLine, type ShownGroup, shownGroups } from "#dashboard/pages/deployment/shown-groups.ts";
import { useFollow } from "#dashboard/pages/deployment/use-follow.ts";
import type { LineLink, LinkedLine } from "#dashboard/pages/deployment/use-line-link.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";

/** The servers that write a log, by which its lines can be chosen. */
export type LogServers = {
  readonly all: readonly { readonly id: ServerId; readonly name: string }[];
  /** The server whose lines are shown; null: all. */
  readonly chosen: ServerId | null;
  readonly onChoose: (id: ServerId | null) => void;
};

type Props = {
  readonly deployment: Deployment;
  readonly log: LogStore;
  readonly lineLink: LineLink;
  /** null: the project has one. */
  readonly servers: LogServers | null;
};

/** A log in groups, one for each stage. The page scrolls with new lines until the user scrolls up. */
export function LogView({ deployment, log, lineLink: { linked, link }, servers }: Props) {
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
  const server = servers?.chosen ?? null;
  // The lines of another server do not say what failed.
  const isOfFailed = server === null || server === deployment.failure?.server_id;
  const failedStage = isOfFailed ? (deployment.failure?.stage ?? null) : null;
  const groups = shownGroups(log, count, { isOfSeveral: servers !== null, server });
  const failed = failedGroup(groups, failedStage);
  const isHidden = linked.line !== null && linked.line <= count && !groups.some((one) => isIn(one, linked));
  // A link to a line of another server shows all lines. Choosing a server does not: its lines are what is asked for.
  useEffect(() => {
    if (isHidden) servers?.onChoose(null);
  }, [linked]);
  const { isOpen, toggle } = useOpenGroups(groups, { stage: failedStage, key: failed?.key ?? null }, linked);
  /** On a line number, the arrow keys move to the next number and update the address. */
  const onKeyDown = (event: KeyboardEvent) => {
    const number = event.target instanceof HTMLElement ? event.target.closest(".number") : null;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (number === null || step === 0) return;
    event.preventDefault();
    takesFocus.current = true;
    link(nextLine(groups, Number(number.textContent), step), { replace: true });
  };
  const failedServer = isOfFailed ? (deployment.failure?.server_id ?? null) : server;
  const error = firstError(
    failedServer === null ? log : partOfLog(log, count, { server: failedServer, stage: null }),
    failedStage,
  );
  const serverOf = servers === null || server !== null ? null : nameIn(servers);
  return (
    <section class="log" aria-label="Log">
      <header>
        <h2>Log</h2>
        <LogSearch
          groups={groups}
          version={`${server} ${count}`}
          query={query}
          onQuery={setQuery}
          onFound={(line) => link(line, { replace: true })}
        />
        {servers === null ? null : <ServerChoice {...servers} />}
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
            key={group.key}
            group={group}
            serverOf={serverOf}
            isOpen={isOpen(group)}
            onToggle={() => toggle(group)}
            hasFailed={group === failed}
            isGrowing={!hasEnded && (servers !== null || at === groups.length - 1)}
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

function isIn(group: ShownGroup, { line }: LinkedLine): boolean {
  return indexIn(group, line) !== null;
}

function nameIn({ all }: LogServers): (line: LogLine) => string {
  const names = new Map(all.map(({ id, name }) => [id, name]));
  return ({ server_id: id }) => (id === undefined ? "" : (names.get(id) ?? id));
}

/** Chooses whose lines are shown. */
function ServerChoice({ all, chosen, onChoose }: LogServers) {
  return (
    <select
      class="of-server"
      aria-label="Server"
      value={chosen ?? ""}
      onChange={({ currentTarget: { value } }) => onChoose(all.find(({ id }) => id === value)?.id ?? null)}
    >
      <option value="">All servers</option>
      {all.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** The group of a stage that failed: of several instructions, the last one. */
function failedGroup(groups: readonly ShownGroup[], failedStage: string | null): ShownGroup | null {
  const ofStage = groups.filter(({ stage }) => stage === failedStage);
  return ofStage.findLast(({ instruction }) => instruction !== null) ?? ofStage.at(-1) ?? null;
}

/**
 * Which groups are open: all. Of a deployment that had failed before the page was opened, only the group that failed. The line in the address is always shown when it changes.
 */
function useOpenGroups(
  groups: readonly ShownGroup[],
  failed: { readonly stage: string | null; readonly key: string | null },
  linked: LinkedLine,
) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const hadFailed = useRef(failed.stage !== null).current;
  const isOpen = ({ key, stage }: ShownGroup) =>
    chosen.get(key) ?? (!hadFailed || failed.stage === null || key === failed.key || stage === "end");
  const choose = (key: string, open: boolean) => setChosen((now) => new Map([...now, [key, open]]));
  const around = groups.find((group) => isIn(group, linked))?.key ?? null;
  useEffect(() => {
    if (around !== null) choose(around, true);
  }, [linked, around]);
  return { isOpen, toggle: (group: ShownGroup) => choose(group.key, !isOpen(group)) };
}
