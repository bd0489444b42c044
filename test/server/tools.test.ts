import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { readServer, registerServer } from "../support/enrolments.ts";
import { type Api, createApi } from "../support/journey-api.ts";
import { downloadMise, MISE_VERSION, type NodeMirror, startNodeMirror } from "../support/mise.ts";
import { DebianMachine } from "./support/debian-machine.ts";

const TOOLS = "/var/lib/gantry/tools";

let gantry: Gantry;
let api: Api;
let machine: DebianMachine;
let server: ServerCreated;
let mirror: NodeMirror;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gantry-mise-"));
  const mise = readFileSync(downloadMise(folder));
  rmSync(folder, { recursive: true });
  const path = `/v${MISE_VERSION}/mise-v${MISE_VERSION}-linux-x64`;
  [gantry, machine, mirror] = await Promise.all([
    useGantry(),
    DebianMachine.boot(),
    startNodeMirror(new Map([[path, mise]])),
  ]);
  api = createApi(gantry.url, gantry.token);
  server = await registerServer(gantry);
  await machine.allowLocalRepositories();
});
afterAll(async () => {
  await machine.close();
  await mirror.close();
});

/** Runs the installer, with mise from the test's own download site. */
function install(options: string, from = `http://127.0.0.1:${mirror.port}`) {
  const line = `curl -fsSL ${gantry.url}/install.sh | sh -s -- ${options}`;
  return machine.run(line, { GANTRY_TOKEN: server.enrollment.token, GANTRY_MISE_URL: from });
}

async function deploy(projectId: string): Promise<Deployment> {
  const started = await api.start(projectId);
  return await api.ended(started.id);
}

describe("the installer with --with-mise", () => {
  it("installs nothing if mise cannot be downloaded", async () => {
    const { code, output } = await install("--with-mise", `http://127.0.0.1:${mirror.port}/nowhere`);
    expect({ code, output }).toEqual({ code: 7, output: expect.stringContaining("cannot be downloaded") });
    expect((await machine.run("ls /usr/local/bin/mise /usr/local/bin/gantry-agent")).code).toBe(2);
  });

  it("installs the pinned mise, which the server's read lists", async () => {
    expect(await install("--with-mise")).toMatchObject({ code: 0 });
    expect(await machine.tell("/usr/local/bin/mise --version")).toContain(MISE_VERSION);
    const { tools } = await readServer(gantry, server.id);
    expect(tools).toContainEqual({ name: "mise", version: MISE_VERSION });
    expect(tools).toContainEqual({ name: "node", version: process.versions.node });
    expect(await machine.tell("gantry-agent status --home /var/lib/gantry")).toContain(
      `mise ${MISE_VERSION}`,
    );
  });
});

it("builds in isolation with what mise installed, and cannot change it", async () => {
  await machine.write(
    "/etc/gantry/agent.env",
    `MISE_NODE_MIRROR_URL=http://127.0.0.1:${mirror.port}/\nMISE_USE_VERSIONS_HOST=0\n`,
  );
  await machine.tell("systemctl restart gantry-agent");
  const repository = "/srv/app";
  const [major = ""] = process.versions.node.split(".");
  const build = `console.log("built by", process.execPath);
try {
  require("node:fs").writeFileSync("${TOOLS}/planted", "");
  console.log("SUCCEEDED");
} catch (error) {
  console.log("refused:", error.code);
}`;
  const files = {
    ".nvmrc": major,
    "package.json": '{"scripts":{"start":"node .","build":"node build.js"}}',
    "package-lock.json": '{"lockfileVersion":3,"packages":{"":{}}}',
    "build.js": build,
  };
  for (const [name, text] of Object.entries(files)) await machine.write(`${repository}/${name}`, text);
  await machine.tell(
    `cd ${repository} && git init --quiet --initial-branch=main . && git add --all && git -c user.name=Ada -c user.email=ada@example.com commit --quiet -m app && chown -R gantry ${repository}`,
  );
  const project = await api.createProject({
    ...{ name: "app", server_id: server.id, repository },
    activate_command: "node -p process.execPath",
  });
  const deployment = await deploy(project.id);
  expect(deployment).toMatchObject({ status: "live", failure: null });
  const lines = (await api.log(deployment.id)).map(({ message }) => message);
  // Debian's package nodejs, like this machine's Node, has no npm.
  const node = `${TOOLS}/mise/installs/node/${process.versions.node}/bin/node`;
  expect(lines).toContain(`built by ${node}`);
  expect(lines).toContain("refused: EROFS");
  expect(lines).toContain(node);
});

it("removes the mise that the installer installed", async () => {
  expect((await install("--uninstall --purge")).code).toBe(0);
  expect((await machine.run("ls /usr/local/bin/mise /var/lib/gantry")).code).toBe(2);
});
