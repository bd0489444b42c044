import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { CronOutput } from "#contract/endpoints/cron/schemas.ts";
import { CommandOutput, CommandRun } from "#contract/endpoints/commands/schemas.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { eventually } from "../support/faults/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { startLoad } from "../support/load/load.ts";
import { AppServer } from "./support/app-server.ts";
import { onlyLiveRuns } from "./support/app-state.ts";
import { loadAppText } from "./support/apps/load-app.ts";
import { ImageRegistry } from "./support/image-registry.ts";

const TEST_MS = 600_000;
const SWITCHES = 16;
const SECRET = "the-secret-of-a-build";

/** As a small app in Node has one: a base image, dependencies, a user of its own. */
const DOCKERFILE = `FROM node:24
ARG COLOR=none
RUN useradd --uid 1000 app && mkdir -p /app/storage && chown app /app/storage
WORKDIR /app
RUN --mount=type=secret,id=TOKEN wc -c < /run/secrets/TOKEN > token-size.txt || true
COPY app.cjs release.txt ./
RUN echo "built with $COLOR and $(cat token-size.txt) bytes"
USER app
EXPOSE 3000
CMD ["sh", "-c", "echo up >> storage/starts; exec node app.cjs $(cat release.txt)-$COLOR"]
`;

const check = { path: "/", tries: 3, interval_seconds: 0.1, timeout_seconds: 10 };

let server: AppServer;
let project: Project;
beforeAll(async () => {
  server = await AppServer.start({ containers: true, ingress: true });
  await ImageRegistry.start(server.machine);
  await server.machine.tell(
    `curl -fsSL ${server.gantry.url}/install.sh | sh -s -- --allow-commands --allow-cron`,
  );
  project = await createProject("boxed", {
    Dockerfile: DOCKERFILE,
    "app.cjs": loadAppText(),
    "release.txt": "r0",
  });
}, TEST_MS);
afterAll(() => server.close());

