import { createServer } from "node:http";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { registerServer } from "../support/enrolments.ts";
import { createApi } from "../support/journey-api.ts";
import { DebianMachine } from "./support/debian-machine.ts";

let gantry: Gantry;
let machine: DebianMachine;
beforeAll(async () => {
  [gantry, machine] = await Promise.all([useGantry(), DebianMachine.boot()]);
});
afterAll(() => machine.close());

const install = (args: string, token?: string) =>
  machine.run(
    `curl -fsSL ${gantry.url}/install.sh | sh -s -- ${args}`,
    token === undefined ? {} : { GANTRY_TOKEN: token },
  );

/** The home folder that useradd creates for the existing user. */
const own = ["", "home", "deploy"].join("/");

/** Forwards requests and drops the answers. */
async function openLossyProxy(): Promise<{ readonly url: string; close(): void }> {
  const proxy = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const headers = { "content-type": "application/json" };
      void fetch(gantry.url + (request.url ?? "/"), {
        method: request.method ?? "POST",
        headers,
        body: Buffer.concat(chunks),
      }).finally(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, close: () => void proxy.close() };
}

describe("an installation that fails after it sent its token", () => {
  it("is completed by the same command, and can be removed completely", async () => {
    const { id, enrollment } = await registerServer(gantry);
    const proxy = await openLossyProxy();
    const script = await (await fetch(`${gantry.url}/install.sh`)).text();
    const lossy = script.replace('enroll --url "$origin"', `enroll --url "${proxy.url}"`);
    const failed = await machine.run("sh -s --", { GANTRY_TOKEN: enrollment.token }, lossy);
    proxy.close();
    expect(failed).toMatchObject({ code: 7, output: expect.stringContaining("cannot be reached") });
    expect(await machine.tell("stat -c %U /var/lib/gantry/enrolling.json")).toBe("gantry");
    const installed = await install("", enrollment.token);
    expect(installed).toMatchObject({ code: 0, output: expect.stringContaining(`as ${id}`) });
    expect((await install("--uninstall --purge")).code).toBe(0);
    const left = "ls -d /usr/local/lib/gantry /var/lib/gantry 2>/dev/null; getent passwd gantry";
    expect((await machine.run(left)).output).toBe("");
  });
});

describe("an existing user with a home below /home", () => {
  it("has a home folder that git and builds can write to in the service", async () => {
    await machine.tell("useradd --create-home deploy && git init --quiet --initial-branch=main /srv/site");
    await machine.tell(
      "cd /srv/site && git -c user.name=Ada -c user.email=a@example.com commit --quiet --allow-empty -m one && chown -R deploy .",
    );
    await machine.allowLocalRepositories();
    const server = await registerServer(gantry);
    const installed = await install("--user deploy", server.enrollment.token);
    expect(installed).toMatchObject({
      code: 0,
      output: expect.stringContaining(`use /var/lib/gantry as their home folder, not ${own}`),
    });
    const api = createApi(gantry.url, gantry.token);
    const project = await api.createProject({
      name: "site",
      server_id: server.id,
      repository: "/srv/site",
      output_directory: ".",
      build_command:
        'echo "$HOME" > home; touch ~/.cache-of-a-build; git config --global user.name Ada; git config user.name > name; mktemp',
    });
    const { id } = await api.start(project.id);
    expect(await api.ended(id)).toMatchObject({ status: "live", failure: null });
    const current = `/var/lib/gantry/projects/${project.id}/current`;
    expect(await machine.tell(`cat ${current}/home ${current}/name`)).toBe(
      `/var/lib/gantry/projects/${project.id}/home\nAda`,
    );
    expect((await machine.run(`ls -A ${own}/.gitconfig`)).code).not.toBe(0);
  });

  it("is refused before the token is used if the user cannot write to the home folder", async () => {
    expect((await install("--uninstall --purge")).code).toBe(0);
    expect(await machine.tell(`getent passwd deploy && ls -d ${own}`)).toContain(own);
    await machine.tell("install -d -o root -m 755 /srv/gantry");
    const server = await registerServer(gantry);
    const refused = await install("--user deploy --home /srv/gantry", server.enrollment.token);
    expect(refused).toMatchObject({
      code: 13,
      output: expect.stringContaining("the user deploy cannot write to /srv/gantry, which belongs to root."),
    });
    await machine.tell("chown deploy /srv/gantry");
    const installed = await install("--user deploy --home /srv/gantry", server.enrollment.token);
    expect(installed).toMatchObject({ code: 0, output: expect.stringContaining(`as ${server.id}`) });
    expect((await install("--uninstall --purge")).code).toBe(0);
    expect(await machine.tell("ls -A /srv/gantry")).toBe("");
  });

  it("can have the agent's home below its own", async () => {
    const server = await registerServer(gantry);
    const installed = await install(`--user deploy --home ${own}/gantry`, server.enrollment.token);
    expect(installed).toMatchObject({ code: 0, output: expect.stringContaining(`as ${server.id}`) });
    expect((await install("--uninstall --purge")).code).toBe(0);
    expect(await machine.tell(`ls -A ${own} | grep gantry || echo none`)).toBe("none");
  });
});
