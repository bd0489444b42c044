import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import * as z from "zod/mini";

import { Events } from "#contract/endpoints/events/endpoints.ts";
import { createRepository } from "../test/support/journey-repository.ts";
import type { System } from "../test/support/journey-system.ts";
import { serveWebhookReceiver } from "../test/support/receivers/webhook-receiver.ts";
import { median, percentile, type Row } from "./measure.ts";
import { untilLive } from "./until-live.ts";

const EVENTS = 1_000;
const MINUTE_MS = 60_000;
const TARGETS = 20;
const HANGING = 5;
/** How long the last deliveries may take after the last event. */
const PATIENCE_MS = 120_000;
const LATENCY_GOAL_MS = 1_000;
/** How much longer a deployment may take beside the events. */
const DEPLOY_RATIO_GOAL = 2;

/**
 * Measures the time from an event to its arrival, with many events, many webhooks, and some targets that never answer;
 * and a deployment beside them against the same on its own.
 */
export async function measureWebhooks(system: System, home: string): Promise<Row[]> {
  const receiver = await serveWebhookReceiver();
  const repository = await createRepository(join(home, "bench-webhooks"));
  await repository.commit({ "index.html": "hello" });
  const project = await system.api.createProject({
    name: "bench-webhooks",
    server_id: system.local.server_id,
    repository: repository.path,
  });
  const deploy = async () => {
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      await repository.commit({ "index.html": `round ${round} ${Math.random()}` });
      times.push(await untilLive(system, () => system.api.start(project.id)));
    }
    return median(times);
  };
  await deploy();
  const alone = await deploy();
  const names = Array.from({ length: TARGETS }, (_, at) => (at < HANGING ? `hang-${at}` : `fine-${at}`));
  for (const name of names) {
    const answers = JSON.stringify([name.startsWith("hang") ? { instead: "hang" } : {}]);
    await fetch(`${receiver.url}/control/${name}`, { method: "PUT", body: answers });
    const target = { kind: "standard", url: `${receiver.url}/hook/${name}`, events: ["account.updated"] };
    const created = await system.api.call("POST", "/v1/webhooks", target);
    if (created.status !== 201) throw new Error(created.text);
  }
  const startedAt = performance.now();
  const changes: Promise<unknown>[] = [];
  const beside = pause(MINUTE_MS / 4).then(deploy);
  for (let event = 0; event < EVENTS; event += 1) {
    await pause(Math.max(0, startedAt + (event * MINUTE_MS) / EVENTS - performance.now()));
    // Each change of the account is one event.
    changes.push(system.api.call("PATCH", "/v1/account", { log_retention_days: 1 + (event % 300) }));
  }
  await Promise.all(changes);
  const besideMs = await beside;
  const healthy = names.filter((name) => name.startsWith("fine"));
  const wanted = (await countEvents(system)) * healthy.length;
  const late = await lateness(receiver.url, healthy, wanted);
  receiver.close();
  const p95 = percentile(late, 95);
  return [
    {
      what: `${EVENTS} events in a minute to ${TARGETS} webhooks, of which ${HANGING} targets hang: event to arrival`,
      measured: `p95 ${p95.toFixed(0)} ms`,
      against: `p50 ${percentile(late, 50).toFixed(0)} ms, ${late.length} of ${wanted} deliveries`,
      ratio: "–",
      goal: `p95 ≤ ${LATENCY_GOAL_MS} ms, none lost`,
      isMet: p95 <= LATENCY_GOAL_MS && late.length === wanted,
    },
    {
      what: "POST to live beside these events",
      measured: `${besideMs.toFixed(1)} ms`,
      against: `${alone.toFixed(1)} ms  without them`,
      ratio: `${(besideMs / alone).toFixed(2)}×`,
      goal: `≤ ${DEPLOY_RATIO_GOAL}×`,
      isMet: besideMs / alone <= DEPLOY_RATIO_GOAL,
    },
  ];
}

async function countEvents(system: System): Promise<number> {
  let [count, cursor]: [number, string | null] = [0, ""];
  while (cursor !== null) {
    const after: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { json } = await system.api.call("GET", `/v1/events?type=account.updated&limit=100${after}`);
    const page = Events.parse(json);
    count += page.events.length;
    cursor = page.next_cursor;
  }
  return count;
}

/** How late each delivery arrived, in milliseconds. An event that came twice counts once. */
async function lateness(url: string, names: readonly string[], wanted: number): Promise<number[]> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const late = (await Promise.all(names.map((name) => readLateness(url, name)))).flat();
    if (late.length >= wanted || performance.now() > deadline) return late;
    await pause(200);
  }
}

const Received = z.array(
  z.object({ at: z.number(), headers: z.record(z.string(), z.string()), body: z.string() }),
);
const Sent = z.object({ timestamp: z.string() });

async function readLateness(url: string, name: string): Promise<number[]> {
  const received = Received.parse(await (await fetch(`${url}/control/${name}`)).json());
  const first = new Map<string | undefined, number>();
  for (const { at, headers, body } of received) {
    const { timestamp } = Sent.parse(JSON.parse(body));
    const id = headers["webhook-id"];
    if (!first.has(id)) first.set(id, at - Date.parse(timestamp));
  }
  return [...first.values()];
}
