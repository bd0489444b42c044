import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import * as z from "zod";

import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";

import type { Answer, Api } from "../journey-api.ts";
import type { Ledger } from "./ledger.ts";

/** A client as documented: it retries with the same idempotency key until it gets an answer. */
export type Requests = {
  /** @returns the deployment, or the refusal's code; `null` where no answer came in time */
  start(projectId: string, body?: Record<string, unknown>): Promise<StartEnd>;
  rollBack(projectId: string, body?: Record<string, unknown>): Promise<StartEnd>;
  /** Starts a deployment without a build, such as `/processes/web/restart` or `/apply`. */
  configure(projectId: string, what: string): Promise<StartEnd>;
  cancel(id: string): Promise<number | null>;
  deleteDeployment(projectId: string, id: string): Promise<number | null>;
  deleteProject(projectId: string, purge: boolean): Promise<number | null>;
  /** Sends a request until an answer has a status below 500. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer | null>;
};

export type StartEnd = DeploymentStarted | { readonly refused: string } | null;

/** @throws where the start was refused or not answered */
export function startedOf(end: StartEnd): { readonly id: string; readonly version: number } {
  if (end === null) throw new Error("a start was never answered");
  if ("refused" in end) throw new Error(`a start was refused: ${end.refused}`);
  return end;
}

const GIVE_UP_MS = 120_000;
const BETWEEN_TRIES_MS = 80;
const ANSWER_MS = 10_000;

const Problem = z.object({ code: z.string() });

/** @param api that calls through the clients' proxy */
export function createRequests(api: Api, ledger: Ledger): Requests {
  const send: Requests["send"] = async (method, path, body, headers = {}) => {
    const deadline = Date.now() + GIVE_UP_MS;
    while (Date.now() < deadline) {
      try {
        const answer = await api.call(method, path, body, headers, AbortSignal.timeout(ANSWER_MS));
        if (answer.status < 500) return answer;
      } catch {
        // The request or its answer was lost; a retry is safe in both cases.
      }
      await pause(BETWEEN_TRIES_MS);
    }
    return null;
  };

  async function begin(projectId: string, path: string, body: Record<string, unknown>): Promise<StartEnd> {
    const answer = await send("POST", path, body, { "idempotency-key": randomUUID() });
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
    configure: (projectId, what) => begin(projectId, `/v1/projects/${projectId}${what}`, {}),
    async cancel(id) {
      const answer = await send("POST", `/v1/deployments/${id}/cancel`);
      if (answer?.status === 200) ledger.canceled.add(id);
      return answer?.status ?? null;
    },
    async deleteDeployment(projectId, id) {
      const answer = await send("DELETE", `/v1/projects/${projectId}/deployments/${id}`);
      const accepted = ledger.accepted.get(id);
      // A 404 to a retry means that the first request has deleted it.
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
