import { type ProcessReport, WEB } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { processApi } from "#dashboard/data/process-resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import type { Change } from "#dashboard/pages/project/change.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

type Props = {
  readonly projectId: ProjectId;
  readonly process: ProcessReport;
  readonly onChange: (change: Change) => void;
  readonly onClose: () => void;
};

/** Confirms and stops a process. */
export function StopDialog({ projectId, process: { name }, onChange, onClose }: Props) {
  const stopping = useAction(() =>
    processApi.stopProcess({ params: { project_id: projectId, process: name } }),
  );
  const stop = async () => {
    const started = await stopping.run();
    if (started === null) return;
    onChange({ what: `Stop of ${name}`, started: started.value });
    onClose();
  };
  return (
    <Dialog title={`Stop ${name}`} onClose={onClose}>
      <p>
        Its instances finish their requests and end.{" "}
        {name === WEB
          ? "Until you start it again, visitors get a page with the status 503."
          : "Until you start it again, nothing starts it: neither a deployment nor a restart of the server."}
      </p>
      <ProblemBox problem={stopping.problem} doing="Stopping" />
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="danger" onClick={stop} isBusy={stopping.isRunning}>
          Stop {name}
        </Button>
      </footer>
    </Dialog>
  );
}
