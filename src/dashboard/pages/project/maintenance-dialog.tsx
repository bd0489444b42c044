import { useState } from "preact/hooks";

import { MaintenanceMessage, type MaintenanceSet } from "#contract/endpoints/traffic/schemas.ts";
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
  readonly onChange: (set: MaintenanceSet) => void;
  readonly onClose: () => void;
};

/** Turns maintenance on, with a message for the visitors. */
export function MaintenanceDialog({ projectId, onChange, onClose }: Props) {
  const [typed, setTyped] = useState("");
  const message = typed.trim() === "" ? null : typed.trim();
  const isTooLong = message !== null && !MaintenanceMessage.safeParse(message).success;
  const turning = useAction(() =>
    trafficApi.setMaintenance({ params: { project_id: projectId }, body: { on: true, message } }),
  );
  const turnOn = async () => {
    const set = isTooLong ? null : await turning.run();
    if (set === null) return;
    onChange(set.value);
    onClose();
  };
  return (
    <Dialog title="Maintenance" onClose={onClose}>
      <Form onSubmit={turnOn}>
        <p>Visitors get a page with the status 503 instead of the site, until you end the maintenance.</p>
        <Field
          label="Message for visitors"
          value={typed}
          onInput={setTyped}
          placeholder="This site is being worked on, and will be back soon."
          error={isTooLong ? "Must have at most 500 characters." : null}
        />
        <ProblemBox problem={turning.problem} doing="Turning maintenance on" />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={turning.isRunning}>
            Turn on
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
