import { join, relative } from "node:path";

import { buildClient } from "./client/build-client.ts";
import { packageVersion } from "./shared/package-version.ts";
import { packFolder } from "./shared/pack-folder.ts";
import { root } from "./shared/root.ts";
import { noOptions, runScript } from "./shared/script.ts";

await runScript(
  {
    usage: "npm run package:client",
    summary: "Builds the npm package of the client for programs, for npm publish, into build/.",
    options: noOptions,
  },
  async () => {
    const folder = join(root, "build", "client-package");
    await buildClient(folder, { name: "gantry-client", version: await packageVersion() });
    console.log(relative(root, await packFolder(folder)));
  },
);
