import { relative } from "node:path";

import semver from "semver";
import * as z from "zod";

import { buildPackages, packagesFolder } from "./packages/build-packages.ts";
import { prepareRelease } from "./packages/release-packages.ts";
import { packageVersion } from "./shared/package-version.ts";
import { Problem } from "./shared/problem.ts";
import { root } from "./shared/root.ts";
import { flag, option, runScript } from "./shared/script.ts";
import { print } from "./shared/terminal.ts";

const isVersion = (text: string) => semver.valid(text) === text;

await runScript(
  {
    usage: "npm run release:packages -- --version VERSION\nnpm run release:packages -- --build-only",
    summary: `Releases the packages: sets the version in all files, moves the changelog, runs the checks, commits, tags, and builds
what the release publishes into build/packages. Pushing the tag publishes it (docs/release.md).`,
    options: z.object({
      version: option(
        "VERSION",
        "the version of the release, such as 1.2.3; with --build-only, the version that\npackage.json must have",
        z.string().refine(isVersion, "must be a version such as 1.2.3").optional(),
      ),
      "build-only": flag("build the version of package.json, and change nothing"),
    }),
  },
  async ({ version: given, "build-only": isBuildOnly }) => {
    if (!isBuildOnly && given === undefined) throw new Problem("--version is missing.");
    if (!isBuildOnly && given !== undefined)
      await prepareRelease(given, new Date().toISOString().slice(0, 10));
    const version = await packageVersion();
    if (given !== undefined && given !== version)
      throw new Problem(`package.json has the version ${version}, and not ${given}.`);
    for (const name of await buildPackages({ version, folder: packagesFolder, hasExecutable: true }))
      print(`${relative(root, packagesFolder)}/${name}`);
  },
);
