import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { startSystem } from "../test/support/journey-system.ts";
import { startBareWorker } from "./bare-worker.ts";
import { median, type Row } from "./measure.ts";
import { createReadRequests, type ReadRequest } from "./read-fixtures.ts";
import { requestRate } from "./request-rate.ts";

const ROUNDS = 5;
const SLICE_MS = 400;
/** Requests that are not counted, because they fill caches and let the runtime compile. */
const WARM_UP_MS = 2_000;
const GOALS = { one: 0.75, list: 0.7, object: 0.55 } as const;

/**
 * Measures how many requests a second each GET answers to 16 callers, beside a Worker that makes one D1 read by primary
 * key. Each GET and the other Worker take turns.
 */
export async function measureReads(parent: string): Promise<Row[]> {
  const home = join(parent, "bench-reads");
  await mkdir(home);
  // Without a debugger, which would get each line of the request log.
  const system = await startSystem(home);
  const bare = await startBareWorker(home);
  try {
    const { url, token } = system.local;
    const requests = await createReadRequests(system);
    await requestRate(bare.url, null, WARM_UP_MS);
    for (const { path } of requests) await requestRate(url + path, token, WARM_UP_MS / 10);
    const rows: Row[] = [];
    for (const request of requests) {
      const rates = { bare: [] as number[], ours: [] as number[] };
      for (let round = 0; round < ROUNDS; round += 1) {
        rates.bare.push(await requestRate(bare.url, null, SLICE_MS));
        rates.ours.push(await requestRate(url + request.path, token, SLICE_MS));
      }
      rows.push(rowOf(request, median(rates.ours), median(rates.bare)));
    }
    return rows;
  } finally {
    await bare.close();
    await system.interrupt();
  }
}

function rowOf({ operation, kind }: ReadRequest, ours: number, bare: number): Row {
  const ratio = ours / bare;
  return {
    what: `${operation}, 16 callers${kind === "list" ? ", 50 rows" : ""}`,
    measured: `${ours.toFixed(0)} a second`,
    against: `${bare.toFixed(0)} a second  a Worker with one D1 read`,
    ratio: `${ratio.toFixed(2)}×`,
    goal: `≥ ${GOALS[kind]}×`,
    isMet: ratio >= GOALS[kind],
  };
}
