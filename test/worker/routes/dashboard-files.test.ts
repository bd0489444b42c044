import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { call, ORIGIN, problemOf } from "../../support/worker/call.ts";

const page = async () => await (await call("/app/")).text();

describe("a file of the dashboard", () => {
  it("is immutable only if its name contains a hash", async () => {
    const paths = [...(await page()).matchAll(/(?:href|src)="(\/app\/assets\/[^"]+)"/g)].map(
      ([, path]) => path ?? "",
    );
    expect(paths).toContain("/app/assets/icon.svg");
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) {
      const response = await call(path);
      expect(response.status).toBe(200);
      const hasHash = /-[0-9A-Z]{8}\.\w+$/.test(path);
      const isKept = response.headers.get("cache-control")?.includes("immutable");
      expect([path, isKept]).toEqual([path, hasHash]);
    }
  });

  it("without a hash is revalidated with its tag", async () => {
    const first = await call("/app/assets/icon.svg");
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    const tag = first.headers.get("etag") ?? "";
    expect((await call("/app/assets/icon.svg", { headers: { "if-none-match": tag } })).status).toBe(304);
  });
});

describe("an address of the dashboard", () => {
  const tagged = async (path: string) => {
    const tag = (await call("/app/")).headers.get("etag") ?? "";
    return await call(path, { headers: { "if-none-match": tag } });
  };

  it("without a page is a 404 with the dashboard, which says so, even to a client that has it", async () => {
    for (const path of [
      "/app/nothing",
      "/app/projects",
      "/app/servers/more",
      "/app/charts/x",
      "/app/webhooks2",
    ]) {
      const response = await tagged(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.text()).toBe(await page());
    }
  });

  it("with a page can be revalidated", async () => {
    for (const path of ["/app/", "/app/servers", "/app/servers/", "/app/projects/proj_1/settings/build"])
      expect([path, (await tagged(path)).status]).toEqual([path, 304]);
  });
});

describe("the root of an installation", () => {
  it("leads a browser to the dashboard", async () => {
    const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    const request = new Request(`${ORIGIN}/`, { headers: { accept }, redirect: "manual" });
    const response = await exports.default.fetch(request);
    expect([response.status, response.headers.get("location")]).toEqual([302, "/app/"]);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it.each([{}, { accept: "*/*" }, { accept: "application/json" }])(
    "is a problem that names the reference for a program with %j",
    async (headers) => {
      const response = await call("/", { headers });
      expect(response.status).toBe(404);
      expect(await problemOf(response)).toMatchObject({
        code: "not_found",
        detail: expect.stringContaining("/docs"),
      });
    },
  );
});
