import { describe, expect, it } from "vitest";

import { createAccount } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { TestProject } from "../../support/worker/project.ts";
import { countRequests } from "../../support/worker/request-limits.ts";

countRequests();

describe("a GET's entity tag", () => {
  it("gives 304 until the content changes", async () => {
    const project = await TestProject.create();
    const path = `/v1/projects/${project.id}`;
    const first = await project.get(path);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const same = await project.get(path, { "if-none-match": tag });
      expect([same.status, await same.text(), same.headers.get("etag")]).toEqual([304, "", etag]);
    }
    await project.start();
    const changed = await project.get(path, { "if-none-match": etag });
    expect(changed.status).toBe(200);
  });

  it("is not on a refusal", async () => {
    const missing = await call("/v1/account");
    expect([missing.headers.get("etag"), missing.headers.get("cache-control")]).toEqual([null, "no-store"]);
  });
});

describe("the bookmark of the database", () => {
  it("is in each response, and is accepted in requests", async () => {
    const project = await TestProject.create();
    const started = await project.post("/v1/deploy", { project_id: project.id });
    const bookmark = started.headers.get("gantry-bookmark") ?? "";
    expect(bookmark).toMatch(/^[0-9a-f-]+$/);
    const list = await project.get("/v1/deployments", { "gantry-bookmark": bookmark });
    expect(list.status).toBe(200);
    expect((list.headers.get("gantry-bookmark") ?? "") >= bookmark).toBe(true);
  });

  it("is refused if it is malformed, but only after the token was accepted", async () => {
    const { token } = await createAccount();
    const headers = { "gantry-bookmark": "not a bookmark!" };
    const refused = await call("/v1/projects", { token, headers });
    expect(await problemOf(refused)).toMatchObject({ status: 422, errors: [{ pointer: "Gantry-Bookmark" }] });
    expect((await call("/v1/projects", { headers })).status).toBe(401);
  });
});

describe("the rate limit", () => {
  it("is described in a header of every response", async () => {
    const answer = await call("/healthz");
    expect(answer.headers.get("ratelimit-policy")).toBe('"default";q=600;w=60');
  });
});
