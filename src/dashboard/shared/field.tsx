import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

import { useShownError } from "#dashboard/shared/shown-error.ts";

export type FieldProps = {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** An explanation below the field. */
  readonly hint?: string;
  /** The validation error; null: none. */
  readonly error?: string | null;
  readonly placeholder?: string;
  readonly isCode?: boolean;
  /** `number` is a text input, so that its error is shown like any other. */
  readonly type?: "text" | "password" | "number" | "search" | "datetime-local" | "time";
  /** Values to choose from. Others can be typed. */
  readonly options?: readonly string[];
  readonly lines?: number;
};

/** A text field with its label, hint and error. */
export function Field({
  label,
  value,
  onInput,
  hint,
  error: found = null,
  placeholder = "",
  isCode = false,
  type = "text",
  lines = 1,
  options,
}: FieldProps) {
  const id = useId();
  const { error, onEdit, onLeave } = useShownError(found);
  const edit = (event: { readonly currentTarget: { readonly value: string } }) => {
    onEdit();
    onInput(event.currentTarget.value);
  };
  const common = {
    id,
    value,
    placeholder,
    class: isCode ? "code" : "",
    spellcheck: false,
    autocomplete: "off",
    onInput: edit,
    onBlur: onLeave,
    ...notesOf(id, hint, error),
  } as const;
  // Preact's types allow each type of input other attributes.
  const input = () => {
    switch (type) {
      case "password":
        return <input {...common} type="password" />;
      case "search":
        return <input {...common} type="search" />;
      case "datetime-local":
        return <input {...common} type="datetime-local" />;
      case "time":
        return <input {...common} type="time" />;
      case "number":
        return <input {...common} type="text" inputMode="numeric" />;
      case "text":
        return options === undefined ? (
          <input {...common} type="text" />
        ) : (
          <input {...common} type="text" list={`${id}-options`} />
        );
    }
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {lines > 1 ? <textarea {...common} rows={lines} /> : input()}
      {options === undefined ? null : (
        <datalist id={`${id}-options`}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly error?: string | null;
  /** `option` elements. */
  readonly children: ComponentChildren;
};

export function Choice({ label, value, onChange, hint, error: found = null, children }: ChoiceProps) {
  const id = useId();
  const { error, onEdit, onLeave } = useShownError(found);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        {...notesOf(id, hint, error)}
        onBlur={onLeave}
        onChange={(event) => {
          onEdit();
          onChange(event.currentTarget.value);
        }}
      >
        {children}
      </select>
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

/** The ARIA attributes that connect a field with its hint and its error. */
function notesOf(id: string, hint: string | undefined, error: string | null) {
  const described = [hint === undefined ? "" : `${id}-hint`, error === null ? "" : `${id}-error`];
  return { "aria-invalid": error !== null, "aria-describedby": described.join(" ").trim() || undefined };
}

type NotesProps = {
  readonly id: string;
  readonly hint: string | undefined;
  readonly error: string | null;
};

function FieldNotes({ id, hint, error }: NotesProps) {
  return (
    <>
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error === null ? null : (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </>
  );
}
