import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { Project } from "#contract/endpoints/projects/schemas.ts";

import { type CallOptions, createCli, jsonOf } from "../../cli/support/command.ts";
import { createInstallation, type Installation } from "../../cli/support/installation.ts";
import { builtPrograms } from "../../support/built-programs.ts";
import { createHost, type Host } from "../../support/faults/host.ts";
import { createSsh, sshPath } from "../../support/faults/source.ts";
import { freePort } from "../../support/free-port.ts";

const cli = createCli();
let installation: Installation;
let second: Host;
let repository: string;

beforeAll(async () => {
  installation = await createInstallation();
  const { home, api, clients } = installation;
  const folder = join(home, "second");
  mkdirSync(folder);
  second = await createHost({
    ...{ name: "web-2", folder, api, workerUrl: clients.url, firstPort: await freePort() },
    ...(await builtPrograms()),
    ...{ ssh: await createSsh(sshPath(folder)), diskMegabytes: null },
  });
  await second.startAgent();
  repository = join(home, "shop");
  mkdirSync(repository);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repository });
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(repository, "index.html"), "shop");
  git("add", "--all");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "-m", "Shop");
});
afterAll(async () => {
  await second?.stop();
  await installation?.stop();
});

const options = (): CallOptions => ({
  folder: installation.home,
  env: {
    GANTRY_URL: installation.clients.url,
    GANTRY_TOKEN: installation.token,
    GANTRY_PROJECT: "shop",
  },
});
const run = (...args: string[]) => cli.run(args, options());
/** Runs the command, which must succeed. */
async function must(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect(code, stderr).toBe(0);
  return `${stdout}${stderr}`;
}

/** What a server has of the project. */
const filesOf = ({ home }: Host, ...path: string[]) =>
  readdirSync(join(home, "projects", projectId, ...path)).toSorted();
let projectId = "";

it("a server leaves a project with the next deployment, and keeps no release of it", async () => {
  const servers = ["--server", "web-1", "--server", "web-2"];
  await must("projects", "create", "shop", "--repository", repository, ...servers);
  projectId = Project.parse(jsonOf(await must("projects", "show", "--json"))).id;
  await must("deploy", "--follow");
  const remove = async () => (await run("servers", "remove", "web-2", "--yes")).stderr;
  expect(await remove()).toContain("Server in use: web-2 is a server of shop. Choose other servers for them");
  expect(await must("projects", "set", "--server", "web-1")).toContain(
    "web-2 keeps what runs there until then.",
  );
  expect(filesOf(second)).toContain("current");
  expect(await remove()).toContain(
    "web-2 still serves shop until the next deployment. Deploy them, such as with `gantry apply`, and delete web-2 then.",
  );
  expect(await must("apply", "--follow")).toContain("v2 is live: main at");
  await expect.poll(() => filesOf(second, "releases")).toEqual([]);
  expect(filesOf(second)).toContain("mirror.git");
  expect(filesOf(second)).not.toContain("current");
  expect(filesOf(installation.host)).toContain("current");
});

it("a server that was not connected removes the project when it is, and has it again when it returns", async () => {
  expect(await must("projects", "set", "--server", "web-1", "--server", "web-2")).toMatch(
    /^servers\tweb-2\tunknown\t/m,
  );
  expect(await must("apply", "--follow")).toContain("v3 is live on 2 servers");
  await second.signalAgent("SIGTERM");
  await must("projects", "set", "--server", "web-1");
  await must("apply", "--follow");
  expect(filesOf(second, "releases")).toContain("3");
  await second.startAgent();
  await expect.poll(() => filesOf(second, "releases")).toEqual([]);
  expect(await must("servers", "remove", "web-2", "--yes")).toContain("web-2 is removed.");
  expect(await must("servers")).not.toContain("web-2");
  expect(await must("deploy", "--follow")).toContain("v5 is live: main at");
});
