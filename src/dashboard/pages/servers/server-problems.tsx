import { withHiddenShown } from "#contract/hidden-text.ts";
import { sizeText } from "#contract/lib/size-text.ts";
import type { Server } from "#contract/endpoints/servers/schemas.ts";
import type { Problem } from "#contract/problems.ts";
import type { WatchedResource } from "#dashboard/data/resource.ts";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Ago } from "#dashboard/shared/times.tsx";

/** Whether the server has a problem, or could not be read. */
export function hasServerProblems({ value: server, problem }: WatchedResource<Server>): boolean {
  if (problem !== null) return true;
  return (
    server !== null &&
    (server.agent_problem !== null ||
      server.taken_over_at !== null ||
      server.ingress_problem !== null ||
      server.status === "degraded")
  );
}

type Props = {
  readonly of: WatchedResource<Server>;
  /** Why its install command could not be created. */
  readonly enrolling: Problem | null;
  /** Why its draining could not be changed. */
  readonly draining: Problem | null;
  /** Why the server has not applied the stored change of its draining. */
  readonly unapplied: string | null;
};

/** Why a server does not work as it should, below its row. */
export function ServerProblems({
  of: { value: server, problem, reload },
  enrolling,
  draining,
  unapplied,
}: Props) {
  return (
    <>
      <ProblemBox problem={enrolling} doing="Creating the install command" />
      <ProblemBox problem={draining} doing="Changing the draining" />
      {unapplied === null ? null : (
        <p class="problem">Stored, but the server has not applied it: {withHiddenShown(unapplied)}</p>
      )}
      <ProblemBox problem={problem} doing="Loading the server" retry={reload} />
      {server?.agent_problem ? (
        <p class="problem">
          {server.agent_problem.message} <Ago time={server.agent_problem.at} />
        </p>
      ) : null}
      {server?.taken_over_at ? (
        <p class="problem">
          <strong>Two agents use this server's credential.</strong> Another machine took over the connection{" "}
          <Ago time={server.taken_over_at} />, for example because a disk was copied. Only that machine gets
          deployments now. Stop one of the agents, and enrol it as a server of its own.
        </p>
      ) : null}
      {server?.ingress_problem ? (
        <p class="problem">
          <strong>The ingress has a problem.</strong> {withHiddenShown(server.ingress_problem)}
        </p>
      ) : server?.status === "degraded" ? (
        <DiskProblem disk={server.disk} />
      ) : null}
    </>
  );
}

/** A server is degraded because of its ingress or its disk. */
function DiskProblem({ disk }: Pick<Server, "disk">) {
  return (
    <p class="problem">
      <strong>The disk is nearly full.</strong>
      {disk === null ? "" : ` ${sizeText(disk.free_bytes)} of ${sizeText(disk.total_bytes)} are free.`}
    </p>
  );
}
