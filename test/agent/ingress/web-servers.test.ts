import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request as send } from "node:http";
import { join, resolve } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { findProgram } from "../../../scripts/shared/find-program.ts";
import { AgentWorld } from "../support/harness.ts";
import { freePort } from "../../support/free-port.ts";

let world: AgentWorld;
let server: ChildProcess | null = null;
let said = "";
beforeEach(async () => {
  world = await AgentWorld.create();
  said = "";
});
afterEach(async () => {
  const ended = server === null ? null : new Promise((done) => server?.once("exit", done));
  server?.kill("SIGTERM");
  await ended;
  server = null;
  await world.close();
});

/** An example from docs/servers.md, for this project and port. */
function readExample(name: "nginx" | "caddy", address: string, ours: string): string {
  const docs = readFileSync(resolve(import.meta.dirname, "../../../docs/servers.md"), "utf8");
  const [, example = ""] = new RegExp(`<!-- ${name} -->\\n\`\`\`\\w+\\n([^]*?)\`\`\``).exec(docs) ?? [];
  expect(example).toContain(address);
  expect(example).toMatch(/\/var\/lib\/gantry\/projects\/proj_\w+\/current\/dist/);
  return example.replace(address, ours).replace(/\/var\/lib\/gantry\/projects\/proj_\w+/, world.path());
}

async function programPath(name: string): Promise<string> {
  const path = await findProgram([name]);
  if (path === null) throw new Error(`The examples are tested with ${name}: apt-get install ${name}`);
  return path;
}

function start(program: string, args: readonly string[]): void {
  server = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: world.folder,
      XDG_DATA_HOME: world.folder,
      XDG_CONFIG_HOME: world.folder,
    },
  });
  server.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  server.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
}

async function startNginx(port: number): Promise<void> {
  const program = await programPath("nginx");
  const site = readExample("nginx", "listen 80;", `listen 127.0.0.1:${port};`);
  const config = join(world.folder, "nginx.conf");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${world.folder}/${kind};`)
    .join("\n");
  // The settings of Debian's nginx.conf, with the test's folders.
  const user = process.getuid?.() === 0 ? "user root;" : "";
  writeFileSync(
    config,
    `${user}\npid ${world.folder}/nginx.pid;\ndaemon off;\nerror_log stderr;\nevents {}\nhttp {\ntypes { text/html html; }\naccess_log off;\n${temporary}\n${site}\n}\n`,
  );
  execFileSync(program, ["-t", "-q", "-e", "stderr", "-c", config], { stdio: "pipe" });
  start(program, ["-e", "stderr", "-c", config]);
}

async function startCaddy(port: number): Promise<void> {
  const program = await programPath("caddy");
  const site = readExample("caddy", "shop.example.com {", `http://shop.example.com:${port} {`);
  const config = join(world.folder, "Caddyfile");
  writeFileSync(config, `{\n\tadmin off\n}\n${site}`);
  execFileSync(program, ["validate", "--config", config, "--adapter", "caddyfile"], { stdio: "pipe" });
  start(program, ["run", "--config", config, "--adapter", "caddyfile"]);
}

describe.each([
  ["nginx", startNginx],
  ["caddy", startCaddy],
] as const)("the example for %s in docs/servers.md", (_, startServer) => {
  it("serves the published files of each release, and no source or hidden files", async () => {
    const build = (text: string) => ({
      output_directory: "dist",
      build_command: [
        "mkdir -p dist/sub dist/.git dist/.well-known",
        `echo ${text} > dist/index.html`,
        "echo sub > dist/sub/index.html",
        "echo known > dist/.well-known/security.txt",
        "echo secret | tee dist/.env dist/.git/config dist/sub/.htpasswd",
      ].join(" && "),
    });
    world.repository.commit({ ".env": "secret", "src/code.js": "secret", "package.json": "{}" });
    await world.startAgent();
    expect((await world.deploy(build("one"))).result).toMatchObject({ outcome: "live" });
    const port = await freePort();
    await startServer(port);
    const get = async (path: string) => {
      const answer = await request(port, path);
      return `${answer.status} ${answer.body.trim()}`;
    };
    await expect.poll(() => get("/").catch(() => said)).toBe("200 one");
    expect(await get("/sub/")).toBe("200 sub");
    expect(await get("/.well-known/security.txt")).toBe("200 known");
    const secret = [
      ...["/.env", "/.git/config", "/sub/.htpasswd", "/%2eenv", "/%2Egit/config", "//.env", "/sub/../.env"],
      ...["/../.env", "/../src/code.js", "/..%2f.env", "/%2e%2e/.env", "/src/code.js", "/package.json"],
      ...["/../../1.json", "/.well-known/../.env", "/.well-known/%2e%2e/.env", "/.well-known../.env"],
    ];
    for (const path of secret) {
      const { status, body } = await request(port, path);
      expect({ path, status: status >= 400, body: body.includes("secret") }).toEqual({
        path,
        status: true,
        body: false,
      });
    }
    expect((await world.deploy({ ...build("two"), keep_releases: [1] })).result).toMatchObject({
      outcome: "live",
    });
    expect(await get("/")).toBe("200 two");
  });
});

/** Sends a request with an unchanged path, which fetch would normalize. */
function request(port: number, path: string): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((done, failed) => {
    const outgoing = send(
      { host: "127.0.0.1", port, path, headers: { host: `shop.example.com:${port}` } },
      (answer) => {
        let body = "";
        answer.setEncoding("utf8").on("data", (text: string) => (body += text));
        answer.on("end", () => done({ status: answer.statusCode ?? 0, body }));
      },
    );
    outgoing.on("error", failed);
    outgoing.end();
  });
}
