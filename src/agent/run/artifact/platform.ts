import { realpath } from "node:fs/promises";

import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { readLibc } from "#build/tools/read-libc.ts";
import type { Platform } from "#contract/artifact.ts";

/** What the builds of a project on this server belong to. */
export async function readPlatform({ root }: ProjectFolder): Promise<Platform> {
  return {
    os: process.platform,
    architecture: process.arch,
    libc: await readLibc(),
    home: await realpath(root),
  };
}

/** Why a build for one platform cannot be used on another, as the rest of a sentence; null if it can. */
export function platformProblem(built: Platform | null, here: Platform): string | null {
  if (built === null) return null;
  const differences = [
    built.os === here.os ? null : `${built.os} instead of ${here.os}`,
    built.architecture === here.architecture ? null : `${built.architecture} instead of ${here.architecture}`,
    built.libc === here.libc ? null : `${built.libc ?? "no libc"} instead of ${here.libc ?? "no libc"}`,
    built.home === null || built.home === here.home
      ? null
      : `the folder ${built.home} instead of ${here.home}`,
  ].filter((difference) => difference !== null);
  return differences.length === 0 ? null : `it is for ${differences.join(", ")}`;
}
