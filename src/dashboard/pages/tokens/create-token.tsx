import { useState } from "preact/hooks";

import type { ProjectId } from "#contract/ids.ts";
import { allScopes, type Scope } from "#contract/scopes.ts";
import { CreateTokenInput, type TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { api } from "#dashboard/data/api.ts";
import { ALL, useProjects } from "#dashboard/data/resources.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { errorsOf } from "#dashboard/text/field-errors.ts";
import { scopeLabels } from "#dashboard/text/permissions.ts";

type Props = { readonly onCreated: (token: TokenWithSecret) => void; readonly onClose: () => void };

/** A form for a new token: its permissions, projects and expiration. */
export function CreateToken({ onCreated, onClose }: Props) {
  const { value: projects } = useProjects(ALL);
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const [isLimited, setIsLimited] = useState(false);
  const [chosen, setChosen] = useState<readonly ProjectId[]>([]);
  const [scopes, setScopes] = useState<readonly Scope[]>(["deployments:write", "projects:read"]);
  const [hasTried, setHasTried] = useState(false);
  const creating = useAction((body: CreateTokenInput) => api.createToken({ body }));

  const parsed = CreateTokenInput.safeParse({
    name,
    scopes,
    project_ids: isLimited ? chosen : null,
    expires_in_days: Number(days),
  });
  const errors = hasTried && !parsed.success ? errorsOf(parsed.error) : {};
  const create = async () => {
    setHasTried(true);
    const created = parsed.success ? await creating.run(parsed.data) : null;
    if (created !== null) onCreated(created.value);
  };
  return (
    <Dialog title="Create a token" onClose={onClose}>
      <Form onSubmit={create}>
        <Field
          label="Name"
          value={name}
          onInput={setName}
          placeholder="CI of shop"
          error={errors["name"] ?? null}
        />
        <fieldset>
          <legend>Permissions</legend>
          {allScopes.map((scope) => (
            <label key={scope} class="check">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={() => setScopes(toggled(scopes, scope))}
              />
              {scopeLabels[scope]}
            </label>
          ))}
          {errors["scopes"] === undefined ? null : <p class="error">Choose at least one.</p>}
        </fieldset>
        <Choice
          label="Access"
          value={isLimited ? "some" : "all"}
          onChange={(where) => setIsLimited(where === "some")}
        >
          <option value="all">All projects, including future ones</option>
          <option value="some">Only selected projects</option>
        </Choice>
        {isLimited ? (
          <fieldset class="many">
            <legend>Projects</legend>
            {(projects?.projects ?? []).map(({ id, name: title }) => (
              <label key={id} class="check">
                <input
                  type="checkbox"
                  checked={chosen.includes(id)}
                  onChange={() => setChosen(toggled(chosen, id))}
                />
                {title}
              </label>
            ))}
            {errors["project_ids"] === undefined ? null : <p class="error">Choose at least one.</p>}
          </fieldset>
        ) : null}
        <Field
          label="Days until it expires"
          type="number"
          value={days}
          onInput={setDays}
          hint="At most 366."
          error={errors["expires_in_days"] ?? null}
        />
        <ProblemBox problem={creating.problem} doing="Creating the token" />
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={creating.isRunning}>
            Create token
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}

function toggled<One>(chosen: readonly One[], one: One): readonly One[] {
  return chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one];
}
