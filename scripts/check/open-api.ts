import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

import { buildAssets } from "../reference/build-assets.ts";
import { root } from "../shared/root.ts";
import { type CommandOutcome, runCommand } from "../shared/run-command.ts";

/** Turns off the linter's update check and telemetry. */
const QUIET = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

/** Builds the OpenAPI document and lints it. Every rule that Redocly recommends is an error. */
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
