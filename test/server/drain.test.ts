import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

import { afterAll, beforeAll, expect, it } from "vitest";

import { DrainSet } from "#contract/endpoints/servers/drain.ts";
import { READY_PATH } from "#contract/endpoints/servers/ready-path.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { eventually } from "../support/faults/eventually.ts";
import { AppServer } from "./support/app-server.ts";

/** It takes a second to start, so that the server has not started before its app. */
const app = {
  "server.mjs": `
import { createServer } from "node:http";
setTimeout(() => {
  createServer((request, response) => response.end("shop")).listen(Number(process.env.PORT), process.env.HOST);
}, 1000);
`,
  Procfile: "web: node server.mjs\n",
};

/** Other files of tests use the same control plane, and shop.localhost. */
const DOMAIN = "drained.localhost";

let server: AppServer;
let project: Project;
let readyUrl: string;
beforeAll(async () => {
  server = await AppServer.start({ ingress: true });
  project = await server.createProject("drained", app, { domain: DOMAIN });
  await server.expectLive(project.id);
  await server.target(DOMAIN);
  const settings = await readFile(`${server.machine.root}/etc/gantry/ingress.json`, "utf8");
  readyUrl = `http://127.0.0.1:${/"http_port":(\d+)/.exec(settings)?.[1]}${READY_PATH}`;
});
afterAll(() => server.close());

const change = async (word: "drain" | "undrain") =>
  DrainSet.parse((await server.api.call("POST", `/v1/servers/${project.server_id}/${word}`, {})).json);

/** What a load balancer gets, such as `200 ready`. */
async function ready(): Promise<string> {
  const answer = await fetch(readyUrl);
  return `${answer.status} ${(await answer.text()).trim()}`;
}

/** Asks the site again and again. @returns what it answered besides its page, once it is ended */
function visitAll(): { readonly end: () => Promise<string[]> } {
  const others: string[] = [];
  let isEnded = false;
  const visits = (async () => {
    while (!isEnded) {
      const text = await server.ask(DOMAIN);
      if (text !== "shop") others.push(text);
      await pause(20);
    }
  })();
  return {
    end: async () => {
      isEnded = true;
      await visits;
      return others;
    },
  };
}

it("a drained server says so on its ready URL within a second, and serves its site all the time", async () => {
  await expect.poll(ready).toBe("200 ready");
  const visitors = visitAll();
  expect(await change("drain")).toMatchObject({ applied: true, detail: null });
  expect(await ready()).toBe("503 draining");
  await server.machine.tell("systemctl restart gantry-agent");
  expect(await ready()).toBe("503 draining");
  await server.expectLive(project.id);
  expect(await ready()).toBe("503 draining");
  expect(await change("undrain")).toMatchObject({ applied: true, draining_since: null });
  expect(await ready()).toBe("200 ready");
  expect(await visitors.end()).toEqual([]);
});

it("a drained server stays drained after a reboot, and is ready after the next reboot when its app runs", async () => {
  await change("drain");
  await server.machine.reboot();
  await eventually("the site is served", async () => (await server.ask(DOMAIN)) === "shop");
  expect(await ready()).toBe("503 draining");
  await eventually("the agent is connected", async () => (await change("undrain")).applied);
  await expect.poll(ready).toBe("200 ready");
  await server.machine.reboot();
  const seen = new Set<string>();
  await eventually("the server is ready", async () => {
    const text = await ready().catch(() => "refused");
    seen.add(text);
    return text === "200 ready";
  });
  expect(await server.ask(DOMAIN)).toBe("shop");
  expect([...seen].filter((text) => !["refused", "503 starting", "200 ready"].includes(text))).toEqual([]);
});
