import { describe, expect, it } from "vitest";

import { call, ORIGIN, problemOf } from "../../support/worker/call.ts";

describe("the package of the command", () => {
  it("is public, and is never taken from a cache without a check", async () => {
    const response = await call("/gantry.tgz");
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    expect([...new Uint8Array(await response.arrayBuffer()).slice(0, 2)]).toEqual([0x1f, 0x8b]);
  });
});

describe("the agent's installer", () => {
  it("is a public script with this installation's address, and is never cached", async () => {
    const response = await call("/install.sh");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=UTF-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const script = await response.text();
    expect(script).toMatch(/^#!\/bin\/sh\n/);
    expect(script).toContain(`origin='${ORIGIN}'`);
    expect(script).not.toMatch(/@[A-Z_0-9]+@/);
  });

  it("is sent in full despite If-None-Match, because its address may differ", async () => {
    const again = await call("/install.sh", { headers: { "if-none-match": "*" } });
    expect(again.status).toBe(200);
  });

  it("contains the path and the hash of the agent's file", async () => {
    const script = await (await call("/install.sh")).text();
    const [, file] = /^agent_file='(.+)'$/m.exec(script) ?? [];
    const [, hash] = /^agent_sha256='([0-9a-f]{64})'$/m.exec(script) ?? [];
    const response = await call(`/agent/${file}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^text\/javascript/);
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await response.arrayBuffer()));
    expect([...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")).toBe(hash);
  });

  it.each(["/agent/gantry-agent-0.0.0-000000000000.mjs", "/agent/..%2finstall.sh", "/agent/", "/agent"])(
    "%s is not served",
    async (path) => {
      expect(await problemOf(await call(path))).toMatchObject({ status: 404, code: "not_found" });
    },
  );

  it("supports only GET and HEAD", async () => {
    const response = await call("/install.sh", { method: "POST" });
    expect(await problemOf(response)).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect((await call("/install.sh", { method: "HEAD" })).status).toBe(200);
  });
});
