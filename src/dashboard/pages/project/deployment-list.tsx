import { useEffect, useMemo, useState } from "preact/hooks";

import { type Deployment, DeploymentStatus } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { Filters } from "#dashboard/data/deployment-feed.ts";
import { feedOf } from "#dashboard/pages/project/deployment-feeds.ts";
import { useMay } from "#dashboard/data/resources.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { DeleteDeployment } from "#dashboard/shared/delete-deployment.tsx";
import { DeploymentMenu } from "#dashboard/pages/project/deployment-menu.tsx";
import { DeploymentRow } from "#dashboard/shared/deployment-row.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { memo } from "#dashboard/shared/memo.tsx";
import { isNotAllowed, NoAccess } from "#dashboard/shared/unavailable.tsx";
import { useBrowserValue } from "#dashboard/shared/use-browser-value.ts";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { RollbackDialog } from "#dashboard/shared/rollback-dialog.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { VirtualList } from "#dashboard/shared/virtual-list.tsx";
import { Waiting } from "#dashboard/shared/waiting.tsx";
import { filtersInAddress, writeFiltersToAddress } from "#dashboard/router/filters.ts";
import { statusLabels } from "#dashboard/text/labels.ts";

/** In pixels. On a narrow screen, a row has two lines. */
const ROW_HEIGHT = { wide: 40, narrow: 68 };
/** The pause after typing before the list is filtered. */
const TYPING_MS = 300;

type Props = {
  readonly projectId: ProjectId;
  /** Undefined until the project is loaded. */
  readonly repository: string | undefined;
};

/** All deployments of a project, newest first. */
export function DeploymentList({ projectId, repository }: Props) {
  const [before] = useState(readFilters);
  const [status, setStatus] = useState(before.status);
  const [typed, setTyped] = useState(before.branch);
  const [branch, setBranch] = useState(before.branch);
  useEffect(() => {
    const timer = setTimeout(() => setBranch(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => writeFiltersToAddress({ status, branch }), [status, branch]);
  return (
    <>
      <header class="list-head">
        <h2>Deployments</h2>
        <div class="filters">
          <Choice
            label="Status"
            value={status}
            onChange={(chosen) => setStatus(DeploymentStatus.safeParse(chosen).data ?? "")}
          >
            <option value="">All</option>
            {DeploymentStatus.options.map((option) => (
              <option key={option} value={option}>
                {statusLabels[option]}
              </option>
            ))}
          </Choice>
          <Field label="Branch" type="search" value={typed} onInput={setTyped} placeholder="all" isCode />
        </div>
      </header>
      <Rows
        key={`${status} ${branch}`}
        projectId={projectId}
        repository={repository}
        filters={{ status, branch }}
      />
    </>
  );
}

function readFilters(): Filters {
  const { status, branch } = filtersInAddress("status", "branch");
  return { status: DeploymentStatus.safeParse(status).data ?? "", branch };
}

type RowsProps = Props & { readonly filters: Filters };

function Rows({ projectId, repository, filters }: RowsProps) {
  const list = useMemo(() => feedOf(projectId, filters), []);
  useEffect(() => list.newest.watch(), [list]);
  const { rows, isComplete, isLoadingMore, problem } = useSignal(list.feed);
  const newest = useSignal(list.newest.state);
  const mayChange = useMay("startDeployment", projectId);
  const [deleted, setDeleted] = useState<Deployment | null>(null);
  const [target, setTarget] = useState<Deployment | null>(null);
  const isNarrow = useBrowserValue(() => matchMedia("(width < 640px)").matches, "resize");
  const row = (index: number) => {
    const deployment = rows[index];
    if (deployment === undefined) return null;
    return (
      <Row
        deployment={deployment}
        repository={repository}
        mayChange={mayChange}
        onChanged={list.newest.reload}
        onRollBack={setTarget}
        onDelete={setDeleted}
      />
    );
  };
  if (newest.value === null && newest.problem === null) return <Waiting what="Loading the deployments" />;
  if (newest.problem !== null && isNotAllowed(newest.problem))
    return <NoAccess what="the deployments" problem={newest.problem} />;
  return (
    <>
      <ProblemBox
        problem={newest.problem}
        doing="Loading the newest deployments"
        retry={list.newest.reload}
      />
      {rows.length === 0 && newest.problem === null ? (
        filters.status === "" && filters.branch === "" ? (
          <EmptyState title="No deployments yet">
            {mayChange ? (
              <>
                <em>Deploy</em> fetches the latest commit, builds it and serves it at the project's domain.
              </>
            ) : (
              "The first one is shown here when somebody who may deploy this project has started it."
            )}
          </EmptyState>
        ) : (
          <EmptyState title="No deployments match the filters" />
        )
      ) : (
        <div class="rows">
          <VirtualList
            count={rows.length}
            rowHeight={isNarrow ? ROW_HEIGHT.narrow : ROW_HEIGHT.wide}
            label="Deployments"
            row={row}
            keyOf={(index) => rows[index]?.id ?? index}
            onEnd={list.loadMore}
            {...(isComplete ? { total: rows.length } : {})}
          />
        </div>
      )}
      {isLoadingMore ? <Waiting what="Loading older deployments" /> : null}
      <ProblemBox problem={problem} doing="Loading older deployments" retry={list.loadMore} />
      {target === null ? null : (
        <RollbackDialog projectId={projectId} target={target.id} onClose={() => setTarget(null)} />
      )}
      {deleted === null ? null : (
        <DeleteDeployment
          deployment={rows.find(({ id }) => id === deleted.id) ?? deleted}
          onClose={() => setDeleted(null)}
          onDeleted={() => {
            list.remove(deleted.id);
            void list.newest.reload();
          }}
        />
      )}
    </>
  );
}

type RowProps = Pick<Props, "repository"> & {
  readonly deployment: Deployment;
  readonly mayChange: boolean;
  readonly onChanged: () => unknown;
  readonly onRollBack: (deployment: Deployment) => void;
  readonly onDelete: (deployment: Deployment) => void;
};

const Row = memo(function Row(props: RowProps) {
  const { deployment, repository, mayChange, onChanged, onRollBack, onDelete } = props;
  return (
    <DeploymentRow deployment={deployment} repository={repository}>
      {mayChange || deployment.waiting_on?.type === "approval" ? (
        <DeploymentMenu
          deployment={deployment}
          mayChange={mayChange}
          onChanged={onChanged}
          onRollBack={() => onRollBack(deployment)}
          onDelete={() => onDelete(deployment)}
        />
      ) : undefined}
    </DeploymentRow>
  );
});
