import { describe, expect, it } from "vitest";
import * as z from "zod";

import { type Endpoint } from "#contract/endpoints/endpoint.ts";
import { endpoints, type OperationName } from "#contract/endpoints/endpoints.ts";
import { problems } from "#contract/problems.ts";
import { call, ORIGIN, problemOf } from "../../support/worker/call.ts";
import { connectAgent } from "../../support/worker/enrol-agent.ts";
import { succeedingRequest } from "../../support/worker/succeeding-requests.ts";
import { share } from "../../support/worker/storage.ts";
import { operationNames, perform, requests, senderOf, type World } from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

const withBody = operationNames.filter((name) => endpoints[name].body !== null);
const withParams = operationNames.filter((name) => endpoints[name].path.includes(":"));
const json = { "content-type": "application/json" };

async function sendBody(
  name: (typeof withBody)[number],
  world: World,
  body: BodyInit | null,
  type?: string,
  headers: Readonly<Record<string, string>> = {},
) {
  return await call(requests[name](world).path, {
    method: endpoints[name].method,
    token: senderOf(name, world),
    raw: body,
    headers: { ...headers, ...(type === undefined ? {} : { "content-type": type }) },
  });
}

async function expectProblem(response: Response, code: keyof typeof problems) {
  const { status, title } = problems[code];
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const problem = await problemOf(response);
  expect(problem).toMatchObject({ type: `${ORIGIN}/docs/problems/${code}`, title, status, code });
  expect(problem.request_id).toBe(response.headers.get("x-request-id"));
  return problem;
}

/** Operations that need more than the world. */
const prepared = new Set<OperationName>([
  "exchangeToken",
  ...(["approveDeployment", "createSession", "deleteServer", "endSession", "enrollAgent"] as const),
  ...(["createOwner", "lookUpInvitation", "acceptInvitation", "createChallenge"] as const),
  ...(["confirmSession", "addPasskey", "addIdentity", "revokeOwnToken", "claimToken"] as const),
  ...(["receiveDelivery", "getWebhook", "updateWebhook", "testWebhook", "rotateWebhook"] as const),
  "resendDelivery",
]);

async function performPrepared(name: OperationName, world: World): Promise<Response> {
  const { path, ...request } = await succeedingRequest(name, world);
  return await call(path, { method: endpoints[name].method, token: senderOf(name, world), ...request });
}

describe("every endpoint", () => {
  it.each(operationNames)("%s answers as described in the table", async (name) => {
    const world = await copyWorld();
    await connectAgent(world);
    const endpoint: Endpoint = endpoints[name];
    const response = await (prepared.has(name) ? performPrepared(name, world) : perform(name, world));
    // The world has no run, no rollback target and no empty project.
    if (["reportRunEvents", "rollBack", "deleteProject"].includes(name)) {
      expect(response.status).toBeLessThan(500);
      return;
    }
    expect(response.status).toBe(endpoint.success.status);
    if (endpoint.success.body === null) expect(await response.text()).toBe("");
    else endpoint.success.body.parse(await response.json());
  });

  it.each(operationNames)(
    "%s has a request id and a private Cache-Control in every response",
    async (name) => {
      const world = await copyWorld();
      for (const response of [await perform(name, world), await perform(name, world, null)]) {
        expect(response.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{24}$/);
        const isTagged = response.headers.has("etag");
        expect(response.headers.get("cache-control")).toBe(isTagged ? "private, no-cache" : "no-store");
        expect(response.headers.get("access-control-allow-origin")).toBe("*");
      }
    },
  );
});

