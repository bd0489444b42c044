// Brings what is made of the contract and of the table of commands, and stands in a tracked file, up to date.
import { readFile, writeFile } from "node:fs/promises";

import { commandPagePath, withCommandReference } from "./reference/command-reference.ts";
import { apiPagePath, withProblemTable } from "./reference/problem-table.ts";

const apiPage = await readFile(apiPagePath, "utf8");
await writeFile(apiPagePath, withProblemTable(apiPage));
const commandPage = await readFile(commandPagePath, "utf8");
await writeFile(commandPagePath, withCommandReference(commandPage));
