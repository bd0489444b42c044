import * as z from "zod/mini";

import { type ProcessDefinition, type ProcessSettings, WEB } from "#contract/endpoints/processes/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { runsAsContainer } from "#contract/runs-as-container.ts";
import {
  type ProcessField,
  processFields,
  processUses,
} from "#contract/endpoints/processes/process-settings.ts";
import { compareNames } from "#contract/processes/resolve-processes.ts";

/**
 * Unsaved input for processes, by their names. Each field is a text; an empty one is the repository's value or the default.
 * null: all of the project's own settings are removed.
 */
export const ProcessEdits = z.record(
  z.string(),
  z.nullable(z.partialRecord(z.enum(processFields), z.string())),
);
export type ProcessEdits = z.infer<typeof ProcessEdits>;

/** The saved settings. */
type Saved = Pick<Project, "detected_processes" | "processes" | "framework" | "repository">;

/** A process in the form. */
export type ProcessRow = {
  readonly name: string;
  /** The repository's definition; null: only the project defines it. */
  readonly detected: ProcessDefinition | null;
  /** The project has settings for it, or will have. */
  readonly hasOwn: boolean;
  readonly isRemoved: boolean;
  readonly text: (field: ProcessField) => string;
};

/** All processes of the form, also the processes that are added or removed in it. */
export function processRows(edits: ProcessEdits, project: Saved): readonly ProcessRow[] {
  const detected = new Map(Object.entries(project.detected_processes));
  const own = new Map(Object.entries(project.processes));
  const edited = new Map(Object.entries(edits));
  const all = new Set([...detected.keys(), ...own.keys(), ...edited.keys()]);
  return [...all].toSorted(compareNames).map((name) => {
    const edit = edited.get(name);
    const isRemoved = edit === null;
    return {
      name,
      detected: detected.get(name) ?? null,
      hasOwn: own.has(name) || edit !== undefined,
      isRemoved,
      text: (field) => (isRemoved ? "" : (edit?.[field] ?? textOf(own.get(name), field))),
    };
  });
}

function textOf(settings: ProcessSettings | undefined, field: ProcessField): string {
  return String(settings?.[field] ?? "");
}

/** The edits without the settings of a process. */
export function withoutProcess(edits: ProcessEdits, name: string, { processes }: Saved): ProcessEdits {
  const others = Object.entries(edits).filter(([other]) => other !== name);
  return Object.fromEntries(Object.hasOwn(processes, name) ? [...others, [name, null]] : others);
}

/** The changes as `processes` of a PATCH, not validated yet. Unchanged processes and fields are omitted. */
export function processChanges(edits: ProcessEdits, project: Saved): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const [name, edit] of Object.entries(edits)) {
    const change = edit === null ? null : fieldChanges(name, edit, project);
    const isChange =
      change === null ? Object.hasOwn(project.processes, name) : Object.keys(change).length > 0;
    if (isChange) changes[name] = change;
  }
  return changes;
}

function fieldChanges(
  name: string,
  edit: NonNullable<ProcessEdits[string]>,
  { detected_processes: detected, processes, framework, repository }: Saved,
): Record<string, unknown> {
  const own = new Map(Object.entries(processes)).get(name);
  const now = (field: ProcessField) => edit[field] ?? textOf(own, field);
  const changed = processFields.filter((field) => now(field) !== textOf(own, field));
  const fields = Object.fromEntries(changed.map((field) => [field, valueOf(field, now(field))]));
  // The process web of an image has the command of the image, which is known after the first build. While it has no other
  // field, it is an edit nevertheless.
  const isOfImage = runsAsContainer({ framework, repository }) && name === WEB && changed.length > 0;
  const needsCommand = !Object.hasOwn(detected, name) && !isOfImage && now("command").trim() === "";
  // Without a command, the process would be ignored. An empty one is refused.
  return needsCommand ? { ...fields, command: "" } : fields;
}

function valueOf(field: ProcessField, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const { kind } = processUses[field];
  return kind === "number" ? Number(trimmed) : kind === "flag" ? trimmed === "true" : trimmed;
}
