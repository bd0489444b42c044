import { withHiddenShown } from "#contract/hidden-text.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { trafficEndpoints } from "#contract/endpoints/traffic/endpoints.ts";
import type { MaintenanceSet } from "#contract/endpoints/traffic/schemas.ts";
import { useAllowed } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { trafficApi } from "#dashboard/pages/project/traffic-api.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { Ago } from "#dashboard/shared/times.tsx";

type Props = {
  readonly project: Project;
  /** The last change on this page; null: none. */
  readonly set: MaintenanceSet | null;
  readonly onChange: (set: MaintenanceSet) => void;
};

/** Says that the project is in maintenance, and ends it; or that the server has not applied the last change yet. */
export function MaintenanceNotice({ project: { id, maintenance }, set, onChange }: Props) {
  const mayEnd = useAllowed(trafficEndpoints.setMaintenance, id);
  const ending = useAction(() =>
    trafficApi.setMaintenance({ params: { project_id: id }, body: { on: false } }),
  );
  const end = async () => {
    const ended = await ending.run();
    if (ended !== null) onChange(ended.value);
  };
  const isLate = set !== null && !set.applied;
  if (maintenance === null && !isLate) return null;
  return (
    <div class="notice apply" role="status">
      {maintenance === null ? (
        <p>The maintenance has ended.</p>
      ) : (
        <p>
          <strong>Maintenance is on.</strong> Visitors get a page instead of the site since{" "}
          <Ago time={maintenance.started_at} />
          {maintenance.message === null ? "." : `: ${withHiddenShown(maintenance.message)}`}
        </p>
      )}
      {isLate ? <p>The server has not applied it. {set.detail}</p> : null}
      {mayEnd && maintenance !== null ? (
        <Button onClick={end} isBusy={ending.isRunning}>
          End maintenance
        </Button>
      ) : null}
      <ProblemBox problem={ending.problem} doing="Ending the maintenance" />
    </div>
  );
}
