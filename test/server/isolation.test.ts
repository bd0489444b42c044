import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { HelperRequest } from "#agent/isolation/helper.ts";
import { CronJobReport, CronOutput } from "#contract/endpoints/cron/schemas.ts";
import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { ProjectId } from "#contract/ids.ts";

import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { registerServer } from "../support/enrolments.ts";
import { freePort } from "../support/free-port.ts";
import { type Api, createApi } from "../support/journey-api.ts";
import { CONDITION_MS } from "../support/patience.ts";
import { askHelper, connectToHelper } from "./support/ask-helper.ts";
import { DebianMachine } from "./support/debian-machine.ts";

const HOME = "/var/lib/gantry";
const SECRET = "the-secret-of-the-other-project";
const hostileScript = readFileSync(resolve(import.meta.dirname, "support/hostile.sh"), "utf8");

const attempts = hostileScript.match(/^try "/gm)?.length;

const app = `
import { createServer } from "node:http";
createServer((request, response) => response.end("up")).listen(Number(process.env.PORT), "127.0.0.1");
`;

let gantry: Gantry;
let api: Api;
let machine: DebianMachine;
let server: ServerCreated;
/** The other project on the server, with an app that an activate command left running. */
let victim: { readonly id: string; readonly port: number };

beforeAll(async () => {
  [gantry, machine] = await Promise.all([useGantry(), DebianMachine.boot()]);
  api = createApi(gantry.url, gantry.token);
  server = await registerServer(gantry);
  await machine.allowLocalRepositories();
  await machine.tell(server.enrollment.command);
  const port = await freePort();
  await commit("/srv/victim", { "server.mjs": app });
  const project = await createProject("victim", "/srv/victim", {
    build_command: null,
    shared_paths: [".env"],
    activate_command: `PORT=${port} SECRET=${SECRET} node server.mjs & until curl -s 127.0.0.1:${port}; do sleep 0.1; done`,
  });
  victim = { id: project.id, port };
  await machine.tell(
    `setpriv --reuid=gantry --regid=gantry --clear-groups mkdir -p ${HOME}/projects/${project.id}/shared`,
  );
  await machine.write(`${HOME}/projects/${project.id}/shared/.env`, `SECRET=${SECRET}`);
  await machine.tell(
    `chown gantry:gantry ${HOME}/projects/${project.id}/shared/.env; chmod 640 ${HOME}/projects/${project.id}/shared/.env`,
  );
  expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
  const tool = `${HOME}/tools/tool`;
  await machine.tell(
    `mkdir -p ${HOME}/tools && printf '#!/bin/sh\\necho a tool' > ${tool} && chmod 755 ${tool}`,
  );
  await machine.tell(`chown -R gantry:gantry ${HOME}/tools`);
  await machine.tell("touch /tmp/other /dev/shm/other ~/ada; useradd --create-home ada");
});
afterAll(() => machine.close());

async function commit(repository: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await machine.write(`${repository}/${name}`, text);
  await machine.tell(
    `chown -R root ${repository} && cd ${repository} && git init --quiet --initial-branch=main . && git add --all && git -c user.name=Ada -c user.email=ada@example.com commit --quiet --allow-empty -m change && chown -R gantry ${repository}`,
  );
}

const createProject = (name: string, repository: string, settings: Readonly<Record<string, unknown>>) =>
  api.createProject({ name, server_id: server.id, repository, ...settings });

async function deploy(projectId: string): Promise<Deployment> {
  const started = await api.start(projectId);
  return await api.ended(started.id);
}

async function linesOf(deployment: Pick<Deployment, "id">, stream = "stdout"): Promise<readonly string[]> {
  const lines = await api.log(deployment.id);
  return lines.filter((line) => line.stream === stream).map((line) => line.message);
}

const agentPid = () => machine.tell("systemctl show --property=MainPID --value gantry-agent");
const victimPid = () => machine.tell(`pgrep --newest --full '^node server.mjs'`);
const ask = async () => (await machine.run(`curl -sS -m 5 http://127.0.0.1:${victim.port}/`)).output;

/** Requests the other project's site until the work has ended. @returns the answers that are not `up` */
async function failuresWhile<Value>(
  work: Promise<Value>,
): Promise<{ value: Value; failures: string[]; tries: number }> {
  const failures: string[] = [];
  let tries = 0;
  let isRunning = true;
  const asking = (async () => {
    while (isRunning) {
      const answer = await fetch(`http://127.0.0.1:${victim.port}/`).then((found) => found.text(), String);
      tries += 1;
      if (answer !== "up") failures.push(answer);
      await new Promise((resume) => setTimeout(resume, 20));
    }
  })();
  const value = await work.finally(() => (isRunning = false));
  await asking;
  return { value, failures, tries };
}

/** The environment of the hostile script, as part of a command. */
async function facts(self: string): Promise<string> {
  return `HOME_OF_AGENT=${HOME} SELF=${self} VICTIM=${victim.id} AGENT_PID=${await agentPid()} VICTIM_PID=${await victimPid()} VICTIM_PORT=${victim.port}`;
}

describe("a hostile project", () => {
  let project: { readonly id: string };
  beforeAll(async () => {
    await commit("/srv/hostile", { "hostile.sh": hostileScript });
    project = await createProject("hostile", "/srv/hostile", {
      framework: "eleventy",
      build_command: "mkdir .cache",
      output_directory: ".",
      keep_releases: 2,
    });
    // Later commands find a cache, of their own project and of the other project.
    expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
  });

  it.each(["build_command", "activate_command"])(
    "is refused everything outside of its own folder in its %s, and the other site answers",
    async (setting) => {
      const commands = { build_command: "true", activate_command: null };
      const line = `${await facts(project.id)} sh hostile.sh`;
      await api.call("PATCH", `/v1/projects/${project.id}`, { ...commands, [setting]: line });
      const { value, failures, tries } = await failuresWhile(deploy(project.id));
      expect(value).toMatchObject({ status: "live", failure: null });
      const lines = await linesOf(value);
      expect(lines.filter((text) => text.endsWith("SUCCEEDED"))).toEqual([]);
      expect(lines.filter((text) => text.endsWith("refused")).length).toBe(attempts);
      expect(lines.at(-1)).toBe(`finished as ${project.id}`);
      expect(failures).toEqual([]);
      expect(tries).toBeGreaterThan(5);
      expect(await machine.tell(`cat ${HOME}/projects/${victim.id}/shared/.env`)).toContain(SECRET);
      const rights = `find ${HOME}/projects/${project.id}/releases -perm /6000`;
      expect(await machine.tell(rights)).toBe("");
    },
  );

  it("is refused the same in a process", async () => {
    const command = `${await facts(project.id)} sh hostile.sh; exec sleep 1000`;
    await api.call("PATCH", `/v1/projects/${project.id}`, { build_command: "true", activate_command: null });
    await api.call("PATCH", `/v1/projects/${project.id}/processes/hostile`, { command, port: false });
    const { value, failures } = await failuresWhile(deploy(project.id));
    expect(value).toMatchObject({ status: "live", failure: null });
    const log = `${HOME}/projects/${project.id}/logs/hostile-${value.version}-0.log`;
    const printed = async () => (await machine.tell(`cat ${log}`)).split("\n");
    await expect.poll(async () => (await printed()).at(-1)).toBe(`finished as ${project.id}`);
    const lines = await printed();
    expect(lines.filter((text) => text.endsWith("SUCCEEDED"))).toEqual([]);
    expect(lines.filter((text) => text.endsWith("refused")).length).toBe(attempts);
    expect(failures).toEqual([]);
    await api.call("PATCH", `/v1/projects/${project.id}/processes/hostile`, { command: null, port: null });
    expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
  });

  it("can start the tools that the agent installed for builds", async () => {
    await api.call("PATCH", `/v1/projects/${project.id}`, {
      build_command: `${HOME}/tools/tool`,
      activate_command: `${HOME}/tools/tool`,
    });
    const deployment = await deploy(project.id);
    expect(deployment).toMatchObject({ status: "live", failure: null });
    expect((await linesOf(deployment)).filter((line) => line === "a tool").length).toBe(2);
  });

  it("cannot make the agent change or delete files outside of its release", async () => {
    const before = await machine.tell("stat -c '%U %G %a' /etc/passwd /etc/shadow /etc /usr/bin/su");
    const planted =
      "ln -s /etc/shadow link; ln -s /etc folder; mkdir -p deep/a; ln -s /usr/bin deep/a/b; ln /etc/passwd hard; ln -s ../.. up; chmod 000 deep/a deep; chmod 000 .";
    await api.call("PATCH", `/v1/projects/${project.id}`, { build_command: planted, activate_command: null });
    const failed = await deploy(project.id);
    expect(failed).toMatchObject({
      status: "failed",
      failure: { code: "build_failed", message: expect.stringContaining("lead out of the release") },
    });
    expect(await machine.tell("stat -c '%U %G %a' /etc/passwd /etc/shadow /etc /usr/bin/su")).toBe(before);
    const { version } = failed;
    expect(await machine.run(`ls -d ${HOME}/projects/${project.id}/releases/${version}`)).toMatchObject({
      code: 2,
    });
  });

  it("cannot choose what is mounted for its commands", async () => {
    await api.call("PATCH", `/v1/projects/${project.id}`, {
      build_command: `for name in .tmp private-tmp; do rm -rf ~/$name; ln -s ${HOME}/projects ~/$name; done`,
      activate_command: `ls /tmp /var/tmp`,
    });
    const deployment = await deploy(project.id);
    expect(deployment).toMatchObject({ status: "live", failure: null });
    expect((await linesOf(deployment)).filter((line) => line.startsWith("proj_"))).toEqual([]);
  });

  it("cannot look into the helper's programs, which run as its user outside of the sandbox", async () => {
    const watch = `while sleep 0.001; do for p in /proc/[0-9]*; do if [ -e $p/cwd/../../../${victim.id} ] || [ -e $p/root/run/dbus/system_bus_socket ]; then echo $p >> ~/seen; fi; done; done`;
    await api.call("PATCH", `/v1/projects/${project.id}`, {
      build_command: "seq 3000 | xargs touch",
      activate_command: `rm -f ~/seen; touch ~/watches; (${watch}) > /dev/null 2>&1 &`,
    });
    expect(await deploy(project.id)).toMatchObject({ status: "live" });
    await api.call("PATCH", `/v1/projects/${project.id}`, { activate_command: null });
    expect(await deploy(project.id)).toMatchObject({ status: "live" });
    expect(await machine.tell(`ls ${HOME}/projects/${project.id}/home | grep -xE 'seen|watches'`)).toBe(
      "watches",
    );
    await machine.tell(`systemctl stop 'gantry-command-${project.id}-*'`);
  });

  it("has its releases removed, whatever modes its build left", async () => {
    const locked = "mkdir -p a/b; touch a/b/c; chmod 000 a/b a; chmod 500 .";
    await api.call("PATCH", `/v1/projects/${project.id}`, {
      build_command: locked,
      activate_command: "mkdir d; touch d/e; chmod 000 d; chmod 500 .",
    });
    for (let count = 0; count < 4; count += 1)
      expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
    const left = async () =>
      await machine.tell(
        `ls -A ${HOME}/projects/${project.id} ${HOME}/projects/${project.id}/releases | grep -cE '^[0-9]+$|bin$|^tmp$'`,
      );
    await expect.poll(left).toBe("2");
  });

  it("has limits for memory and processes, and loses the CPU and the disk to others", async () => {
    await api.call("PATCH", `/v1/projects/${project.id}`, {
      build_command: "sleep 60",
      activate_command: null,
    });
    const started = await api.start(project.id);
    const unit = async () =>
      (
        await machine.run(
          `systemctl list-units --plain --no-legend 'gantry-build-${project.id}-*-2-*' --state=activating | cut -d ' ' -f 1`,
        )
      ).output.trim();
    await expect.poll(unit).toMatch(/^gantry-build-/);
    const shown = await machine.tell(
      `systemctl show ${await unit()} -p MemoryMax -p TasksMax -p CPUWeight -p IOWeight -p OOMPolicy -p OOMScoreAdjust -p User -p Slice -p NoNewPrivileges`,
    );
    expect(shown).toMatch(/^MemoryMax=\d+$/m);
    expect(
      shown
        .split("\n")
        .filter((line) => !line.startsWith("MemoryMax="))
        .toSorted(),
    ).toEqual([
      "CPUWeight=50",
      "IOWeight=50",
      "NoNewPrivileges=yes",
      "OOMPolicy=stop",
      "OOMScoreAdjust=500",
      "Slice=gantry-build.slice",
      "TasksMax=4096",
      `User=${project.id}`,
    ]);
    // Neither the command nor its variables are in what every user can see.
    expect(await machine.tell(`systemctl show ${await unit()}; systemctl cat ${await unit()}`)).not.toMatch(
      /sleep 60|GANTRY_/,
    );
    await api.call("POST", `/v1/deployments/${started.id}/cancel`);
    expect(await api.ended(started.id)).toMatchObject({ status: "canceled" });
    expect(await unit()).toBe("");
  });
});

describe("a repository on the server", () => {
  const mirror = () => `${HOME}/projects/${victim.id}/mirror.git`;
  let project: { readonly id: string };
  /** A bare repository whose objects, branch and shallow commits come from a folder. */
  const writeLinked = (path: string, folder: string) =>
    machine.tell(
      `rm -rf ${path} && mkdir -p ${path}/objects/info ${path}/refs/heads && cd ${path} && echo 'ref: refs/heads/main' > HEAD && printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = true\\n' > config && echo ${folder}/objects > objects/info/alternates && ln -s ${folder}/refs/gantry/tip refs/heads/main && ln -s ${folder}/shallow shallow && chown -R -h gantry .`,
    );
  const pointTo = (repository: string) =>
    api.call("PATCH", `/v1/projects/${project.id}`, { repository, activate_command: null });
  const served = () => machine.run(`ls ${HOME}/projects/${project.id}/current/`);
  beforeAll(async () => {
    await commit("/srv/plain", { "public/index.html": "plain" });
    project = await createProject("plain", "/srv/plain", { build_command: null });
    expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
  });

  it("gives nothing of another project's through links and alternates, and neither through a linked folder", async () => {
    expect(
      await machine.tell(
        `git -c safe.directory='*' --git-dir=${mirror()} ls-tree --name-only refs/gantry/tip`,
      ),
    ).toBe("server.mjs");
    await writeLinked("/srv/evil.git", mirror());
    await machine.tell(`ln -sfn ${mirror()} /srv/linked.git; echo 'gitdir: ${mirror()}' > /srv/file.git`);
    for (const repository of ["/srv/evil.git", "/srv/linked.git", "/srv/file.git", "file:///srv/evil"]) {
      expect(await pointTo(repository)).toMatchObject({ status: 200 });
      const { status, failure } = await deploy(project.id);
      expect([repository, status]).toEqual([repository, "failed"]);
      expect(failure?.code).toMatch(/^(?:fetch_failed|ref_not_found|refused_by_policy)$/);
      expect((await served()).output).not.toContain("server.mjs");
    }
  });

  it("is not read in a release, by a path that is different for each program, or where the policy does not name it", async () => {
    await pointTo("/srv/plain");
    const { version } = await deploy(project.id);
    const release = `${HOME}/projects/${project.id}/releases/${version}`;
    expect(await pointTo(`/proc/self/cwd/releases/${version}/evil.git`)).toMatchObject({ status: 422 });
    for (const repository of [`${release}/evil.git`, "/opt/shop.git"]) {
      await pointTo(repository);
      expect(await deploy(project.id)).toMatchObject({
        failure: {
          code: "refused_by_policy",
          message: expect.stringContaining(`add "${repository}" to the list`),
        },
      });
    }
  });

  it("is read as the project's user, who must have the right to", async () => {
    await machine.tell("chmod 700 /srv/plain");
    await pointTo("/srv/plain");
    expect(await deploy(project.id)).toMatchObject({
      failure: {
        code: "fetch_failed",
        message: expect.stringContaining(`The project's own user, ${project.id}, reads it`),
      },
    });
    await machine.tell(`chown -R ${project.id} /srv/plain`);
    expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
    const other = await createProject("other", "/srv/plain", { build_command: null });
    expect(await deploy(other.id)).toMatchObject({ status: "failed", failure: { code: "fetch_failed" } });
  });

  it("may have a path that systemd and shells would expand", async () => {
    await commit("/srv/odd", { "index.html": "odd" });
    await machine.tell("mv /srv/odd '/srv/odd $HOME ${HOME} %h \\x20;id'");
    await pointTo("file:///srv/odd%20$HOME%20$%7BHOME%7D%20%25h%20%5Cx20;id");
    expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
  });

  it("runs nothing that its own configuration names", async () => {
    await commit("/srv/partial", { "index.html": "partial" });
    const set = (key: string, value: string) =>
      `git -c safe.directory='*' -C /srv/partial config ${key} '${value}'`;
    await machine.tell(
      [
        set("core.repositoryformatversion", "1"),
        set("extensions.partialClone", "origin"),
        set("remote.origin.promisor", "true"),
        set("remote.origin.url", "/srv/plain"),
        set("remote.origin.uploadpack", "touch /tmp/ran ~/ran; git-upload-pack"),
        set("uploadpack.packObjectsHook", "touch /tmp/ran ~/ran; exec"),
        set("core.fsmonitor", "touch /tmp/ran ~/ran"),
        "rm /srv/partial/.git/objects/$(git -c safe.directory='*' -C /srv/partial rev-parse HEAD:index.html | sed 's,..,&/,')",
      ].join(" && "),
    );
    await pointTo("/srv/partial");
    expect(await deploy(project.id)).toMatchObject({ status: "failed", failure: { code: "fetch_failed" } });
    expect(await machine.tell("find / -xdev -name ran -path '*/ran' -not -path '/proc/*' 2>/dev/null")).toBe(
      "",
    );
  });

  const units = () => machine.tell("systemctl list-units --all --plain --no-legend 'gantry-read-*'");

  it("leaves no unit behind", async () => {
    expect(await units()).toBe("");
  });

  it("is no longer read when the deployment is canceled, even if git hangs", async () => {
    await commit("/srv/hung", { "index.html": "hung" });
    await machine.tell("rm /srv/hung/.git/HEAD && mkfifo -m 644 /srv/hung/.git/HEAD");
    await pointTo("/srv/hung");
    const started = await api.start(project.id);
    await expect.poll(units, { timeout: CONDITION_MS }).toContain(`gantry-read-${project.id}-`);
    await api.call("POST", `/v1/deployments/${started.id}/cancel`);
    expect(await api.ended(started.id)).toMatchObject({ status: "canceled" });
    await expect.poll(units, { timeout: CONDITION_MS }).toBe("");
    const helpers = "systemctl list-units --plain --no-legend 'gantry-isolate@*'";
    await expect.poll(() => machine.tell(helpers), { timeout: CONDITION_MS }).toBe("");
  });
});

describe("the release of a static site", () => {
  it("belongs to the project's user, as every other, and is served", async () => {
    await commit("/srv/static", { "index.html": "static", "private/a.txt": "a" });
    const project = await createProject("static", "/srv/static", { build_command: null });
    expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
    const release = `${HOME}/projects/${project.id}/current/`;
    expect(await machine.tell(`find ${release} -printf '%u %g\\n' | sort -u`)).toBe(
      `${project.id} gantry-isolate`,
    );
  });
});

describe("the cache of a project", () => {
  const cache = (id: string) => `${HOME}/projects/${id}/cache`;
  let project: { readonly id: string };
  const build = (line: string) => api.call("PATCH", `/v1/projects/${project.id}`, { build_command: line });
  beforeAll(async () => {
    await commit("/srv/cached", { "index.html": "cached" });
    project = await createProject("cached", "/srv/cached", {
      framework: "eleventy",
      build_command: "true",
      output_directory: ".",
    });
  });

  it("is restored and stored as its user, and only its entries stay, whatever modes a build left", async () => {
    const line = `mkdir -p .cache/locked; cat .cache/log; echo $GANTRY_VERSION >> .cache/log; chmod 000 .cache/locked; chmod 500 .cache`;
    await build(line);
    expect(await linesOf(await deploy(project.id))).toEqual([]);
    await build(`chmod 700 .cache; ${line}`);
    const second = await deploy(project.id);
    expect(second).toMatchObject({ status: "live", failure: null });
    expect(await linesOf(second)).toEqual(["1"]);
    expect(await linesOf(await deploy(project.id))).toEqual(["1", "2"]);
    await expect.poll(() => machine.tell(`ls ${cache(project.id)}`)).toBe("build-3");
    const cleared = await api.start(project.id, { clear_cache: true });
    expect(await linesOf(await api.ended(cleared.id))).toEqual([]);
    await expect.poll(() => machine.tell(`ls ${cache(project.id)}`)).toBe("build-4");
    const owners = `find ${cache(project.id)} -printf '%u %g\\n' | sort -u`;
    expect(await machine.tell(owners)).toBe(`${project.id} gantry-isolate\n${project.id} ${project.id}`);
    expect(await machine.tell(`stat -c %a ${cache(project.id)}`)).toBe("770");
  });

  it("is not changed by a build that puts links to it in the place of its folders", async () => {
    const before = await machine.tell(`find ${cache(project.id)} -type f | sort`);
    await build(`chmod -R 700 .cache; rm -r .cache; ln -s ${cache(project.id)} .cache`);
    expect(await deploy(project.id)).toMatchObject({ status: "failed" });
    await build(`chmod -R 700 .cache; ln -s ${cache(victim.id)} .cache/link`);
    expect(await deploy(project.id)).toMatchObject({ status: "failed" });
    expect(await machine.tell(`find ${cache(project.id)} -type f | sort`)).toBe(before);
  });
});

describe("a secret of a project", () => {
  it("is seen by the command that it is for, and by no other command, argument, file or unit", async () => {
    const value = "a-value-that-is-searched-for";
    await commit("/srv/secret", { "index.html": "secret" });
    const project = await createProject("secret", "/srv/secret", {
      build_command: 'echo "build: ${TOKEN-nothing} $TITLE"',
      release_command: `echo "release: $(printf %s "$TOKEN" | rev) $(id -un)"; touch migrated; setsid sleep 700 &`,
      activate_command: 'echo "activate: $(printf %s "$TOKEN" | rev) $TITLE"; ls migrated; sleep 600 &',
    });
    const set = [
      { name: "TOKEN", value, secret: true },
      { name: "TITLE", value: "hello 'you'\n\"$HOME\"" },
    ];
    expect(await api.call("PATCH", `/v1/projects/${project.id}/variables`, { set })).toMatchObject({
      status: 200,
    });
    const deployment = await deploy(project.id);
    expect(deployment).toMatchObject({ status: "live", failure: null });
    const lines = await linesOf(deployment);
    // Written backwards by the command, because the log masks it.
    const reversed = "rof-dehcraes-si-taht-eulav-a";
    expect(lines).toEqual([
      "build: nothing hello 'you'",
      '"$HOME"',
      `release: ${reversed} ${project.id}`,
      `activate: ${reversed} hello 'you'`,
      '"$HOME"',
      "migrated",
    ]);
    // The app still runs with it. The pattern is in a file, so that the search does not find itself.
    await machine.write("/srv/pattern", value);
    const find = "grep -F -f /srv/pattern";
    const searched = await machine.run(
      `ps -eo args | ${find}; systemctl show 'gantry-command-${project.id}-*' | ${find}; ${find} -rls ${HOME} /run /etc /tmp; journalctl --output=cat | ${find}`,
    );
    expect((await machine.run("pgrep --full '^sleep 600'")).code).toBe(0);
    // Unlike an app, a release command leaves nothing running.
    expect((await machine.run("pgrep --full '^sleep 700'")).code).toBe(1);
    expect(searched.output).toBe("");
  });
});

const send = (script: string) => connectToHelper(machine, script);
const request = (line: HelperRequest | string) => askHelper(machine, line);

describe("the isolation helper", () => {
  it("answers the agent's user only", async () => {
    expect(await request('{"verb":"show"}')).toBe("gantry-isolate 4\n");
    const other = await machine.run(
      `setpriv --reuid=${victim.id} --regid=${victim.id} --clear-groups node -e 'require("net").connect("/run/gantry-isolate.sock").on("error", (error) => console.log(error.code))'`,
    );
    expect(other.output).toBe("EACCES\n");
  });

  it("takes the fields of a request in any order", async () => {
    expect(await request(`{"project":"${victim.id}","verb":"running"}`)).toMatch(/^running/);
  });

  const project = '"project":"VICTIM"';
  const limits = '"memory_mb":100,"cpu_weight":50,"tasks":50';
  const run = `"verb":"run",${project},"version":1,"number":1,${limits}`;
  const start = `"verb":"start",${project},${limits},"job_bytes":1`;
  it.each([
    "",
    "show",
    "{}",
    '"show"',
    '[{"verb":"show"}]',
    '{"verb":"show"',
    '{"verb":"show",}',
    '{,"verb":"show"}',
    '{"verb":"show"}}',
    '{{"verb":"show"}}',
    '{"verb":"show"}{"verb":"show"}',
    '{"verb":"show"},{"verb":"show"}',
    '{"verb":"show","verb":"show"}',
    '{"verb":{"verb":"show"}}',
    '{"verb":["show"]}',
    '{"verb":"show","PATH":"/tmp"}',
    '{"verb":"show","home":"/tmp"}',
    ' {"verb":"show"}',
    '{"verb": "show"}',
    '{"verb":"sh\\u006fw"}',
    "{'verb':'show'}",
    '{"verb":"SHOW"}',
    '{"verb":"show","version":1}',
    `{${project},"version":1}`,
    '{"verb":"own"}',
    '{"verb":"own","project":"root","version":1}',
    '{"verb":"own","project":"proj_shop","version":1}',
    '{"verb":"own","project":"../../etc","version":1}',
    '{"verb":"own","project":null,"version":1}',
    `{"verb":"own",${project},"version":"../.."}`,
    `{"verb":"own",${project},"version":"1"}`,
    `{"verb":"own",${project},"version":0}`,
    `{"verb":"own",${project},"version":01}`,
    `{"verb":"own",${project},"version":1e3}`,
    `{"verb":"own",${project},"version":-1}`,
    `{"verb":"own",${project},"version":1,"version":2}`,
    `{"verb":"own",${project},"version":1,"number":2}`,
    `{"verb":"own",${project},"version":1;id}`,
    `{"verb":"own",${project},"version":$(id)}`,
    `{"verb":"own",${project},"version":*}`,
    '{"verb":"remove","project":"VICTIM/../.."}',
    '{"verb":"remove"}',
    `{"verb":"end",${project}}`,
    `{"verb":"end_run",${project},"marker":"*"}`,
    `{"verb":"end_release",${project},"version":"*"}`,
    '{"verb":"stop","project":"gantry-agent","instance":"web-1-0"}',
    '{"verb":"read"}',
    `{"verb":"read",${project},"path":"/srv/victim"}`,
    `{"verb":"read",${project},"path_bytes":0}`,
    `{"verb":"read",${project},"path_bytes":99999}`,
    '{"verb":"read","project":"root","path_bytes":11}',
    `{${run},"kind":"shell","marker":"run_1","job_bytes":1}`,
    `{${run},"kind":"cache","marker":"run_1","job_bytes":1,"places":"/etc"}`,
    `{${run.replace('"version":1', '"version":".."')},"kind":"cache","marker":"run_1","job_bytes":1}`,
    `{"verb":"discard",${project},"folder":"cache"}`,
    `{${run.replace('"memory_mb":100', '"memory_mb":-100')},"kind":"build","marker":"run_1","job_bytes":1}`,
    `{${run.replace('"memory_mb":100', '"memory_mb":"infinity"')},"kind":"build","marker":"run_1","job_bytes":1}`,
    `{${run},"kind":"build","marker":"run_1 --property=User=root","job_bytes":1}`,
    `{${run},"kind":"build","marker":"--user","job_bytes":1}`,
    `{${run},"kind":"build","marker":"run_1","job_bytes":9999999}`,
    '{"verb":"list","project":"gantry-agent"}',
    `{"verb":"list",${project},"instance":"web-1-0"}`,
    `{${start},"version":1,"instance":"web","stop_signal":"SIGTERM","stop_seconds":10}`,
    `{${start},"version":1,"instance":"../web-1-0","stop_signal":"SIGTERM","stop_seconds":10}`,
    `{${start},"version":"..","instance":"web-1-0","stop_signal":"SIGTERM","stop_seconds":10}`,
    `{${start},"version":1,"instance":"web-1-0","stop_signal":"SIGKILL","stop_seconds":10}`,
    `{${start},"version":1,"instance":"web-1-0","stop_signal":"SIGTERM","stop_seconds":-1}`,
    `{${start},"version":1,"instance":"web-1-0","stop_signal":"SIGTERM","stop_seconds":"infinity"}`,
    `{${start},"version":1,"instance":"web-1-0","stop_signal":"SIGTERM","stop_seconds":10,"property":"User=root"}`,
    `{${start.replace('"job_bytes":1', '"job_bytes":9999999')},"version":1,"instance":"web-1-0","stop_signal":"SIGTERM","stop_seconds":10}`,
    `{${start},"version":1,"instance":"web-1-0.service","stop_signal":"SIGTERM","stop_seconds":10}`,
    `{"verb":"stop",${project},"instance":"*"}`,
    `{"verb":"stop",${project},"instance":"web-1-0","unit":"gantry-agent"}`,
    '{"verb":"stop","instance":"ssh"}',
    `{"verb":"listens",${project},"instance":"web-1-0","port":0}`,
    `{"verb":"listens",${project},"instance":"web-1-0","port":"80;id"}`,
    `{"verb":"kill",${project},"instance":"web-1-0"}`,
  ])("refuses the request %s", async (line) => {
    expect(await request(line.replaceAll("VICTIM", victim.id))).toMatch(/^refused: /);
  });

  it("reads no more than a line, and waits for it no longer than ten seconds", async () => {
    const long = await send(`write('{"verb":"' + "x".repeat(1_000_000)); socket.end();`);
    expect(long).toBe("refused: not a request\n");
    const startedAt = Date.now();
    expect(await send('write("x".repeat(100_000));')).toBe("refused: not a request\n");
    expect(Date.now() - startedAt).toBeLessThan(60_000);
    expect(await send(`write('{"verb":"sh\\0ow","x":1}\\n');`)).toBe("refused: not a request\n");
  });

  it("does not follow a link of the agent's user out of a project", async () => {
    const id = ProjectId.parse("proj_01j00000000000000000000000");
    const folder = `${HOME}/projects/${id}`;
    await machine.tell(
      `install -d -o gantry ${folder}; ln -s /etc ${folder}/releases; ln -s / ${folder}/shared; ln -s /etc ${folder}/cache; touch /etc/kept.part`,
    );
    expect(await request({ verb: "discard", project: id })).toBe(
      "refused: a link leads out of the project\n",
    );
    expect((await machine.run("ls /etc/kept.part")).code).toBe(0);
    expect(await request({ verb: "own", project: id, version: 1 })).toMatch(/^refused: /);
    await machine.tell(
      `rm ${folder}/releases; install -d -o gantry ${folder}/releases; ln -s /etc ${folder}/releases/1`,
    );
    expect(await request({ verb: "own", project: id, version: 1 })).toBe(
      "refused: a link leads out of the project\n",
    );
    await machine.tell(`rm -r ${folder}; ln -s /etc ${folder}`);
    expect(await request({ verb: "remove", project: id })).toBe("refused: a link leads out of the project\n");
    expect(await request({ verb: "discard", project: id })).toBe(
      "refused: a link leads out of the project\n",
    );
    expect(await machine.tell("stat -c %U /etc /etc/passwd")).toBe("root\nroot");
    await machine.tell(`rm ${folder}`);
    expect(await request({ verb: "remove", project: id })).toBe("ok\n");
    expect((await machine.run(`getent passwd ${id}`)).output).toBe("");
  });
});

describe("the isolation helper, which removes a project", () => {
  it("says so when its user still runs something", async () => {
    const id = ProjectId.parse("proj_01j00000000000000000000001");
    await machine.tell(`install -d -o gantry ${HOME}/projects/${id}/releases/1`);
    expect(await request({ verb: "own", project: id, version: 1 })).toBe("ok\n");
    await machine.tell(`systemd-run --quiet --unit=own-service --property=User=${id} sleep 600`);
    expect(await request({ verb: "remove", project: id })).toMatch(
      /^failed: the user proj_\w+ cannot be deleted: .*process/,
    );
    await machine.tell("systemctl stop own-service");
    expect(await request({ verb: "remove", project: id })).toBe("ok\n");
  });
});

describe("a job of a project", () => {
  const command = "id -un; until [ -e ../../home/go ]; do sleep 0.2; done; cat index.html";

  it("runs as its user at its time, and a deployment does not end it", async () => {
    await machine.tell(`curl -fsSL ${gantry.url}/install.sh | sh -s -- --allow-cron`);
    expect(await machine.tell("cat /etc/gantry/policy.json")).toContain('"cron": "any"');
    await commit("/srv/jobs", { "index.html": "one" });
    const cron = [{ name: "tick", schedule: "* * * * *", command }];
    const project = await createProject("jobs", "/srv/jobs", { build_command: null, cron });
    expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
    const path = `/v1/projects/${project.id}/cron/tick`;
    const first = async () =>
      CronJobReport.parse((await api.call("GET", path)).json).runs.find(({ number }) => number === 1);
    await expect
      .poll(first, { timeout: 60_000 + CONDITION_MS, interval: 500 })
      .toMatchObject({ status: "running" });
    // A job is reported as running before systemd has started its unit.
    const units = () => machine.tell("systemctl list-units --plain --no-legend 'gantry-job-*'");
    await expect.poll(units).toContain(project.id);
    await commit("/srv/jobs", { "index.html": "two" });
    expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
    await machine.tell(`touch ${HOME}/projects/${project.id}/home/go`);
    await expect.poll(first, { interval: 500 }).toMatchObject({
      ...{ status: "exited", exit_code: 0, release: 1, trigger: "schedule" },
    });
    const output = CronOutput.parse((await api.call("GET", `${path}/runs/1/output`)).json);
    expect(output.lines.map(({ message }) => message)).toEqual([project.id, "one"]);
  });
});

describe("the server", () => {
  it("ends a build when the agent is updated in the middle of it, and leaves the other site alone", async () => {
    await commit("/srv/slow", { "index.html": "slow" });
    const project = await createProject("slow", "/srv/slow", {
      build_command: "setsid sleep 400 & sleep 400",
    });
    const started = await api.start(project.id);
    const alive = async () => (await machine.run("pgrep --count --full '^sleep 400'")).output.trim();
    await expect.poll(alive).toBe("2");
    const update = machine.run(`curl -fsSL ${gantry.url}/install.sh | sh`);
    const { value, failures } = await failuresWhile(update);
    expect(value).toMatchObject({
      code: 0,
      output: expect.stringContaining("Each project runs as its own user"),
    });
    await expect.poll(alive).toBe("0");
    expect(await api.ended(started.id)).toMatchObject({ status: "failed", failure: { code: "server_lost" } });
    expect(failures).toEqual([]);
  });

  it("ends a build whose helper dies", async () => {
    const project = await createProject("helpless", "/srv/slow", { build_command: "sleep 450" });
    const started = await api.start(project.id);
    const alive = async () => (await machine.run("pgrep --count --full '^sleep 450'")).output.trim();
    await expect.poll(alive).toBe("1");
    await machine.tell("systemctl kill --signal=KILL 'gantry-isolate@*'");
    expect(await api.ended(started.id)).toMatchObject({
      status: "failed",
      failure: { message: expect.stringContaining("the isolation helper ended without an answer") },
    });
    expect(await alive()).toBe("0");
  });

  it("ends the app of a removed project, and deletes its files and its user", async () => {
    await commit("/srv/gone", { "index.html": "gone" });
    const project = await createProject("gone", "/srv/gone", {
      build_command: "mkdir locked; touch locked/file; chmod 000 locked",
      activate_command: "sleep 500 &",
    });
    expect(await deploy(project.id)).toMatchObject({ status: "live", failure: null });
    expect((await machine.run("pgrep --count --full '^sleep 500'")).output.trim()).toBe("1");
    await api.call("DELETE", `/v1/projects/${project.id}?purge=true`);
    await expect
      .poll(
        async () =>
          (
            await machine.run(
              `getent passwd ${project.id}; ls -d ${HOME}/projects/${project.id}; pgrep --full '^sleep 500'`,
            )
          ).code,
      )
      .not.toBe(0);
    await expect.poll(async () => (await machine.run(`getent passwd ${project.id}`)).output).toBe("");
    expect(
      (await machine.run(`ls -d ${HOME}/projects/${project.id} 2>/dev/null; pgrep --full '^sleep 500'`))
        .output,
    ).toBe("");
  });

  it("isolates projects after a reboot too, and makes the users of projects that it had before", async () => {
    await machine.reboot();
    await expect.poll(async () => (await machine.run("gantry-agent status")).code).toBe(0);
    expect(await deploy(victim.id)).toMatchObject({ status: "live", failure: null });
    expect(await ask()).toBe("up");
    expect(await machine.tell(`ps -o user:40= -p ${await victimPid()}`)).toBe(victim.id);
  });

  it("isolates the projects of an earlier installation that shared one user", async () => {
    const folder = `${HOME}/projects/${victim.id}`;
    await machine.tell(
      `systemctl stop gantry-agent; systemctl stop 'gantry-command-*'; userdel ${victim.id}; chown -R gantry:gantry ${folder}; rm -r ${folder}/home; systemctl start gantry-agent`,
    );
    await expect.poll(async () => (await machine.run("gantry-agent status")).code).toBe(0);
    const first = (await api.listDeployments(victim.id)).find(({ version }) => version === 1);
    const back = await api.rollBack(victim.id, { deployment_id: first?.id });
    expect(await api.ended(back.id)).toMatchObject({ status: "live", failure: null });
    expect(await ask()).toBe("up");
    expect(await machine.tell(`stat -c %U ${folder}/current/server.mjs ${folder}/shared/.env`)).toBe(
      `${victim.id}\n${victim.id}`,
    );
  });
});

describe("the script of the hostile project", () => {
  it("succeeds with every attempt as root and without a sandbox", async () => {
    const self = `${HOME}/projects/${victim.id}`;
    await machine.write("/srv/control/hostile.sh", hostileScript);
    await machine.tell(
      `touch /tmp/other /dev/shm/other ${self}/run.json; mkdir -p ${self}/cache /run/gantry-isolate/apps`,
    );
    const { output } = await machine.run(`cd /srv/control && ${await facts(victim.id)} sh hostile.sh`);
    const lines = output.trim().split("\n");
    expect(lines.filter((line) => !line.endsWith(" SUCCEEDED"))).toEqual(["finished as root"]);
    expect(lines.length - 1).toBe(attempts);
  });
});
