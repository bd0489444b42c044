import { withHiddenShown } from "#contract/hidden-text.ts";
import { textOf } from "#contract/growing.ts";
import type { ProcessesState } from "#contract/endpoints/processes/schemas.ts";
import type { Project, ServerState } from "#contract/endpoints/projects/schemas.ts";
import { serverStanding, troubleFirst } from "#dashboard/pages/project/server-standing.ts";
import { pathTo } from "#dashboard/router/route.ts";
import { type Columns, Table, TableRow, WideTableRow } from "#dashboard/shared/table.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { useBrowserValue } from "#dashboard/shared/use-browser-value.ts";

const name = { title: "Server" };
const status = { title: "Status" };
const version = { title: "Serves" };
const checked = { title: "Reported" };
const columnsOfSite = { name, status, version, checked } as const;
/** With processes. A static site has none on any server. */
const columnsOfApp = { name, status, version, processes: { title: "Processes" }, checked } as const;

type ServerColumns = Columns<keyof typeof columnsOfSite>;

const processesLabels: Record<ProcessesState, string> = {
  running: "Running",
  restarting: "Restarting",
  crash_looping: "Crash looping",
};

/**
 * What each server of a project serves. Renders nothing for a project with one server. On a phone, servers that need attention
 * are the first.
 */
export function ServerTable({ project: { servers_state: servers } }: { readonly project: Project }) {
  const isNarrow = useBrowserValue(() => matchMedia("(width < 720px)").matches, "resize");
  if (servers.length === 0) return null;
  const columns = servers.some((one) => one.processes_state !== null) ? columnsOfApp : columnsOfSite;
  return (
    <section class="on-servers" aria-label="Servers">
      <h2>Servers</h2>
      <Table label="Servers of the project" columns={columns}>
        {(isNarrow ? troubleFirst(servers) : servers).map((server) => (
          <Row key={server.id} server={server} columns={columns} />
        ))}
      </Table>
    </section>
  );
}

function Row({ server, columns }: { readonly server: ServerState; readonly columns: ServerColumns }) {
  const { checked_at: checkedAt, processes_state: processes } = server;
  const { label, tone } = serverStanding(server);
  const problems = problemsOf(server);
  const cells = {
    name: <a href={pathTo({ page: "servers" })}>{withHiddenShown(server.name)}</a>,
    status: <span class={`status ${tone}`}>{label}</span>,
    version: server.version === null ? <span class="quiet">nothing</span> : `v${server.version}`,
    processes:
      processes === null ? (
        <span class="quiet">none</span>
      ) : (
        <span class={`status ${processes}`}>{textOf(processesLabels, processes)}</span>
      ),
    checked: checkedAt === null ? <span class="quiet">never</span> : <Ago time={checkedAt} />,
  };
  return (
    <>
      <TableRow columns={columns} cells={cells} />
      {problems.length === 0 ? null : (
        <WideTableRow columns={columns}>
          <ul aria-label={`Problems on ${server.name}`}>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </WideTableRow>
      )}
    </>
  );
}

/** What does not work on a server, as sentences. */
function problemsOf({
  status: state,
  checked_at: checkedAt,
  health,
  ingress_problem: ingress,
}: ServerState): string[] {
  // The state of a server without a connection is what it reported last.
  const reasons = health.state === "degraded" ? health.reasons.filter(({ type }) => type !== "ingress") : [];
  return [
    ...(state === "ahead" ? ["It has switched to the deployment that is running."] : []),
    ...(state === "behind" ? ["It gets the live deployment when no other deployment runs."] : []),
    ...(state === "unknown" ? [unknownText(checkedAt)] : []),
    ...reasons.map(
      ({ summary, detail }) =>
        `${withHiddenShown(summary)}${detail === null ? "" : `: it ${withHiddenShown(detail)}`}.`,
    ),
    ...(ingress === null ? [] : [`The ingress has a problem. ${withHiddenShown(ingress)}`]),
  ];
}

const unknownText = (checkedAt: string | null): string =>
  checkedAt === null
    ? "It has not reported yet what it serves."
    : "This is its last report. It gets what it lacks when it connects.";
