import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { root } from "../../scripts/shared/root.ts";
import { LocalFile } from "../../scripts/start/local-file.ts";
import { freePort } from "../support/free-port.ts";
import { createHome, removeHome, runNpmStart, startSystem, type System } from "../support/journey-system.ts";
import { runShell } from "../support/run-shell.ts";
import { startInstance } from "../support/supervised-instance.ts";

let home: string;
let system: System;

beforeAll(async () => {
  home = await createHome();
  system = await startSystem(home);
});
afterAll(() => removeHome(home));

// The agreed fields are written out here and not imported from the contract, because the contract could be wrong.
const DEPLOYMENT_FIELDS = ["branch", "commit", "created_at", "duration", "id", "status", "version"];
const SERVER_FIELDS = ["apps", "id", "ip", "name", "status", "uptime"];
const PROJECT_FIELDS = ["domain", "framework", "id", "last_deploy", "name", "server_id"];

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** The first entry of a list in a response. */
function firstOf(json: unknown, key: string): Record<string, unknown> {
  const list: unknown = isRecord(json) ? json[key] : undefined;
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  if (!isRecord(first)) throw new Error(`no ${key} in ${JSON.stringify(json)}`);
  return first;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

const keysOf = (value: unknown) => (isRecord(value) ? Object.keys(value).toSorted() : []);

describe("the first npm start", () => {
  it("writes local.json with exactly the documented keys, readable only by its user", async () => {
    const path = join(home, "local.json");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(Object.keys(JSON.parse(await readFile(path, "utf8")))).toEqual([
      ...["url", "token", "account_id", "project_id", "server_id", "site_url", "deployment_id"],
      ...["agent_pid", "worker_pid"],
    ]);
  });

  it("prints its steps, the deployment's log, the addresses and the token", () => {
    const output = system.output();
    for (const text of ["Worker", "Agent enrolled", "Project hello-site", "v1 is live"])
      expect(output).toContain(text);
    for (const text of [system.local.url, system.local.site_url, system.local.token])
      expect(output).toContain(text);
    // Without a terminal, the output has no escape sequences.
    expect(output.includes("\u001b")).toBe(false);
  });

  it("prints each line of the log once, in order", async () => {
    const log = await system.api.log(system.local.deployment_id);
    const shown = system
      .output()
      .split("\n")
      .filter((line) => line.startsWith("  v1 "));
    expect(shown).toEqual(log.map(({ stage, message }) => `  v1 ${stage.padEnd(8)} ${message}`));
  });

  it("serves the example", async () => {
    const site = await fetch(system.local.site_url);
    expect([site.status, site.headers.get("gantry-release")]).toEqual([200, "1"]);
    expect(await site.text()).toContain("Version one");
  });
});

describe("each agreed endpoint", () => {
  const get = (path: string) => system.api.call("GET", path);
  const project = () => system.local.project_id;

  it("lists a project's deployments", async () => {
    const { status, json } = await get(`/v1/projects/${project()}/deployments`);
    const row = firstOf(json, "deployments");
    expect([status, keysOf(row)]).toEqual([200, DEPLOYMENT_FIELDS]);
    expect(row).toMatchObject({ status: "live", version: 1, branch: "main" });
    expect(row["id"]).toMatch(/^dpl_/);
    expect(row["commit"]).toMatch(/^[0-9a-f]{7,}$/);
    expect(row["duration"]).toBeGreaterThan(0);
    expect(row["created_at"]).toMatch(ISO_UTC);
  });

  it("lists servers", async () => {
    const { status, json } = await get("/v1/servers");
    const row = firstOf(json, "servers");
    expect([status, keysOf(row)]).toEqual([200, SERVER_FIELDS]);
    expect(row).toMatchObject({ id: system.local.server_id, ip: "127.0.0.1", status: "healthy", apps: 1 });
    expect(row["uptime"]).toMatch(/^\d+(?:\.\d+)?%$/);
  });

  it("lists projects", async () => {
    const { status, json } = await get("/v1/projects");
    const row = firstOf(json, "projects");
    expect([status, keysOf(row)]).toEqual([200, PROJECT_FIELDS]);
    expect(row).toMatchObject({ id: project(), name: "hello-site", server_id: system.local.server_id });
    expect(row["last_deploy"]).toMatch(ISO_UTC);
    expect(row["framework"]).toBe("static");
    expect(row["domain"]).toBe("hello-site.localhost");
  });

  it("starts a deployment by both paths, with an empty body and without a body", async () => {
    const path = `/v1/projects/${project()}/deployments`;
    const starts = [
      await system.api.call("POST", path, {}),
      await system.api.call("POST", path),
      await system.api.call("POST", path, { branch: "main" }),
      await system.api.call("POST", "/v1/deploy", { project_id: project() }),
    ];
    for (const [index, { status, json, headers }] of starts.entries()) {
      expect([status, keysOf(json)]).toEqual([201, ["id", "status", "version"]]);
      expect(json).toMatchObject({ status: "building", version: index + 2 });
      const id = isRecord(json) && typeof json["id"] === "string" ? json["id"] : "";
      expect(headers.get("location")).toContain(id);
      expect((await system.api.ended(id)).status).not.toBe("failed");
    }
  });

  it("lists all deployments, gets a log as JSON and as text", async () => {
    const { status, json } = await get("/v1/deployments");
    const row = firstOf(json, "deployments");
    expect(status).toBe(200);
    expect(keysOf(row)).toEqual(expect.arrayContaining(DEPLOYMENT_FIELDS));
    const log = await get(`/v1/logs/${system.local.deployment_id}`);
    expect([log.status, keysOf(log.json)]).toEqual([
      200,
      ["deployment_id", "lines", "next_cursor", "status"],
    ]);
    expect(keysOf(firstOf(log.json, "lines"))).toEqual(["line", "message", "stage", "stream", "time"]);
    const text = await system.api.call("GET", `/v1/logs/${system.local.deployment_id}`, undefined, {
      accept: "text/plain",
    });
    expect(text.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(text.text).toContain(String(firstOf(log.json, "lines")["message"]));
  });

  it("rolls back and deletes", async () => {
    const back = await system.api.call("POST", "/v1/rollback", { project_id: project() });
    expect([back.status, keysOf(back.json)]).toEqual([201, ["id", "status", "version"]]);
    const id = isRecord(back.json) && typeof back.json["id"] === "string" ? back.json["id"] : "";
    expect((await system.api.ended(id)).status).toBe("live");
    const path = (deployment: string) => `/v1/projects/${project()}/deployments/${deployment}`;
    expect((await system.api.call("DELETE", path(id))).status).toBe(409);
    const gone = await system.api.call("DELETE", path(system.local.deployment_id));
    expect([gone.status, gone.text]).toEqual([204, ""]);
  });

  it("returns 401 without a token, and with a wrong token", async () => {
    const endpoints: [string, string][] = [
      ["GET", `/v1/projects/${project()}/deployments`],
      ["POST", `/v1/projects/${project()}/deployments`],
      ["GET", "/v1/servers"],
      ["GET", "/v1/projects"],
      ["DELETE", `/v1/projects/${project()}/deployments/${system.local.deployment_id}`],
      ["POST", "/v1/deploy"],
      ["GET", "/v1/deployments"],
      ["GET", `/v1/logs/${system.local.deployment_id}`],
      ["POST", "/v1/rollback"],
    ];
    for (const [method, path] of endpoints) {
      const without = await fetch(system.local.url + path, { method });
      const wrong = await fetch(system.local.url + path, {
        method,
        headers: { authorization: `Bearer gantry_${"x".repeat(36)}` },
      });
      expect([path, without.status, without.headers.get("www-authenticate")]).toEqual([
        path,
        401,
        'Bearer realm="gantry"',
      ]);
      expect([path, wrong.status]).toEqual([path, 401]);
      expect(wrong.headers.get("www-authenticate")).toContain('error="invalid_token"');
      expect(await without.json()).toMatchObject({ code: "missing_token", status: 401 });
    }
  });
});

describe("the lines that npm start prints", () => {
  it("work when they are pasted in their order", async () => {
    const folder = await createHome();
    // Without this, curl ends with 0 also for a refusal.
    await writeFile(join(folder, ".curlrc"), "fail\n");
    const [, lines = ""] = /in this order:\n\n([\s\S]*?)^─/m.exec(system.output()) ?? [];
    expect(lines).toMatch(/^ *export URL=/);
    const shell: [string, ...string[]] = ["bash", "-euo", "pipefail", "-c", lines];
    const { HOME = "", PATH = "" } = process.env;
    const { code, output } = await runShell(shell, { env: { HOME, PATH, CURL_HOME: folder } });
    await removeHome(folder);
    expect([code, output]).toEqual([0, expect.stringContaining("rollback to the code of v")]);
  });
});

describe("npm run sign-in", () => {
  const signIn = async (...flags: string[]) => {
    const command = [join(root, "scripts", "sign-in.ts"), ...flags];
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root });
    return stdout;
  };
  const link = () =>
    expect.stringMatching(`^http://localhost:${system.port}/app/sign-in#code=gantry_signin_\\w+\n$`);

  it("takes the flags of npm start", async () => {
    const flags = ["--home", home, "--port", `${system.port}`, "--branch", "main", "--rate-limit", "600"];
    expect(await signIn(...flags)).toEqual(link());
  });

  it("finds the installation by its port alone, as the sign-in page says", async () => {
    expect(await signIn("--port", `${system.port}`)).toEqual(link());
  });

  it("refuses a port that the installation does not use", async () => {
    const refused = signIn("--home", home, "--port", `${system.port + 1}`);
    await expect(refused).rejects.toThrow(`runs on port ${system.port} in ${home}`);
  });
});

