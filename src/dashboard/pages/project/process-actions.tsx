import { useState } from "preact/hooks";

import { processEndpoints } from "#contract/endpoints/processes/endpoints.ts";
import type { ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { processApi } from "#dashboard/data/process-resources.ts";
import { useAllowed } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import type { Change } from "#dashboard/pages/project/change.ts";
import { ScaleDialog } from "#dashboard/pages/project/scale-dialog.tsx";
import { StopDialog } from "#dashboard/pages/project/stop-dialog.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

type Props = {
  readonly projectId: ProjectId;
  readonly report: ProcessReport;
  readonly onChange: (change: Change) => void;
};

/** Scales, restarts, stops and starts a process. */
export function ProcessActions({ projectId, report, onChange }: Props) {
  const mayChange = useAllowed(processEndpoints.restartProcess, projectId);
  const [open, setOpen] = useState<"scale" | "stop" | null>(null);
  const { name, stopped } = report;
  const params = { project_id: projectId, process: name };
  const restarting = useAction(() => processApi.restartProcess({ params }));
  const starting = useAction(() => processApi.startProcess({ params }));
  const restart = async () => {
    const started = await restarting.run();
    if (started !== null) onChange({ what: `Restart of ${name}`, started: started.value });
  };
  const start = async () => {
    const started = await starting.run();
    if (started !== null) onChange({ what: `Start of ${name}`, started: started.value });
  };
  const close = () => setOpen(null);
  if (!mayChange) return null;
  return (
    <div class="actions">
      <Button label={`Scale ${name}`} onClick={() => setOpen("scale")}>
        Scale
      </Button>
      {stopped ? (
        <Button label={`Start ${name}`} onClick={start} isBusy={starting.isRunning}>
          Start
        </Button>
      ) : (
        <>
          <Button label={`Restart ${name}`} onClick={restart} isBusy={restarting.isRunning}>
            Restart
          </Button>
          <Button label={`Stop ${name}`} onClick={() => setOpen("stop")}>
            Stop
          </Button>
        </>
      )}
      <ProblemBox problem={restarting.problem} doing="Restarting" />
      <ProblemBox problem={starting.problem} doing="Starting" />
      {open === "scale" ? (
        <ScaleDialog projectId={projectId} process={report} onChange={onChange} onClose={close} />
      ) : null}
      {open === "stop" ? (
        <StopDialog projectId={projectId} process={report} onChange={onChange} onClose={close} />
      ) : null}
    </div>
  );
}
