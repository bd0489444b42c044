import { useEffect, useState } from "preact/hooks";

import type { Token } from "#contract/endpoints/tokens/schemas.ts";
import {
  type AuditFilters,
  exportAuditEntries,
  listAuditEntries,
  useAuditEntries,
} from "#dashboard/pages/audit/audit-resources.ts";
import { ALL, useProjects, useServers, useTokens } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { AuditRow, type NamedActor } from "#dashboard/pages/audit/audit-row.tsx";
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
  // The filter cannot show the name of everybody.
  const [chosen, setChosen] = useState<NamedActor | null>(null);
  const setActor = (id: string) => setFilters((now) => ({ ...now, actor_id: id }));
  const choose = (actor: NamedActor) => {
    setChosen(actor);
    setActor(actor.id);
  };
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
        <ActorFilter value={filters.actor_id} chosen={chosen} onChange={setActor} />
      </div>
      <Rows key={JSON.stringify(filters)} filters={filters} onActor={choose} />
    </Page>
  );
}

type ActorProps = {
  readonly value: string;
  /** The actor of an entry that was chosen last. */
  readonly chosen: NamedActor | null;
  readonly onChange: (id: string) => void;
};

/**
 * A choice of one actor or all: service tokens, and members who have a session or a token. Hooks, servers and others are
 * chosen at one of their entries.
 */
function ActorFilter({ value, chosen, onChange }: ActorProps) {
  const { value: listed } = useTokens(ALL);
  const actors = new Map((listed?.tokens ?? []).map((one) => actorOf(one)));
  if (value !== "" && !actors.has(value)) actors.set(value, chosen?.id === value ? chosen.name : value);
  return (
    <Choice label="Actor" value={value} onChange={onChange}>
      <option value="">All</option>
      {[...actors].map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Choice>
  );
}

/** The member whose token it is, or a service token, with the name. */
function actorOf({ id, name, member }: Token): [string, string] {
  return member === null ? [id, name] : [member.id, member.name];
}

type RowsProps = { readonly filters: AuditFilters; readonly onActor: (actor: NamedActor) => void };

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
