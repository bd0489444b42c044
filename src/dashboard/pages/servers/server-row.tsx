import { isConnected } from "#contract/endpoints/servers/is-connected.ts";
import { useEffect, useRef, useState } from "preact/hooks";

import { withHiddenShown } from "#contract/hidden-text.ts";
import type { ServerId } from "#contract/ids.ts";
import type { Server, ServerRow } from "#contract/endpoints/servers/schemas.ts";
import { textOf } from "#contract/growing.ts";
import { api } from "#dashboard/data/api.ts";
import { notLoaded, type WatchedResource } from "#dashboard/data/resource.ts";
import { useMay, useServer } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { regionNames } from "#dashboard/pages/servers/region-names.ts";
import { ServerActions } from "#dashboard/pages/servers/server-actions.tsx";
import { ServerDetails } from "#dashboard/pages/servers/server-details.tsx";
import { hasServerProblems, ServerProblems } from "#dashboard/pages/servers/server-problems.tsx";
import { ServerState } from "#dashboard/shared/status.tsx";
import { type Columns, TableRow, WideTableRow } from "#dashboard/shared/table.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { useSeen } from "#dashboard/shared/use-seen.ts";

const status = { title: "Status" };
const uptime = { title: "Uptime" };
const actions = { title: "Actions", isActions: true };
const narrowColumns = { name: { title: "Name" }, status, uptime, actions } as const;
const wideColumns = {
  name: { title: "Name" },
  status,
  region: { title: "Region" },
  agent: { title: "Agent" },
  projects: { title: "Projects" },
  seen: { title: "Last seen" },
  uptime,
  actions,
} as const;

type ServerColumns = Columns<keyof typeof narrowColumns>;

/** The columns of the table. A narrow window has fewer, because the details show the other facts too. */
export function serverColumns(isNarrow: boolean): ServerColumns {
  return isNarrow ? narrowColumns : wideColumns;
}

type Props = {
  readonly row: ServerRow;
  readonly columns: ServerColumns;
  /** Whether it is the only server: its details are open at first. */
  readonly isOnly: boolean;
  readonly onChanged: () => unknown;
};

/** The rows of a server in the table: its facts, its problems if it has any, and its details on demand. */
export function ServerRows({ row, columns, isOnly, onChanged }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const isSeen = useSeen(button);
  const [isOpen, setIsOpen] = useState(isOnly);
  const [read, setRead] = useState<WatchedResource<Server>>(notLoaded);
  const mayChange = useMay("updateServer");
  const enrolling = useAction(() => api.createEnrollment({ params: { server_id: row.id } }));
  /** Why the server has not applied the last change of its draining. */
  const [unapplied, setUnapplied] = useState<string | null>(null);
  const draining = useAction(async (isDraining: boolean) => {
    const request = { params: { server_id: row.id }, body: {} };
    const set = await (isDraining ? api.drainServer(request) : api.undrainServer(request));
    setUnapplied(set.ok ? set.value.detail : null);
    return set;
  });
  const { value: server, reload } = read;
  const region = server?.region ?? server?.detected_region ?? null;
  // A server that has not connected yet has none of the facts beside it either.
  const isRegionUnknown = server !== null && region === null && row.status !== "pending";
  const detailsId = `details-${row.id}`;
  const cells = {
    name: (
      <>
        {/* Each row sends its own requests, and an account may have a thousand servers. */}
        {isSeen ? <ServerLoader id={row.id} onRead={setRead} /> : null}
        <button
          ref={button}
          type="button"
          class="fold"
          aria-expanded={isOpen}
          aria-controls={isOpen ? detailsId : undefined}
          onClick={() => setIsOpen(!isOpen)}
        >
          {row.name}
        </button>
      </>
    ),
    status: (
      <>
        <ServerState status={row.status} />
        {server?.draining_since ? <span class="quiet"> draining</span> : null}
      </>
    ),
    region: isRegionUnknown ? (
      <span class="quiet">unknown</span>
    ) : region === null ? null : (
      textOf(regionNames, region)
    ),
    agent: server?.agent_version ? withHiddenShown(server.agent_version) : null,
    projects: row.apps,
    seen: isConnected(row) ? "connected" : server?.last_seen_at ? <Ago time={server.last_seen_at} /> : null,
    uptime: row.status === "pending" ? null : row.uptime,
    actions: mayChange ? (
      <ServerActions
        row={row}
        server={server}
        enrolling={enrolling}
        draining={draining}
        onChanged={() => {
          void reload();
          return onChanged();
        }}
        onRemoved={onChanged}
      />
    ) : null,
  };
  return (
    <>
      <TableRow columns={columns} cells={cells} />
      {hasServerProblems(read) ||
      [enrolling.problem, draining.problem, unapplied].some((one) => one !== null) ? (
        <WideTableRow columns={columns}>
          <ServerProblems
            of={read}
            enrolling={enrolling.problem}
            draining={draining.problem}
            unapplied={unapplied}
          />
        </WideTableRow>
      ) : null}
      {isOpen ? (
        <WideTableRow columns={columns} id={detailsId}>
          <ServerDetails row={row} server={server} />
        </WideTableRow>
      ) : null}
    </>
  );
}

type LoaderProps = { readonly id: ServerId; readonly onRead: (read: WatchedResource<Server>) => void };

/** Polls a server while it is mounted. Renders nothing. */
function ServerLoader({ id, onRead }: LoaderProps) {
  const read = useServer(id);
  useEffect(() => onRead(read), [read.value, read.problem]);
  return null;
}
