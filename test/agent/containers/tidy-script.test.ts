import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { readUsedBytes, tidyCommand } from "#agent/containers/build-script.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";

import { ids } from "../support/harness.ts";

const MIB = 1024 * 1024;

/** Stands in for buildah, which runs only on a server: two images, and a layer that only the next build uses. */
const BUILDAH = `#!/bin/sh
shift 3
echo "$*" >> "$ASKED"
case $1 in
  rm) if [ -e "$FULL" ]; then exit 125; fi ;;
  images) echo localhost/gantry:1; echo localhost/gantry:2; echo docker.io/library/node:24 ;;
  unshare) shift; exec "$@" ;;
  rmi) if [ "$2" = --prune ]; then rm "$LAYER"; fi ;;
esac
`;

const project = ids.project();
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "gantry-tidy-"));
});
afterEach(() => rmSync(home, { recursive: true }));

/** Runs the script for a storage of five MiB, of which two are only for the next build. */
function tidy(maxMib: number, full?: string) {
  const folder = projectFolder(home, project);
  const [programs, asked, layer] = [join(home, "bin"), join(home, "asked"), join(folder.containers, "layer")];
  mkdirSync(join(folder.containers, "overlay"), { recursive: true });
  mkdirSync(programs);
  writeFileSync(join(programs, "buildah"), BUILDAH);
  chmodSync(join(programs, "buildah"), 0o755);
  writeFileSync(join(folder.containers, "image"), Buffer.alloc(3 * MIB - 64 * 1024, 1));
  writeFileSync(layer, Buffer.alloc(2 * MIB, 1));
  const { argv, cwd } = tidyCommand({ folder, environment: {} }, [2], maxMib);
  const [program, ...rest] = argv;
  const env = { PATH: `${programs}:${process.env["PATH"]}`, ASKED: asked, LAYER: layer, FULL: full ?? "" };
  const stdout = execFileSync(program, rest, { cwd, env, encoding: "utf8" });
  const removed = readFileSync(asked, "utf8").match(/^rmi .*$/gm);
  return { bytes: readUsedBytes(stdout), removed };
}

it("removes the images of releases that are gone, and prints what is left", () => {
  expect(tidy(10)).toEqual({ bytes: 5 * MIB, removed: ["rmi localhost/gantry:1"] });
});

it("removes what only the next build would use if there is too much, and measures again", () => {
  expect(tidy(4)).toEqual({ bytes: 3 * MIB, removed: ["rmi localhost/gantry:1", "rmi --prune"] });
});

it("removes what a build has left that filled the disk, although the engine does not start", () => {
  const { containers } = projectFolder(home, project);
  const id = "c".repeat(64);
  const diff = join(containers, "overlay", id, "diff");
  mkdirSync(diff, { recursive: true });
  mkdirSync(join(containers, "overlay-containers"));
  const records = join(containers, "overlay-containers", "volatile-containers.json");
  writeFileSync(records, JSON.stringify([{ id: "d".repeat(64), layer: id }]));
  writeFileSync(join(diff, "large"), "");
  tidy(10, join(diff, "large"));
  expect(readdirSync(diff)).toEqual([]);
});

it.each(["", "du: cannot read\n", "5 6"])("knows no size if the script prints %j", (stdout) => {
  expect(readUsedBytes(stdout)).toBeNull();
});
