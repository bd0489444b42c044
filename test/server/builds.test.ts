import { afterAll, beforeAll, expect, it } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { registerServer } from "../support/enrolments.ts";
import { type Api, createApi } from "../support/journey-api.ts";
import { DebianMachine } from "./support/debian-machine.ts";
import { ImageRegistry } from "./support/image-registry.ts";

const HOME = "/var/lib/gantry";
/** The repository is on the builder only, so the other server can neither fetch nor build. */
const policy = { version: 1, repositories: ["remote", "/srv/**"], artifacts: "accept" };

const app = `
import { createServer } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
const text = readFileSync("private/file", "utf8") + execFileSync("./tool", { encoding: "utf8" });
writeFileSync("written", "by the app");
createServer((request, response) => response.end(text)).listen(Number(process.env.PORT), process.env.HOST);
`;

/** Folders and files that only the project's user may read, a program with its own path, and a link to a tool. */
const build = [
  "mkdir -m 700 private",
  "echo built by $(id -un) > private/file",
  "chmod 600 private/file",
  `printf '#!/bin/sh\\necho run from %s\\n' "$PWD" > tool`,
  "chmod 700 tool",
  "ln -s /usr/bin/env link",
  `mkdir -p ~/own && echo ${HOME}/tools/python > uses-tools`,
].join("\n");

let gantry: Gantry;
let api: Api;
let builder: DebianMachine;
let web: DebianMachine;
const servers: ServerCreated[] = [];

beforeAll(async () => {
  [gantry, builder, web] = await Promise.all([
    useGantry(),
    DebianMachine.boot("trixie"),
    DebianMachine.boot("trixie"),
  ]);
  api = createApi(gantry.url, gantry.token);
  for (const machine of [builder, web]) {
    const server = await registerServer(gantry);
    await machine.write("/etc/gantry/policy.json", JSON.stringify(policy));
    await machine.tell(`${server.enrollment.command} -s -- --with-containers`);
    servers.push(server);
  }
  const files = { "server.mjs": app, "build.sh": build, Procfile: "web: node server.mjs\n" };
  for (const [name, text] of Object.entries(files)) await builder.write(`/srv/shop/${name}`, text);
  await builder.tell(
    "cd /srv/shop && git init --quiet --initial-branch=main . && git add --all && git -c user.name=Ada -c user.email=ada@example.com commit --quiet -m change && chown -R gantry /srv/shop",
  );
});
afterAll(() => Promise.all([builder.close(), web.close()]));

async function live(id: string): Promise<Deployment> {
  const ended = await api.ended(id);
  const log = (await api.log(id)).map(({ message }) => message).join("\n");
  expect(ended, log).toMatchObject({ status: "live", failure: null });
  return ended;
}

it("a build with private files goes from one isolated project to another, and belongs to its user there", async () => {
  const [builds, serves] = servers;
  const project = await api.createProject({
    ...{ name: "shop", server_id: serves?.id, repository: "/srv/shop" },
    ...{ build_on: builds?.id, build_command: "sh build.sh" },
  });
  const deployed = await live((await api.start(project.id)).id);
  expect(deployed.build).toMatchObject({ server_id: builds?.id });
  const release = `${HOME}/projects/${project.id}/releases/1`;
  expect(
    await web.tell(`stat -c '%U %A' ${release} ${release}/private ${release}/private/file ${release}/tool`),
  ).toBe(
    [
      `${project.id} drwxrwxr-x`,
      `${project.id} drwxrwx---`,
      `${project.id} -rw-rw----`,
      `${project.id} -rwxrwx---`,
    ].join("\n"),
  );
  const notes = `${HOME}/projects/${project.id}/instances/web-*.json`;
  const port = await web.tell(`sed -n 's/.*"port": *\\([0-9]*\\).*/\\1/p' ${notes}`);
  expect(await web.tell(`curl -sS http://127.0.0.1:${port}/`)).toBe(
    `built by ${project.id}\nrun from ${release}`,
  );
  // Nothing of the project is left on the builder but its caches.
  expect(await builder.tell(`ls -A ${HOME}/projects/${project.id}/releases`)).toBe("");

  // A rollback without the files uses the stored build, at another path.
  await live((await api.start(project.id)).id);
  await web.tell(`rm -rf ${release} ${release}.json`);
  await live((await api.rollBack(project.id, { version: 1 })).id);
  expect(await web.tell(`cat ${HOME}/projects/${project.id}/current/tool`)).toContain("/releases/3");
});

it("an image is built once, and goes to the servers that run it", async () => {
  const [builds, serves] = servers;
  await ImageRegistry.start(builder);
  const answer = "require('node:http').createServer((_, a) => a.end('an image')).listen(process.env.PORT)";
  await builder.write("/srv/image/Dockerfile", `FROM node:24\nCMD ["node", "-e", "${answer}"]\n`);
  await builder.tell(
    "cd /srv/image && git init --quiet --initial-branch=main . && git add --all && git -c user.name=Ada -c user.email=ada@example.com commit --quiet -m change && chown -R gantry /srv/image",
  );
  const project = await api.createProject({
    ...{ name: "image", server_id: serves?.id, repository: "/srv/image", build_on: builds?.id },
    framework: "dockerfile",
  });
  const deployed = await live((await api.start(project.id)).id);
  const log = await api.log(deployed.id);
  // Only the builder has pulled and built anything.
  const steps = log.filter(({ message }) => message.startsWith("STEP "));
  expect(new Set(steps.map(({ server_id }) => server_id))).toEqual(new Set([builds?.id]));
  const folder = `${HOME}/projects/${project.id}`;
  const port = await web.tell(`sed -n 's/.*"port": *\\([0-9]*\\).*/\\1/p' ${folder}/instances/web-*.json`);
  expect(await web.tell(`curl -sS http://127.0.0.1:${port}/`)).toBe("an image");
  // The release keeps no second copy of it.
  expect(await web.tell(`ls -A ${folder}/releases/1`)).toBe("Dockerfile");
});