describe("every endpoint that refuses a request", () => {
  const world = share(copyWorld);

  it.each(operationNames)("%s lists the methods of its path if another one is used", async (name) => {
    const { path } = requests[name](world());
    const other = endpoints[name].method === "PUT" ? "PATCH" : "PUT";
    const response = await call(path, { method: other });
    const methods = Object.values(endpoints).filter((one) => one.path === endpoints[name].path);
    const allowed = response.headers.get("allow")?.split(", ") ?? [];
    expect(allowed).toEqual(expect.arrayContaining(methods.map((one) => one.method)));
    expect(allowed).not.toContain(other);
    await expectProblem(response, "method_not_allowed");
  });

  it.each(operationNames)("%s refuses an unknown query parameter", async (name) => {
    const { path } = requests[name](world());
    const { method } = endpoints[name];
    const response = await call(`${path}?brnach=main`, { method, token: senderOf(name, world()) });
    const problem = await expectProblem(response, "invalid_request");
    expect(problem.errors).toEqual([{ pointer: "?brnach", message: "is not known" }]);
  });
});

describe("an endpoint with an id in its path", () => {
  const world = share(copyWorld);

  it.each(withParams)("%s answers 404 for a malformed id", async (name) => {
    const { method } = endpoints[name];
    const path = requests[name](world()).path.replace(/_[0-9a-z]{26}/, "_nonsense");
    await expectProblem(await call(path, { method, token: senderOf(name, world()) }), "not_found");
  });
});

