import { useEffect, useMemo, useState } from "preact/hooks";

import { type Deployment, DeploymentStatus } from "#contract/deployments.ts";
import type { ProjectId } from "#contract/ids.ts";
import { DeploymentFeed, type Filters } from "#dashboard/data/deployment-feed.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { useMedia } from "#dashboard/parts/use-media.ts";
import { Choice, Field } from "#dashboard/parts/field.tsx";
import { ProblemBox } from "#dashboard/parts/problem-box.tsx";
import { Commit, Status, waitingText } from "#dashboard/parts/status.tsx";
import { Ago, Duration } from "#dashboard/parts/times.tsx";
import { VirtualList } from "#dashboard/parts/virtual-list.tsx";
import { Waiting } from "#dashboard/parts/waiting.tsx";
import { pathTo } from "#dashboard/router/route.ts";
import { statusWords } from "#dashboard/text/words.ts";

/** In pixels; on a narrow screen a row has two lines. */
const ROW_HEIGHT = { wide: 44, narrow: 72 };
/** Somebody types a branch's name letter by letter. */
const TYPING_MS = 300;

/** A project's deployments, newest first, as many as there are. */
export function DeploymentList({ projectId }: { readonly projectId: ProjectId }) {
  const [status, setStatus] = useState<Filters["status"]>("");
  const [typed, setTyped] = useState("");
  const [branch, setBranch] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setBranch(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <>
      <div class="filters">
        <Choice
          label="Status"
          value={status}
          onChange={(chosen) => setStatus(DeploymentStatus.safeParse(chosen).data ?? "")}
        >
          <option value="">All</option>
          {DeploymentStatus.options.map((option) => (
            <option key={option} value={option}>
              {statusWords[option]}
            </option>
          ))}
        </Choice>
        <Field
          label="Branch"
          type="search"
          value={typed}
          onInput={setTyped}
          placeholder="all branches"
          isCode
        />
      </div>
      <Rows key={`${status} ${branch}`} projectId={projectId} filters={{ status, branch }} />
    </>
  );
}

type RowsProps = { readonly projectId: ProjectId; readonly filters: Filters };

function Rows({ projectId, filters }: RowsProps) {
  const list = useMemo(() => new DeploymentFeed(projectId, filters), []);
  useEffect(() => list.newest.watch(), [list]);
  const { rows, isWhole, isLoadingMore, problem } = useSignal(list.feed);
  const newest = useSignal(list.newest.known);
  const isNarrow = useMedia("(width < 640px)");
  const row = (index: number) => {
    const deployment = rows[index];
    return deployment === undefined ? null : <Row deployment={deployment} />;
  };
  if (newest.value === null && newest.problem === null) return <Waiting what="Reading the deployments" />;
  return (
    <>
      <ProblemBox
        problem={newest.problem}
        doing="Reading the newest deployments"
        retry={list.newest.reload}
      />
      {rows.length === 0 && newest.problem === null ? (
        <p class="quiet">
          {filters.status === "" && filters.branch === ""
            ? "Nothing has been deployed yet."
            : "No deployment is like that."}
        </p>
      ) : (
        <VirtualList
          count={rows.length}
          rowHeight={isNarrow ? ROW_HEIGHT.narrow : ROW_HEIGHT.wide}
          label="Deployments"
          row={row}
          keyOf={(index) => rows[index]?.id ?? index}
          onEnd={list.loadMore}
          {...(isWhole ? { total: rows.length } : {})}
        />
      )}
      {isLoadingMore ? <Waiting what="Reading older ones" /> : null}
      <ProblemBox problem={problem} doing="Reading older deployments" retry={list.loadMore} />
    </>
  );
}

function Row({ deployment }: { readonly deployment: Deployment }) {
  const { id, version, status, stage, branch, commit, commit_message: message, kind } = deployment;
  return (
    <a class="deployment" href={pathTo({ page: "deployment", id })}>
      <span class="version">v{version}</span>
      <Status status={status} stage={stage} />
      <span class="what">
        {kind === "rollback" ? <span class="tag">rollback</span> : null} <code>{branch}</code>{" "}
        <Commit commit={commit} message={message} />
      </span>
      <span class="quiet duration">
        {waitingText(deployment) ?? (
          <Duration
            seconds={deployment.duration}
            runningSince={status === "building" ? deployment.started_at : null}
          />
        )}
      </span>
      <span class="quiet when">
        <Ago time={deployment.created_at} />
      </span>
    </a>
  );
}
