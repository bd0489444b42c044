import { join } from "node:path";

import * as z from "zod/mini";

import { counted } from "#contract/lib/counted.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";
import { storedAs } from "#contract/stored.ts";

/** What the running agent knows about the ingress, for `gantry-agent status`. */
const IngressStatus = z.object({
  problem: z.nullable(z.string()),
  sites: z.int(),
  refused: z.array(z.object({ project: z.string(), reason: z.string() })),
  /** How many projects it balances, and what does not work besides sites, as sentences. */
  balanced: z._default(z.int(), 0),
  notes: z._default(z.array(z.string()), []),
});
export type IngressStatus = z.infer<typeof IngressStatus>;
const storedStatus = storedAs(IngressStatus);

const pathIn = (home: string) => join(home, "ingress", "status.json");

/** Never throws. A status that cannot be written, as on a full disk, is lost. */
export async function writeIngressStatus(home: string, status: IngressStatus): Promise<void> {
  await writeAtomic(pathIn(home), `${JSON.stringify(status, null, 2)}\n`).catch(() => undefined);
}

/** @returns the lines for `gantry-agent status`, each after a line break; none without an ingress */
export async function ingressLines(home: string): Promise<string> {
  const status = await readJsonFile(pathIn(home), storedStatus);
  if (status === null) return "";
  const { problem, sites, refused, balanced, notes } = status;
  const balances = balanced === 0 ? "" : `, and balances ${counted(balanced, "project")}`;
  const works = `Caddy serves ${counted(sites, "site")}${balances}`;
  return [
    `ingress: ${problem ?? works}`,
    ...notes.map((note) => `ingress: ${note}`),
    ...refused.map(({ project, reason }) => `ingress: ${project}: ${reason}`),
  ]
    .map((line) => `\n${line}`)
    .join("");
}
