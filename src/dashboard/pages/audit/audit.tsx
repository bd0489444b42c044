import { useEffect, useState } from "preact/hooks";

import {
  type AuditFilters,
  exportAuditEntries,
  listAuditEntries,
  useAuditEntries,
} from "#dashboard/data/audit-resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { AuditRow } from "#dashboard/pages/audit/audit-row.tsx";
import { SealState } from "#dashboard/pages/audit/seal-state.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { saveBlob } from "#dashboard/shared/open-blob.ts";
import { Page } from "#dashboard/shared/page.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { PagedList } from "#dashboard/shared/paged-list.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { ProjectFilter } from "#dashboard/shared/project-filter.tsx";
import { filtersInAddress, writeFiltersToAddress } from "#dashboard/router/filters.ts";

/** The pause after typing before the list is filtered. */
const TYPING_MS = 300;

/** Who did what, newest first, and up to where the log is sealed. */
export function Audit() {
  const [filters, setFilters] = useState<AuditFilters>(() =>
    filtersInAddress("outcome", "actor_id", "project_id"),
  );
  const [actor, setActor] = useState(filters.actor_id);
  useEffect(() => {
    const timer = setTimeout(() => setFilters((now) => ({ ...now, actor_id: actor.trim() })), TYPING_MS);
    return () => clearTimeout(timer);
  }, [actor]);
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
        <Field label="Actor" type="search" value={actor} onInput={setActor} placeholder="tok_…" isCode />
      </div>
      <Rows key={JSON.stringify(filters)} filters={filters} onActor={setActor} />
    </Page>
  );
}

type RowsProps = { readonly filters: AuditFilters; readonly onActor: (id: string) => void };

function Rows({ filters, onActor }: RowsProps) {
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
              <AuditRow key={row.id} entry={row} onActor={onActor} />
            ))}
          </ul>
        )
      }
    </PagedList>
  );
}
