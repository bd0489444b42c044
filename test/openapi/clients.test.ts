import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Clients, generateClients } from "./support/clients.ts";
import { useGantry } from "./support/gantry.ts";

let clients: Clients;
beforeAll(async () => {
  clients = await generateClients();
});
afterAll(() => clients.remove());

describe("clients that are generated from the document", () => {
  it("compile as strict TypeScript", async () => {
    expect(await clients.compile()).toEqual({ code: 0, output: "", stdout: "" });
  });

  it.each(["with-openapi-typescript", "with-hey-api"])("run against the Worker: %s", async (program) => {
    const gantry = await useGantry();
    expect(await clients.run(program, gantry.url, gantry.token)).toEqual({
      status: "building",
      names: ["shop"],
      deployments: [true],
      refused: 404,
      isNotFound: true,
      log: "string",
    });
  });
});

describe("the Worker as `npm start` serves it", () => {
  it("serves the reference from the files beside its bundle", async () => {
    const { url } = await useGantry();
    for (const [path, type] of [
      ["/docs", "text/html; charset=utf-8"],
      ["/docs/problems/not_found", "text/html; charset=utf-8"],
      ["/docs/style.css", "text/css; charset=utf-8"],
      ["/v1/openapi.json", "application/json"],
    ] as const) {
      const answer = await fetch(`${url}${path}`);
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 200, type]);
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
    expect((await fetch(`${url}/docs/`)).url).toBe(`${url}/docs`);
  });
});