describe("an endpoint that refuses a body", () => {
  const world = share(copyWorld);

  it.each(withBody)("%s refuses a body that is not JSON", async (name) => {
    for (const body of ["{", "{'a': 1}", new Uint8Array([0x22, 0xff, 0x22])])
      await expectProblem(await sendBody(name, world(), body, "application/json"), "malformed_json");
  });

  it.each(withBody)("%s refuses JSON that is not an object", async (name) => {
    for (const body of ["null", "[]", "3", '"text"']) {
      const problem = await expectProblem(
        await sendBody(name, world(), body, "application/json"),
        "invalid_request",
      );
      expect(problem.errors?.map((error) => error.pointer)).toContain("");
    }
  });

  it.each(withBody)(
    "%s refuses an unknown field with a pointer to it, unless an agent sends it",
    async (name) => {
      // An agent may be newer than its control plane (docs/decisions.md).
      const isOfAgents = endpoints[name].path.startsWith("/v1/agent/");
      const body = JSON.stringify(
        z.record(z.string(), z.unknown()).parse(requests[name](world()).body),
      ).replace(/^\{/, '{"a/b~c":1,"__proto__":{},');
      const answer = await sendBody(name, world(), body.replace(",}", "}"), "application/json");
      if (isOfAgents) return expect(answer.status).not.toBe(422);
      const problem = await expectProblem(answer, "invalid_request");
      expect(problem.errors?.map((error) => error.pointer)).toContain("/a~1b~0c");
      expect(problem.errors?.map((error) => error.pointer)).toContain("/__proto__");
    },
  );
});

describe("an endpoint with a body", () => {
  it.each(withBody)("%s refuses other media types", async (name) => {
    const world = await copyWorld();
    const form = "application/x-www-form-urlencoded";
    for (const type of [
      undefined,
      "text/plain",
      endpoints[name].isOAuth ? `${form}; charset=latin1` : form,
      "application/json; charset=latin1",
    ])
      await expectProblem(await sendBody(name, world, "{}", type), "unsupported_media_type");
    const withCharset = await sendBody(name, world, "{}", "Application/JSON; charset=UTF-8");
    expect(withCharset.status).not.toBe(415);
  });

  it.each(withBody)("%s refuses a compressed body", async (name) => {
    const world = await copyWorld();
    const send = (encoding: string) =>
      sendBody(name, world, "{}", "application/json", { "content-encoding": encoding });
    const problem = await expectProblem(await send("gzip"), "unsupported_media_type");
    expect(problem.detail).toContain("without Content-Encoding");
    expect((await send("identity")).status).not.toBe(415);
  });

  it.each(withBody)("%s counts the bytes of the body as they arrive", async (name) => {
    const world = await copyWorld();
    const { maxBodyBytes } = endpoints[name];
    const tooLarge = " ".repeat(maxBodyBytes - 1) + "{}";
    await expectProblem(await sendBody(name, world, tooLarge, "application/json"), "body_too_large");
    // A stream has no Content-Length header.
    const stream = new Blob([tooLarge]).stream();
    await expectProblem(await sendBody(name, world, stream, "application/json"), "body_too_large");
    const justFits = " ".repeat(maxBodyBytes - 2) + "{}";
    expect((await sendBody(name, world, justFits, "application/json")).status).not.toBe(413);
  });
});

describe("a request without a body", () => {
  it("is the same as {} with any media type", async () => {
    const world = await copyWorld();
    expect((await sendBody("startDeployment", world, null)).status).toBe(201);
    expect((await sendBody("startDeployment", world, "", "text/plain")).status).toBe(201);
    expect((await sendBody("startDeployment", world, "{}", json["content-type"])).status).toBe(201);
  });

  it("gets a problem with a pointer to each required field", async () => {
    const world = await copyWorld();
    const problem = await expectProblem(await sendBody("createServer", world, null), "invalid_request");
    expect(problem.errors?.map((error) => error.pointer)).toEqual(["/name", "/ip"]);
  });
});

describe("If-Live", () => {
  it("must contain the id of a deployment", async () => {
    const { account, projectId } = await copyWorld();
    const response = await call("/v1/deploy", {
      method: "POST",
      token: account.token,
      body: { project_id: projectId },
      headers: { "if-live": "newest" },
    });
    expect((await expectProblem(response, "invalid_request")).errors?.[0]?.pointer).toBe("If-Live");
  });

  it("refuses if that deployment is not live", async () => {
    const { account, projectId, deploymentId } = await copyWorld();
    const response = await call("/v1/deploy", {
      method: "POST",
      token: account.token,
      body: { project_id: projectId },
      headers: { "if-live": deploymentId },
    });
    await expectProblem(response, "live_changed");
  });
});

describe("paths that do not exist", () => {
  it.each(["/", "/v1", "/v1/", "/v2/projects", "/v1/projects/", "/v1/nothing", "//v1/projects", "/v1/%ff"])(
    "%s is not found",
    async (path) => {
      await expectProblem(await call(path), "not_found");
    },
  );
});

describe("a query parameter", () => {
  const world = share(copyWorld);

  it("is refused if it occurs twice", async () => {
    const response = await call("/v1/deployments?limit=1&limit=2", { token: world().account.token });
    expect((await expectProblem(response, "invalid_request")).errors?.[0]?.pointer).toBe("?limit");
  });

  it.each([
    "limit=0",
    "limit=101",
    "limit=x",
    "limit=",
    "status=asleep",
    "commit=xyz",
    "cursor=",
    "project_id=1",
  ])("%s is refused", async (query) => {
    const response = await call(`/v1/deployments?${query}`, { token: world().account.token });
    const problem = await expectProblem(response, "invalid_request");
    expect(problem.errors?.[0]?.pointer).toBe(`?${query.split("=")[0]}`);
  });
});

describe("HEAD and OPTIONS", () => {
  it("HEAD answers like GET, without the body", async () => {
    const { account, projectId } = await copyWorld();
    const response = await call(`/v1/projects/${projectId}`, { method: "HEAD", token: account.token });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe("");
    expect((await call(`/v1/projects/${projectId}`, { method: "HEAD" })).status).toBe(401);
    expect((await call("/v1/deploy", { method: "HEAD" })).status).toBe(405);
  });

  it("OPTIONS allows any origin, and the methods and headers of the API", async () => {
    const response = await call("/v1/projects", {
      method: "OPTIONS",
      headers: { origin: "https://elsewhere.test", "access-control-request-method": "POST" },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")).toContain("DELETE");
    for (const header of ["Authorization", "Content-Type", "Idempotency-Key", "If-Live", "Last-Event-ID"])
      expect(response.headers.get("access-control-allow-headers")).toContain(header);
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });

  it("a response exposes the headers that a page of another origin needs", async () => {
    const exposed = (await call("/v1/projects")).headers.get("access-control-expose-headers");
    for (const header of ["X-Request-Id", "Link", "Location", "Retry-After", "WWW-Authenticate"])
      expect(exposed).toContain(header);
  });
});
