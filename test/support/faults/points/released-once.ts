import { readFile } from "node:fs/promises";

import type { FaultPoint } from "./point.ts";

/** The site runs its commits' release command, which waits at the gate `release`. */
export const withReleaseCommand: NonNullable<FaultPoint["settings"]> = () => ({
  release_command: "sh release.sh",
});

/** No version ran the release command twice, whatever happened. */
export const releasedOnce: NonNullable<FaultPoint["check"]> = async ({ version }, { site }) => {
  const text = await readFile(site.source.gate.released, "utf8");
  const versions = text.trim().split("\n").map(Number);
  if (!versions.includes(version)) throw new Error(`version ${version} has run no release command`);
  if (new Set(versions).size < versions.length)
    throw new Error(`release commands have run in the versions ${versions.join(", ")}`);
};
