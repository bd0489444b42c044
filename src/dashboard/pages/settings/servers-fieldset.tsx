import { useLayoutEffect, useRef } from "preact/hooks";

import { withHiddenShown } from "#contract/hidden-text.ts";
import type { ServerId } from "#contract/ids.ts";
import { cronServer, MAX_SERVERS, servesDomain } from "#contract/endpoints/projects/servers.ts";
import type { ServerRow } from "#contract/endpoints/servers/schemas.ts";
import {
  entriesIn,
  movedEntry,
  processNames,
  type ServerEntry,
  withEntries,
} from "#dashboard/pages/settings/server-draft.ts";
import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { toggled } from "#dashboard/shared/checks.tsx";
import { Choice } from "#dashboard/shared/field.tsx";
import { Menu } from "#dashboard/shared/menu.tsx";
import { ServerState } from "#dashboard/shared/status.tsx";

type Props = Pick<SettingsPart, "project" | "draft" | "change" | "errors"> & {
  /** The servers of the account. */
  readonly rows: readonly ServerRow[];
  /** Whether the caller may add, remove and move servers. */
  readonly mayMove: boolean;
};

/** The servers of a project that has several: their order, and what runs on each. */
export function ServersFieldset({ project, draft, change, errors, rows, mayMove }: Props) {
  const entries = entriesIn(draft);
  const set = (next: readonly ServerEntry[]) => change(withEntries(next, project));
  const list = useRef<HTMLOListElement>(null);
  /** The button that was used to move a server, which loses the focus when its row moves. */
  const used = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (used.current !== null)
      list.current?.querySelector<HTMLElement>(`[data-move="${used.current}"] button`)?.focus();
    used.current = null;
  });
  const move = (id: ServerId, by: -1 | 1) => {
    used.current = `${id} ${by}`;
    set(movedEntry(entries, id, by));
  };
  const names = processNames(project, entries);
  const nameOf = (id: ServerId) => serverName(rows, id);
  const flagged = entries.find(({ cron }) => cron)?.id ?? "";
  const leaving = project.servers.filter(({ id }) => !entries.some((entry) => entry.id === id));
  return (
    <fieldset>
      <legend>Servers</legend>
      <p class="quiet">
        They switch to a release in this order. One-off commands run on the first one, and it looks for
        pushes.
      </p>
      <ol ref={list} class="members" aria-label="Servers">
        {entries.map((entry, at) => (
          <Entry
            key={entry.id}
            entry={entry}
            place={at + 1}
            name={nameOf(entry.id)}
            row={rows.find(({ id }) => id === entry.id) ?? null}
            names={names}
            error={errorAt(errors, at)}
            onChange={(next) => set(entries.map((one) => (one.id === entry.id ? next : one)))}
            onMove={mayMove ? (by) => move(entry.id, by) : null}
            isLast={at === entries.length - 1}
            onRemove={
              mayMove && entries.length > 1 ? () => set(entries.filter(({ id }) => id !== entry.id)) : null
            }
          />
        ))}
      </ol>
      {leaving.length === 0 ? null : (
        <p class="hint" role="status">
          {leaving.map(({ id }) => nameOf(id)).join(", ")}{" "}
          {leaving.length === 1 ? "serves the project" : "serve the project"} until the next deployment is
          live. Then the project is removed there.
        </p>
      )}
      {mayMove ? <AddServer entries={entries} rows={rows} onChange={set} /> : null}
      <Choice
        label="Cron jobs run on"
        value={flagged}
        onChange={(id) => set(entries.map((entry) => ({ ...entry, cron: entry.id === id })))}
        hint="On one server only. If it is not connected, no other server runs them."
      >
        <option value="">
          {flagged === ""
            ? `The first server: ${nameOf(cronServer(entries) ?? project.server_id)}`
            : "The first server"}
        </option>
        {entries.map(({ id }) => (
          <option key={id} value={id}>
            {nameOf(id)}
          </option>
        ))}
      </Choice>
    </fieldset>
  );
}

