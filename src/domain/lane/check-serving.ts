import type { ProjectReport } from "#contract/agent-protocol.ts";
import type { ServerId } from "#contract/ids.ts";
import { isIn, type Lane, liveOf, type Served } from "#domain/lane/lane.ts";
import { servedOn } from "#domain/lane/run-order.ts";
import { runOn } from "#domain/lane/runs.ts";

/** An agent's report about a project. */
export type ServingReport = { readonly serverId: ServerId; readonly report: ProjectReport };

/**
 * The result of the check. `right`: the server serves the right release. `correct_release`: the server has this
 * release, and must switch to it. `later`: the release is wrong, but a deployment is active on the server and its
 * result may correct it. The caller checks again when that deployment has ended, because it may end without a report: a
 * canceled offer was never accepted.
 */
export type ServingCheck =
  | { readonly kind: "right" }
  | { readonly kind: "correct_release"; readonly release: number }
  | { readonly kind: "later" };

/** Compares the release that a server serves with the release that it should serve. */
export function checkServing(lane: Lane, { serverId, report }: ServingReport): ServingCheck {
  const live = liveOf(lane);
  const served = live === null ? null : servedOn(live, serverId);
  if (served === null) return { kind: "right" };
  const release = served.instead ?? served.release;
  if (report.release === release || !report.releases.includes(release)) return { kind: "right" };
  return runOn(lane, serverId) !== null ? { kind: "later" } : { kind: "correct_release", release };
}

/** Records which releases a server still has. Unchanged deployments stay the same objects. */
export function noteReport(lane: Lane, serverId: ServerId, report: Pick<ProjectReport, "releases">): Lane {
  const kept = new Set(report.releases);
  const deployments = lane.deployments.map((one) => {
    if (isIn(one, "active")) {
      const runs = changedIn(one.state.runs, (run) => {
        const { state } = run;
        if (run.serverId !== serverId || state.name !== "switched") return run;
        const releaseKept = kept.has(state.release);
        return releaseKept === state.releaseKept ? run : { ...run, state: { ...state, releaseKept } };
      });
      return runs === one.state.runs ? one : { ...one, state: { ...one.state, runs } };
    }
    if (!isIn(one, "live", "superseded")) return one;
    const served = changedIn(one.state.served, (there) =>
      there.serverId === serverId ? withKept(there, kept) : there,
    );
    return served === one.state.served ? one : { ...one, state: { ...one.state, served } };
  });
  return { ...lane, deployments };
}

/** What a server has of a deployment. If what it served instead is gone, it gets the deployment again. */
function withKept(served: Served, kept: ReadonlySet<number>): Served {
  const { instead, ...there } = served;
  const isGone = instead !== undefined && !kept.has(instead);
  const releaseKept = kept.has(served.release);
  if (releaseKept === served.releaseKept && !isGone) return served;
  return isGone ? { ...there, releaseKept } : { ...served, releaseKept };
}

/** The same array if nothing has changed. */
function changedIn<Value>(values: Value[], change: (value: Value) => Value): Value[] {
  const next = values.map(change);
  return next.every((value, at) => value === values[at]) ? values : next;
}
