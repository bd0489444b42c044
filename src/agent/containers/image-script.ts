import { createHash } from "node:crypto";

import {
  AUTH,
  buildah,
  engineCommand,
  type EnginePlace,
  passedOn,
  signIn,
} from "#agent/containers/engine-script.ts";
import { checkedBy } from "#agent/containers/image-policy.ts";
import type { ImageSource } from "#agent/containers/image-source.ts";
import type { ImagePolicy } from "#agent/policy/policy.ts";
import { imageTag } from "#agent/workspace/release-image.ts";
import { pickVariables } from "#build/commands/environment.ts";
import type { Command } from "#build/process/command.ts";
import { USUAL_PATH } from "#build/tools/find-program.ts";
import { shellQuote } from "#node/shell-quote.ts";

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

/**
 * The command that gets an image by its digest, and names it as a release's. It downloads only layers that are missing, and checks
 * the signature of an image that is already there, too.
 */
export function pullCommand(
  place: EnginePlace,
  { name, auth }: ImageSource,
  digest: string,
  version: number,
  signatures: ImagePolicy | null,
): Command {
  const engine = buildah(place);
  const image = `${name}@sha256:${digest}`;
  const login = signIn(auth);
  return engineCommand(
    place,
    [
      ...login.lines,
      `id=$(${pull(place, signatures)} ${shellQuote(`docker://${image}`)} </dev/null) || exit`,
      `${engine} tag "$id" ${imageTag(version)} || exit`,
      // Only the names of releases decide which images stay.
      `${engine} rmi ${shellQuote(image)} >/dev/null 2>&1 || true`,
    ],
    login.env,
  );
}

/** The beginning of a command that gets the image that follows. Without `always`, it would not check an image that is already there. */
function pull(place: EnginePlace, signatures: ImagePolicy | null): string {
  const { global, options } = checkedBy(signatures);
  return `${buildah(place)}${global} pull --quiet --policy=always${options}`;
}

/**
 * The command that gets an image that an instruction names. It prints why that fails, which the build does not.
 * @param auth of `registryAuth`
 */
export function probeCommand(
  place: EnginePlace,
  image: string,
  auth: string | null,
  signatures: ImagePolicy | null,
): Command {
  const login = signIn(auth);
  const line = `exec ${pull(place, signatures)} ${shellQuote(`docker://${image}`)}`;
  return engineCommand(place, [...login.lines, line], login.env);
}
