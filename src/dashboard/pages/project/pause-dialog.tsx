import { useState } from "preact/hooks";

import {
  MAX_PAUSE_SECONDS,
  PauseProjectInput,
  type ProjectPause,
} from "#contract/endpoints/traffic/pause.ts";
import type { ProjectId } from "#contract/ids.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { trafficApi } from "#dashboard/pages/project/traffic-api.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

type Props = {
  readonly projectId: ProjectId;
  readonly onChange: (pause: ProjectPause) => void;
  readonly onClose: () => void;
};

/** Holds the requests to the project for some seconds. */
export function PauseDialog({ projectId, onChange, onClose }: Props) {
  const [typed, setTyped] = useState(String(MAX_PAUSE_SECONDS));
  const input = PauseProjectInput.safeParse({ seconds: Number(typed) });
  const pausing = useAction((body: PauseProjectInput) =>
    trafficApi.pauseProject({ params: { project_id: projectId }, body }),
  );
  const pause = async () => {
    const paused = input.success ? await pausing.run(input.data) : null;
    if (paused === null) return;
    onChange(paused.value);
    onClose();
  };
  return (
    <Dialog title="Pause" onClose={onClose}>
      <Form onSubmit={pause}>
        <p>
          Requests of visitors wait, and pass when the pause ends. None is refused. The pause ends by itself.
        </p>
        <Field
          label="Seconds"
          type="number"
          value={typed}
          onInput={setTyped}
          error={input.success ? null : `Must be 1 to ${MAX_PAUSE_SECONDS}.`}
        />
        <ProblemBox problem={pausing.problem} doing="Pausing the project" />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={pausing.isRunning}>
            Pause
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
