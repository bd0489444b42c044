import { useEffect, useState } from "preact/hooks";

import { type EventFilters, listEvents, useEvents } from "#dashboard/pages/events/event-resources.ts";
import { EventRow } from "#dashboard/pages/events/event-row.tsx";
import { Choice } from "#dashboard/shared/field.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { pathTo } from "#dashboard/router/route.ts";
import { Page } from "#dashboard/shared/page.tsx";
import { PagedList } from "#dashboard/shared/paged-list.tsx";
import { ProjectFilter } from "#dashboard/shared/project-filter.tsx";
import { filtersInAddress, writeFiltersToAddress } from "#dashboard/router/filters.ts";
import { eventFamilies } from "#dashboard/pages/events/event-texts.ts";

/** What has changed in the account, newest first. */
export function Events() {
  const [filters, setFilters] = useState<EventFilters>(() => filtersInAddress("type", "project_id"));
  useEffect(() => writeFiltersToAddress(filters), [filters]);
  return (
    <Page title="Events">
      <div class="filters">
        <Choice label="About" value={filters.type} onChange={(type) => setFilters({ ...filters, type })}>
          <option value="">Everything</option>
          {Object.entries(eventFamilies).map(([pattern, name]) => (
            <option key={pattern} value={pattern}>
              {name}
            </option>
          ))}
        </Choice>
        <ProjectFilter
          value={filters.project_id}
          onChange={(project_id) => setFilters({ ...filters, project_id })}
        />
      </div>
      <Rows key={JSON.stringify(filters)} filters={filters} />
    </Page>
  );
}

function Rows({ filters }: { readonly filters: EventFilters }) {
  const isFiltered = filters.type !== "" || filters.project_id !== "";
  return (
    <PagedList
      of={useEvents(filters)}
      what="events"
      rowsOf={(page) => page.events}
      keyOf={(row) => row.id}
      readOlder={(cursor) => listEvents(filters, cursor)}
    >
      {(rows) =>
        rows.length === 0 ? (
          isFiltered ? (
            <p class="quiet">No events match the filters.</p>
          ) : (
            <EmptyState
              title="No events yet"
              actions={
                <a class="button" href={pathTo({ page: "overview" })}>
                  Projects
                </a>
              }
            >
              Deployments, changes of settings and servers that lose contact appear here.
            </EmptyState>
          )
        ) : (
          <ul class="records" aria-label="Events">
            {rows.map((row) => (
              <EventRow key={row.id} event={row} />
            ))}
          </ul>
        )
      }
    </PagedList>
  );
}
