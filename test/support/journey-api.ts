import { setTimeout as pause } from "node:timers/promises";

import { Deployment, DeploymentStarted, Deployments } from "#contract/endpoints/deployments/schemas.ts";
import { LogPage } from "#contract/endpoints/logs/schemas.ts";
import { parseJson } from "#contract/parse-json.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; `null` where it is not JSON. */
  readonly json: unknown;
};

/** Calls an installation as `curl` would. The typed helpers parse the answers with the contract's schemas. */
export type Api = {
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Answer>;
  createProject(settings: Record<string, unknown>): Promise<Project>;
  getProject(id: string): Promise<Project>;
  start(projectId: string, body?: Record<string, unknown>): Promise<DeploymentStarted>;
  rollBack(projectId: string, body?: Record<string, unknown>): Promise<DeploymentStarted>;
  getDeployment(id: string): Promise<Deployment>;
  listDeployments(projectId: string): Promise<Deployment[]>;
  /** Waits until a deployment meets a condition. @throws with the deployment, after a timeout */
  waitUntil(id: string, what: (deployment: Deployment) => boolean, timeoutMs?: number): Promise<Deployment>;
  /** Waits until its status is no longer `building`. */
  ended(id: string, timeoutMs?: number): Promise<Deployment>;
  /** Every line of the log. */
  log(id: string): Promise<LogPage["lines"]>;
};

const DEFAULT_TIMEOUT_MS = 120_000;
/** The pauses between polls grow, because each poll takes CPU time from what the test waits for. */
const POLL_MS = { first: 40, longest: 250 };
const POLL_GROWTH = 1.3;

/** @param send sends the requests; `fetch` by default */
export function createApi(
  baseUrl: string,
  token: string,
  send: (url: string, init: RequestInit) => Promise<Response> = fetch,
): Api {
  const call: Api["call"] = async (method, path, body, headers = {}, signal) => {
    const answer = await send(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        // Otherwise the local server compresses each answer, which takes CPU time from what the test waits for.
        "accept-encoding": "identity",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: parseJson(text) };
  };

  /** @throws with the answer's text unless it has the status, so that the test fails at the cause */
  async function expectStatus(
    status: number,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<unknown> {
    const answer = await call(method, path, body);
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  const getDeployment = async (id: string) =>
    Deployment.parse(await expectStatus(200, "GET", `/v1/deployments/${id}`));

  const waitUntil: Api["waitUntil"] = async (id, what, timeoutMs = DEFAULT_TIMEOUT_MS) => {
    const deadline = Date.now() + timeoutMs;
    for (let pauseMs = POLL_MS.first; ; pauseMs = Math.min(POLL_MS.longest, pauseMs * POLL_GROWTH)) {
      const deployment = await getDeployment(id);
      if (what(deployment)) return deployment;
      if (Date.now() > deadline) throw new Error(`Timed out with ${JSON.stringify(deployment)}`);
      await pause(pauseMs);
    }
  };

  return {
    call,
    createProject: async (settings) =>
      Project.parse(await expectStatus(201, "POST", "/v1/projects", settings)),
    getProject: async (id) => Project.parse(await expectStatus(200, "GET", `/v1/projects/${id}`)),
    start: async (projectId, body = {}) =>
      DeploymentStarted.parse(await expectStatus(201, "POST", `/v1/projects/${projectId}/deployments`, body)),
    rollBack: async (projectId, body = {}) =>
      DeploymentStarted.parse(
        await expectStatus(201, "POST", "/v1/rollback", { project_id: projectId, ...body }),
      ),
    getDeployment,
    async listDeployments(projectId) {
      const path = `/v1/deployments?project_id=${projectId}&limit=100`;
      return Deployments.parse(await expectStatus(200, "GET", path)).deployments;
    },
    waitUntil,
    ended: (id, timeoutMs) => waitUntil(id, (deployment) => deployment.status !== "building", timeoutMs),
    async log(id) {
      const lines: LogPage["lines"] = [];
      let query = "";
      for (;;) {
        const page = LogPage.parse(await expectStatus(200, "GET", `/v1/logs/${id}${query}`));
        lines.push(...page.lines);
        if (page.next_cursor === null || page.lines.length === 0) return lines;
        query = `?cursor=${encodeURIComponent(page.next_cursor)}`;
      }
    },
  };
}
