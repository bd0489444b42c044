import { useEffect, useRef, useState } from "preact/hooks";

import type { ServerId } from "#contract/ids.ts";
import {
  type Enrollment,
  MAX_UPTIME_DAYS,
  type Server,
  type ServerRow,
} from "#contract/endpoints/servers/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { notLoaded, type Watched } from "#dashboard/data/resource.ts";
import { useMay, useServer } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { ChangeServer } from "#dashboard/pages/servers/change-server.tsx";
import { RemoveServer } from "#dashboard/pages/servers/remove-server.tsx";
import { ServerFacts } from "#dashboard/pages/servers/server-facts.tsx";
import { UptimeStrip } from "#dashboard/pages/servers/uptime-strip.tsx";
import { WaitForAgent } from "#dashboard/shared/add-server.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { ServerState } from "#dashboard/shared/status.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { useSeen } from "#dashboard/shared/use-seen.ts";
import { Values } from "#dashboard/shared/values.tsx";

type Props = { readonly row: ServerRow; readonly onChanged: () => unknown };

/** A server with its status, uptime, details and actions. */
export function ServerCard({ row, onChanged }: Props) {
  const card = useRef<HTMLElement>(null);
  const isSeen = useSeen(card);
  const [{ value: server, problem, reload }, setLoaded] = useState<Watched<Server>>(notLoaded);
  const mayChange = useMay("updateServer");
  return (
    <article ref={card} class="card server">
      {/* Each card sends its own requests, and an account may have a thousand servers. */}
      {isSeen ? <ServerLoader id={row.id} onRead={setLoaded} /> : null}
      <header>
        <h2>
          {row.name} <ServerState status={row.status} />
        </h2>
        {mayChange ? (
          <ServerActions
            row={row}
            server={server}
            onChanged={() => {
              void reload();
              return onChanged();
            }}
            onRemoved={onChanged}
          />
        ) : null}
      </header>
      <ProblemBox problem={problem} doing="Loading the server" retry={reload} />
      {server?.agent_problem ? (
        <p class="problem">
          {server.agent_problem.message} <Ago time={server.agent_problem.at} />
        </p>
      ) : null}
      <Uptime row={row} server={server} />
      <ServerFacts row={row} server={server} />
    </article>
  );
}

type ReaderProps = { readonly id: ServerId; readonly onRead: (read: Watched<Server>) => void };

/** Polls a server while it is mounted. Renders nothing. */
function ServerLoader({ id, onRead }: ReaderProps) {
  const read = useServer(id);
  useEffect(() => onRead(read), [read.value, read.problem]);
  return null;
}

function Uptime({ row, server }: { readonly row: ServerRow; readonly server: Server | null }) {
  if (row.status === "pending") return null;
  const isNew = server !== null && server.uptime_days.length < MAX_UPTIME_DAYS;
  return (
    <div class="uptime">
      <UptimeStrip server={server} />
      <Values
        label={`Uptime of ${row.name} by day`}
        summary={`${row.uptime} uptime ${isNew ? "since its first connection" : `in ${MAX_UPTIME_DAYS} days`}`}
        columns={["Day", "Uptime"]}
        rows={() => (server?.uptime_days ?? []).toReversed().map(({ date, uptime }) => [date, uptime])}
      />
    </div>
  );
}

type ActionsProps = Props & {
  /** null: not loaded yet. */
  readonly server: Server | null;
  /** Called when the server is removed. */
  readonly onRemoved: () => unknown;
};

function ServerActions({ row, server, onChanged, onRemoved }: ActionsProps) {
  const [open, setOpen] = useState<"change" | "remove" | null>(null);
  const [enrollment, setEnrollment] = useState<Enrollment | null>(null);
  const enrolling = useAction(() => api.createEnrollment({ params: { server_id: row.id } }));
  const enroll = async () => {
    const made = await enrolling.run();
    if (made === null) return;
    setEnrollment(made.value);
    void onChanged();
  };
  const close = () => setOpen(null);
  return (
    <>
      <div class="actions">
        <Button onClick={enroll} isBusy={enrolling.isRunning}>
          {row.status === "pending" ? "Show install command" : "Enroll again"}
        </Button>
        <Button onClick={() => setOpen("change")}>Edit</Button>
        <Button variant="danger" onClick={() => setOpen("remove")}>
          Remove
        </Button>
      </div>
      <ProblemBox problem={enrolling.problem} doing="Creating the install command" />
      {enrollment === null ? null : (
        <Dialog title={`Enroll ${row.name}`} onClose={() => setEnrollment(null)}>
          {row.status === "pending" ? null : <p>The current agent stops when the new one connects.</p>}
          <WaitForAgent
            id={row.id}
            enrollment={enrollment}
            onConnected={onChanged}
            onClose={() => setEnrollment(null)}
          />
        </Dialog>
      )}
      {open === "change" ? (
        <ChangeServer row={row} server={server} onClose={close} onChanged={onChanged} />
      ) : null}
      {open === "remove" ? <RemoveServer row={row} onClose={close} onRemoved={onRemoved} /> : null}
    </>
  );
}
