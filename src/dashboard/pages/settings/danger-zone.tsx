import { useState } from "preact/hooks";

import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { ALL, useMay, useProjects } from "#dashboard/data/resources.ts";
import { useRemoval } from "#dashboard/data/use-removal.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { goFromHere } from "#dashboard/router/navigation.ts";

/** What cannot be undone: a project is deleted after its name was typed as a confirmation. */
export function DangerZone({ project }: { readonly project: Project }) {
  const { reload } = useProjects(ALL);
  const mayDelete = useMay("deleteProject", project.id);
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [purges, setPurges] = useState(false);
  const deleting = useRemoval(() =>
    api.deleteProject({
      params: { project_id: project.id },
      query: purges ? { purge: "true" } : {},
    }),
  );
  const remove = async () => {
    const go = goFromHere();
    if ((await deleting.run()) === null) return;
    void reload();
    go({ page: "overview" });
  };
  if (!mayDelete) return null;
  return (
    <section class="danger-zone" aria-labelledby="danger-zone">
      <h2 id="danger-zone">Danger zone</h2>
      <div class="danger-row">
        <p>
          <strong>Delete this project.</strong> This also deletes its deployments and logs. The site stays
          online unless its files are removed, too.
        </p>
        <Button variant="danger" onClick={() => setIsOpen(true)}>
          Delete {project.name}
        </Button>
      </div>
      {isOpen ? (
        <Dialog title={`Delete ${project.name}`} onClose={() => setIsOpen(false)}>
          <Form onSubmit={remove}>
            <label class="check">
              <input
                type="checkbox"
                checked={purges}
                onChange={(event) => setPurges(event.currentTarget.checked)}
              />
              Also remove its files from the server, including shared paths
            </label>
            <Field label={`Type ${project.name} to confirm`} value={typed} onInput={setTyped} />
            <ProblemBox problem={deleting.problem} doing="Deleting" />
            <footer>
              <Button onClick={() => setIsOpen(false)}>Cancel</Button>
              <Button
                type="submit"
                variant="danger"
                isBusy={deleting.isRunning}
                isDisabled={typed !== project.name}
              >
                Delete
              </Button>
            </footer>
          </Form>
        </Dialog>
      ) : null}
    </section>
  );
}
