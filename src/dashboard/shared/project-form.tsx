import { useState } from "preact/hooks";
import * as z from "zod/mini";

import { isImageRepository } from "#contract/addresses/repository-address.ts";
import { CreateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { ServerRow } from "#contract/endpoints/servers/schemas.ts";
import { textOf } from "#contract/growing.ts";
import { projectChangesApi } from "#dashboard/data/project-changes.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { useDraft } from "#dashboard/data/use-draft.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";
import { serverStatusLabels } from "#dashboard/text/labels.ts";

type Props = {
  readonly servers: readonly ServerRow[];
  readonly onCreated: (project: Project) => unknown;
};

const Draft = z.object({
  name: z.string(),
  repository: z.string(),
  branch: z.string(),
  server_id: z.string(),
});
type Draft = z.infer<typeof Draft>;

/** The settings that a new project needs. All others have defaults and are on the settings page. */
export function ProjectForm({ servers, onCreated }: Props) {
  // A draft with another account's server belongs to that account.
  const isOwn = z.refine<Draft>(({ server_id: on }) => servers.some(({ id }) => id === on));
  const { draft, change: changeDraft } = useDraft<Draft>("a project", Draft.check(isOwn));
  const [empty] = useState({
    name: "",
    repository: "",
    branch: "main",
    server_id: servers.find(({ status }) => status === "healthy")?.id ?? servers[0]?.id ?? "",
  });
  const input = draft ?? empty;
  const creating = useAction((body: CreateProjectInput) => projectChangesApi.createProject({ body }));

  const isImage = isImageRepository(input.repository.trim());
  const form = readForm(CreateProjectInput, input);
  const errorOf = (name: string) => form.errors[name] ?? null;
  const change = (name: keyof Draft) => (value: string) => changeDraft(() => ({ ...input, [name]: value }));
  const create = async () => {
    const created = form.ok ? await creating.run(form.value) : null;
    if (created === null) return;
    changeDraft(() => null);
    onCreated(created.value);
  };
  return (
    <Form onSubmit={create}>
      <Field
        label="Name"
        value={input.name}
        onInput={change("name")}
        placeholder="shop"
        error={errorOf("name")}
      />
      <Field
        label="Repository"
        value={input.repository}
        onInput={change("repository")}
        placeholder="https://github.com/you/shop.git"
        hint="As Git on the server reaches it: an HTTPS or SSH URL, or a path on the server. Or docker://HOST/NAME, for images of a registry."
        isCode
        error={errorOf("repository")}
      />
      <Field
        label={isImage ? "Tag" : "Branch"}
        value={input.branch}
        onInput={change("branch")}
        isCode
        error={errorOf("branch")}
      />
      <Choice
        label="Server"
        value={input.server_id}
        onChange={change("server_id")}
        error={errorOf("server_id")}
      >
        {servers.map(({ id, name, status }) => (
          <option key={id} value={id}>
            {name} ({textOf(serverStatusLabels, status).toLowerCase()})
          </option>
        ))}
      </Choice>
      <p class="quiet">
        {isImage
          ? "Each deployment runs the image that the tag names then."
          : "Gantry detects the framework and the build settings from the repository's files."}
      </p>
      <ProblemBox problem={creating.problem} doing="Adding the project" />
      <Button type="submit" variant="primary" isBusy={creating.isRunning}>
        Add project
      </Button>
    </Form>
  );
}
