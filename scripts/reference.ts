// Brings what is made of the contract and of the table of commands, and stands in a tracked file, up to date.
import { readFile, writeFile } from "node:fs/promises";

import { commandPagePath, withCommandReference } from "./reference/command-reference.ts";
import { readmePath, withProblemTable } from "./reference/problem-table.ts";

const readme = await readFile(readmePath, "utf8");
await writeFile(readmePath, withProblemTable(readme));
const commandPage = await readFile(commandPagePath, "utf8");
await writeFile(commandPagePath, withCommandReference(commandPage));
