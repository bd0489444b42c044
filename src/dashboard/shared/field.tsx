import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

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
  readonly type?: "text" | "password" | "number" | "search";
  readonly lines?: number;
};

/** A text field with its label, hint and error. */
export function Field({
  label,
  value,
  onInput,
  hint,
  error = null,
  placeholder = "",
  isCode = false,
  type = "text",
  lines = 1,
}: FieldProps) {
  const id = useId();
  const common = {
    id,
    value,
    placeholder,
    class: isCode ? "code" : "",
    spellcheck: false,
    autocomplete: "off",
    ...notesOf(id, hint, error),
  } as const;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {lines > 1 ? (
        <textarea {...common} rows={lines} onInput={(event) => onInput(event.currentTarget.value)} />
      ) : type === "password" ? (
        <input {...common} type="password" onInput={(event) => onInput(event.currentTarget.value)} />
      ) : type === "search" ? (
        <input {...common} type="search" onInput={(event) => onInput(event.currentTarget.value)} />
      ) : (
        <input
          {...common}
          type="text"
          inputMode={type === "number" ? "numeric" : "text"}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
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

export function Choice({ label, value, onChange, hint, error = null, children }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        {...notesOf(id, hint, error)}
        onChange={(event) => onChange(event.currentTarget.value)}
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
