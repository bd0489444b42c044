import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { endpoints } from "#contract/endpoints/endpoints.ts";
import { ServerCreated, ServerRows } from "#contract/endpoints/servers/schemas.ts";
import worker from "#worker/main.ts";
import { problemOf } from "../../support/worker/call.ts";
import { operationNames, requests, senderOf } from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

type Asked = {
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly publicUrl?: string;
};

/** Sends a request for any address to the Worker. */
async function ask(
  url: string,
  { method = "GET", token, body, headers, publicUrl = "" }: Asked = {},
): Promise<Response> {
  const context = createExecutionContext();
  const request = new Request<unknown, IncomingRequestCfProperties>(url, {
    method,
    redirect: "manual",
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const bindings: Env = { ...env };
  Reflect.set(bindings, "PUBLIC_URL", publicUrl);
  const response = await worker.fetch(request, bindings, context);
  await waitOnExecutionContext(context);
  return response;
}

const INSECURE = "http://gantry.test";
const SECURE = "https://gantry.test";

afterEach(() => {
  vi.restoreAllMocks();
});

async function agentFile(): Promise<string> {
  const script = await (await ask(`${SECURE}/install.sh`)).text();
  return `/agent/${/^agent_file='(.+)'$/m.exec(script)?.[1]}`;
}

describe("plain HTTP", () => {
  const ofTheApi = operationNames.filter((name) => endpoints[name].path.startsWith("/v1/"));

  it("is refused for every endpoint before authentication", async () => {
    const world = await copyWorld();
    for (const name of ofTheApi) {
      const { method } = endpoints[name];
      const token = senderOf(name, world);
      const { path, body } = requests[name](world);
      const refused = await ask(`${INSECURE}${path}`, { method, token, body });
      expect([name, refused.status]).toEqual([name, 403]);
      expect(await problemOf(refused)).toMatchObject({ code: "https_required" });
      expect((await ask(`${INSECURE}${path}`, { method, body })).status).toBe(403);
    }
    // With HTTPS, the same request is accepted.
    expect((await ask(`${SECURE}/v1/projects`, { token: world.account.token })).status).toBe(200);
  });

  it("is refused for an agent's link, the installer, the agent's file and any request with a token", async () => {
    const { account, credential } = await copyWorld();
    const headers = { upgrade: "websocket" };
    const refused = [
      await ask(`${INSECURE}/v1/agent/connect`, { token: credential, headers }),
      await ask(`${INSECURE}/install.sh`),
      await ask(`${INSECURE}/gantry.tgz`),
      await ask(`${INSECURE}${await agentFile()}`),
      await ask(`${INSECURE}/healthz`, { token: account.token }),
      await ask(`${INSECURE}/docs`, { token: account.token }),
      await ask(`${INSECURE}/v1/nothing`),
      await ask("http://192.0.2.10:8787/install.sh"),
      await ask("http://localhost.example/install.sh"),
      await ask("http://127.0.0.1.example/install.sh"),
    ];
    for (const response of refused) {
      expect([response.url, response.status]).toEqual([response.url, 403]);
      expect((await problemOf(response)).code).toBe("https_required");
    }
  });

  it.each(["http://127.0.0.1:8787", "http://localhost:8787", "http://gantry.localhost", "http://[::1]:8787"])(
    "is accepted on the same machine: %s",
    async (origin) => {
      const { account } = await copyWorld();
      expect((await ask(`${origin}/v1/account`, { token: account.token })).status).toBe(200);
      expect((await ask(`${origin}/install.sh`)).status).toBe(200);
    },
  );

  it("counts as HTTPS if a proxy says that it terminated TLS", async () => {
    const { account } = await copyWorld();
    const headers = { "x-forwarded-proto": "https" };
    const answer = await ask(`${INSECURE}/v1/account`, { token: account.token, headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("strict-transport-security")).not.toBeNull();
    const script = await (await ask(`${INSECURE}/install.sh`, { headers })).text();
    expect(script).toContain(`origin='${SECURE}'`);
    const chain = { headers: { "x-forwarded-proto": "https, http" } };
    expect((await ask(`${INSECURE}/install.sh`, chain)).status).toBe(200);
    const asPlain = { headers: { "x-forwarded-proto": "http" } };
    expect((await ask(`${INSECURE}/install.sh`, asPlain)).status).toBe(403);
  });

  it("redirects the dashboard and the documentation to HTTPS, and serves the health check", async () => {
    const headers = { "x-forwarded-proto": "http" };
    const ofDashboard = ["/app", "/app/", "/app/projects?x=1", "/app/assets/main.js"];
    const ofDocs = ["/docs", "/docs/guides/node?x=1", "/docs/style.css", "/docs/problems/https_required"];
    for (const path of [...ofDashboard, ...ofDocs, "/docs/nothing"]) {
      for (const plain of [headers, { "cf-visitor": '{"scheme":"http"}' }]) {
        const answer = await ask(`${INSECURE}${path}`, { headers: plain });
        expect([answer.status, answer.headers.get("location")]).toEqual([307, `${SECURE}${path}`]);
      }
    }
    const publicUrl = "https://deploy.example.com";
    const elsewhere = await ask(`${INSECURE}/app/tokens`, { publicUrl, headers });
    expect(elsewhere.headers.get("location")).toBe("https://deploy.example.com/app/tokens");
    expect((await ask(`${INSECURE}/healthz`)).status).toBe(200);
    expect((await ask(`${INSECURE}/v1/openapi.json`)).status).toBe(200);
    expect((await ask("http://127.0.0.1:8787/docs")).status).toBe(200);
  });

  it.each([
    ["does not send the protocol", {}],
    [
      "sends the protocol of the proxy before it",
      { "x-forwarded-proto": "http", "sec-fetch-mode": "navigate" },
    ],
  ])("is not redirected behind a proxy that terminates TLS and %s: it would loop", async (_name, headers) => {
    for (const path of ["/app/", "/docs", "/docs/guides/node"]) {
      const answer = await ask(`${INSECURE}${path}`, { headers });
      expect(answer.status).toBe(403);
      const { code, detail } = await problemOf(answer);
      expect([code, detail]).toEqual([
        "https_required",
        expect.stringContaining("A proxy that terminates TLS must send X-Forwarded-Proto: https."),
      ]);
    }
  });
});

describe("every response", () => {
  it("has nosniff, and over HTTPS also HSTS", async () => {
    const { account, deploymentId, credential } = await copyWorld();
    const { token } = account;
    const page = await (await ask(`${SECURE}/app/`)).text();
    const [, script] = /src="(\/app\/assets\/[^"]+)"/.exec(page) ?? [];
    const stream = { token, headers: { accept: "text/event-stream" } };
    const paths: readonly (readonly [string, Asked?])[] = [
      ["/healthz"],
      ["/v1/account", { token }],
      ["/v1/account"],
      ["/v1/projects", { token, method: "OPTIONS" }],
      ["/v1/account", { token, method: "HEAD" }],
      ["/v1/account", { token, method: "PUT" }],
      [`/v1/logs/${deploymentId}`, stream],
      ["/v1/agent/connect", { token: credential }],
      ["/v1/openapi.json"],
      ["/docs"],
      ["/docs/style.css"],
      ["/docs/problems/none"],
      ["/install.sh"],
      ["/gantry.tgz"],
      [await agentFile()],
      ["/app"],
      ["/app/"],
      [String(script)],
      ["/app/assets/none.js"],
      ["/favicon.ico"],
      ["/nothing"],
    ];
    for (const [path, asked] of paths) {
      const answer = await ask(`${SECURE}${path}`, asked);
      const { headers } = answer;
      expect([path, headers.get("x-content-type-options")]).toEqual([path, "nosniff"]);
      expect([path, headers.get("strict-transport-security")]).toEqual([path, "max-age=31536000"]);
      await answer.body?.cancel();
    }
    for (const origin of [INSECURE, "http://127.0.0.1:8787", "https://localhost:8787"]) {
      const { headers } = await ask(`${origin}/healthz`);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("strict-transport-security")).toBeNull();
    }
  });

  it("has these headers after a failure too", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const broken: Env = { ...env };
    Reflect.set(broken, "DB", null);
    const request = new Request<unknown, IncomingRequestCfProperties>(`${SECURE}/v1/account`, {
      headers: { authorization: `Bearer ${(await copyWorld()).credential}` },
    });
    const answer = await worker.fetch(request, broken, createExecutionContext());
    expect(answer.status).toBe(500);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("strict-transport-security")).toBe("max-age=31536000");
  });

  it("does not change a switch of protocols", async () => {
    const { credential } = await copyWorld();
    const headers = { upgrade: "websocket" };
    const answer = await ask(`${SECURE}/v1/agent/connect`, { token: credential, headers });
    expect(answer.status).toBe(101);
    answer.webSocket?.accept();
    answer.webSocket?.close();
  });
});

