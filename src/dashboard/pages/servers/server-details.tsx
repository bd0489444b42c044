import { isConnected } from "#contract/endpoints/servers/is-connected.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import {
  type Disk,
  type ProjectImages,
  type IsolationLevel,
  MAX_UPTIME_DAYS,
  type Server,
  type ServerRow,
} from "#contract/endpoints/servers/schemas.ts";
import { policySentences } from "#contract/endpoints/servers/policy-sentences.ts";
import { containersText } from "#contract/endpoints/servers/containers-text.ts";
import { toolList } from "#contract/endpoints/servers/tool-list.ts";
import { sizeText } from "#contract/lib/size-text.ts";
import { textOf } from "#contract/growing.ts";
import { regionNames } from "#dashboard/pages/servers/region-names.ts";
import { ALL, useProjects } from "#dashboard/data/resources.ts";
import { UptimeStrip } from "#dashboard/pages/servers/uptime-strip.tsx";
import { Fingerprint } from "#dashboard/shared/fingerprint.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { Values } from "#dashboard/shared/values.tsx";
import { pathTo } from "#dashboard/router/route.ts";

type Props = {
  readonly row: ServerRow;
  /** null: not loaded yet. */
  readonly server: Server | null;
};

/** The uptime of a server by day, and its facts. */
export function ServerDetails({ row, server }: Props) {
  return (
    <>
      {row.status === "pending" ? null : <Uptime row={row} server={server} />}
      <dl>
        <dt>IP address</dt>
        <dd>
          <code>{row.ip}</code>
        </dd>
        {server === null ? null : <Facts server={server} />}
        <dt>Projects</dt>
        <dd>
          <ProjectsOn id={row.id} count={row.apps} />
        </dd>
      </dl>
    </>
  );
}

function Uptime({ row, server }: Props) {
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

function Facts({ server }: { readonly server: Server }) {
  const {
    disk,
    agent_version: version,
    last_seen_at: seen,
    isolation,
    policy,
    seal_key: key,
    tools,
    containers,
  } = server;
  const region = server.region ?? server.detected_region;
  const address = server.address ?? server.detected_address;
  const images = disk?.images ?? [];
  return (
    <>
      {address === null ? null : (
        <>
          <dt>Address for balancers</dt>
          <dd>
            <code>{withHiddenShown(address)}</code>
            {server.address === null ? <span class="quiet"> (detected)</span> : null}
          </dd>
        </>
      )}
      {isolation === null ? null : (
        <>
          <dt>Isolation</dt>
          <dd>{textOf(isolationTexts, isolation)}</dd>
        </>
      )}
      {policy === null ? null : (
        <>
          <dt>Policy</dt>
          <dd>{textOf(policySentences, policy)}</dd>
        </>
      )}
      {region === null ? null : (
        <>
          <dt>Region</dt>
          <dd>{textOf(regionNames, region)}</dd>
        </>
      )}
      {server.draining_since === null ? null : (
        <>
          <dt>Draining</dt>
          <dd>
            Since <Ago time={server.draining_since} />: load balancers should send no requests. Requests that
            arrive are answered.
          </dd>
        </>
      )}
      <dt>Disk</dt>
      <dd>{disk === null ? <span class="quiet">unknown</span> : <DiskUse {...disk} />}</dd>
      {images.length === 0 ? null : (
        <>
          <dt>Images</dt>
          <dd>
            <ImagesOf images={images} />
          </dd>
        </>
      )}
      <dt>Agent</dt>
      <dd>
        {version === null ? <span class="quiet">not connected yet</span> : withHiddenShown(version)}
        {seen === null ? null : (
          <span class="quiet">
            {isConnected(server) ? (
              ", connected"
            ) : (
              <>
                , last seen <Ago time={seen} />
              </>
            )}
          </span>
        )}
      </dd>
      {tools === null ? null : (
        <>
          <dt>Tools</dt>
          <dd>{withHiddenShown(toolList(tools))}</dd>
        </>
      )}
      {containers === null ? null : (
        <>
          <dt>Containers</dt>
          <dd>
            {withHiddenShown(
              containers.engine === null ? `None: ${containers.problem}` : containersText(containers),
            )}
          </dd>
        </>
      )}
      {key === null ? null : (
        <>
          <dt>Seal key</dt>
          <dd>
            <Fingerprint of={key} />
          </dd>
        </>
      )}
    </>
  );
}

const isolationTexts = {
  projects: "Each project runs as its own user and cannot see other projects.",
  none: "None: all projects share the agent's user, and each can read and change the others.",
} as const satisfies Record<IsolationLevel, string>;

function DiskUse({
  total_bytes: total,
  free_bytes: free,
  cache_bytes: caches = 0,
  image_bytes: images = 0,
}: Disk) {
  return (
    <>
      <meter min={0} max={total} value={total - free} high={total * 0.9} aria-label="Disk in use" />{" "}
      {sizeText(free)} of {sizeText(total)} free
      {caches === 0 ? "" : `, ${sizeText(caches)} in caches`}
      {images === 0 ? "" : `, ${sizeText(images)} in images`}
    </>
  );
}

/** What the images of each project take. */
function ImagesOf({ images }: { readonly images: readonly ProjectImages[] }) {
  const { value } = useProjects(ALL);
  const nameOf = (id: ProjectId) => value?.projects.find((project) => project.id === id)?.name ?? id;
  return (
    <>
      {images.map(({ project_id: id, bytes }, at) => (
        <span key={id}>
          {at > 0 ? ", " : ""}
          <a href={pathTo({ page: "project", id })}>{nameOf(id)}</a> {sizeText(bytes)}
        </span>
      ))}
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
