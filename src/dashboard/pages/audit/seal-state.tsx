import { ALL } from "#dashboard/data/resource.ts";
import { useNewestSeal } from "#dashboard/pages/audit/audit-resources.ts";
import { isNotAllowed } from "#dashboard/shared/unavailable.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Ago } from "#dashboard/shared/times.tsx";

/** Up to which entry the log is sealed. */
export function SealState() {
  const { value, problem, reload } = useNewestSeal(ALL);
  // The list below says what the token has no access to. A token that is limited to projects sees no seals.
  if (isNotAllowed(problem)) return null;
  const [seal] = value?.seals ?? [];
  return (
    <>
      <ProblemBox problem={problem} doing="Loading the seal" retry={reload} />
      {value === null ? null : seal === undefined ? (
        <p class="quiet">Not sealed yet. The log is sealed each hour, so that a later change can be found.</p>
      ) : (
        <p class="quiet">
          Sealed up to entry {seal.last_entry}, <Ago time={seal.sealed_at} />. Seal {seal.number}:{" "}
          <code>{seal.hash}</code>
        </p>
      )}
    </>
  );
}
