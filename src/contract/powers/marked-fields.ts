import { type Mark, NeedsToo } from "#contract/powers/marks.ts";
import type { Power } from "#contract/powers/scope-powers.ts";
import type { Scope } from "#contract/scopes.ts";

/** A field with a power. `path`: `*` stands for any element of a list or record. `scope`: needed besides the endpoint's. */
export type MarkedField = {
  readonly path: readonly string[];
  readonly power: Power;
  readonly scope: Scope | null;
};

/** The fields that have a power. The path is empty if the whole value has it. */
export function markedFields(mark: Mark, path: readonly string[] = []): MarkedField[] {
  if (mark === "none") return [];
  if (typeof mark === "string") return [{ path, power: mark, scope: null }];
  if (mark instanceof NeedsToo) return [{ path, power: mark.power, scope: mark.scope }];
  return Object.entries(mark).flatMap(([field, inner]) => markedFields(inner, [...path, field]));
}

/** The fields of a request that need a scope besides the endpoint's. A field counts with any value, also with null. */
export function fieldsNeedingScopes(
  mark: Mark,
  sent: unknown,
  path: readonly string[] = [],
): (MarkedField & { readonly scope: Scope })[] {
  if (typeof mark === "string") return [];
  if (mark instanceof NeedsToo) return [{ path, power: mark.power, scope: mark.scope }];
  if (typeof sent !== "object" || sent === null) return [];
  return Object.entries(sent).flatMap(([key, value]) => {
    // A record's key can be any name, also one of Object.prototype.
    const inner = mark["*"] ?? (Object.hasOwn(mark, key) ? mark[key] : undefined);
    return inner === undefined ? [] : fieldsNeedingScopes(inner, value, [...path, key]);
  });
}