describe("another npm start at the same time", () => {
  it("is refused for the same home, with a message", async () => {
    const other = runNpmStart(home, await freePort());
    expect(await other.exit).toBe(1);
    expect(other.output()).toContain("is in use by another start");
  });

  it("is refused for a port in use, names the option for another port, and leaves no files", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const otherHome = join(home, "other");
    const other = runNpmStart(otherHome, port);
    expect(await other.exit).toBe(1);
    taken.close();
    expect(other.output()).toContain(`Port ${port} is taken`);
    expect(other.output()).toMatch(/another port with the same options: --port \d+/);
    await expect(stat(otherHome)).rejects.toThrow("ENOENT");
  });

  it.each([
    [["--rate-limit", "many"], "--rate-limit must be"],
    [["--inspect", "here"], "--inspect must be a port"],
    [["--prot", "1"], "--prot"],
    [["--repo", "/no/such/folder"], "there is no /no/such/folder"],
  ])("is refused with %j, with the reason", async (flags, message) => {
    const other = join(home, "wrong");
    const run = runNpmStart(other, await freePort(), flags);
    expect(await run.exit).toBe(1);
    expect(run.output()).toContain(message);
  });
});

describe("a program that is killed", () => {
  it("is restarted: the Worker, the agent, and local.json has the new pids", async () => {
    const { worker_pid, agent_pid } = system.local;
    process.kill(worker_pid, "SIGKILL");
    process.kill(agent_pid, "SIGKILL");
    // The site server is a separate process, which still runs.
    expect((await fetch(system.local.site_url)).status).toBe(200);
    const pids = async () => {
      const now = LocalFile.parse(JSON.parse(await readFile(join(home, "local.json"), "utf8")));
      return [now.worker_pid === worker_pid, now.agent_pid === agent_pid];
    };
    await expect.poll(pids).toEqual([false, false]);
    const health = () => fetch(`${system.local.url}/healthz`).then(({ status }) => status, String);
    await expect.poll(health).toBe(200);
    const again = await system.api.start(system.local.project_id);
    expect((await system.api.ended(again.id)).status).toBe("live");
  });
});

describe("Ctrl-C and a second npm start", () => {
  it("stop every process, and continue with the same state", async () => {
    const before = await system.api.listDeployments(system.local.project_id);
    await startInstance(join(home, "agent"), null);
    expect(await system.interrupt()).toBe(0);
    expect(await system.processes()).toEqual([]);
    await expect(fetch(system.local.site_url)).rejects.toThrow("fetch failed");

    const second = await startSystem(home, { port: system.port });
    const { worker_pid: _worker, agent_pid: _agent, deployment_id: _id, ...same } = system.local;
    expect(second.local).toMatchObject(same);
    const after = await second.api.listDeployments(second.local.project_id);
    expect(after).toEqual(before);
    expect((await fetch(second.local.site_url)).headers.get("gantry-release")).not.toBeNull();
    const next = await second.api.start(second.local.project_id);
    expect((await second.api.ended(next.id)).status).toBe("live");
    expect(await second.interrupt()).toBe(0);
    expect(await second.processes()).toEqual([]);
  });
});
