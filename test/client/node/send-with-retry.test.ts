import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { describe, expect, it, onTestFinished } from "vitest";

import { DeploymentId, ProjectId, TokenId } from "#contract/ids.ts";
import type { Problem } from "#contract/problems.ts";
import { createClient } from "#client/client.ts";
import { sendWithRetry } from "#client/send-with-retry.ts";
import type { RetryOptions } from "#client/with-retry.ts";

type Answer = (response: ServerResponse) => void;

const cut: Answer = (response) => response.socket?.destroy();
const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body === null ? undefined : JSON.stringify(body));
  };
const refuse = (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  answer(
    status,
    { type: "about:blank", title: code, status, detail: code, code, request_id: "req_1" },
    headers,
  );
const started = { id: "dpl_00000000000000000000000000", status: "building", version: 1 };
const projectId = ProjectId.parse("proj_00000000000000000000000000");
const deploymentId = DeploymentId.parse(started.id);
const tokenId = TokenId.parse("tok_00000000000000000000000000");

/** Starts a control plane that gives these responses in order, and then repeats the last. */
async function serve(answers: readonly Answer[], options: Partial<RetryOptions> = {}) {
  const requests: IncomingMessage[] = [];
  const waited: { problem: Problem; ms: number }[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume().on("end", () => answers[Math.min(requests.length, answers.length) - 1]?.(response));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : null;
  let keys = 0;
  const how = sendWithRetry({
    retryForMs: 30_000,
    now: () => performance.now(),
    newKey: () => `key-${(keys += 1)}`,
    onWaiting: (problem, ms) => waited.push({ problem, ms }),
    ...options,
  });
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: "t", fetch }, how);
  return { client, requests, waited, keys: () => requests.map(({ headers }) => headers["idempotency-key"]) };
}

const start = { params: { project_id: projectId }, body: {} };

describe("sending with retries", () => {
  it("retries with the same idempotency key, and uses another key for another request", async () => {
    const { client, keys, waited } = await serve([cut, refuse(503, "unavailable"), answer(201, started)]);
    expect(await client.startDeployment(start)).toMatchObject({ ok: true, value: started });
    await client.startDeployment(start);
    expect(keys()).toEqual(["key-1", "key-1", "key-1", "key-2"]);
    expect(waited.map(({ problem }) => problem.code)).toEqual(["unreachable", "unavailable"]);
  });

  it("retries a rotation with the same key, so that it makes one secret", async () => {
    const { client, keys } = await serve([cut, refuse(404, "not_found")]);
    await client.rotateToken({ params: { token_id: tokenId }, body: {} });
    expect(keys()).toEqual(["key-1", "key-1"]);
  });

  it("waits for the time of Retry-After", async () => {
    const limited = refuse(429, "rate_limited", { "retry-after": "1" });
    const { client, waited } = await serve([
      limited,
      answer(200, { projects: [], health: {}, next_cursor: null }),
    ]);
    expect((await client.listProjects()).ok).toBe(true);
    expect(waited[0]?.ms).toBeGreaterThanOrEqual(1_000);
  });

  it("gives up with the last problem when the wait would exceed the retry time", async () => {
    const { client, requests } = await serve([refuse(503, "unavailable", { "retry-after": "600" })]);
    expect(await client.listProjects()).toMatchObject({ ok: false, problem: { code: "unavailable" } });
    expect(requests).toHaveLength(1);
    const withoutRetries = await serve([cut], { retryForMs: 0 });
    expect(await withoutRetries.client.listProjects()).toMatchObject({ problem: { code: "unreachable" } });
    expect(withoutRetries.requests).toHaveLength(1);
  });

  it("does not retry a request that would take effect twice, nor a refusal", async () => {
    const cancellation = await serve([cut]);
    await cancellation.client.cancelDeployment({ params: { deployment_id: deploymentId }, body: {} });
    expect(cancellation.requests).toHaveLength(1);
    const refusal = await serve([refuse(409, "queue_full")]);
    expect(await refusal.client.startDeployment(start)).toMatchObject({ problem: { code: "queue_full" } });
    expect(refusal.requests).toHaveLength(1);
  });

  it("counts the tries without a response, so that a 404 after a lost response can be told apart", async () => {
    const { client } = await serve([cut, refuse(404, "not_found")]);
    const params = { project_id: projectId };
    expect(await client.deleteProject({ params })).toMatchObject({
      unanswered: 1,
      problem: { code: "not_found" },
    });
    expect(await client.deleteProject({ params })).toMatchObject({ unanswered: 0 });
  });

  it("ends when its signal is aborted", async () => {
    const ending = new AbortController();
    const { client, requests } = await serve([cut], {
      signal: ending.signal,
      onWaiting: () => ending.abort(),
    });
    expect((await client.listProjects()).ok).toBe(false);
    expect(requests).toHaveLength(1);
  });
});
