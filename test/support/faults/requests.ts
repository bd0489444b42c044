import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import * as z from "zod";

import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";

import type { Answer, Api } from "../journey-api.ts";
import type { Ledger } from "./ledger.ts";

/** A client as the documentation asks it to be: it tries again, with the same key, until it has an answer. */
export type Requests = {
  /** @returns the deployment, or the refusal's code; `null` when it gave up without an answer */
  start(projectId: string, body?: Record<string, unknown>): Promise<StartEnd>;
  rollBack(projectId: string, body?: Record<string, unknown>): Promise<StartEnd>;
  cancel(id: string): Promise<number | null>;
  deleteDeployment(projectId: string, id: string): Promise<number | null>;
  deleteProject(projectId: string, purge: boolean): Promise<number | null>;
  /** Sends any request until there is an answer below 500. */
  send(method: string, path: string, body?: unknown, key?: string): Promise<Answer | null>;
};

export type StartEnd = DeploymentStarted | { readonly refused: string } | null;

/** @throws where there is no deployment */
export function startedOf(end: StartEnd): { readonly id: string; readonly version: number } {
  if (end === null) throw new Error("a start was never answered");
  if ("refused" in end) throw new Error(`a start was refused: ${end.refused}`);
  return end;
}

const GIVE_UP_MS = 45_000;
const BETWEEN_TRIES_MS = 80;
const ANSWER_MS = 4_000;

const Problem = z.object({ code: z.string() });

/** @param api by way of the clients' own network */
export function createRequests(api: Api, ledger: Ledger): Requests {
  const send: Requests["send"] = async (method, path, body, key) => {
    const deadline = Date.now() + GIVE_UP_MS;
    const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
    while (Date.now() < deadline) {
      try {
        const answer = await api.call(method, path, body, headers, AbortSignal.timeout(ANSWER_MS));
        if (answer.status < 500) return answer;
      } catch {
        // Lost on its way there or back: nobody knows, and asking again is safe.
      }
      await pause(BETWEEN_TRIES_MS);
    }
    return null;
  };

  async function begin(projectId: string, path: string, body: Record<string, unknown>): Promise<StartEnd> {
    const answer = await send("POST", path, body, randomUUID());
    if (answer === null) {
      ledger.unanswered.set(projectId, (ledger.unanswered.get(projectId) ?? 0) + 1);
      return null;
    }
    if (answer.status !== 201)
      return { refused: Problem.safeParse(answer.json).data?.code ?? `${answer.status}` };
    const started = DeploymentStarted.parse(answer.json);
    ledger.accept({ id: started.id, projectId, version: started.version });
    return started;
  }

  return {
    send,
    start: (projectId, body = {}) => begin(projectId, `/v1/projects/${projectId}/deployments`, body),
    rollBack: (projectId, body = {}) => begin(projectId, "/v1/rollback", { project_id: projectId, ...body }),
    async cancel(id) {
      const answer = await send("POST", `/v1/deployments/${id}/cancel`);
      if (answer?.status === 200) ledger.canceled.add(id);
      return answer?.status ?? null;
    },
    async deleteDeployment(projectId, id) {
      const answer = await send("DELETE", `/v1/projects/${projectId}/deployments/${id}`);
      const accepted = ledger.accepted.get(id);
      // A 404 to a second try says that the first has done it.
      if (accepted !== undefined && (answer?.status === 204 || answer?.status === 404))
        accepted.isDeleted = true;
      return answer?.status ?? null;
    },
    async deleteProject(projectId, purge) {
      const answer = await send("DELETE", `/v1/projects/${projectId}${purge ? "?purge=true" : ""}`);
      return answer?.status ?? null;
    },
  };
}
