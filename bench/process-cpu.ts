import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";

/** CPU time in milliseconds: of a process itself, and of its children that have ended. */
export type CpuTime = { readonly own: number; readonly children: number };

/** How many of the kernel's ticks a second has. */
const TICKS = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** The CPU time of a process so far. The kernel counts in steps of 10 ms. */
export async function cpuTimeOf(pid: number): Promise<CpuTime> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The name, in parentheses, can have spaces. The third field follows it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ms = (field: number) => (Number(fields[field - 3]) * 1000) / TICKS;
  return { own: ms(14) + ms(15), children: ms(16) + ms(17) };
}
