import { describe, expect, it } from "vitest";

import { problemCodes } from "#contract/endpoints/endpoint-facts.ts";
import { call, problemOf } from "../../support/worker/call.ts";

const pages = ["/docs", "/docs/problems", ...problemCodes.map((code) => `/docs/problems/${code}`)];

describe("the reference", () => {
  it.each(pages)("%s is a public page that loads and connects only to its own origin", async (path) => {
    const response = await call(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    const policy = response.headers.get("content-security-policy");
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; /);
    expect(policy).toContain("trusted-types 'none'");
    expect(policy).not.toMatch(/unsafe-|https?:|data:|\*/);
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
    expect(await response.text()).toMatch(/^<!doctype html>/i);
  });

  it("has an OpenAPI document that any web page can read", async () => {
    const response = await call("/v1/openapi.json");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await response.json()).toMatchObject({ openapi: "3.1.0", info: { title: "Gantry" } });
  });

  it.each(["/docs", "/docs/style.css", "/docs/icon.svg", "/v1/openapi.json"])(
    "%s gives 304 to a client that has it",
    async (path) => {
      const tag = (await call(path)).headers.get("etag");
      expect(tag).not.toBeNull();
      const again = await call(path, { headers: { "if-none-match": tag ?? "" } });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe("");
    },
  );

  it("supports only GET and HEAD", async () => {
    const response = await call("/docs", { method: "POST" });
    expect(await problemOf(response)).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(response.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect((await call("/docs", { method: "HEAD" })).status).toBe(200);
  });

  it.each([
    ["/docs/", "/docs"],
    ["/docs/problems/", "/docs/problems"],
    ["/docs/problems/not_found.html", "/docs/problems/not_found"],
  ])("%s leads to %s", async (path, to) => {
    const response = await call(path, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([307, to]);
  });

  it.each(["/docs/problems/nothing", "/docs/nothing", "/docs.html"])(
    "%s is not a part of it",
    async (path) => {
      expect(await problemOf(await call(path))).toMatchObject({ status: 404, code: "not_found" });
    },
  );

  it.each(["/docs/problems/nothing", "/docs/nothing", "/nothing"])(
    "shows a browser a page that leads on at %s",
    async (path) => {
      const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
      const response = await call(path, { headers: { accept, "if-none-match": '"known"' } });
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toContain("text/html");
      expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
      const text = await response.text();
      for (const address of ["/docs#guides", "/docs/api", "/docs/problems", "/app/"])
        expect(text).toContain(`href="${address}"`);
    },
  );

  it("gives a browser the problem of a path of the API", async () => {
    const response = await call("/v1/nothing", { headers: { accept: "text/html" } });
    expect(await problemOf(response)).toMatchObject({ status: 404, code: "not_found" });
  });

  it("has a page at the type URL of every problem", async () => {
    const { type } = await problemOf(await call("/v1/nothing"));
    const page = await call(new URL(type).pathname);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("not_found");
  });
});
