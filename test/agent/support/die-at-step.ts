/**
 * Loaded before the agent. Kills processes immediately before one of the agent's changes of the disk, as the file
 * `DIE_FILE` says while it exists (die-file.ts writes it).
 */
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

import { type DieOrder, isInPart, keyOf, nameOf } from "./die-order.ts";

const { appendFileSync, readFileSync, writeFileSync } = fs;
const dieFile = process.env["DIE_FILE"] ?? "";

let text = "";
let order: DieOrder | null = null;
let hasKilled = false;
let counts = new Map<string, number>();
let isCounting = false;

/** Reads the file again if the test has changed it. */
function readOrder(): DieOrder | null {
  try {
    const now = readFileSync(dieFile, "utf8");
    if (now === text) return order;
    text = now;
  } catch {
    // Between two runs, the file does not exist.
    return null;
  }
  const read: DieOrder = JSON.parse(text);
  hasKilled = false;
  counts = new Map();
  isCounting = false;
  order = read;
  return read;
}

/** The phase of the run in the journal of a project's folder; `none` without a journal. */
function phaseIn(folder: string): string {
  try {
    return /"phase":\{"kind":"(\w+)"/.exec(readFileSync(`${folder}/run.json`, "utf8"))?.[1] ?? "unreadable";
  } catch {
    return "none";
  }
}

function step(call: string, args: readonly unknown[]): void {
  const now = readOrder();
  if (now === null) return;
  const paths = args.filter((arg) => typeof arg === "string").join(" ");
  // The agent writes this file whenever the connection changes, so its place among the steps of a run varies.
  if (paths.includes("/link.json")) return;
  // The slots of an app are all written at once, so one of them is enough. The supervisor has its own life.
  if (/\/slots\/[^/]+\/(?:[1-9]|gate)/.test(paths) || paths.includes("/supervisor")) return;
  isCounting ||= paths.includes(now.from);
  if (!isCounting) return;
  const name = nameOf(call, paths, now.folder);
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  const key = keyOf(name, count);
  appendFileSync(now.seen, `${phaseIn(now.folder)}: ${name}\n`);
  if (hasKilled || now.known.includes(key) || !isInPart(key, now.part)) return;
  hasKilled = true;
  writeFileSync(now.report, JSON.stringify(key));
  for (const victim of now.victims) {
    try {
      process.kill(victim === "self" ? process.pid : victim, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

function countStepsOf(module: object, names: readonly string[]): void {
  for (const name of names) {
    const original: unknown = Reflect.get(module, name);
    if (typeof original !== "function") throw new Error(`the module has no function ${name}`);
    Reflect.set(module, name, (...args: unknown[]): unknown => {
      step(name, args);
      return Reflect.apply(original, module, args);
    });
  }
}

// Calls that create a folder or write a temporary file have no lasting effect before the rename that follows.
countStepsOf(promises, ["chmod", "rename", "rm", "rmdir", "symlink", "unlink"]);
countStepsOf(fs, ["ftruncateSync", "renameSync", "rmdirSync", "rmSync", "truncateSync", "writeSync"]);
syncBuiltinESMExports();
