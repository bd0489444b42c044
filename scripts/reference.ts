// Brings what is made of the contract, and stands in a tracked file, up to date.
import { readFile, writeFile } from "node:fs/promises";

import { readmePath, withProblemTable } from "./reference/problem-table.ts";

const readme = await readFile(readmePath, "utf8");
await writeFile(readmePath, withProblemTable(readme));
