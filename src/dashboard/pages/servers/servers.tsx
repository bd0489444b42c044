import { useState } from "preact/hooks";

import type { ServerId } from "#contract/ids.ts";
import type { Enrollment, Server, ServerRow } from "#contract/servers.ts";
import { api } from "#dashboard/data/api.ts";
import { ALL, useProjects, useServer, useServers } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { AddServer, WaitForAgent } from "#dashboard/parts/add-server.tsx";
import { Button } from "#dashboard/parts/button.tsx";
import { Dialog } from "#dashboard/parts/dialog.tsx";
import { Page } from "#dashboard/parts/page.tsx";
import { ProblemBox } from "#dashboard/parts/problem-box.tsx";
import { Show } from "#dashboard/parts/show.tsx";
import { ServerState } from "#dashboard/parts/status.tsx";
import { Ago } from "#dashboard/parts/times.tsx";
import { pathTo } from "#dashboard/router/route.ts";

/** Every server: how it is, what is on it, and how it joins. */
export function Servers() {
  const servers = useServers(ALL);
  const [isAdding, setIsAdding] = useState(false);
  const close = () => {
    setIsAdding(false);
    void servers.reload();
  };
  return (
    <Page
      title="Servers"
      actions={
        <Button look="main" onClick={() => setIsAdding(true)}>
          Add a server
        </Button>
      }
    >
      <Show of={servers} what="the servers">
        {({ servers: rows }) =>
          rows.length === 0 ? (
            <p>No server yet. A server is a host of yours that projects are deployed to.</p>
          ) : (
            <ul class="cards">
              {rows.map((server) => (
                <li key={server.id}>
                  <ServerCard row={server} onChanged={servers.reload} />
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      {isAdding ? (
        <Dialog title="Add a server" onClose={close}>
          <AddServer onConnected={servers.reload} />
          <footer>
            <Button onClick={close}>Close</Button>
          </footer>
        </Dialog>
      ) : null}
    </Page>
  );
}

type CardProps = { readonly row: ServerRow; readonly onChanged: () => unknown };

function ServerCard({ row, onChanged }: CardProps) {
  const { value: server, reload } = useServer(row.id);
  const [isRemoving, setIsRemoving] = useState(false);
  const [enrollment, setEnrollment] = useState<Enrollment | null>(null);
  const enrolling = useAction(() => api.createEnrollment({ params: { server_id: row.id } }));
  const enroll = async () => {
    const made = await enrolling.run();
    if (made === null) return;
    setEnrollment(made.value);
    void reload();
  };
  return (
    <article class="card">
      <h2>
        {row.name} <ServerState status={row.status} />
      </h2>
      <dl>
        <dt>Address</dt>
        <dd>
          <code>{row.ip}</code>
        </dd>
        <dt>Uptime</dt>
        <dd>{row.uptime} of the last 30 days</dd>
        {server === null ? null : <Details server={server} />}
        <dt>Projects</dt>
        <dd>
          <ProjectsOn id={row.id} count={row.apps} />
        </dd>
      </dl>
      {server?.agent_problem ? (
        <p class="problem">
          {server.agent_problem.message} <Ago time={server.agent_problem.at} />
        </p>
      ) : null}
      <ProblemBox problem={enrolling.problem} doing="Making a line to paste" />
      <div class="actions">
        <Button onClick={enroll} isBusy={enrolling.isRunning}>
          {row.status === "pending" ? "Show the line to paste" : "Enrol again"}
        </Button>
        <Button onClick={() => setIsRemoving(true)}>Remove</Button>
      </div>
      {enrollment === null ? null : (
        <Dialog title={`Enrol ${row.name}`} onClose={() => setEnrollment(null)}>
          {row.status === "pending" ? null : (
            <p>The agent that is connected now ends when the new one joins.</p>
          )}
          <WaitForAgent id={row.id} enrollment={enrollment} onConnected={onChanged} />
          <footer>
            <Button onClick={() => setEnrollment(null)}>Close</Button>
          </footer>
        </Dialog>
      )}
      {isRemoving ? (
        <RemoveDialog row={row} onClose={() => setIsRemoving(false)} onRemoved={onChanged} />
      ) : null}
    </article>
  );
}

function Details({ server }: { readonly server: Server }) {
  const { disk, agent_version: version, last_seen_at: seen } = server;
  return (
    <>
      <dt>Disk</dt>
      <dd>{disk === null ? <span class="quiet">not told yet</span> : <DiskUse {...disk} />}</dd>
      <dt>Agent</dt>
      <dd>
        {version ?? "none yet"}
        {seen === null ? null : (
          <span class="quiet">
            , heard of <Ago time={seen} />
          </span>
        )}
      </dd>
    </>
  );
}

const GIB = 1024 ** 3;

type DiskProps = { readonly total_bytes: number; readonly free_bytes: number };

function DiskUse({ total_bytes: total, free_bytes: free }: DiskProps) {
  return (
    <>
      <meter min={0} max={total} value={total - free} high={total * 0.9} aria-label="Disk in use" />{" "}
      {(free / GIB).toFixed(1)} of {(total / GIB).toFixed(1)} GiB free
    </>
  );
}

function ProjectsOn({ id, count }: { readonly id: ServerId; readonly count: number }) {
  const { value } = useProjects(ALL);
  const on = value?.projects.filter(({ server_id: server }) => server === id) ?? [];
  if (count === 0) return <span class="quiet">none</span>;
  return (
    <>
      {on.map((project, at) => (
        <span key={project.id}>
          {at > 0 ? ", " : ""}
          <a href={pathTo({ page: "project", id: project.id })}>{project.name}</a>
        </span>
      ))}
      {count > on.length ? ` ${on.length > 0 ? "and " : ""}${count - on.length} more` : ""}
    </>
  );
}

type RemoveProps = {
  readonly row: ServerRow;
  readonly onClose: () => void;
  readonly onRemoved: () => unknown;
};

function RemoveDialog({ row, onClose, onRemoved }: RemoveProps) {
  const removing = useAction(() => api.deleteServer({ params: { server_id: row.id } }));
  const remove = async () => {
    if ((await removing.run()) === null) return;
    onClose();
    await onRemoved();
  };
  return (
    <Dialog title={`Remove ${row.name}`} onClose={onClose}>
      <p>
        Gantry forgets the server, and its agent is let in no more. Nothing on the server is changed: what it
        serves goes on.
      </p>
      {row.apps > 0 ? <p class="problem">Projects are on it. Move or delete them first.</p> : null}
      <ProblemBox problem={removing.problem} doing="Removing" />
      <footer>
        <Button onClick={onClose}>Leave it</Button>
        <Button look="danger" onClick={remove} isBusy={removing.isRunning} isDisabled={row.apps > 0}>
          Remove
        </Button>
      </footer>
    </Dialog>
  );
}
