import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

import { buildAssets } from "../reference/build-assets.ts";
import { root } from "../shared/root.ts";
import { type CommandOutcome, runCommand } from "../shared/run-command.ts";

/** The linter asks nobody for news, and tells nobody that it runs. */
const QUIET = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

/** Makes the document and lints it with every rule that Redocly recommends, each as an error. */
export async function checkOpenApi(): Promise<CommandOutcome> {
  await mkdir(join(root, "build"), { recursive: true });
  const folder = await mkdtemp(join(root, "build", "open-api-check-"));
  try {
    await buildAssets(folder);
    const file = join(folder, "v1", "openapi.json");
    return await runCommand(["redocly", "lint", file, "--config", join(root, "redocly.yaml")], {
      env: QUIET,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