describe("the variable PUBLIC_URL", () => {
  const publicUrl = "https://deploy.example.com";

  it("is used in links, commands, the installer and problem types instead of the Host header", async () => {
    const { account } = await copyWorld();
    const from = "https://evil.example";
    const { token } = account;
    const body = { name: "web-9", ip: "192.0.2.9" };
    const made = await ask(`${from}/v1/servers`, { method: "POST", token, body, publicUrl });
    expect(ServerCreated.parse(await made.json()).enrollment.command).toContain(`${publicUrl}/install.sh`);
    const page = await ask(`${from}/v1/servers?limit=1`, { token, publicUrl });
    const { next_cursor: cursor } = ServerRows.parse(await page.json());
    expect(page.headers.get("link")).toBe(`<${publicUrl}/v1/servers?limit=1&cursor=${cursor}>; rel="next"`);
    expect(await (await ask(`${from}/install.sh`, { publicUrl })).text()).toContain(`origin='${publicUrl}'`);
    for (const path of ["/v1/account", "/nothing", "/v1/agent/connect"]) {
      const problem = await problemOf(await ask(`${from}${path}`, { publicUrl }));
      expect(problem.type).toBe(`${publicUrl}/docs/problems/${problem.code}`);
    }
  });

  it("may end in a slash, and may be plain HTTP for localhost", async () => {
    for (const [set, named] of [
      [`${publicUrl}/`, publicUrl],
      ["HTTPS://Deploy.Example.com:443", publicUrl],
      ["http://127.0.0.1:8787", "http://127.0.0.1:8787"],
    ] as const)
      expect((await problemOf(await ask(`${SECURE}/nothing`, { publicUrl: set }))).type).toBe(
        `${named}/docs/problems/not_found`,
      );
  });

  it.each([
    "deploy.example.com",
    "http://deploy.example.com",
    "ftp://deploy.example.com",
    "https://deploy.example.com/gantry",
    "https://deploy.example.com?x",
    "https://deploy.example.com#x",
    "https://me:secret@deploy.example.com",
    " ",
  ])("is refused by every answer where it is %j, so that a release notices", async (wrong) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    for (const path of ["/healthz", "/install.sh", "/v1/account", "/app/"]) {
      const answer = await ask(`${SECURE}${path}`, { publicUrl: wrong });
      expect(answer.status).toBe(503);
      const { code, detail } = await problemOf(answer);
      expect([code, detail]).toEqual(["unavailable", expect.stringContaining("PUBLIC_URL")]);
    }
    expect(log).toHaveBeenCalled();
  });
});
