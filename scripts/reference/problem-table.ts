import { join } from "node:path";

import { problemCodes } from "#contract/endpoints/endpoint-facts.ts";
import { problems } from "#contract/problems.ts";

import { root } from "../shared/root.ts";

export const readmePath = join(root, "README.md");

const BEGIN = "<!-- problems -->";
const END = "<!-- /problems -->";

/** The README with the table of problems as it is now. @throws where it has no place for one */
export function withProblemTable(readme: string): string {
  const [before, rest] = split(readme, BEGIN);
  const [, after] = split(rest, END);
  return `${before}${BEGIN}\n${table()}${END}${after}`;
}

function table(): string {
  const rows = problemCodes.map(
    (code) => `| ${problems[code].status} | \`${code}\` | ${problems[code].when} |\n`,
  );
  return `| Status | Code | When |\n|---|---|---|\n${rows.join("")}`;
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`The README lacks ${mark}.`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
