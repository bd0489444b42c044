import { createHash } from "node:crypto";

import { buildah, engineCommand, type EnginePlace, passedOn } from "#agent/containers/engine-script.ts";
import type { ImageSource } from "#agent/containers/image-source.ts";
import { imageTag } from "#agent/workspace/release-image.ts";
import { pickVariables } from "#build/commands/environment.ts";
import type { Command } from "#build/process/command.ts";
import { USUAL_PATH } from "#build/tools/find-program.ts";
import { shellQuote } from "#node/shell-quote.ts";

/** The variable with the text of the file that signs in to a registry. The scripts write it to memory only. */
const AUTH = "GANTRY_REGISTRY_AUTH";

/**
 * The command that prints what a tag names now, byte for byte: the description of an image, or of the images of several
 * platforms. It stores nothing, so it runs as the agent's user, as git does.
 */
export function manifestCommand(
  { home, environment }: { readonly home: string; readonly environment: NodeJS.ProcessEnv },
  { name, auth }: ImageSource,
  tag: string,
  marker: Readonly<Record<string, string>>,
): Command {
  const script = [
    "umask 077",
    "folder=$(mktemp -d -p /dev/shm) || exit",
    `trap 'rm -rf "$folder"' EXIT`,
    "trap 'exit 1' TERM INT HUP",
    `printf %s "$${AUTH}" >"$folder/auth.json"`,
    `unset ${AUTH}`,
    `skopeo inspect --raw --authfile="$folder/auth.json" ${shellQuote(`docker://${name}:${tag}`)} </dev/null`,
  ].join("\n");
  return {
    argv: ["sh", "-c", script],
    cwd: home,
    env: {
      ...pickVariables(environment, passedOn),
      ...marker,
      [AUTH]: auth,
      PATH: USUAL_PATH,
      HOME: home,
    },
  };
}

/** The digest of what `manifestCommand` printed: a registry has everything under its digest. */
export function digestOf(manifest: string): string {
  return createHash("sha256").update(manifest).digest("hex");
}

/** The command that gets an image by its digest, and names it as a release's. It downloads only layers that are missing. */
export function pullCommand(
  place: EnginePlace,
  { name, auth }: ImageSource,
  digest: string,
  version: number,
): Command {
  const engine = buildah(place);
  const image = shellQuote(`${name}@sha256:${digest}`);
  return engineCommand(
    place,
    [
      `printf %s "$${AUTH}" >"$run/auth.json"`,
      `unset ${AUTH}`,
      'export REGISTRY_AUTH_FILE="$run/auth.json"',
      `id=$(${engine} pull --quiet docker://${image} </dev/null) || exit`,
      `${engine} tag "$id" ${imageTag(version)} || exit`,
      // Only the names of releases decide which images stay.
      `${engine} rmi ${image} >/dev/null 2>&1 || true`,
    ],
    { [AUTH]: auth },
  );
}
