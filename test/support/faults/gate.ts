import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { eventually } from "./eventually.ts";

/** A place where a test can hold a deployment's own command: the start of the fetch, the middle of the build, the release command, an app before it listens, or the activate command. */
const gateNames = ["fetch", "build", "release", "start", "activate"] as const;
export type GateName = (typeof gateNames)[number];

/** A gate is a file that the deployment's commands check. */
export type Gate = {
  readonly path: string;
  /** The file with the version of each run of the release command, one per line. */
  readonly released: string;
  /** Closes the gate: commands that reach it wait. */
  hold(name: GateName): Promise<void>;
  /** Resolves when a command waits at the gate. */
  reached(name: GateName): Promise<void>;
  open(): Promise<void>;
};

export async function createGate(path: string): Promise<Gate> {
  await mkdir(path, { recursive: true });
  const file = (name: GateName, what: "hold" | "waits") => join(path, `${what}-${name}`);
  return {
    path,
    released: join(path, "released"),
    async hold(name) {
      await rm(file(name, "waits"), { force: true });
      await writeFile(file(name, "hold"), "");
    },
    reached: (name) =>
      eventually(`a command waits at the gate ${name}`, () => existsSync(file(name, "waits"))),
    async open() {
      for (const name of gateNames) await rm(file(name, "hold"), { force: true });
    },
  };
}

/** The shell code with which a command waits at a gate; the variable `gate` is the gate's path. */
export const waitAtGate = (name: GateName): string =>
  `if [ -e "$gate/hold-${name}" ]; then : > "$gate/waits-${name}"; while [ -e "$gate/hold-${name}" ]; do sleep 0.03; done; fi`;
