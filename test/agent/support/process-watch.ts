import { readdirSync, readFileSync } from "node:fs";

const EVERY_MS = 2;

/** Records the command lines of all processes, which every user of the machine can see. */
export type ProcessWatch = {
  /** Stops recording. @returns each command line, with its arguments separated by spaces */
  stop(): readonly string[];
};

/** Reads the command lines of all processes every 2 ms, as `ps` does. */
export function watchProcesses(): ProcessWatch {
  const seen = new Set<string>();
  const look = (): void => {
    for (const name of readdirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        seen.add(readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim());
      } catch {
        // The process has ended.
      }
    }
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return [...seen];
    },
  };
}
