import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";

import { root } from "../shared/root.ts";
import { priceTable } from "./price-table.ts";
import { callers, replicaMs, roundTripMs, virginia } from "./distances.ts";

export const scalingPagePath = join(root, "docs", "scaling.md");
const costsPagePath = join(root, "docs", "request-costs.md");

/** The measured counts of round trips of one operation, from docs/request-costs.md. */
type Counts = { readonly d1: number; readonly r2: number; readonly lane: number; readonly link: number };

/** Reads that must see the latest rows, and therefore go to the primary. */
const readsPrimary: readonly OperationName[] = ["getCommand", "getCommandOutput", "getProfile"];

/** Changes whose lane makes one of the D1 round trips, and the R2 round trips. The others are the Worker's own. */
const writtenByLane: readonly OperationName[] = [
  ...(["startDeployment", "deploy", "rollBack", "cancelDeployment", "approveDeployment"] as const),
  ...(["deleteDeployment", "deleteProject", "restartProcess", "stopProcess", "startProcess"] as const),
  ...(["updateProcess", "applyConfig", "replayPush", "receiveDelivery"] as const),
];

/** docs/scaling.md with the current tables. @param costs the text of docs/request-costs.md */
function withTables(page: string, costs: string): string {
  return withTable(withTable(page, "prices", priceTable(page)), "distances", table(countsOf(costs)));
}

function withTable(page: string, name: string, text: string): string {
  const begin = `<!-- ${name} -->`;
  const end = `<!-- /${name} -->`;
  const [before, rest] = split(page, begin);
  const [, after] = split(rest, end);
  return `${before}${begin}\n${text}${end}${after}`;
}

export async function readScalingPage(): Promise<{ readonly page: string; readonly current: string }> {
  const [page, costs] = await Promise.all([
    readFile(scalingPagePath, "utf8"),
    readFile(costsPagePath, "utf8"),
  ]);
  return { page, current: withTables(page, costs) };
}

/** @throws if a row is not an operation, or the table has no rows */
export function countsOf(costs: string): ReadonlyMap<OperationName, Counts> {
  const rows = [...costs.matchAll(/^\| `(\w+)` \| (\d+)(?: \(\d+\))? \| (\d+) \| (\d+) \| (\d+) \|$/gm)];
  if (rows.length === 0) throw new Error("docs/request-costs.md has no rows.");
  return new Map(
    rows.map(([, name = "", d1, r2, lane, link]) => {
      if (!isOperation(name)) throw new Error(`docs/request-costs.md has a row for ${name}.`);
      return [name, { d1: Number(d1), r2: Number(r2), lane: Number(lane), link: Number(link) }];
    }),
  );
}

/** Operations with the same times share a row. Agents are with their servers, so their requests are left out. */
function table(counts: ReadonlyMap<OperationName, Counts>): string {
  const groups = new Map<string, OperationName[]>();
  for (const [name, count] of counts) {
    if (endpoints[name].access.by === "agent" || name === "enrollAgent") continue;
    const cells = Object.values(callers).map((caller) => cellOf(name, count, caller));
    const times = cells.join(" | ");
    groups.set(times, [...(groups.get(times) ?? []), name]);
  }
  const rows = [...groups].map(
    ([times, names]) => `| ${times} | ${names.map((name) => `\`${name}\``).join(", ")} |\n`,
  );
  const cities = Object.keys(callers).join(" | ");
  return `| ${cities} | Operations |\n|---|---|---|---|\n${rows.join("")}`;
}

function cellOf(name: OperationName, counts: Counts, caller: (typeof callers)[keyof typeof callers]): string {
  const { before, after } = timesOf(name, counts, {
    far: roundTripMs(caller, virginia),
    replica: replicaMs(caller),
  });
  return before === after ? `${before} ms` : `${before} → ${after} ms`;
}

/**
 * The time of the round trips of a request, which happen in sequence. The database, the bucket and the servers are far
 * away. Before, the lane was near its first caller, and no replica existed; now the lane is near the server.
 */
export function timesOf(
  name: OperationName,
  { d1, r2, lane, link }: Counts,
  { far, replica }: { readonly far: number; readonly replica: number },
): { readonly before: number; readonly after: number } {
  const isRead = endpoints[name].method === "GET" && !readsPrimary.includes(name);
  const ofLane = writtenByLane.includes(name);
  const laneD1 = ofLane ? Math.min(1, lane) : 0;
  const laneR2 = ofLane ? r2 : 0;
  // An outlet stays near its first caller.
  const lanes = endpoints[name].path.startsWith("/v1/webhooks") ? 0 : lane;
  const before = (d1 + r2 + link) * far;
  const after = (d1 - laneD1) * (isRead ? replica : far) + (r2 - laneR2 + lanes + link) * far;
  return { before, after };
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(endpoints, name);
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`docs/scaling.md lacks ${mark}.`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
