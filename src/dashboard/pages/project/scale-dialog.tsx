import { useState } from "preact/hooks";

import { MAX_INSTANCES } from "#contract/endpoints/processes/process-settings.ts";
import { type ProcessReport, UpdateProcessInput, WEB } from "#contract/endpoints/processes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { processApi } from "#dashboard/data/process-resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import type { Change } from "#dashboard/pages/project/change.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";

type Props = {
  readonly projectId: ProjectId;
  readonly process: ProcessReport;
  readonly onChange: (change: Change) => void;
  readonly onClose: () => void;
};

/** Sets how many instances of a process run. */
export function ScaleDialog({ projectId, process: { name, wanted, stopped }, onChange, onClose }: Props) {
  const [count, setCount] = useState(String(wanted));
  const scaling = useAction((body: UpdateProcessInput) =>
    processApi.updateProcess({ params: { project_id: projectId, process: name }, body }),
  );
  const instances = count.trim() === "" ? Number.NaN : Number(count);
  const form = readForm(UpdateProcessInput, { instances });
  const scale = async () => {
    const updated = form.ok ? await scaling.run(form.value) : null;
    if (updated === null) return;
    const what = `${name} with ${instances} ${instances === 1 ? "instance" : "instances"}`;
    onChange({ what, started: updated.value.deployment });
    onClose();
  };
  return (
    <Dialog title={`Scale ${name}`} onClose={onClose}>
      <Form onSubmit={scale}>
        <Field
          label="Instances"
          type="number"
          value={count}
          onInput={setCount}
          hint={`0 to ${MAX_INSTANCES}. Running instances are not restarted. Later deployments keep the number.`}
          error={form.errors["instances"] ?? null}
        />
        {instances === 0 && name === WEB ? (
          <p class="problem">With 0 instances, visitors get a page with the status 503.</p>
        ) : null}
        {stopped ? <p class="quiet">{name} is stopped. The number counts when it is started again.</p> : null}
        <ProblemBox problem={scaling.problem} doing="Scaling" />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant={instances === 0 ? "danger" : "primary"}
            isBusy={scaling.isRunning}
            isDisabled={!form.ok}
          >
            Scale
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
