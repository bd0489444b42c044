import { readFile, rm } from "node:fs/promises";

import * as z from "zod";

import { root } from "./root.ts";
import { quietWrangler, runCommand } from "./run-command.ts";

/** The profiler takes a sample each millisecond. If a gap is longer than this, the machine ran something else in it. */
const LONGEST_GAP_US = 1_500;

const Profile = z.object({
  nodes: z.array(z.object({ id: z.number(), callFrame: z.object({ functionName: z.string() }) })),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

/**
 * Measures the CPU time that a Worker needs to start in workerd, with wrangler's own profile of it. That is the line
 * `Active` of `wrangler check startup`, except that a gap between two samples counts at most LONGEST_GAP_US: other work
 * on the machine makes gaps, and the time does not depend on it.
 *
 * @param bundle the file of `wrangler deploy --dry-run --outfile`
 * @returns milliseconds; a text if wrangler failed
 */
export async function startupMs(bundle: string): Promise<number | string> {
  const path = `${bundle}.${process.pid}.cpuprofile`;
  try {
    const command = ["wrangler", "check", "startup", "--worker-bundle", bundle, "--outfile", path] as const;
    // In another folder, wrangler would search for settings of a Worker.
    const { code, output } = await runCommand(command, { cwd: root, env: quietWrangler });
    if (code !== 0) return output;
    return activeMs(Profile.parse(JSON.parse(await readFile(path, "utf8"))));
  } finally {
    await rm(path, { force: true });
  }
}

function activeMs({ nodes, samples, timeDeltas }: z.infer<typeof Profile>): number {
  const idle = new Set(
    nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id),
  );
  const active = samples.map((id, at) => (idle.has(id) ? 0 : Math.min(timeDeltas[at] ?? 0, LONGEST_GAP_US)));
  return active.reduce((sum, us) => sum + us, 0) / 1_000;
}
