import { readdirSync, readFileSync } from "node:fs";

const EVERY_MS = 2;

/** What every user of the machine can see of all processes while it watches. */
export type ProcessWatch = {
  /** Ends it. @returns each command line that was seen, its arguments separated by spaces */
  stop(): readonly string[];
};

/** Looks at the command lines of all processes again and again, as `ps` does. */
export function watchProcesses(): ProcessWatch {
  const seen = new Set<string>();
  const look = (): void => {
    for (const name of readdirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        seen.add(readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim());
      } catch {
        // It has ended.
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
