import { join } from "node:path";

import { problemCodes } from "#contract/endpoints/endpoint-facts.ts";
import { problems } from "#contract/problems.ts";

import { root } from "../shared/root.ts";
import { problemCauses } from "#contract/reference/problem-causes.ts";
import { withPart } from "./with-part.ts";

export const apiPagePath = join(root, "docs", "api.md");

/** docs/api.md with the current table of problems. @throws if the page has no place for it */
export function withProblemTable(page: string): string {
  return withPart(page, "problems", table());
}

function table(): string {
  const rows = problemCodes.map(
    (code) => `| ${problems[code].status} | \`${code}\` | ${problemCauses[code]} |\n`,
  );
  return `| Status | Code | When |\n|---|---|---|\n${rows.join("")}`;
}
