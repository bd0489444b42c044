import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { withInstallOptions } from "#contract/install-flags.ts";

import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { registerServer } from "../support/enrolments.ts";
import { type Api, createApi } from "../support/journey-api.ts";
import { DebianMachine } from "./support/debian-machine.ts";

const REPOSITORY = "/srv/app";

let gantry: Gantry;
let api: Api;
let machine: DebianMachine;
let server: { readonly id: string };
let project: { readonly id: string };
beforeAll(async () => {
  [gantry, machine] = await Promise.all([useGantry(), DebianMachine.boot()]);
  api = createApi(gantry.url, gantry.token);
  const registered = await registerServer(gantry);
  server = registered;
  const choice = { flags: [], policy: "strict", repositories: ["/srv/**"] } as const;
  await machine.tell(withInstallOptions(registered.enrollment.command, choice));
  project = await api.createProject({ name: "shop", server_id: server.id, repository: REPOSITORY });
  await machine.write(
    `${REPOSITORY}/server.mjs`,
    `import { createServer } from "node:http";
createServer((request, response) => response.end("of the repository")).listen(process.env.PORT, () => console.log("port", process.env.PORT));
`,
  );
  await machine.write(
    `${REPOSITORY}/Procfile`,
    "web: node server.mjs\nrelease: echo released > ~/released\n",
  );
  await machine.tell(
    `cd ${REPOSITORY} && git init --quiet --initial-branch=main . && git add --all && git -c user.name=Ada -c user.email=ada@example.com commit --quiet -m change && chown -R gantry ${REPOSITORY}`,
  );
});
afterAll(() => machine.close());

const change = (path: string, body: unknown) => api.call("PATCH", `/v1/projects/${project.id}${path}`, body);

async function deploy() {
  const { id } = await api.start(project.id);
  return await api.ended(id);
}

async function ask(name: string): Promise<string> {
  const log = `/var/lib/gantry/projects/${project.id}/logs/${name}.log`;
  return (await machine.run(`curl -sS -m 5 http://127.0.0.1:$(sed -n 's/^port //p' ${log} | tail -n 1)/`))
    .output;
}

describe("on a server that was installed with --policy strict", () => {
  it("an app with a Procfile is deployed, and the server says which policy it has", async () => {
    expect(await deploy()).toMatchObject({ status: "live", failure: null });
    await expect.poll(() => ask("web-1-0")).toBe("of the repository");
    expect(await machine.tell(`cat /var/lib/gantry/projects/${project.id}/home/released`)).toBe("released");
    expect(await machine.tell("gantry-agent status")).toContain(
      "policy: Strict: commands come from repositories",
    );
    expect((await api.call("GET", `/v1/servers/${server.id}`)).json).toMatchObject({ policy: "strict" });
  });

  it.each([
    [
      "a process",
      "processes",
      { processes: { web: { command: "touch ~/evil" } } },
      { processes: { web: null } },
    ],
    ["a release command", "release_commands", { release_command: "touch ~/evil" }, { release_command: null }],
    ["a build command", "build_commands", { build_command: "touch ~/evil" }, { build_command: null }],
    [
      "a cron job",
      "cron",
      { cron: [{ name: "evil", schedule: "* * * * *", command: "touch ~/evil" }] },
      { cron: [] },
    ],
  ])("%s of the settings is refused, with the file and what to do", async (_what, rule, settings, before) => {
    expect((await change("", settings)).status).toBe(200);
    expect(await deploy()).toMatchObject({
      status: "failed",
      failure: {
        code: "refused_by_policy",
        message: expect.stringMatching(
          new RegExp(`^this server's policy \\(${rule}\\) .*project's settings.*/etc/gantry/policy\\.json$`),
        ),
      },
    });
    expect((await change("", before)).status).toBe(200);
  });

  it("no variable and no one-off command runs a program of the control plane", async () => {
    const set = (value: string) => change("/variables", { set: [{ name: "NODE_OPTIONS", value }] });
    expect((await set("--require /proc/self/environ")).status).toBe(200);
    const applied = await api.call("POST", `/v1/projects/${project.id}/apply`, {});
    expect(applied.status).toBe(201);
    expect(await api.ended(DeploymentStarted.parse(applied.json).id)).toMatchObject({
      failure: { code: "refused_by_policy", message: expect.stringContaining("(variables)") },
    });
    await change("/variables", { remove: ["NODE_OPTIONS"] });
    const command = await api.call("POST", `/v1/projects/${project.id}/commands`, {
      command: "touch ~/evil",
    });
    expect(command).toMatchObject({ status: 409, json: { code: "refused_by_policy" } });
    expect((await machine.run(`ls /var/lib/gantry/projects/${project.id}/home/evil`)).code).not.toBe(0);
    expect(await ask("web-1-0")).toBe("of the repository");
  });
});
