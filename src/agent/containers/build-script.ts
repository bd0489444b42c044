import {
  buildah,
  engineCommand,
  type EnginePlace,
  engineVariables,
  podman,
  signIn,
} from "#agent/containers/engine-script.ts";
import { checkedBy } from "#agent/containers/image-policy.ts";
import type { ImagePolicy } from "#agent/policy/policy.ts";
import { imageTag } from "#agent/workspace/release-image.ts";
import type { Environment } from "#build/commands/environment.ts";
import type { Command } from "#build/process/command.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { shellQuote } from "#node/shell-quote.ts";

/** How a Dockerfile becomes the image of a release. All paths are absolute. */
export type ImageBuild = {
  readonly version: number;
  readonly dockerfile: string;
  readonly context: string;
  /** null: the last stage. */
  readonly target: string | null;
  /** Plain variables, for each of which the Dockerfile has an ARG. They are part of the image's history. */
  readonly args: Environment;
  /** Values that only instructions with `--mount=type=secret` see. */
  readonly secrets: Environment;
  /** Builds everything again, from the newest base images. */
  readonly isFresh: boolean;
  /** The text of an auth.json for the pulls of its base images; null: nobody signs in. No instruction sees it. */
  readonly auth: string | null;
  /** What its base images are checked by; null: no rule of this server says it. */
  readonly signatures: ImagePolicy | null;
};

/**
 * Removes what an earlier build can have left that was stopped: its container, its mounts, and the layers that it was pulling. Some of
 * these folders can be read only as root in the namespace of the project's user.
 */
const tidy = (place: EnginePlace): string =>
  [
    `${buildah(place)} rm --all >/dev/null 2>&1 || {`,
    // On a full disk the engine does not start, and a build that filled it has left its layer. Images have other layers.
    `  cd ${shellQuote(place.folder.containers)} && grep -ohE '"layer":"[0-9a-f]{64}"' overlay-containers/*containers.json | cut -d '"' -f 4 |`,
    `    while read -r layer; do ${buildah(place)} unshare find "overlay/$layer/diff" -mindepth 1 -delete </dev/null; done`,
    `  ${buildah(place)} rm --all`,
    "} >/dev/null 2>&1",
    `for left in /var/tmp/buildah[0-9]* /var/tmp/container_images_*; do if [ -e "$left" ]; then ${buildah(place)} unshare rm -rf "$left"; fi; done 2>/dev/null`,
  ].join("\n");

/** The command that builds an image and names it as the release's. */
export function buildCommand(
  place: EnginePlace,
  build: ImageBuild,
): ResultOf<Command, { readonly reason: string }> {
  const { args, secrets, auth, signatures } = build;
  const read = engineVariables({ ...args, ...secrets });
  if (!read.ok) return read;
  // Others are written to a file, which a build does not read.
  const hidden = Object.keys({ ...args, ...secrets }).find((name) => !read.value.names.includes(name));
  if (hidden !== undefined)
    return {
      ok: false,
      reason: `the variable ${hidden} cannot be a build argument or secret, because the engine reads it itself`,
    };
  const checked = checkedBy(signatures);
  const line = [
    `exec ${buildah(place)}${checked.global} build --format=docker --layers --network=host${checked.options}`,
    // An image that is there was perhaps pulled before there was a rule about signatures.
    build.isFresh ? "--no-cache --pull=always" : signatures === null ? "--pull=missing" : "--pull=always",
    ...Object.keys(args).map((name) => `--build-arg=${name}`),
    ...Object.keys(secrets).map((name) => `--secret=id=${name},env=${name}`),
    ...(build.target === null ? [] : [`--target=${shellQuote(build.target)}`]),
    `--tag=${imageTag(build.version)} --file=${shellQuote(build.dockerfile)} ${shellQuote(build.context)}`,
  ].join(" ");
  const login = signIn(auth);
  const script = [...login.lines, tidy(place), line];
  return succeed(engineCommand(place, script, { ...read.value.env, ...login.env }));
}

/** The command that names an image of an earlier release as the release's. It fails if the image is gone. */
export function tagCommand(place: EnginePlace, id: string, version: number): Command {
  return engineCommand(place, [`exec ${buildah(place)} tag ${id} ${imageTag(version)}`], {});
}

/** The command that writes a release's image into a file, for another server. The file cannot have the signatures of a base image. */
export function saveCommand(place: EnginePlace, version: number, path: string): Command {
  const tag = imageTag(version);
  return engineCommand(
    place,
    [
      `rm -f ${shellQuote(path)}`,
      `exec ${buildah(place)} push --quiet --remove-signatures ${tag} docker-archive:${shellQuote(path)}:${tag}`,
    ],
    {},
  );
}

