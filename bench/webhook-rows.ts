import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { Events } from "#contract/endpoints/events/endpoints.ts";
import { WebhookWithSecret } from "#contract/endpoints/webhooks/schemas.ts";
import { createRepository } from "../test/support/journey-repository.ts";
import type { System } from "../test/support/journey-system.ts";
import { median, percentile, type Row } from "./measure.ts";
import { untilLive } from "./until-live.ts";
import { type Arrivals, serveWebhookSink, type WebhookSink } from "./webhook-sink.ts";

const EVENTS_A_MINUTE = 1_000;
const HEALTHY = 15;
const HANGING = 5;
/** Each lasts half a minute. They take turns, because the machine's speed varies. */
const TURNS = 2;
const EVENTS = EVENTS_A_MINUTE / 2;
const DEPLOYMENTS = 5;
/** How long the last deliveries may take after the last event. */
const PATIENCE_MS = 60_000;

const LATENCY_GOAL_MS = 1_000;
/** Events that are handed to 20 webhooks instead of 15 are a third more work for the control plane. */
const RATIO_GOAL = 1.5;

/** The measurements under the load: how late the deliveries were, how many there should be, and the deployments. */
type Measured = { late: number[]; wanted: number; deployments: number[] };

/**
 * Measures the time from an event to its arrival at healthy targets, and a deployment, while many events are sent: with
 * other targets that hang, and under the same load without them.
 */
export async function measureWebhooks(system: System, home: string): Promise<Row[]> {
  const sink = await serveWebhookSink();
  const healthy = await createWebhooks(system, sink, "fine", HEALTHY);
  const hanging = await createWebhooks(system, sink, "hang", HANGING);
  const deploy = await prepareDeployment(system, home);
  const empty = (): Measured => ({ late: [], wanted: 0, deployments: [] });
  const [without, beside] = [empty(), empty()];
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const measured of [without, beside]) {
      await enable(system, hanging, measured === beside);
      await load(system, sink, { names: healthy.map(({ name }) => name), deploy, measured });
    }
  await enable(system, [...healthy, ...hanging], false);
  sink.close();
  return [latencyRow(without, beside), deploymentRow(without, beside)];
}

function latencyRow(without: Measured, beside: Measured): Row {
  const [floor, p95] = [percentile(without.late, 95), percentile(beside.late, 95)];
  const lost = without.wanted + beside.wanted - without.late.length - beside.late.length;
  return {
    what: `${EVENTS_A_MINUTE} events a minute to ${HEALTHY} webhooks and ${HANGING} whose targets hang: event to arrival`,
    measured: `p95 ${p95.toFixed(0)} ms, ${lost} of ${without.wanted + beside.wanted} lost`,
    against: `p95 ${floor.toFixed(0)} ms  without the ${HANGING}`,
    ratio: `${(p95 / floor).toFixed(2)}×`,
    goal: `≤ ${RATIO_GOAL}× and ≤ ${LATENCY_GOAL_MS} ms, none lost`,
    isMet: p95 / floor <= RATIO_GOAL && p95 <= LATENCY_GOAL_MS && lost === 0,
  };
}

function deploymentRow(without: Measured, beside: Measured): Row {
  const [floor, ms] = [median(without.deployments), median(beside.deployments)];
  return {
    what: "POST to live beside these events",
    measured: `${ms.toFixed(1)} ms`,
    against: `${floor.toFixed(1)} ms  without the ${HANGING}`,
    ratio: `${(ms / floor).toFixed(2)}×`,
    goal: `≤ ${RATIO_GOAL}×`,
    isMet: ms / floor <= RATIO_GOAL,
  };
}

type Target = { readonly name: string; readonly id: string };

async function createWebhooks(
  system: System,
  sink: WebhookSink,
  kind: "fine" | "hang",
  count: number,
): Promise<Target[]> {
  const targets: Target[] = [];
  for (let number = 0; number < count; number += 1) {
    const name = `${kind}-${number}`;
    const webhook = { kind: "standard", url: sink.url(name), events: ["account.updated"] };
    const created = await system.api.call("POST", "/v1/webhooks", webhook);
    if (created.status !== 201) throw new Error(created.text);
    targets.push({ name, id: WebhookWithSecret.parse(created.json).id });
  }
  return targets;
}

async function enable(system: System, targets: readonly Target[], enabled: boolean): Promise<void> {
  for (const { id } of targets) {
    const changed = await system.api.call("PATCH", `/v1/webhooks/${id}`, { enabled });
    if (changed.status !== 200) throw new Error(changed.text);
  }
}

/** @returns a function that deploys another commit. @returns its time, in milliseconds */
async function prepareDeployment(system: System, home: string): Promise<() => Promise<number>> {
  const repository = await createRepository(join(home, "bench-webhooks"));
  await repository.commit({ "index.html": "hello" });
  const project = await system.api.createProject({
    name: "bench-webhooks",
    server_id: system.local.server_id,
    repository: repository.path,
  });
  const deploy = async () => {
    await repository.commit({ "index.html": `${Math.random()}` });
    return await untilLive(system, () => system.api.start(project.id));
  };
  await deploy();
  return deploy;
}

/** Causes events at a constant rate, and deploys meanwhile. */
async function load(
  system: System,
  sink: WebhookSink,
  run: { names: readonly string[]; deploy: () => Promise<number>; measured: Measured },
): Promise<void> {
  const { names, deploy, measured } = run;
  const [startedAt, startedOn] = [performance.now(), Date.now()];
  const changes: Promise<unknown>[] = [];
  const deployments = pause((EVENTS / EVENTS_A_MINUTE) * 15_000).then(async () => {
    for (let count = 0; count < DEPLOYMENTS; count += 1) measured.deployments.push(await deploy());
  });
  deployments.catch(() => undefined);
  for (let event = 0; event < EVENTS; event += 1) {
    await pause(Math.max(0, startedAt + (event * 60_000) / EVENTS_A_MINUTE - performance.now()));
    // Each change of the account is one event.
    const change = system.api.call("PATCH", "/v1/account", { log_retention_days: 1 + (event % 300) });
    // A failure is thrown below.
    change.catch(() => undefined);
    changes.push(change);
  }
  await Promise.all([...changes, deployments]);
  const sent = await eventsSince(system, startedOn);
  const deadline = performance.now() + PATIENCE_MS;
  const late = () => names.flatMap((name) => latenessOf(sent, sink.arrivalsAt(name)));
  while (late().length < sent.size * names.length && performance.now() < deadline) await pause(50);
  measured.late.push(...late());
  measured.wanted += sent.size * names.length;
}

/** @returns the times of the account's changes since a time, by the event's id. Both in Unix milliseconds */
async function eventsSince(system: System, since: number): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  let cursor: string | null = "";
  while (cursor !== null) {
    const after: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { json } = await system.api.call("GET", `/v1/events?type=account.updated&limit=100${after}`);
    const page = Events.parse(json);
    for (const { id, timestamp } of page.events)
      if (Date.parse(timestamp) >= since) found.set(id, Date.parse(timestamp));
    const last = page.events.at(-1);
    cursor = last === undefined || Date.parse(last.timestamp) < since ? null : page.next_cursor;
  }
  return found;
}

/** How late each event arrived, in milliseconds. Leaves out events that have not arrived. */
function latenessOf(sent: ReadonlyMap<string, number>, arrivals: Arrivals): number[] {
  return [...sent].flatMap(([id, at]) => {
    const arrivedAt = arrivals.get(id);
    return arrivedAt === undefined ? [] : [arrivedAt - at];
  });
}
