import { useEffect, useState } from "preact/hooks";

import {
  type AuditFilters,
  exportAuditEntries,
  listAuditEntries,
  useAuditEntries,
} from "#dashboard/pages/audit/audit-resources.ts";
import { ALL, useProjects, useServers, useTokens } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { AuditRow } from "#dashboard/pages/audit/audit-row.tsx";
import { SealState } from "#dashboard/pages/audit/seal-state.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Choice } from "#dashboard/shared/field.tsx";
import { saveBlob } from "#dashboard/shared/open-blob.ts";
import { Page } from "#dashboard/shared/page.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { PagedList } from "#dashboard/shared/paged-list.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { ProjectFilter } from "#dashboard/shared/project-filter.tsx";
import { filtersInAddress, writeFiltersToAddress } from "#dashboard/router/filters.ts";

/** Who did what, newest first, and up to where the log is sealed. */
export function Audit() {
  const [filters, setFilters] = useState<AuditFilters>(() =>
    filtersInAddress("outcome", "actor_id", "project_id"),
  );
  const setActor = (id: string) => setFilters((now) => ({ ...now, actor_id: id }));
  useEffect(() => writeFiltersToAddress(filters), [filters]);
  const exporting = useAction(exportAuditEntries);
  const save = async () => {
    const read = await exporting.run(filters);
    if (read !== null) saveBlob(read.value, "audit.ndjson");
  };
  return (
    <Page
      title="Audit log"
      actions={
        <Button onClick={save} isBusy={exporting.isRunning}>
          Export
        </Button>
      }
    >
      <ProblemBox problem={exporting.problem} doing="Exporting" />
      <SealState />
      <div class="filters">
        <Choice
          label="Outcome"
          value={filters.outcome}
          onChange={(outcome) => setFilters({ ...filters, outcome })}
        >
          <option value="">All</option>
          <option value="done">Done</option>
          <option value="refused">Refused</option>
        </Choice>
        <ProjectFilter
          value={filters.project_id}
          onChange={(project_id) => setFilters({ ...filters, project_id })}
        />
        <ActorFilter value={filters.actor_id} onChange={setActor} />
      </div>
      <Rows key={JSON.stringify(filters)} filters={filters} onActor={setActor} />
    </Page>
  );
}

type ActorProps = { readonly value: string; readonly onChange: (id: string) => void };

/** A choice of one actor or all. Hooks, servers and revoked tokens are chosen at one of their entries. */
function ActorFilter({ value, onChange }: ActorProps) {
  const { value: listed } = useTokens(ALL);
  const tokens = listed?.tokens ?? [];
  return (
    <Choice label="Actor" value={value} onChange={onChange}>
      <option value="">All</option>
      {tokens.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {value === "" || tokens.some(({ id }) => id === value) ? null : <option value={value}>{value}</option>}
    </Choice>
  );
}

type RowsProps = { readonly filters: AuditFilters; readonly onActor: (id: string) => void };

function Rows({ filters, onActor }: RowsProps) {
  const { value: projects } = useProjects(ALL);
  const { value: servers } = useServers(ALL);
  const names = new Map(
    [...(projects?.projects ?? []), ...(servers?.servers ?? [])].map(({ id, name }) => [String(id), name]),
  );
  const nameOf = (id: string) => names.get(id) ?? null;
  const isFiltered = Object.values(filters).some((value) => value !== "");
  return (
    <PagedList
      of={useAuditEntries(filters)}
      what="audit log entries"
      rowsOf={(page) => page.entries}
      keyOf={(row) => row.id}
      readOlder={(cursor) => listAuditEntries(filters, cursor)}
    >
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState title={isFiltered ? "No entries match the filters" : "No entries yet"} />
        ) : (
          <ul class="records" aria-label="Audit log">
            {rows.map((row) => (
              <AuditRow key={row.id} entry={row} nameOf={nameOf} onActor={onActor} />
            ))}
          </ul>
        )
      }
    </PagedList>
  );
}
