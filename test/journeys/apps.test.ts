import { join, resolve } from "node:path";

import { beforeAll, expect, it } from "vitest";

import { Processes } from "#contract/endpoints/processes/schemas.ts";

import { createRepository, type Repository } from "../support/journey-repository.ts";
import { startLoad } from "../support/load/load.ts";
import { type UsedSystem, useSystem } from "../support/use-system.ts";

/** Answers with the name of its instance. */
const command = `exec node ${resolve(import.meta.dirname, "../support/load/app.mjs")} $GANTRY_INSTANCE`;

let system: UsedSystem;
let repository: Repository;

beforeAll(async () => {
  system = await useSystem();
  repository = await createRepository(join(system.folder, "app"));
  await repository.commit({ Procfile: `web: ${command}\n`, "package.json": "{}" });
});

it("an app answers every request while it is deployed, scaled, restarted, configured and rolled back", async () => {
  const { api } = system;
  const project = await api.createProject({
    name: "app-under-load",
    server_id: system.local.server_id,
    repository: repository.path,
    health_check: { path: "/" },
    drain_seconds: 3,
  });
  const path = `/v1/projects/${project.id}`;
  const endedAs = async (id: string, status: string) =>
    expect(await api.ended(id)).toMatchObject({ status, ...(status === "live" ? { failure: null } : {}) });
  const live = async (starting: Promise<{ id: string }>) => endedAs((await starting).id, "live");
  /** Starts a deployment without a build. @returns its id */
  const change = async (method: "POST" | "PATCH", what: string, body = {}): Promise<string> => {
    const { json } = await api.call(method, `${path}${what}`, body);
    const id = /"(dpl_\w+)"/.exec(JSON.stringify(json))?.[1];
    if (id === undefined) throw new Error(`${what}: ${JSON.stringify(json)}`);
    return id;
  };
  const processes = async () => Processes.parse((await api.call("GET", `${path}/processes`)).json).processes;

  await live(api.start(project.id));
  const url = new URL((await api.getProject(project.id)).url ?? "");
  const load = startLoad({ port: Number(url.port), domain: url.host });
  await load.answeredBy("web-1-0");

  await repository.commit({ "page.txt": "two" });
  await live(api.start(project.id));
  await load.answeredBy("web-2-0");
  await endedAs(await change("PATCH", "/processes/web", { instances: 3 }), "live");
  await load.answeredBy("web-3-1");
  await endedAs(await change("PATCH", "/processes/web", { instances: 1 }), "live");
  await endedAs(await change("POST", "/processes/web/restart"), "live");
  await load.answeredBy("web-5-0");
  await api.call("PATCH", `${path}/variables`, { set: [{ name: "MODE", value: "new" }] });
  await endedAs(await change("POST", "/apply"), "live");
  await load.answeredBy("web-6-0");
  await endedAs(await change("PATCH", "/processes/web", { command: "echo broken; exit 1" }), "failed");
  await change("PATCH", "/processes/web", { command: null }).then((id) => endedAs(id, "live"));
  await live(api.rollBack(project.id, { version: 1 }));
  await load.answeredBy("web-9-0");

  const report = await load.stop();
  expect(report.failures).toEqual({});
  expect(await processes()).toMatchObject([
    {
      name: "web",
      wanted: 1,
      instances: expect.arrayContaining([
        expect.objectContaining({ name: "web-9-0", state: "live", restarts: 0 }),
      ]),
    },
  ]);
});
