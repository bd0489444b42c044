import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import * as z from "zod";

import { type DieOrder, nameOfKey, type Part } from "./die-order.ts";

const Key = z.string();

/** Kills an agent at a step of its work that it has not been killed at. */
export class DieFile {
  /** The options that an agent needs for it. */
  readonly preload = resolve(import.meta.dirname, "die-at-step.ts");
  readonly env: { readonly DIE_FILE: string };
  readonly #path: string;
  readonly #folder: string;
  readonly #report: string;
  readonly #seen: string;
  readonly #part: Part;
  readonly #known: string[] = [];
  #orders = 0;

  /**
   * @param worldFolder where its files are
   * @param folder left out of the names of steps
   * @param part the steps at which it kills
   */
  constructor(worldFolder: string, folder: string, part: Part) {
    this.#part = part;
    this.#seen = join(worldFolder, "die.seen");
    this.#path = join(worldFolder, "die");
    this.#report = join(worldFolder, "die.steps");
    this.#folder = folder;
    this.env = { DIE_FILE: this.#path };
  }

  /** Kills at the next new step until it is disarmed. */
  arm(change: Partial<Pick<DieOrder, "from" | "victims">> = {}): void {
    rmSync(this.#report, { force: true });
    this.#orders += 1;
    const order: DieOrder = {
      ...{ id: this.#orders, from: "", part: this.#part, victims: ["self"] },
      ...{ known: this.#known, folder: this.#folder, report: this.#report, seen: this.#seen, ...change },
    };
    // The agent may read it at any time.
    writeFileSync(`${this.#path}.new`, JSON.stringify(order));
    renameSync(`${this.#path}.new`, this.#path);
  }

  /** Ends the counting. @returns the name of the step that killed; null if there was no new one */
  disarm(): string | null {
    rmSync(this.#path, { force: true });
    if (!existsSync(this.#report)) return null;
    const key = Key.parse(JSON.parse(readFileSync(this.#report, "utf8")));
    this.#known.push(key);
    return nameOfKey(key);
  }

  /** Every step that an agent has come to while this was armed, such as `switching: rename /tmp/current /current`. */
  get seen(): readonly string[] {
    return [...new Set(readFileSync(this.#seen, "utf8").trimEnd().split("\n"))];
  }
}
