import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { describe, expect, it, onTestFinished } from "vitest";

import { createClient } from "#library/create-client.ts";
import type { ClientOptions } from "#library/client-types.ts";
import { GantryProblem } from "#library/problem.ts";
import { listenLocally } from "../../support/listen.ts";
import { endText, eventText, logLine } from "./log-server.ts";

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that gives the n-th request the n-th answer, and later ones the last. */
async function serve(...answers: readonly Respond[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    answers[Math.min(requests.length, answers.length - 1)]?.(response, request);
    requests.push(request);
  });
  const port = await listenLocally(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const waits: string[] = [];
  const clientWith = (options: Partial<ClientOptions> = {}) =>
    createClient({
      url: `http://127.0.0.1:${port}/v1/`,
      token: "secret",
      onWaiting: ({ code }) => waits.push(code),
      ...options,
    });
  return { client: clientWith(), clientWith, requests, waits };
}

const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Respond =>
  (response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

const problem = (status: number, code: string) =>
  json({ type: "about:blank", title: "", status, detail: "No.", code, request_id: "req_1" }, status);

const lose: Respond = (response) => response.destroy();

async function problemOf(call: Promise<unknown>): Promise<GantryProblem> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof GantryProblem)) throw new Error(`no problem: ${String(error)}`);
  return error;
}

describe("the client for programs", () => {
  it.each(["gantry.example.com", "127.0.0.1:8787", "http://", ""])("refuses the address %j", (url) => {
    expect(() => createClient({ url, token: "secret" })).toThrow(TypeError);
  });

  it("repeats what had no answer or a temporary error, with the same key", async () => {
    const { client, requests, waits } = await serve(
      lose,
      problem(503, "unavailable"),
      json({ id: "srv_1" }, 201),
    );
    expect(await client.createServer({ body: { name: "web-1", ip: "192.0.2.1" } })).toEqual({ id: "srv_1" });
    expect(waits).toEqual(["unreachable", "unavailable"]);
    const keys = requests.map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[\d-]+$/);
  });

  it("sends a request once that has no key, or that is refused", async () => {
    const once = await serve(problem(503, "unavailable"));
    const params = { server_id: "srv_1" };
    expect(await problemOf(once.client.drainServer({ params, body: {} }))).toMatchObject({ status: 503 });
    expect(once.requests).toHaveLength(1);
    const refusing = await serve(problem(409, "name_taken"));
    const refused = refusing.client.createServer({
      body: { name: "a", ip: "192.0.2.1" },
      idempotencyKey: "mine",
    });
    expect(await problemOf(refused)).toMatchObject({
      code: "name_taken",
      requestId: "req_1",
      message: "No.",
    });
    expect(refusing.requests.map(({ headers }) => headers["idempotency-key"])).toEqual(["mine"]);
  });

  it("calls no other operation, whatever an id is", async () => {
    const { client, requests } = await serve(problem(404, "not_found"));
    for (const id of ["..", ".", "", "../resend", "?a#b"])
      await problemOf(client.resendDelivery({ params: { webhook_id: "whk_1", event_id: id } }));
    const paths = requests.map(({ url = "" }) => url);
    expect(paths.filter((path) => !/^\/v1\/webhooks\/whk_1\/deliveries\/[^/]*\/resend$/.test(path))).toEqual(
      [],
    );
    expect(paths).toHaveLength(5);
  });

  it("takes a deletion for done if the answer was lost and the object is gone", async () => {
    const { client } = await serve(lose, problem(404, "not_found"));
    expect(await client.deleteServer({ params: { server_id: "srv_1" } })).toBeNull();
    const gone = await serve(problem(404, "not_found"));
    expect((await problemOf(gone.client.deleteServer({ params: { server_id: "srv_1" } }))).code).toBe(
      "not_found",
    );
  });

  it("follows no redirect, and takes no page of a proxy for an answer", async () => {
    const redirect: Respond = (response) => response.writeHead(302, { location: "http://evil.test/" }).end();
    const page: Respond = (response) => response.end("<html>");
    for (const answer of [redirect, page]) {
      const { client, requests } = await serve(answer);
      expect((await problemOf(client.getAccount())).code).toBe("unexpected_answer");
      expect(requests).toHaveLength(1);
    }
  });

  it("ends a try that takes too long, and a call whose signal is aborted", async () => {
    const silent: Respond = () => undefined;
    const { clientWith } = await serve(silent);
    const hasty = clientWith({ timeoutMs: 50, retryForMs: 0 });
    expect(await problemOf(hasty.getAccount())).toMatchObject({ code: "unreachable", status: 0 });
    const reason = new Error("enough");
    const controller = new AbortController();
    const call = clientWith().getAccount({ signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it("reads the pages of a list as they are needed, and sends the bookmark of the last answer", async () => {
    const { client, requests } = await serve(
      json({ events: [{ id: 1 }, { id: 2 }], next_cursor: "after-2" }, 200, { "gantry-bookmark": "b1" }),
      json({ events: [{ id: 3 }], next_cursor: null }),
    );
    const rows = client.iterate.listEvents({ query: { type: "server.*" } });
    await rows.next();
    await rows.next();
    expect(requests).toHaveLength(1);
    expect((await rows.next()).value).toEqual({ id: 3 });
    expect((await rows.next()).done).toBe(true);
    expect(requests.map(({ url }) => url)).toEqual([
      "/v1/events?limit=100&type=server.*",
      "/v1/events?limit=100&type=server.*&cursor=after-2",
    ]);
    expect(requests.map(({ headers }) => headers["gantry-bookmark"])).toEqual([undefined, "b1"]);
  });

  it("waits for the end of a deployment over cut streams", async () => {
    const stream =
      (text: string): Respond =>
      (response) =>
        response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
    const { client, requests } = await serve(
      json({ id: "dpl_1", status: "building" }),
      stream(eventText(logLine(1))),
      stream(eventText(logLine(2)) + endText),
      json({ id: "dpl_1", status: "live" }),
    );
    expect(await client.waitFor({ id: "dpl_1" })).toEqual({ id: "dpl_1", status: "live" });
    expect(requests.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "0", "1", undefined]);
  });

  it("throws a problem of a stream, and ends with its signal", async () => {
    const { client } = await serve(problem(403, "insufficient_scope"));
    expect((await problemOf(client.followLog("dpl_1").next())).code).toBe("insufficient_scope");
    expect((await problemOf(client.followEvents().next())).code).toBe("insufficient_scope");
    const ended = client.followEvents({ signal: AbortSignal.abort() });
    expect((await ended.next()).done).toBe(true);
  });
});
