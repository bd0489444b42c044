import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";

import { hasSucceeded } from "#build/process/command.ts";
import { checkPackage } from "#agent/run/tools/check-package.ts";
import type { Provider } from "#agent/run/tools/tool-runner.ts";
import { removeTree } from "#agent/workspace/discard.ts";
import { fitsBest, pickVersion } from "#project-files/frameworks/tools/check-version.ts";
import { npmPackageOf } from "#project-files/frameworks/tools/npm-package.ts";
import { parseObject } from "#contract/lib/json-object.ts";

/**
 * Installs pnpm or Yarn with the server's npm, into the agent's folder: once for all projects and runs, unlike npx and
 * Corepack, which keep a copy for each user and look for it at each call. No script of the package runs.
 */
export const provideWithNpm: Provider = async (runner, tool, requests) => {
  const { scope, path, stage, run } = runner;
  const npm = (await scope.context.tools.find("npm", path))?.path;
  const wanted = npmPackageOf(tool, requests);
  if (npm === undefined || wanted === null) return { kind: "none" };

  const kept = join(runner.folder, "npm", wanted.name.replace("/", "+"));
  const existing = await readdir(kept).catch(() => []);
  const version = pickVersion(
    requests,
    existing.filter((one) => fitsBest(requests, one)),
  );
  // A version with another hash is installed again, and that installation fails with the wrong hash as its reason.
  if (version !== null && (await checkPackage(join(kept, version), wanted)) === null)
    return provided(version);

  scope.log.system(stage, `installing ${wanted.name}@${wanted.range} with npm`);
  // In the project's folder for unfinished files, which is emptied after a run, and after a crash.
  const draft = join(scope.folder.temp, `${tool}-${randomUUID()}`);
  await mkdir(draft, { recursive: true });
  try {
    const quiet = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--no-update-notifier"];
    const spec = `${wanted.name}@${wanted.range}`;
    const ran = await run([npm, "install", "--prefix", draft, "--ignore-scripts", ...quiet, spec], {
      log: true,
    });
    if (!hasSucceeded(ran.end)) return { kind: "failed", installer: "npm", ran };
    const manifest = join(draft, "node_modules", wanted.name, "package.json");
    const installed = parseObject(await readFile(manifest, "utf8"))["version"];
    if (typeof installed !== "string") return { kind: "failed", installer: "npm", ran };
    const damage = await checkPackage(draft, wanted);
    if (damage !== null) {
      scope.log.system(stage, damage);
      return { kind: "failed", installer: "npm", ran };
    }
    await mkdir(kept, { recursive: true });
    // Another run may have installed the same version in the meantime.
    await rename(draft, join(kept, installed)).catch(() => undefined);
    return provided(installed);
  } finally {
    await removeTree(draft);
  }

  function provided(installed: string) {
    const folders = [join(kept, installed, "node_modules", ".bin")];
    return { kind: "provided", tool: { version: installed, folders } } as const;
  }
};
