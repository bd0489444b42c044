import type { CertificateEvent, CronEvent, ProcessEvent } from "#contract/endpoints/events/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { dashboardPages } from "#contract/dashboard-pages.ts";
import { dashboardPaths } from "#contract/public-paths.ts";
import { MAX_LAST_LINE } from "#contract/reported-health.ts";
import { liveCount } from "#contract/processes/process-state.ts";
import type { HealthChange } from "#domain/health/note-health.ts";

type Unnumbered<Of extends { readonly type: string; readonly data: object }> = {
  readonly type: Of["type"];
  readonly data: Omit<Of["data"], "sequence" | "actor">;
};

/** The event of a change, without the project's name and the live deployment, which only D1 knows. */
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
    case "cron":
      return {
        type: to === "failing" ? "cron.failed" : "cron.recovered",
        data: {
          ...common,
          ...page("commands"),
          job: { name: sighting.name },
          run: to === "failing" ? (sighting.job?.failed ?? null) : null,
          reason,
        },
      };
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

/** The agent has masked the values of secrets. */
function lastLine(output: string): string | null {
  const line = output
    .split("\n")
    .map((one) => one.trim())
    .findLast((one) => one !== "");
  return line?.slice(0, MAX_LAST_LINE).toWellFormed() ?? null;
}
