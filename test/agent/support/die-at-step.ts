/**
 * Loaded before the agent: kills its process just before one of the steps by which it changes the disk.
 * While the file named by `DIE_FILE` is there, steps are counted. Its text is how many are still done, and from which
 * on they count: the first that has this text in it. What step it was is written beside it.
 */
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const { existsSync, readFileSync, writeFileSync } = fs;
const dieFile = process.env["DIE_FILE"] ?? "";
let done = 0;
let isCounting = false;

function step(name: string, args: readonly unknown[]): void {
  if (!existsSync(dieFile)) return;
  const [count, from = ""] = readFileSync(dieFile, "utf8").split(" ");
  const paths = args.filter((arg) => typeof arg === "string").join(" ");
  // Written whenever the connection changes, it comes between the steps of a run now here and now there.
  if (paths.includes("/link.json")) return;
  isCounting ||= paths.includes(from);
  if (!isCounting) return;
  if (done < Number(count)) {
    done += 1;
    return;
  }
  writeFileSync(`${dieFile}.step`, `${name} ${paths}`);
  process.kill(process.pid, "SIGKILL");
}

function countStepsOf(module: object, names: readonly string[]): void {
  for (const name of names) {
    const original: unknown = Reflect.get(module, name);
    if (typeof original !== "function") throw new Error(`there is no ${name}`);
    Reflect.set(module, name, (...args: unknown[]): unknown => {
      step(name, args);
      return Reflect.apply(original, module, args);
    });
  }
}

// What makes a folder or writes a draft changes nothing that counts before the rename after it.
countStepsOf(promises, ["chmod", "rename", "rm", "symlink", "unlink"]);
countStepsOf(fs, ["ftruncateSync", "renameSync", "rmdirSync", "rmSync", "truncateSync", "writeSync"]);
syncBuiltinESMExports();
