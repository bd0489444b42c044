import { useState } from "preact/hooks";

import { isImageRepository } from "#contract/addresses/repository-address.ts";
import { forgeNames } from "#contract/endpoints/hooks/forge-names.ts";
import { hookForgeOf } from "#contract/endpoints/hooks/hook-forge.ts";
import { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import type { HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { withHiddenShown } from "#contract/hidden-text.ts";
import { hookApi } from "#dashboard/pages/pushes/push-resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Choice } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

type Props = { readonly project: Project; readonly onCreated: (hook: HookWithSecret) => void };

/** Creates the hook of a repository that has none. */
export function ConnectHook({ project: { repository }, onCreated }: Props) {
  const isImages = isImageRepository(repository);
  const [forge, setForge] = useState(hookForgeOf(repository) ?? "github");
  const creating = useAction(() => hookApi.createHook({ body: { forge, repository } }));
  const create = async () => {
    const created = await creating.run();
    if (created !== null) onCreated(created.value);
  };
  return (
    <section class="card hook" aria-label="Hook">
      <h2>No hook yet</h2>
      <p>
        At the address of a hook, the {isImages ? "registry" : "git host"} reports the pushes to{" "}
        <code>{withHiddenShown(repository)}</code>. One hook serves all projects of this repository.
      </p>
      <Form onSubmit={create}>
        {isImages ? null : (
          <Choice
            label="Git host"
            value={forge}
            onChange={(chosen) => setForge(HookForge.safeParse(chosen).data ?? forge)}
          >
            {HookForge.options
              .filter((option) => option !== "registry")
              .map((option) => (
                <option key={option} value={option}>
                  {forgeNames[option]}
                </option>
              ))}
          </Choice>
        )}
        <ProblemBox problem={creating.problem} doing="Creating the hook" />
        <Button type="submit" variant="primary" isBusy={creating.isRunning}>
          Create a hook
        </Button>
      </Form>
    </section>
  );
}