/** The command that reads an image from such a file, and names it as the release's. */
export function loadCommand(place: EnginePlace, version: number, path: string): Command {
  return engineCommand(
    place,
    [
      `id=$(${buildah(place)} pull --quiet docker-archive:${shellQuote(path)}) || exit`,
      `exec ${buildah(place)} tag "$id" ${imageTag(version)}`,
    ],
    {},
  );
}

/** Between the description of an image and its list of users. */
export const USERS = "--- users ---";

/** A pipe in the place of the file would be read without end. */
const readUsers = (file: string) => `if [ -f ${file} ]; then head -c 1000000 ${file}; fi`;

/** The command that prints what podman knows of a release's image, and then the users and groups in it. */
export function inspectCommand(place: EnginePlace, version: number): Command {
  const tag = imageTag(version);
  return engineCommand(
    place,
    [
      `${podman(place)} image inspect ${tag} || exit`,
      `echo '${USERS}'`,
      // An image without this file has no names.
      `export PODMAN=${shellQuote(podman(place))} run`,
      `${podman(place)} unshare sh -c 'at=$(eval "$PODMAN image mount ${tag}") && cd "$at/etc" || exit; ${readUsers("passwd")}; echo; ${readUsers("group")} | sed "s/^/group:/"' 2>/dev/null || true`,
    ],
    {},
  );
}

/** The command that removes what a build or a pull has left that was stopped. */
export function leftoversCommand(place: EnginePlace): Command {
  return engineCommand(place, [tidy(place)], {});
}

/** What instructions with `--mount=type=cache` keep for the next build. */
const CACHES = "/var/tmp/buildah-cache-*";

/**
 * The command that removes the images of all releases except these, and what containers have left that were killed. If the rest has more
 * than a number of MiB, it also removes the layers and caches that only the next build would use. It prints what is left, for `readUsedBytes`.
 */
export function tidyCommand(place: EnginePlace, keep: readonly number[], maxMib: number): Command {
  const kept = ` ${keep.map(imageTag).join(" ")} `;
  const engine = buildah(place);
  return engineCommand(
    place,
    [
      tidy(place),
      `${engine} images --format '{{.Name}}:{{.Tag}}' | while read -r name; do`,
      `  case $name in localhost/gantry:*) case ${shellQuote(kept)} in *" $name "*) ;; *) ${engine} rmi "$name" >/dev/null ;; esac ;; esac`,
      "done",
      ...removeLeftLayers(place),
      // Folders of the ids in containers can be read only there.
      `measure() { used=$(${engine} unshare du -smc --one-file-system ${shellQuote(place.folder.containers)} ${CACHES} 2>/dev/null | tail -n 1 | cut -f 1); }`,
      "measure",
      `if [ "$used" -gt ${maxMib} ]; then`,
      `  ${engine} rmi --prune >/dev/null`,
      `  ${engine} unshare rm -rf ${CACHES}`,
      "  measure",
      "fi",
      'echo "$used"',
    ],
    {},
  );
}

/** What `tidyCommand` printed, in bytes; null: it did not measure anything. */
export function readUsedBytes(stdout: string): number | null {
  const mib = /^\d+$/.exec(stdout.trim())?.[0];
  return mib === undefined ? null : Number(mib) * 1024 * 1024;
}

/** A container that was killed leaves the layer that it wrote to. Nothing names it, and no process has it mounted. */
function removeLeftLayers(place: EnginePlace): readonly string[] {
  const { containers } = place.folder;
  return [
    `cd ${shellQuote(`${containers}/overlay`)} 2>/dev/null || exit 0`,
    // The process that waits for the end of a container has its layer mounted, and belongs to the project's user.
    "mounts=$(cat /proc/[0-9]*/mountinfo 2>/dev/null)",
    "for layer in $(find . -maxdepth 1 -type d -name '[0-9a-f]*' -mmin +60 | cut -c 3-); do",
    `  case $layer in ${"?".repeat(64)}) ;; *) continue ;; esac`,
    `  if grep -qF "$layer" ../overlay-layers/layers.json ../overlay-layers/volatile-layers.json 2>/dev/null; then continue; fi`,
    '  case $mounts in *"$layer"*) continue ;; esac',
    `  ${buildah(place)} unshare rm -rf "./$layer"`,
    "done",
    `cd ${shellQuote(containers)}`,
  ];
}
