import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import * as z from "zod";

import { buildPackage } from "./packages/build-packages.ts";
import { client, command } from "./packages/package-list.ts";
import { packageVersion } from "./shared/package-version.ts";
import { root } from "./shared/root.ts";
import { flag, runScript } from "./shared/script.ts";

await runScript(
  {
    usage: "npm run package -- [options]",
    summary: "Builds the npm package of the gantry command, for npx and npm publish, into build/.",
    options: z.object({ client: flag("build the package of the client for programs instead") }),
  },
  async (options) => {
    const built = options.client ? client : command;
    const version = await packageVersion();
    const path = join(root, "build", `${built.name}-${version}.tgz`);
    await mkdir(join(root, "build"), { recursive: true });
    await writeFile(path, (await buildPackage(built, version)).archive);
    console.log(relative(root, path));
  },
);
