/**
 * Loaded before the agent. Kills processes immediately before one of the agent's changes of the disk.
 * It counts changes while the file `DIE_FILE` exists. The file contains the number of changes to allow, a text (counting
 * begins with the first change whose path contains it), and the pids of the processes to kill, separated by commas; `self`
 * is the agent's own and the default. The step is written to `DIE_FILE.step`.
 */
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const { existsSync, readFileSync, writeFileSync } = fs;
const dieFile = process.env["DIE_FILE"] ?? "";
let armed = "";
let done = 0;
let isCounting = false;

function step(name: string, args: readonly unknown[]): void {
  if (!existsSync(dieFile)) return;
  const text = readFileSync(dieFile, "utf8");
  if (text !== armed) {
    armed = text;
    done = 0;
    isCounting = false;
  }
  const [count, from = "", victims = "self"] = text.split(" ");
  const paths = args.filter((arg) => typeof arg === "string").join(" ");
  // The agent writes this file whenever the connection changes, so its place among the steps of a run varies.
  if (paths.includes("/link.json")) return;
  // The slots of an app are all written at once, so one of them is enough. The supervisor has its own life.
  if (/\/slots\/[^/]+\/(?:[1-9]|gate)/.test(paths) || paths.includes("/supervisor")) return;
  isCounting ||= paths.includes(from);
  if (!isCounting) return;
  done += 1;
  if (done !== Number(count) + 1) return;
  writeFileSync(`${dieFile}.step`, `${name} ${paths}`);
  for (const victim of victims.split(",")) {
    try {
      process.kill(victim === "self" ? process.pid : Number(victim), "SIGKILL");
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
