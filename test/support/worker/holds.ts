import { runDurableObjectAlarm } from "cloudflare:test";
import { vi } from "vitest";
import * as z from "zod/mini";

import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { Freeze } from "#contract/endpoints/freezes/schemas.ts";
import { call, problemOf } from "./call.ts";
import { laneOf, TestProject } from "./project.ts";

/** A commit that no test agent resolves. */
export const OTHER_SHA = "f".repeat(40);

const MINUTE = 60_000;

/** The time in some minutes, as the API writes it. */
export const at = (minutes: number) => new Date(Date.now() + minutes * MINUTE).toISOString();

/** Creates a freeze that began a minute ago. @param minutes when it ends, from now */
export async function freeze(
  project: TestProject,
  minutes: number,
  projectId: string | null = null,
): Promise<Freeze> {
  const times = { type: "once", from: at(-1), to: at(minutes) };
  const body = { name: "launch", project_id: projectId, times };
  return Freeze.parse(await (await project.post("/v1/freezes", body)).json());
}

/** Approves a deployment, with the token of the project or another one. */
export async function approve(
  project: TestProject,
  id: string,
  { token = project.token, ...body }: { token?: string; commit?: string } = {},
): Promise<Response> {
  return await call(`/v1/deployments/${id}/approve`, { method: "POST", token, body });
}

/** @returns the status and the code of a refusal */
export async function refusalOf(answer: Promise<Response>): Promise<[number, string]> {
  const refused = await answer;
  return [refused.status, (await problemOf(refused)).code];
}

/** What the tests read of a created token. */
export const WithToken = z.object({ token: z.string(), id: z.string() });

/** Creates a token with some scopes. */
export async function newToken(project: TestProject, scopes: readonly string[]) {
  return WithToken.parse(await (await project.post("/v1/tokens", { name: "Ada", scopes })).json());
}

/** Moves the clock, and lets the lane's alarm fire. */
export async function pass(project: TestProject, minutes: number): Promise<void> {
  vi.setSystemTime(Date.now() + minutes * MINUTE);
  await runDurableObjectAlarm(laneOf(project));
}

const Answer = z.union([DeploymentStarted, z.object({ deployment: DeploymentStarted })]);

/** The deployment that a request has started. */
export async function startedBy(answer: Promise<Response>): Promise<DeploymentStarted> {
  const started = Answer.parse(await (await answer).json());
  return "deployment" in started ? started.deployment : started;
}
