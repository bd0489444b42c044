import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { eventually } from "./eventually.ts";

/** A place in a deployment where its own commands can be made to wait: at the start of a fetch, in the middle of a build … */
export type GateName = "fetch" | "build" | "activate";

/** Gates are files that the commands of a deployment look at. */
export type Gate = {
  readonly path: string;
  /** From now on whoever comes to the gate waits. */
  hold(name: GateName): Promise<void>;
  /** Resolves when somebody waits. */
  reached(name: GateName): Promise<void>;
  open(): Promise<void>;
};

export async function createGate(path: string): Promise<Gate> {
  await mkdir(path, { recursive: true });
  const file = (name: GateName, what: "hold" | "waits") => join(path, `${what}-${name}`);
  return {
    path,
    async hold(name) {
      await rm(file(name, "waits"), { force: true });
      await writeFile(file(name, "hold"), "");
    },
    reached: (name) =>
      eventually(`somebody waits at the gate ${name}`, () => existsSync(file(name, "waits"))),
    async open() {
      for (const name of ["fetch", "build", "activate"] as const)
        await rm(file(name, "hold"), { force: true });
    },
  };
}

/** What a command does at a gate, in sh; `gate` holds the gate's path. */
export const waitAtGate = (name: GateName): string =>
  `if [ -e "$gate/hold-${name}" ]; then : > "$gate/waits-${name}"; while [ -e "$gate/hold-${name}" ]; do sleep 0.03; done; fi`;
