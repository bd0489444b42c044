import { afterAll, beforeAll, expect, it } from "vitest";

import { DrainSet } from "#contract/endpoints/servers/drain.ts";
import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { eventually } from "../support/faults/eventually.ts";
import { createCli, jsonOf } from "./support/command.ts";
import { createServerWithKey, type ServerWithKey } from "./support/server-with-key.ts";

const cli = createCli();
const NAME = "drained";
let gantry: Gantry;
let server: ServerWithKey;

beforeAll(async () => {
  gantry = await useGantry();
  server = await createServerWithKey(gantry, NAME);
});
afterAll(() => server.stop());

const gantryRun = (...args: string[]) =>
  cli.run(args, { env: { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.token } });
const shown = async () => (await gantryRun("servers", "show", NAME)).stdout;

it("gantry servers drain and undrain say what the ready URL answers, and servers show since when", async () => {
  expect(await shown()).not.toMatch(/^drained/m);
  expect(await gantryRun("servers", "drain", NAME)).toMatchObject({
    code: 0,
    stdout: `${NAME} is drained: its ready URL answers 503.\n`,
  });
  expect(await shown()).toMatch(/^drained\s+since /m);
  const again = await gantryRun("servers", "drain", server.serverId, "--json");
  expect(DrainSet.parse(jsonOf(again.stdout))).toMatchObject({ applied: true, detail: null });
  expect(await gantryRun("servers", "undrain", NAME)).toMatchObject({
    code: 0,
    stdout: `${NAME} is no longer drained.\n`,
  });
  expect(await shown()).not.toMatch(/^drained/m);
});

it("gantry servers drain exits with 1 if the server is not connected, and stores it", async () => {
  server.agent.cut();
  await eventually("the server is offline", async () => (await shown()).includes("offline"));
  const { code, stderr } = await gantryRun("servers", "drain", NAME);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^Stored, but the server has not applied it: .* is not connected\.$/m),
  });
  expect(await shown()).toMatch(/^drained\s+since /m);
});
