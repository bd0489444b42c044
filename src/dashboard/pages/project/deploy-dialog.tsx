import { useState } from "preact/hooks";

import { StartDeploymentInput } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { useHasScope } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { useHoldOutlook } from "#dashboard/pages/project/use-hold-outlook.ts";
import { Advanced } from "#dashboard/shared/advanced.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { EmergencyField } from "#dashboard/shared/emergency-field.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { goFromHere } from "#dashboard/router/navigation.ts";
import { readForm } from "#dashboard/text/field-errors.ts";

type Props = {
  readonly id: ProjectId;
  /** null: not loaded yet, or the token has no access. */
  readonly project: Project | null;
  readonly onClose: () => void;
};

/** Starts a deployment of the project's branch, another branch or a commit, with or without the cache. */
export function DeployDialog({ id, project, onClose }: Props) {
  const [branch, setBranch] = useState("");
  const [commit, setCommit] = useState("");
  const [emergency, setEmergency] = useState("");
  const outlook = useHoldOutlook(id, project);
  const mayPass = useHasScope("deployments:emergency", id);
  const starting = useAction((body: StartDeploymentInput) =>
    api.startDeployment({ params: { project_id: id }, body }),
  );
  const input = {
    ...(branch.trim() === "" ? {} : { branch: branch.trim() }),
    ...(commit.trim() === "" ? {} : { commit: commit.trim() }),
    ...(emergency.trim() === "" ? {} : { emergency: emergency.trim() }),
  };
  const form = readForm(StartDeploymentInput, input);
  const start = async (change: StartDeploymentInput = {}) => {
    const go = goFromHere();
    const started = form.ok ? await starting.run({ ...form.value, ...change }) : null;
    if (started !== null) go({ page: "deployment", id: started.value.id });
  };
  const emergencyField = (
    <EmergencyField value={emergency} onInput={setEmergency} error={form.errors["emergency"] ?? null} />
  );
  return (
    <Dialog title={project === null ? "Deploy" : `Deploy ${project.name}`} onClose={onClose}>
      <Form onSubmit={() => start()}>
        <Field
          label="Branch"
          value={branch}
          onInput={setBranch}
          placeholder={project?.branch ?? "the project's branch"}
          isCode
          error={form.errors["branch"] ?? null}
        />
        {project?.commits === "none" ? null : (
          <Field
            label="Commit"
            value={commit}
            onInput={setCommit}
            placeholder="latest commit of the branch"
            isCode
            error={form.errors["commit"] ?? null}
          />
        )}
        {mayPass && outlook === null ? <Advanced>{emergencyField}</Advanced> : null}
        {outlook === null ? null : (
          <p class="notice" role="status">
            {emergency.trim() === ""
              ? `It will wait for ${outlook}.`
              : `As an emergency, it does not wait for ${outlook}.`}
          </p>
        )}
        {mayPass && outlook !== null ? emergencyField : null}
        <ProblemBox problem={starting.problem} doing="Deploying" />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button onClick={() => start({ clear_cache: true })} isBusy={starting.isRunning}>
            Clear cache and deploy
          </Button>
          <Button type="submit" variant="primary" isBusy={starting.isRunning}>
            Deploy
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
