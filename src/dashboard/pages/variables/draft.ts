import * as z from "zod/mini";

import {
  isAccessToken,
  SetVariable,
  type Variable,
  type Variables,
} from "#contract/endpoints/variables/schemas.ts";
import { looksSecret } from "#contract/looks-secret.ts";
import type { ImportedVariable } from "#dashboard/pages/variables/read-import.ts";
import { readForm } from "#dashboard/text/field-errors.ts";

/** A variable that is being added or edited. */
const Edit = z.object({
  key: z.string(),
  /** The variable that is edited; null: a new one. */
  of: z.nullable(z.string()),
  name: z.string(),
  value: z.string(),
  /** null: not chosen yet, so the name and the value decide. */
  secret: z.nullable(z.boolean()),
  build: z.boolean(),
});
export type Edit = Readonly<z.infer<typeof Edit>>;

/** Unsaved changes of a project's variables. `revision`: the revision that they were made for. */
export const VariablesDraft = z.object({
  revision: z.number(),
  edits: z.array(Edit),
  removed: z.array(z.string()),
});
export type VariablesDraft = z.infer<typeof VariablesDraft>;

let edits = 0;
/** Also unique among the keys of a draft that was stored before the page was loaded again. */
const newKey = () => `${Date.now()}-${(edits += 1)}`;

export function newEdit(
  entry: ImportedVariable = { name: "", value: "" },
  secret: boolean | null = null,
): Edit {
  return { key: newKey(), of: null, ...entry, secret, build: false };
}

/** The values of secrets cannot be read, so they begin empty. */
export function editOf(variable: Variable, value = variable.secret ? "" : variable.value): Edit {
  const { name, secret } = variable;
  return { key: newKey(), of: name, name, value, secret, build: secret && variable.build };
}

export function isSecret({ name, value, secret }: Edit): boolean {
  return isAccessToken(name.trim()) || (secret ?? looksSecret(name.trim(), value));
}

/** A variable as the request has it, with its value in clear. */
export function settingOf(edit: Edit): z.input<typeof SetVariable> & { readonly value: string } {
  const name = edit.name.trim();
  const secret = isSecret(edit);
  return {
    name,
    value: edit.value,
    secret,
    ...(secret ? { build: edit.build && !isAccessToken(name) } : {}),
  };
}

export type EditErrors = { readonly name: string | null; readonly value: string | null };

/** The errors of an edit. */
export function errorsIn(edit: Edit, all: readonly Edit[]): EditErrors {
  const setting = settingOf(edit);
  const { errors } = readForm(SetVariable, setting);
  const isTwice = all.some((other) => other.key !== edit.key && other.name.trim() === setting.name);
  return {
    name:
      setting.name === ""
        ? "Enter a name."
        : (errors["name"] ?? (isTwice ? "There is another change of this name." : null)),
    value: setting.secret === true && edit.value === "" ? "Enter the secret." : (errors["value"] ?? null),
  };
}

/** The draft with some parts replaced; null if no change is left. @param current the variables that are shown */
export function changed(
  draft: VariablesDraft | null,
  current: Variables,
  part: Partial<VariablesDraft>,
): VariablesDraft | null {
  const next = { revision: current.revision, edits: [], removed: [], ...draft, ...part };
  return next.edits.length + next.removed.length === 0 ? null : next;
}

export function withNewEdit(
  draft: VariablesDraft | null,
  current: Variables,
  edit: Edit,
): VariablesDraft | null {
  return changed(draft, current, { edits: [...(draft?.edits ?? []), edit] });
}

/** The draft with a changed edit. An edit that was saved or closed in the meantime does not come back. */
export function withEdit(
  draft: VariablesDraft | null,
  current: Variables,
  edit: Edit,
): VariablesDraft | null {
  return changed(draft, current, {
    edits: (draft?.edits ?? []).map((one) => (one.key === edit.key ? edit : one)),
  });
}

export function withoutEdit(
  draft: VariablesDraft | null,
  current: Variables,
  key: string,
): VariablesDraft | null {
  return changed(draft, current, { edits: (draft?.edits ?? []).filter((one) => one.key !== key) });
}

/** The draft that removes a variable, or no longer removes it if it did. */
export function withRemovalToggled(
  draft: VariablesDraft | null,
  current: Variables,
  name: string,
): VariablesDraft | null {
  const removed = draft?.removed ?? [];
  return changed(draft, current, {
    removed: removed.includes(name) ? removed.filter((one) => one !== name) : [...removed, name],
  });
}

/** The draft with the variables of a .env text. Variables that have these values already stay as they are. */
export function withImported(
  draft: VariablesDraft | null,
  current: Variables,
  entries: readonly ImportedVariable[],
  secret: boolean | null,
): VariablesDraft | null {
  const names = new Set(entries.map(({ name }) => name));
  const imported = entries.flatMap((entry): Edit[] => {
    const variable = current.variables.find(({ name }) => name === entry.name);
    if (variable === undefined) return [newEdit(entry, secret)];
    const edit = editOf(variable, entry.value);
    const next = secret === true ? { ...edit, secret } : edit;
    const isSame = !variable.secret && secret !== true && variable.value === entry.value;
    return isSame ? [] : [next];
  });
  return changed(draft, current, {
    edits: [...(draft?.edits ?? []).filter(({ name }) => !names.has(name.trim())), ...imported],
    removed: (draft?.removed ?? []).filter((name) => !names.has(name)),
  });
}

/** The rest of a draft after `sent` was saved: the user may have typed more in the meantime. */
export function afterSaving(
  now: VariablesDraft | null,
  sent: VariablesDraft,
  saved: Variables,
): VariablesDraft | null {
  const isSent = (edit: Edit) => sent.edits.some((one) => JSON.stringify(one) === JSON.stringify(edit));
  const left = (now?.edits ?? []).filter((edit) => !isSent(edit));
  const removed = (now?.removed ?? []).filter((name) => !sent.removed.includes(name));
  return changed(null, saved, { edits: left, removed });
}

/** The draft as it is stored: without the values of secrets. */
export function withoutSecrets(draft: VariablesDraft): VariablesDraft {
  return {
    ...draft,
    edits: draft.edits.map((edit) => (isSecret(edit) ? { ...edit, value: "", secret: true } : edit)),
  };
}