function createProject(
  name: string,
  files: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Project> {
  return server.createProject(name, files, {
    domain: `${name}.localhost`,
    framework: "dockerfile",
    shared_paths: ["storage"],
    health_check: check,
    drain_seconds: 2,
    keep_releases: 2,
    timeouts: { start_seconds: 10 },
    ...settings,
  });
}

const textOf = async ({ id }: Deployment): Promise<string> =>
  (await server.api.log(id)).map(({ message }) => message).join("\n");

async function setVariables(id: string, set: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  const { status, text } = await server.api.call("PATCH", `/v1/projects/${id}/variables`, { set });
  expect([status, text]).toEqual([200, text]);
}

const folder = () => `/var/lib/gantry/projects/${project.id}`;

/** The number of the process of a program in the instance's unit, or an empty text. */
const pidOf = async (program: string): Promise<string> => {
  const { output } = await server.machine.run(
    `cd /sys/fs/cgroup/gantry.slice/gantry-app.slice/ && for pid in $(cat gantry-app-podman-${project.id}-web-*/cgroup.procs); do if grep -qaE '^(/[a-z/]*/)?${program}' /proc/$pid/cmdline; then echo $pid; fi; done 2>/dev/null | tail -n 1`,
  );
  return output.trim();
};

describe("A project with a Dockerfile", () => {
  it("is built and runs the command of its image", { timeout: TEST_MS }, async () => {
    await setVariables(project.id, [
      { name: "COLOR", value: "red" },
      { name: "TOKEN", value: SECRET, secret: true, build: true },
    ]);
    const built = await server.deploy(project.id);
    const log = await textOf(built);
    expect([built.status, log]).toEqual(["live", log]);
    expect(log).toContain("web runs the command of the image");
    // A plain variable is a build argument, and a secret only a file for the instruction that mounts it.
    expect(log).toContain(`built with red and ${SECRET.length} bytes`);
    expect(await server.ask("boxed.localhost")).toBe("r0-red GET 0");
  });

  it("has its secrets on no disk, in no process list and in no image", async () => {
    const { machine } = server;
    await machine.write("/root/pattern", SECRET);
    const found = await machine.run(`grep -rlF -f /root/pattern ${folder()} /etc /run/systemd/transient`);
    expect(found).toEqual({ code: 1, output: "" });
    const shown = await machine.run("cat /proc/[0-9]*/cmdline 2>/dev/null | grep -caF -f /root/pattern");
    expect(shown.output).toBe("0\n");
  });

  it("cannot fill the memory of the server with files that the engine made for it", async () => {
    const { machine } = server;
    // root in the container, which the app is not.
    const asRoot = `nsenter --target ${await pidOf("podman-init")} --user --mount --setuid=0 --setgid=0`;
    const { output } = await machine.run(
      `${asRoot} sh -c 'cp /etc/hosts /tmp/hosts; dd if=/dev/zero of=/etc/hosts bs=1M count=200; cat /tmp/hosts > /etc/hosts'; du -sm /run/gantry-containers/*${project.id}-web*`,
    );
    expect(output).toContain("No space left on device");
    expect(output).toMatch(/^[01]\t/m);
  });

  it("has shared files that belong to the user in the container", async () => {
    expect(await server.machine.tell(`cat ${folder()}/shared/storage/starts`)).toBe("up");
  });

  it("is not built again if nothing has changed", { timeout: TEST_MS }, async () => {
    const again = await server.deploy(project.id);
    const log = await textOf(again);
    expect([again.status, log]).toEqual(["live", expect.stringContaining("its image is used again")]);
    expect(log).not.toContain("STEP 1/");
  });

  it("switches, rolls back and restarts without losing a request", { timeout: TEST_MS }, async () => {
    const load = startLoad(await server.target("boxed.localhost"), 40);
    await load.answeredBy("r0-red");
    await server.commit("boxed", { "release.txt": "r1" });
    await server.expectLive(project.id);
    await load.answeredBy("r1-red");
    const version = (await server.api.listDeployments(project.id)).length;
    for (let turn = 0; turn < SWITCHES; turn += 1)
      await server.becomesLive(
        (await server.api.rollBack(project.id, { version: turn % 2 === 0 ? 2 : version })).id,
      );
    const restarted = await server.api.call("POST", `/v1/projects/${project.id}/processes/web/restart`, {});
    await server.becomesLive(z.object({ id: z.string() }).parse(restarted.json).id);
    const { failures, cutSockets, ok } = await load.stop();
    expect({ failures, cutSockets }).toEqual({ failures: {}, cutSockets: 0 });
    expect(ok).toBeGreaterThan(500);
    await onlyLiveRuns(server, project);
  });

  it("loses requests in the same load when it is killed", { timeout: TEST_MS }, async () => {
    const load = startLoad(await server.target("boxed.localhost"), 10);
    await load.answeredBy("r1-red");
    await server.machine.tell(`kill -KILL ${await pidOf("node")}`);
    await eventually("requests are lost", () => Promise.resolve(load.failures() > 0));
    await load.stop();
  });

  it.each(["node", "conmon", "pasta", "podman-init"])(
    "works again when its %s is killed",
    { timeout: TEST_MS },
    async (program) => {
      await eventually("it answers", async () => (await server.ask("boxed.localhost")).startsWith("r"));
      const before = await pidOf(program);
      expect(before).toMatch(/^\d+$/);
      await server.machine.tell(`kill -KILL ${before}`);
      await eventually("it was started again", async () => !["", before].includes(await pidOf("node")));
      await eventually("it answers again", async () => (await server.ask("boxed.localhost")).startsWith("r"));
    },
  );

  it(
    "runs one-off commands, cron jobs and the release command in the image",
    { timeout: TEST_MS },
    async () => {
      const path = `/v1/projects/${project.id}`;
      const started = await server.api.call("POST", `${path}/commands`, {
        command: "sh -c 'id -u; echo $COLOR; exit 3'",
      });
      expect(started).toMatchObject({ json: { id: expect.any(String) } });
      const { id } = CommandRun.parse(started.json);
      const ended = async () =>
        CommandRun.parse((await server.api.call("GET", `${path}/commands/${id}`)).json);
      await eventually("the command ends", async () => (await ended()).status !== "running");
      const { json } = await server.api.call("GET", `${path}/commands/${id}/output`);
      const output = CommandOutput.parse(json).lines.map(({ message }) => message);
      expect([(await ended()).exit_code, output]).toEqual([3, ["1000", "red"]]);
      await server.api.call("PATCH", path, {
        release_command: "sh -c 'echo migrated $(cat release.txt)'",
        cron: [{ name: "tick", schedule: "0 0 1 1 *", command: "cat release.txt" }],
      });
      const deployed = await server.deploy(project.id);
      const log = await textOf(deployed);
      expect([deployed.status, log]).toEqual(["live", expect.stringContaining("migrated r")]);
      await server.api.call("POST", `${path}/cron/tick/run`, {});
      const ran = async () =>
        CronOutput.parse((await server.api.call("GET", `${path}/cron/tick/runs/1/output`)).json);
      await eventually("the job has printed", async () => {
        const { status } = await server.api.call("GET", `${path}/cron/tick/runs/1/output`);
        return status === 200 && (await ran()).lines.length > 0;
      });
      expect((await ran()).lines.map(({ message }) => message)).toEqual([expect.stringMatching(/^r/)]);
    },
  );

  it("keeps the images of its releases, and removes the others", { timeout: TEST_MS }, async () => {
    const images = async () =>
      await server.machine.tell(
        `cat ${folder()}/containers/overlay-images/images.json | grep -o 'localhost/gantry:[0-9]*' | sort -u`,
      );
    const releases = (await server.machine.tell(`ls ${folder()}/releases | grep -v json`)).split("\n");
    await eventually("only the images of releases are there", async () => {
      const tags = (await images()).split("\n").map((tag) => tag.replace("localhost/gantry:", ""));
      return tags.every((tag) => releases.includes(tag));
    }).catch(async () => expect(await images()).toBe(releases.join("\n")));
    expect(await server.ask("boxed.localhost")).toContain("-red");
  });
});

/** A server at a port and an address, as a Dockerfile has it in a line. */
const listening = (at: string) =>
  `CMD ["node", "-e", "require('node:http').createServer((_, a) => a.end('up')).listen(${at})"]`;

describe("A Dockerfile that does not work", () => {
  let broken: Project;
  beforeAll(async () => {
    broken = await createProject(
      "broken",
      { Dockerfile: "FROM debian:13\n" },
      { timeouts: { build_seconds: 20, start_seconds: 6 } },
    );
  });

  it.each([
    ["names a base image that does not exist", "FROM nothing:1", "build_failed", "nothing:1 does not exist"],
    [
      "has an instruction that fails",
      "FROM debian:13\nRUN echo no; exit 7",
      "build_failed",
      "`RUN echo no; exit 7` ended with exit code 7",
    ],
    ["has an unknown instruction", "FROM debian:13\nRUNN true", "build_failed", "RUNN"],
    ["copies what is not there", "FROM debian:13\nCOPY missing.txt /", "build_failed", "missing.txt"],
    ["has no command", "FROM debian:13", "build_failed", "the image has no command"],
    [
      "runs as a user that it does not have",
      'FROM node:24\nUSER ghost\nCMD ["node"]',
      "build_failed",
      "the user ghost",
    ],
    ["never ends", "FROM debian:13\nRUN sleep 4321", "timed_out", "took longer than 20 seconds"],
    ["ends at once", 'FROM debian:13\nCMD ["sh", "-c", "echo sorry; exit 3"]', "start_failed", "exit code 3"],
    [
      "has a command that does not exist",
      'FROM debian:13\nCMD ["ghost"]',
      "start_failed",
      "does not have the program",
    ],
    [
      "listens on another port",
      `FROM node:24\n${listening("5000")}`,
      "timed_out",
      "container_port of its process to 5000",
    ],
    [
      "listens for its container only",
      `FROM node:24\n${listening("8080, '127.0.0.1'")}`,
      "timed_out",
      "127.0.0.1:8080 of its container",
    ],
  ])("because it %s fails with a reason", { timeout: TEST_MS }, async (_, dockerfile, code, reason) => {
    await server.commit("broken", { Dockerfile: `${dockerfile}\n` });
    const { failure } = await server.deploy(broken.id);
    expect([failure?.code, `${failure?.message} ${failure?.hint}`]).toEqual([
      code,
      expect.stringContaining(reason),
    ]);
  });

  it("and is canceled leaves no process", { timeout: TEST_MS }, async () => {
    await server.commit("broken", { Dockerfile: "FROM debian:13\nRUN sleep 6789 & sleep 6789\n" });
    await server.api.call("PATCH", `/v1/projects/${broken.id}`, { timeouts: { build_seconds: 300 } });
    const { id } = await server.api.start(broken.id);
    const running = () => server.machine.run("pgrep --full '^sleep (4321|6789)'");
    await eventually("it runs", async () => (await running()).code === 0);
    await server.api.call("POST", `/v1/deployments/${id}/cancel`);
    expect(await server.api.ended(id)).toMatchObject({ status: "canceled" });
    expect((await running()).code).toBe(1);
  });

  it("leaves no files in the way of the next build", { timeout: TEST_MS }, async () => {
    const { machine } = server;
    const temporary = `/var/lib/gantry/projects/${broken.id}/private-tmp`;
    // As a build leaves them that is killed while it pulls, or runs an instruction.
    await machine.tell(
      `cd ${temporary} && mkdir -p container_images_storage1 buildah1/mnt/rootfs && chmod 0 buildah1/mnt/rootfs buildah1/mnt && chown -R ${broken.id}: container_images_storage1 buildah1`,
    );
    await server.commit("broken", { Dockerfile: "FROM debian:13\n" });
    await server.deploy(broken.id);
    expect(await machine.tell(`ls ${temporary}`)).toBe("");
  });

  it(
    "works with a port below 1024, without root, and with a health check of its own",
    { timeout: TEST_MS },
    async () => {
      await server.commit("broken", {
        Dockerfile: `FROM node:24\nUSER 1000\nEXPOSE 80\nHEALTHCHECK CMD false\n${listening("process.env.PORT")}\n`,
      });
      await server.expectLive(broken.id);
      expect(await server.ask("broken.localhost")).toBe("up");
    },
  );

  it(
    "cannot be seen by another project, and reaches nothing at 127.0.0.1 of the server",
    { timeout: TEST_MS },
    async () => {
      const path = `/v1/projects/${broken.id}`;
      const port = await server.machine.tell(
        "sed -n 's/.*127.0.0.1:\\([0-9]*\\).*/\\1/p' /etc/test-registry.yml",
      );
      const open = await freePort();
      await server.machine.tell(
        `systemd-run --quiet node -e "require('node:http').createServer((_, a) => a.end()).listen(${open}, '0.0.0.0')"`,
      );
      const asked = [
        `127.0.0.1:${port}`,
        `host.containers.internal:${port}`,
        `host.containers.internal:${open}`,
      ];
      const line = `node -e "(async () => { for (const at of '${asked.join(" ")}'.split(' ')) await fetch('http://' + at).then(() => console.log('reached'), (e) => console.log(e.cause.code)) })()"`;
      const started = await server.api.call("POST", `${path}/commands`, { command: line });
      expect(started).toMatchObject({ json: { id: expect.any(String) } });
      const { id } = CommandRun.parse(started.json);
      const read = async () => {
        const { json } = await server.api.call("GET", `${path}/commands/${id}/output`);
        return CommandOutput.parse(json).lines.map(({ message }) => message);
      };
      await eventually("it prints all", async () => (await read()).length === asked.length);
      // What listens for others than the server can be reached at its other addresses, such as a database for containers.
      expect(await read()).toEqual(["ECONNREFUSED", "ECONNREFUSED", "reached"]);
    },
  );
});

describe("A server with containers", () => {
  it("runs again after a reboot of the server", { timeout: TEST_MS }, async () => {
    await server.machine.reboot();
    await server.machine.tell("chmod 666 /dev/net/tun");
    await eventually("it answers", async () => (await server.ask("boxed.localhost")).startsWith("r"));
  });
});