/** The name of a server of the account, or its id. */
export function serverName(rows: readonly ServerRow[], id: string): string {
  return withHiddenShown(rows.find((row) => row.id === id)?.name ?? id);
}

/** The first error of the entry at a place. */
function errorAt(errors: SettingsPart["errors"], at: number): string | null {
  return Object.entries(errors).find(([path]) => path.startsWith(`servers.${at}.`))?.[1] ?? null;
}

type EntryProps = {
  readonly entry: ServerEntry;
  /** From 1. */
  readonly place: number;
  readonly name: string;
  readonly row: ServerRow | null;
  /** The processes that can be chosen. */
  readonly names: readonly string[];
  readonly error: string | null;
  readonly onChange: (entry: ServerEntry) => void;
  /** null: the caller may not move it. */
  readonly onMove: ((by: -1 | 1) => void) | null;
  readonly isLast: boolean;
  /** null: it cannot be removed. */
  readonly onRemove: (() => void) | null;
};

function Entry({ entry, place, name, row, names, error, onChange, onMove, isLast, onRemove }: EntryProps) {
  const { processes } = entry;
  return (
    <li aria-label={name}>
      <div class="member">
        <span class="place" aria-hidden="true">
          {place}
        </span>
        <span class="name">
          <strong>{name}</strong> {row === null ? null : <ServerState status={row.status} />}
        </span>
        <select
          aria-label={`Processes on ${name}`}
          value={processes === null ? "all" : "some"}
          onChange={(event) =>
            onChange({ ...entry, processes: event.currentTarget.value === "all" ? null : [...names] })
          }
        >
          <option value="all">All processes</option>
          <option value="some">Some processes</option>
        </select>
        {onMove === null && onRemove === null ? null : (
          <span class="actions">
            {onMove === null ? null : (
              <>
                <span data-move={`${entry.id} -1`}>
                  <Button
                    variant="subtle"
                    label={`Move ${name} up`}
                    isDisabled={place === 1}
                    onClick={() => onMove(-1)}
                  >
                    Up
                  </Button>
                </span>
                <span data-move={`${entry.id} 1`}>
                  <Button
                    variant="subtle"
                    label={`Move ${name} down`}
                    isDisabled={isLast}
                    onClick={() => onMove(1)}
                  >
                    Down
                  </Button>
                </span>
              </>
            )}
            {onRemove === null ? null : (
              <Button variant="subtle" label={`Remove ${name}`} onClick={onRemove}>
                Remove
              </Button>
            )}
          </span>
        )}
      </div>
      {processes === null ? null : (
        <div class="member-processes" role="group" aria-label={`Which processes run on ${name}`}>
          {names.map((one) => (
            <label key={one} class="check">
              <input
                type="checkbox"
                checked={processes.includes(one)}
                onChange={() => {
                  const chosen = toggled(processes, one);
                  onChange({ ...entry, processes: names.filter((each) => chosen.includes(each)) });
                }}
              />
              <code>{one}</code>
            </label>
          ))}
          {servesDomain(entry) ? null : <span class="quiet">Does not serve the domain.</span>}
        </div>
      )}
      {error === null ? null : <p class="error">{error}</p>}
    </li>
  );
}

type AddProps = {
  readonly entries: readonly ServerEntry[];
  readonly rows: readonly ServerRow[];
  readonly onChange: (entries: readonly ServerEntry[]) => void;
};

/** A menu with the servers of the account that the project does not have yet. */
export function AddServer({ entries, rows, onChange }: AddProps) {
  const others = rows.filter(({ id }) => !entries.some((entry) => entry.id === id));
  if (others.length === 0 || entries.length >= MAX_SERVERS) return null;
  return (
    <Menu
      text="Add a server"
      label="Add a server"
      items={others.map(({ id, name }) => ({
        label: withHiddenShown(name),
        onSelect: () => onChange([...entries, { id, processes: null, cron: false }]),
      }))}
    />
  );
}
