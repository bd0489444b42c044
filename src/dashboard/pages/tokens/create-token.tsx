import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import type { ClientResult } from "#client/send.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { Scope } from "#contract/scopes.ts";
import { CreateTokenInput, type TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { ScopeGrid } from "#dashboard/pages/tokens/scope-grid.tsx";
import { TokenPowers } from "#dashboard/pages/tokens/token-powers.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { Form } from "#dashboard/shared/form.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";
import { ShownSecret } from "#dashboard/shared/secret-dialog.tsx";
import { ProjectLimit } from "#dashboard/shared/project-limit.tsx";
import { readForm } from "#dashboard/text/field-errors.ts";
import { isIncluded } from "#dashboard/text/permissions.ts";
import { presetOf, type Presets, tokenPresets } from "#dashboard/pages/tokens/token-presets.ts";

type Props = {
  readonly title?: string;
  /** Of the name. */
  readonly placeholder?: string;
  /** What the form offers first. It starts with the first one. */
  readonly presets?: Presets;
  readonly create: (body: CreateTokenInput) => Promise<ClientResult<TokenWithSecret>>;
  readonly onCreated: () => void;
  readonly onClose: () => void;
  /** What kind of token it is. */
  readonly children?: ComponentChildren;
};

/** Creates a token, and shows its secret once. */
export function CreateToken({ title = "Create a token", ...props }: Props) {
  const { onCreated, onClose, children } = props;
  const [created, setCreated] = useState<TokenWithSecret | null>(null);
  return (
    <Dialog title={created?.name ?? title} onClose={onClose}>
      {created === null ? (
        <>
          {children}
          <TokenForm
            {...props}
            onCreated={(token) => {
              setCreated(token);
              onCreated();
            }}
          />
        </>
      ) : (
        <ShownSecret secret={created.token} what="token" onClose={onClose} />
      )}
    </Dialog>
  );
}

type FormProps = Pick<Props, "placeholder" | "presets" | "create" | "onClose"> & {
  readonly onCreated: (token: TokenWithSecret) => void;
};

/** A form for a new token: its permissions, projects and expiration. */
function TokenForm({ presets = tokenPresets, create: send, onCreated, onClose, ...props }: FormProps) {
  const { placeholder = "CI of shop" } = props;
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const [projectIds, setProjectIds] = useState<readonly ProjectId[] | null>(null);
  const [scopes, setScopes] = useState<readonly Scope[]>([...presets.values()][0] ?? []);
  const creating = useAction(send);

  const input = {
    name,
    scopes: scopes.filter((scope) => !isIncluded(scope, scopes)),
    project_ids: projectIds,
    expires_in_days: Number(days),
  };
  const form = readForm(CreateTokenInput, input);
  const { errors } = form;
  const create = async () => {
    const created = form.ok ? await creating.run(form.value) : null;
    if (created !== null) onCreated(created.value);
  };
  return (
    <Form onSubmit={create}>
      <Field
        label="Name"
        value={name}
        onInput={setName}
        placeholder={placeholder}
        error={errors["name"] ?? null}
      />
      <Choice
        label="For"
        value={presetOf(presets, scopes) ?? ""}
        onChange={(preset) => setScopes(presets.get(preset) ?? scopes)}
      >
        {[...presets.keys()].map((preset) => (
          <option key={preset}>{preset}</option>
        ))}
        <option value="">Other permissions</option>
      </Choice>
      <ScopeGrid
        chosen={scopes}
        onChange={setScopes}
        error={errors["scopes"] === undefined ? null : "Choose at least one."}
      />
      <TokenPowers scopes={scopes} />
      <ProjectLimit
        label="Access"
        chosen={projectIds}
        onChange={setProjectIds}
        error={errors["project_ids"] ?? null}
      />
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
  );
}
