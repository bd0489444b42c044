import type { ProjectPause } from "#contract/endpoints/traffic/pause.ts";
import type { ProjectId } from "#contract/ids.ts";
import { useNow } from "#dashboard/data/clock.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { trafficApi } from "#dashboard/pages/project/traffic-api.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

type Props = {
  readonly projectId: ProjectId;
  /** Unix milliseconds. */
  readonly until: number;
  readonly onChange: (pause: ProjectPause) => void;
};

/** Says how long the project's requests are held, and ends the pause. */
export function PauseNotice({ projectId, until, onChange }: Props) {
  const seconds = Math.ceil((until - useNow()) / 1000);
  const resuming = useAction(() => trafficApi.resumeProject({ params: { project_id: projectId }, body: {} }));
  const resume = async () => {
    const resumed = await resuming.run();
    if (resumed !== null) onChange(resumed.value);
  };
  if (seconds <= 0) return null;
  return (
    <div class="notice apply" role="status">
      <p>
        <strong>The project is paused.</strong> Requests are held for {seconds} s.
      </p>
      <Button onClick={resume} isBusy={resuming.isRunning}>
        Resume
      </Button>
      <ProblemBox problem={resuming.problem} doing="Resuming the project" />
    </div>
  );
}
