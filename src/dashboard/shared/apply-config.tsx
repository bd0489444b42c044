import { useState } from "preact/hooks";

import type { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { processEndpoints } from "#contract/endpoints/processes/endpoints.ts";
import type { ProjectId } from "#contract/ids.ts";
import { processApi } from "#dashboard/data/process-resources.ts";
import { useAllowed } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { StartedDeployment } from "#dashboard/shared/started-deployment.tsx";

type Props = {
  readonly projectId: ProjectId;
  /** A sentence that says which changes are not applied yet. */
  readonly children: string;
};

/** A notice of changes that the live deployment does not have yet, with a button that applies them without a build. */
export function ApplyConfig({ projectId, children }: Props) {
  const mayApply = useAllowed(processEndpoints.applyConfig, projectId);
  const [started, setStarted] = useState<DeploymentStarted | null>(null);
  const applying = useAction(() => processApi.applyConfig({ params: { project_id: projectId } }));
  const apply = async () => setStarted((await applying.run())?.value ?? null);
  return (
    <div class="notice apply">
      <p>{children}</p>
      {mayApply ? (
        <Button onClick={apply} isBusy={applying.isRunning}>
          Apply now
        </Button>
      ) : null}
      <ProblemBox problem={applying.problem} doing="Applying" />
      {started === null ? null : <StartedDeployment what="Without a build" {...started} />}
    </div>
  );
}
