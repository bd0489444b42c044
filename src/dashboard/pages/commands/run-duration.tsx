import type { CommandRow } from "#contract/endpoints/commands/schemas.ts";
import { Duration } from "#dashboard/shared/times.tsx";

/** How long a command or a run of a job took, or has taken so far. Renders nothing if that is not known. */
export function RunDuration({ run }: { readonly run: Pick<CommandRow, "started_at" | "finished_at"> }) {
  const { started_at: start, finished_at: end } = run;
  if (start === null) return null;
  return (
    <span class="quiet duration">
      {end === null ? (
        <Duration seconds={0} runningSince={start} />
      ) : (
        <Duration seconds={Math.max(0, Date.parse(end) - Date.parse(start)) / 1000} runningSince={null} />
      )}
    </span>
  );
}
