import type { CertificateEvent, CronEvent, ProcessEvent } from "#contract/endpoints/events/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { dashboardPages } from "#contract/dashboard-pages.ts";
import { dashboardPaths } from "#contract/public-paths.ts";
import { type FailedRun, MAX_LAST_LINE } from "#contract/reported-health.ts";
import { liveCount } from "#contract/processes/process-state.ts";
import { plainLine } from "#domain/notify/limit-text.ts";
import type { HealthChange } from "#domain/health/note-health.ts";

type Unnumbered<Of extends { readonly type: string; readonly data: object }> = {
  readonly type: Of["type"];
  readonly data: Omit<Of["data"], "sequence" | "actor">;
};

/** The event of a change, without the project's name, the server and the live deployment, which only D1 knows. */
export function healthEvent(
  change: HealthChange,
  projectId: ProjectId,
): Unnumbered<ProcessEvent> | Unnumbered<CronEvent> | Unnumbered<CertificateEvent> {
  const { to, sighting, since } = change;
  const page = (name: "processes" | "commands" | "settings_domains") => ({
    page: `${dashboardPaths.root}/${dashboardPages[name].replace(":id", projectId)}`,
  });
  const common = {
    project: { id: projectId, name: "" },
    server: null,
    live: null,
    since: new Date(since).toISOString(),
  };
  const reason = to === "failing" ? null : change.reason;
  switch (sighting.kind) {
    case "process": {
      const { name, process } = sighting;
      const crashed = to === "failing" ? sighting.crashed : null;
      const loop = crashed?.crash_loop ?? null;
      const running = process === null ? null : liveCount(process);
      return {
        type: to === "failing" ? "process.crash_looping" : "process.recovered",
        data: {
          ...common,
          ...page("processes"),
          process: { name, running, desired: process?.wanted ?? null },
          ends: loop?.ends ?? null,
          seconds: loop?.seconds ?? null,
          exit_code: loop?.exit_code ?? null,
          signal: loop?.signal ?? null,
          last_exit: crashed?.last_exit ?? null,
          last_line: lastLine(crashed?.last_output ?? ""),
          reason,
        },
      };
    }
    case "cron": {
      const failed = to === "failing" ? (sighting.job?.failed ?? null) : null;
      return {
        type: to === "failing" ? "cron.failed" : "cron.recovered",
        data: {
          ...common,
          ...page("commands"),
          job: { name: sighting.name },
          run: failed === null ? null : plainRun(failed),
          reason,
        },
      };
    }
    case "certificate":
      return {
        type: to === "failing" ? "certificate.expiring" : "certificate.renewed",
        data: {
          ...common,
          ...page("settings_domains"),
          certificate: { domain: sighting.name, expires_at: sighting.certificate?.expires_at ?? null },
          problem: sighting.certificate?.problem ?? null,
        },
      };
  }
}

/** The last line that is not empty, without colours. The agent has masked the values of secrets. */
function lastLine(output: string): string | null {
  const line = output.split("\n").findLast((one) => plainLine(one) !== "");
  return line === undefined ? null : plainLine(line).slice(0, MAX_LAST_LINE).toWellFormed();
}

function plainRun(run: FailedRun): FailedRun {
  return { ...run, last_line: lastLine(run.last_line ?? "") };
}
