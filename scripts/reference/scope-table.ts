import { join } from "node:path";

import { markedFields } from "#contract/powers/marked-fields.ts";
import type { Mark } from "#contract/powers/marks.ts";
import { marks } from "#contract/powers/marks-table.ts";
import { powerWords } from "#contract/powers/scope-powers.ts";
import { powerList, scopeWords } from "#contract/powers/scope-words.ts";
import { allScopes } from "#contract/scopes.ts";

import { root } from "../shared/root.ts";
import { withPart } from "./with-part.ts";

export const tokensPagePath = join(root, "docs", "tokens.md");

/**
 * docs/tokens.md with the current tables of scopes, and of fields that need another scope.
 * @throws if it has no place for them
 */
export function withScopeTables(page: string): string {
  return withPart(withPart(page, "scopes", scopeTable()), "fields", fieldTable());
}

function scopeTable(): string {
  const rows = allScopes.map(
    (scope) => `| \`${scope}\` | ${scopeWords[scope]} | ${powerList([scope]).join("; ")} |\n`,
  );
  return `| Scope | To | Anyone who has the token can |\n|---|---|---|\n${rows.join("")}`;
}

function fieldTable(): string {
  const rows = Object.entries<Mark>(marks).flatMap(([operation, mark]) =>
    markedFields(mark).flatMap(({ path, power, scope }) =>
      scope === null
        ? []
        : [`| \`${path.join(".")}\` of \`${operation}\` | \`${scope}\` | ${powerWords[power]} |\n`],
    ),
  );
  return `| Field | Needs too | Because it lets the caller |\n|---|---|---|\n${rows.join("")}`;
}
