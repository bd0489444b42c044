import type { AuditEntry } from "#contract/endpoints/audit/schemas.ts";

/** What was done to what: `update project shop`. Without a name, the object has its id. */
export function doneText({ action, target }: Pick<AuditEntry, "action" | "target">): string {
  const words = action.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (target === null) return words;
  const { type, id, name } = target;
  return words.endsWith(type) ? `${words} ${name ?? id}` : `${words}, ${type} ${name ?? id}`;
}

/** A setting before or after a change. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
