import { useLayoutEffect, useRef } from "preact/hooks";

import { isAccessToken, REGISTRY_TOKEN } from "#contract/endpoints/variables/schemas.ts";
import { noEffectOf } from "#contract/set-by-gantry.ts";
import { type Edit, type EditErrors, isSecret } from "#dashboard/pages/variables/draft.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";

const tokenHint = (name: string) =>
  name === REGISTRY_TOKEN
    ? "Only the pulls of base images get it. It has a line USER:TOKEN@HOST for each registry."
    : "Only git gets it, as the password of the repository's https address.";

type Props = {
  readonly edit: Edit;
  readonly errors: EditErrors;
  /** The user has just opened it. */
  readonly takesFocus: boolean;
  /** There is a variable of this name, which was added in the meantime. */
  readonly replaces: boolean;
  readonly onChange: (edit: Edit) => void;
  readonly onClose: () => void;
};

/** The fields of a variable that is being added or edited. */
export function EditFields({ edit, errors, takesFocus, replaces, onChange, onClose }: Props) {
  const box = useRef<HTMLFieldSetElement>(null);
  useLayoutEffect(() => {
    if (takesFocus) box.current?.querySelector<HTMLElement>("input, textarea")?.focus();
  }, []);
  const secret = isSecret(edit);
  const name = edit.name.trim();
  const isToken = isAccessToken(name);
  const noEffect = noEffectOf(name);
  return (
    <fieldset ref={box} class="edit">
      <legend>{edit.of === null ? "New variable" : `Edit ${edit.of}`}</legend>
      {edit.of === null ? (
        <Field
          label="Name"
          value={edit.name}
          onInput={(text) => onChange({ ...edit, name: text })}
          isCode
          placeholder="DATABASE_URL"
          error={errors.name}
          {...(isToken
            ? { hint: tokenHint(name) }
            : replaces
              ? { hint: "There is a variable of this name. Saving replaces it." }
              : {})}
        />
      ) : null}
      <div class={secret ? "masked" : ""}>
        <Field
          label="Value"
          value={edit.value}
          onInput={(value) => onChange({ ...edit, value })}
          isCode
          lines={2}
          error={errors.value}
          {...(name === REGISTRY_TOKEN ? { placeholder: "ada:TOKEN@ghcr.io" } : {})}
          {...(secret ? { hint: "Sealed in this browser, and never shown again after it is saved." } : {})}
        />
      </div>
      {noEffect === null ? null : (
        <p class="hint" role="status">
          {noEffect}
        </p>
      )}
      <Choice
        label="Kind"
        value={secret ? "secret" : "plain"}
        onChange={(kind) => onChange({ ...edit, secret: kind === "secret" })}
      >
        {isToken ? null : <option value="plain">Plain: shown here, for all commands</option>}
        <option value="secret">Secret: sealed, for processes and all commands but builds</option>
      </Choice>
      {secret && !isToken ? (
        <label class="check">
          <input
            type="checkbox"
            checked={edit.build}
            onChange={(event) => onChange({ ...edit, build: event.currentTarget.checked })}
          />
          Builds get this secret, too
        </label>
      ) : null}
      <div class="actions">
        <Button
          variant="subtle"
          label={
            edit.of === null ? `Discard ${edit.name || "the new variable"}` : `Cancel editing ${edit.of}`
          }
          onClick={onClose}
        >
          {edit.of === null ? "Discard" : "Cancel"}
        </Button>
      </div>
    </fieldset>
  );
}
