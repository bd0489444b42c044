import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { clientCallsPath, clientCallsText } from "./reference/client-calls.ts";
import { commandPagePath, withCommandReference } from "./reference/command-reference.ts";
import { tokensPagePath, withScopeTables } from "./reference/scope-table.ts";
import { readScalingPage, scalingPagePath } from "./reference/scaling-tables.ts";
import { processesPagePath, withProcessTables } from "./reference/process-tables.ts";
import { requestLinesPath, requestLinesText } from "./reference/request-lines.ts";
import { membersPagePath, withRoleTable } from "./reference/role-table.ts";
import { apiPagePath, withProblemTable } from "./reference/problem-table.ts";
import { usualPresetsPath, usualPresetsText } from "./reference/usual-presets.ts";
import { actionFolder, bundleAction } from "./shared/build-action.ts";
import { root } from "./shared/root.ts";
import { runCommand } from "./shared/run-command.ts";
import { noOptions, runScript } from "./shared/script.ts";

await runScript(
  {
    usage: "npm run reference",
    summary: `Updates the generated parts of tracked files: the problem table in docs/api.md, the scopes in docs/tokens.md, the
operations of each role in docs/members.md, the commands in docs/command.md, the tables in docs/processes.md and
docs/scaling.md, the presets of typical projects, the paths of endpoints without their schemas, and the bundle of the
action for GitHub.`,
    options: noOptions,
  },
  async () => {
    const processesPage = await readFile(processesPagePath, "utf8");
    await writeFile(processesPagePath, withProcessTables(processesPage));
    const apiPage = await readFile(apiPagePath, "utf8");
    await writeFile(apiPagePath, withProblemTable(apiPage));
    const tokensPage = await readFile(tokensPagePath, "utf8");
    await writeFile(tokensPagePath, withScopeTables(tokensPage));
    const membersPage = await readFile(membersPagePath, "utf8");
    await writeFile(membersPagePath, withRoleTable(membersPage));
    const commandPage = await readFile(commandPagePath, "utf8");
    await writeFile(commandPagePath, withCommandReference(commandPage));
    await writeFile(scalingPagePath, (await readScalingPage()).current);
    await writeFile(usualPresetsPath, usualPresetsText());
    await writeFile(requestLinesPath, requestLinesText());
    await writeFile(clientCallsPath, clientCallsText());
    await runCommand(["oxfmt", usualPresetsPath, requestLinesPath, clientCallsPath]);
    await mkdir(join(root, actionFolder), { recursive: true });
    for (const [path, text] of await bundleAction()) await writeFile(join(root, path), text);
  },
);
