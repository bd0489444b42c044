import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import * as z from "zod";

import { type DieOrder, nameOfKey } from "./die-order.ts";

const Steps = z.array(z.string()).min(1);

/** Kills an agent at a step of its work that it has not been killed at. */
export class DieFile {
  /** The options that an agent needs for it. */
  readonly preload = resolve(import.meta.dirname, "die-at-step.ts");
  readonly env: { readonly DIE_FILE: string };
  readonly #path: string;
  readonly #folder: string;
  readonly #report: string;
  readonly #known: string[] = [];
  #orders = 0;

  /**
   * @param worldFolder where its files are
   * @param folder left out of the names of steps
   */
  constructor(worldFolder: string, folder: string) {
    this.#path = join(worldFolder, "die");
    this.#report = join(worldFolder, "die.steps");
    this.#folder = folder;
    this.env = { DIE_FILE: this.#path };
  }

  /** Kills at the next new step until it is disarmed. */
  arm(change: Partial<Pick<DieOrder, "from" | "victims" | "stride">> = {}): void {
    rmSync(this.#report, { force: true });
    this.#orders += 1;
    const order: DieOrder = {
      ...{ id: this.#orders, from: "", stride: 1, victims: ["self"] },
      ...{ known: this.#known, folder: this.#folder, report: this.#report, ...change },
    };
    // The agent may read it at any time.
    writeFileSync(`${this.#path}.new`, JSON.stringify(order));
    renameSync(`${this.#path}.new`, this.#path);
  }

  /** Ends the counting. @returns the name of the step that killed; null if there was no new one */
  disarm(): string | null {
    rmSync(this.#path, { force: true });
    if (!existsSync(this.#report)) return null;
    const steps = Steps.parse(JSON.parse(readFileSync(this.#report, "utf8")));
    this.#known.push(...steps);
    return nameOfKey(steps.at(-1) ?? "");
  }
}
