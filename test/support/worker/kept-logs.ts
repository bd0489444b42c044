import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";

import { output } from "../connected-agent/events.ts";
import { TestProject } from "./project.ts";

/** The keys of the log objects in R2. */
export const keys = async () => (await env.LOGS.list({ prefix: "logs/" })).objects.map(({ key }) => key);

/** Makes a deployment live, and waits until its log is in R2. */
export async function deploy(project: TestProject): Promise<string> {
  const { id } = await project.deploy();
  await vi.waitFor(async () => expect((await keys()).join()).toContain(`${id}/log.ndjson`));
  return id;
}

/** The deployments with log objects in R2. */
export const stored = async () => new Set((await keys()).map((key) => key.split("/")[3]));

/** Sets how many days the account keeps its logs. */
export async function keepFor(project: TestProject, days: number): Promise<void> {
  const answer = await project.call("PATCH", "/v1/account", { log_retention_days: days });
  expect(answer.status).toBe(200);
}

/** A running deployment with a part of its log in R2. */
export async function withParts(project: TestProject) {
  const { id } = await project.start();
  const order = await project.agent.orderOf(id);
  const lines = Array.from({ length: 60 }, () => "x".repeat(8_000));
  await project.agent.reports(order, output(...lines));
  await vi.waitFor(async () => expect((await keys()).join()).toContain(`${id}/part-`));
  return { id, order, lines };
}
