import { readdir, readFile, readlink } from "node:fs/promises";

/**
 * Every process that has a text (a home's path, or the argument of a sleep) in its command line, its
 * environment or its working directory. Zombies do not count.
 * @returns such as `4711 node scripts/serve.ts`
 */
export async function processesOf(trace: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && name !== `${process.pid}`);
  const found: string[] = [];
  for (const pid of pids) {
    const read = (file: string) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
    const command = (await read("cmdline")).replaceAll("\0", " ").trim();
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    const environment = await read("environ");
    const isOurs = [command, folder, environment].some((text) => text.includes(trace));
    const isZombie = / Z /.test((await read("stat")).replace(/^.*\)/, ""));
    if (isOurs && !isZombie) found.push(`${pid} ${command}`);
  }
  return found;
}
