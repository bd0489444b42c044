import { join } from "node:path";

import { problemCodes } from "#contract/endpoints/endpoint-facts.ts";
import { problems } from "#contract/problems.ts";

import { root } from "../shared/root.ts";
import { problemCauses } from "#contract/reference/problem-causes.ts";

export const apiPagePath = join(root, "docs", "api.md");

const BEGIN = "<!-- problems -->";
const END = "<!-- /problems -->";

/** docs/api.md with the current table of problems. @throws if the page has no place for it */
export function withProblemTable(page: string): string {
  const [before, rest] = split(page, BEGIN);
  const [, after] = split(rest, END);
  return `${before}${BEGIN}\n${table()}${END}${after}`;
}

function table(): string {
  const rows = problemCodes.map(
    (code) => `| ${problems[code].status} | \`${code}\` | ${problemCauses[code]} |\n`,
  );
  return `| Status | Code | When |\n|---|---|---|\n${rows.join("")}`;
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`docs/api.md lacks ${mark}.`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
