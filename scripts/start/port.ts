import { readdir, readFile, readlink } from "node:fs/promises";
import { createServer } from "node:net";

/** Whether a server can listen on this port of 127.0.0.1. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/**
 * Names the process that listens on a port.
 * @returns for example `node (process 4711)`; null if this user may not see it. Source: proc(5), /proc/net/tcp
 */
export async function holderOfPort(port: number): Promise<string | null> {
  const inodes = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const rows = (await readFile(table, "latin1").catch(() => "")).split("\n").slice(1);
    for (const row of rows) {
      const [, local = "", , state, , , , , , inode] = row.trim().split(/\s+/);
      const isListening = state === "0A" && Number.parseInt(local.split(":").at(-1) ?? "", 16) === port;
      if (isListening && inode !== undefined) inodes.add(`socket:[${inode}]`);
    }
  }
  if (inodes.size === 0) return null;
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const handles = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const handle of handles) {
      const target = await readlink(`/proc/${pid}/fd/${handle}`).catch(() => "");
      if (!inodes.has(target)) continue;
      const name = (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim();
      return `${name === "" ? "a program" : name} (process ${pid})`;
    }
  }
  return null;
}
