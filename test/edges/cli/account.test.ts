import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";

import { beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { scopeWords } from "#contract/powers/scope-words.ts";
import { allScopes } from "#contract/scopes.ts";
import { type Gantry, useGantry } from "../../openapi/support/gantry.ts";
import { listenLocally } from "../../support/listen.ts";
import { createCli, jsonOf } from "../../cli/support/command.ts";

const cli = createCli();
let gantry: Gantry;
let env: NodeJS.ProcessEnv;
let folders = 0;

beforeAll(async () => {
  gantry = await useGantry();
  env = { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.token };
});

const run = (...args: string[]) => cli.run(args, { env });
/** An empty configuration directory. */
const emptyConfig = () => {
  folders += 1;
  return { XDG_CONFIG_HOME: join(cli.home, `config-${folders}`) };
};
const fileOf = (config: { XDG_CONFIG_HOME: string }) => join(config.XDG_CONFIG_HOME, "gantry", "config.json");
/** A repository with a link file in its root. `deep` is a directory below it. */
const repositoryWith = (link: Record<string, string>) => {
  folders += 1;
  const root = join(cli.home, `repository-${folders}`);
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(join(root, "src", "deep"), { recursive: true });
  writeFileSync(join(root, "gantry.json"), JSON.stringify(link));
  return { root, deep: join(root, "src", "deep") };
};
/** Starts a server for the duration of the test. @returns its URL */
const listening = async (server: Server): Promise<string> => {
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${await listenLocally(server)}`;
};
/** A URL without a server. */
const UNREACHABLE = "http://127.0.0.1:9";

describe("the configuration file", () => {
  it("is not read, even if it is broken, when GANTRY_URL and GANTRY_TOKEN are set", async () => {
    const config = emptyConfig();
    mkdirSync(join(config.XDG_CONFIG_HOME, "gantry"), { recursive: true });
    writeFileSync(fileOf(config), "{");
    expect(await cli.run(["whoami"], { env: { ...env, ...config } })).toMatchObject({ code: 0, stderr: "" });
    const { GANTRY_URL } = env;
    const needed = await cli.run(["whoami"], { env: { GANTRY_URL, ...config } });
    expect(needed.code).toBe(2);
    expect(needed.stderr).toContain("is not a valid configuration file");
  });

  it("is not read from the working directory when there is no home directory", async () => {
    const folder = join(cli.home, "foreign");
    mkdirSync(join(folder, ".config", "gantry"), { recursive: true });
    const foreign = { current: UNREACHABLE, installations: { [UNREACHABLE]: { token: gantry.token } } };
    writeFileSync(join(folder, ".config", "gantry", "config.json"), JSON.stringify(foreign));
    for (const homeless of [
      { HOME: "", XDG_CONFIG_HOME: "" },
      { HOME: "/dev/null", XDG_CONFIG_HOME: ".config" },
    ]) {
      expect((await cli.run(["whoami"], { env: homeless, folder })).code).toBe(3);
      expect((await cli.run(["whoami"], { env: { ...env, ...homeless }, folder })).code).toBe(0);
    }
  });

  it("is reported in one sentence when it cannot be written", async () => {
    for (const where of [{ XDG_CONFIG_HOME: "/dev/null" }, { HOME: "", XDG_CONFIG_HOME: "" }]) {
      const login = await cli.run(["login", gantry.url], { env: where, input: gantry.token });
      expect(login).toMatchObject({ code: 2, stdout: "" });
      expect(login.stderr).toMatch(/^Unwritable file: .*\.\n$/);
    }
  });
});

describe("gantry login", () => {
  it("prompts for the token at a terminal without echo", async () => {
    const config = emptyConfig();
    const login = cli.inTerminal(["login", gantry.url], { env: config });
    await login.printed("stdout", `Token for ${gantry.url}: `);
    login.type(`x\u007f${gantry.token}\r`);
    const { code, stdout } = await login.ended;
    expect(code).toBe(0);
    expect(stdout).not.toContain(gantry.token.slice(7));
    expect(readFileSync(fileOf(config), "utf8")).toContain(gantry.token);
  });

  it("exits with 130 on Ctrl-C and stores nothing", async () => {
    const config = emptyConfig();
    const login = cli.inTerminal(["login", gantry.url], { env: config });
    await login.printed("stdout", "Token for");
    login.type("\u0003");
    expect((await login.ended).code).toBe(130);
    expect(existsSync(fileOf(config))).toBe(false);
  });

  it("exits with 130 on SIGTERM while it reads an open pipe", async () => {
    const login = cli.start(["login", gantry.url], { env: emptyConfig(), isInputOpen: true });
    // More than the buffer of a pipe: once all of it is written, the command is reading.
    await new Promise((done) => login.child.stdin?.write("x".repeat(1_000_000), done));
    login.child.kill("SIGTERM");
    expect(await login.ended).toMatchObject({ code: 130, stdout: "" });
  });

  it("sends no token over plain HTTP to another machine", async () => {
    const config = emptyConfig();
    const refused = await cli.run(["login", "http://gantry.example.com"], {
      env: config,
      input: gantry.token,
    });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("is plain HTTP") });
    const insecure = { ...config, GANTRY_URL: "http://gantry.example.com", GANTRY_TOKEN: gantry.token };
    expect(await cli.run(["whoami"], { env: insecure })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Use https://"),
    });
    expect(existsSync(fileOf(config))).toBe(false);
  });

  it("stores no token that is malformed, invalid or could not be checked", async () => {
    const config = emptyConfig();
    const login = (input: string, url = gantry.url) =>
      cli.run(["login", url, "--wait", "0"], { env: config, input });
    expect(await login("gantry_mistyped")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("not a valid token"),
    });
    expect(await login("")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Standard input is empty."),
    });
    const swapped = await login("gantry_abcdefghijklmnopqrstuvwxyzABCD1dYTTe");
    expect(swapped.code).toBe(3);
    expect((await login(gantry.token, UNREACHABLE)).code).toBe(5);
    expect((await login(gantry.token, "ftp://here")).code).toBe(2);
    expect(existsSync(fileOf(config))).toBe(false);
  });

  it("accepts no token on the command line, and says to revoke it", async () => {
    const asUrl = await cli.run(["login", gantry.token]);
    expect(asUrl).toMatchObject({ code: 2, stderr: expect.stringContaining("Revoke it") });
    const asOption = await cli.run(["login", gantry.url, "--token", gantry.token]);
    expect(asOption).toMatchObject({ code: 2, stderr: expect.stringContaining("GANTRY_TOKEN") });
  });

  it("warns about a configuration file that others can read, and restricts it at the next sign-in", async () => {
    const config = emptyConfig();
    const login = () => cli.run(["login", gantry.url], { env: config, input: gantry.token });
    await login();
    chmodSync(fileOf(config), 0o644);
    const whoami = await cli.run(["whoami"], { env: config });
    expect(whoami).toMatchObject({ code: 0, stderr: expect.stringContaining("chmod 600") });
    await login();
    expect(statSync(fileOf(config)).mode & 0o777).toBe(0o600);
  });

  it("is undone by gantry logout", async () => {
    const config = emptyConfig();
    await cli.run(["login", gantry.url], { env: config, input: gantry.token });
    expect((await cli.run(["logout"], { env: config })).code).toBe(0);
    expect(readFileSync(fileOf(config), "utf8")).not.toContain(gantry.token);
    expect((await cli.run(["whoami"], { env: config })).code).toBe(3);
    expect((await cli.run(["logout"], { env: config })).code).toBe(3);
  });
});

describe("the exit code", () => {
  it("is 2 for invalid usage, with a suggestion", async () => {
    expect(await run("depoly")).toMatchObject({ code: 2, stderr: expect.stringContaining("mean deploy?") });
    expect(await run("deploy", "--brnach", "x")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("mean --branch?"),
    });
    expect((await run()).code).toBe(2);
    expect((await run("deploy")).stderr).toContain("GANTRY_PROJECT");
    expect((await run("deploy")).code).toBe(2);
  });

  it("is 3 without a token, with an invalid token, and with a token that lacks a scope", async () => {
    const without = await cli.run(["projects", "--json"], { env: { GANTRY_URL: gantry.url } });
    expect(without).toMatchObject({ code: 3, stdout: "" });
    expect(jsonOf(without.stderr)).toMatchObject({ problem: { code: "not_signed_in" }, exit_code: 3 });
    const wrong = await cli.run(["projects"], { env: { ...env, GANTRY_TOKEN: "gantry_wrong" } });
    expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining("invalid_token") });
    const { token } = TokenWithSecret.parse(
      jsonOf((await run("tokens", "create", "reader", "-s", "projects:read", "--json")).stdout),
    );
    const unscoped = await cli.run(["servers"], { env: { ...env, GANTRY_TOKEN: token } });
    expect(unscoped).toMatchObject({ code: 3, stderr: expect.stringContaining("insufficient_scope") });
  });

  it("is 4 for a refusal, with the invalid fields", async () => {
    const twice = [
      await run("servers", "add", "double", "192.0.2.1"),
      await run("servers", "add", "double", "192.0.2.1"),
    ];
    expect(twice.map(({ code }) => code)).toEqual([0, 4]);
    const wrong = await run("servers", "add", "web", "not-an-ip");
    expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining("/ip") });
  });

  it("is 5 for a 503, whose text cannot move the cursor", async () => {
    let requests = 0;
    const unavailable = createServer((_, response) => {
      requests += 1;
      const detail = "Come \u001b]0;title\u0007later.";
      const problem = { type: "about:blank", title: "Unavailable", status: 503, detail, code: "unavailable" };
      // The second answer asks for more time than the command has.
      const headers = requests === 1 ? {} : { "retry-after": "3600" };
      response.writeHead(503, headers).end(JSON.stringify({ ...problem, request_id: "" }));
    });
    const url = await listening(unavailable);
    const call = await cli.run(["whoami", "--wait", "600"], { env: { ...env, GANTRY_URL: url } });
    expect(call.code).toBe(5);
    expect(requests).toBe(2);
    expect(call.stderr).toContain("Come later. Trying again.");
    expect(call.stderr).not.toContain("\u001b");
  });

  it("is 5 for a redirect, which is reported without a retry and gets no token", async () => {
    let requests = 0;
    const other = createServer((_, response) => {
      requests += 1;
      response.end();
    });
    const target = await listening(other);
    const url = await listening(
      createServer((_, response) => void response.writeHead(301, { location: `${target}/` }).end()),
    );
    const call = await cli.run(["whoami"], { env: { ...env, GANTRY_URL: url } });
    expect(call.code).toBe(5);
    expect(call.stderr).toContain(`it redirects to ${target}/.`);
    expect(call.stderr).not.toContain("Trying again");
    expect(requests).toBe(0);
  });

  it("is 5 without a server, and for a server that is not Gantry", async () => {
    const without = { env: { ...env, GANTRY_URL: UNREACHABLE } };
    const waiting = cli.start(["whoami", "--wait", "600"], without);
    await waiting.printed("stderr", "Trying again");
    waiting.child.kill("SIGKILL");
    await waiting.ended;
    expect((await cli.run(["whoami", "--wait", "0"], without)).code).toBe(5);
    const other = createServer((_, response) => response.end("<h1>Welcome</h1>"));
    const url = await listening(other);
    const notGantry = await cli.run(["whoami"], { env: { ...env, GANTRY_URL: url } });
    expect(notGantry.code).toBe(5);
  });

  it("is 2 when the output cannot be written, such as to a full disk", () => {
    const full = openSync("/dev/full", "w");
    onTestFinished(() => closeSync(full));
    const stdio = ["ignore", full, "pipe"] as const;
    const { status, stderr } = spawnSync(process.execPath, [cli.program, "--help"], {
      stdio: [...stdio],
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("cannot be written") });
  });

  it("is 130 on SIGINT", async () => {
    const silent = createServer(() => undefined);
    const url = await listening(silent);
    const requested = new Promise((resolve) => silent.once("request", resolve));
    const call = cli.start(["whoami"], { env: { ...env, GANTRY_URL: url } });
    await requested;
    call.child.kill("SIGINT");
    expect((await call.ended).code).toBe(130);
  });
});

describe("gantry whoami", () => {
  it("shows the account, the token, its scopes and when it expires", async () => {
    const { code, stdout } = await run("whoami");
    expect(code).toBe(0);
    expect(stdout).toContain(`account\t${gantry.accountName} (acct_`);
    expect(stdout).toMatch(/^token\ttest \(tok_/m);
    expect(stdout).toMatch(/^scopes\tdeployments:read, deployments:write/m);
    expect(stdout).toMatch(/^expires\t\d{4}-/m);
    const { stdout: shown } = await cli.inTerminal(["whoami"], { env }).ended;
    expect(shown).toMatch(/expires.*in 36\d days/);
  });
});

describe("gantry tokens", () => {
  it("creates a token, prints only its secret, and lists, rotates and revokes it", async () => {
    const created = await run("tokens", "create", "ci", "--scope", "deployments:write", "--days", "7");
    expect(created.code).toBe(0);
    expect(created.stdout).toMatch(/^gantry_\w{36}\n$/);
    expect(created.stderr).toContain("shown only once");
    expect(created.stderr).toMatch(/^Anyone who has the token can .*; choose which code is deployed\.$/m);
    const first = created.stdout.trim();
    const whoami = (token: string) =>
      cli.run(["whoami"], { env: { GANTRY_URL: gantry.url, GANTRY_TOKEN: token } });
    expect((await whoami(first)).stdout).toMatch(/^scopes\tdeployments:write$/m);
    expect((await run("tokens")).stdout).toMatch(/^ci\tdeployments:write\t/m);

    const rotated = await run("tokens", "rotate", "ci");
    expect(rotated.stdout).toMatch(/^gantry_\w{36}\n$/);
    expect(rotated.stdout.trim()).not.toBe(first);
    expect((await whoami(rotated.stdout.trim())).code).toBe(0);

    expect((await run("tokens", "revoke", "ci")).code).toBe(2);
    expect(await run("tokens", "revoke", "ci", "--yes")).toMatchObject({
      code: 0,
      stdout: "ci is revoked.\n",
    });
    expect((await run("tokens", "revoke", "ci", "-y")).code).toBe(4);
  });

  it("says in its help what each scope is for", async () => {
    const { stdout } = await run("tokens", "create", "--help");
    for (const scope of allScopes)
      expect(stdout).toMatch(new RegExp(`^  ${scope} +${scopeWords[scope]}$`, "m"));
  });

  it("refuses to create a token without a scope, and to revoke one by an ambiguous name", async () => {
    expect((await run("tokens", "create", "x")).code).toBe(2);
    expect(await run("tokens", "create", "x", "--scope", "deployments:wirte")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("mean deployments:write?"),
    });
    for (const _ of [1, 2]) await run("tokens", "create", "twin", "-s", "projects:read");
    const both = await run("tokens", "revoke", "twin", "--yes");
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("Several") });
  });

  it("finds a name whichever way its letters are written", async () => {
    await run("tokens", "create", "caf\u00e9", "-s", "projects:read");
    expect((await run("tokens", "revoke", "cafe\u0301", "--yes")).code).toBe(0);
  });

  it("warns about a scope that a token limited to projects cannot use", async () => {
    await run("servers", "add", "web-w", "192.0.2.13");
    await run("projects", "create", "limited", "-r", "https://example.com/x.git", "--server", "web-w");
    const create = (...scopes: string[]) =>
      run("tokens", "create", "limited", ...scopes.map((scope) => `--scope=${scope}`), "--only", "limited");
    const usable = await create("deployments:write", "commands:run", "servers:read");
    expect(usable).toMatchObject({ code: 0, stderr: expect.not.stringContaining("Warning") });
    const unusable = await create("deployments:write", "servers:write");
    expect(unusable.stderr).toContain("Warning: with --only, servers:write allows no changes");
    expect(unusable).toMatchObject({ code: 0, stdout: expect.stringMatching(/^gantry_\w{36}\n$/) });
  });

  it("lists dashboard sessions, and revokes one only by its ID", async () => {
    const created = await fetch(`${gantry.url}/v1/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: gantry.signInCode() }),
    });
    const session = SessionCreated.parse(await created.json());
    const asSession = (...args: string[]) =>
      cli.run(args, { env: { GANTRY_URL: gantry.url, GANTRY_TOKEN: session.token } });
    expect((await asSession("tokens")).stdout).toMatch(/^dashboard\t.*\tsession\ttok_\w{26}$/m);
    expect((await asSession("tokens", "revoke", "dashboard", "-y")).code).toBe(4);
    expect((await asSession("tokens", "revoke", session.id, "-y")).code).toBe(0);
    expect((await asSession("whoami")).code).toBe(3);
  });
});

describe("gantry servers", () => {
  it("adds a server, prints only its install command, and shows, enrols and removes it", async () => {
    const added = await run("servers", "add", "web-1", "192.0.2.10");
    expect(added.code).toBe(0);
    expect(added.stdout).toMatch(/^curl .*install\.sh.*gantry_enroll_\w+ sh -s -- --policy strict\n$/);
    expect(added.stderr).toContain("commands come from repositories");
    expect(added.stderr).toContain("A project may still deploy any repository");
    expect((await run("servers")).stdout).toMatch(/^web-1\tpending\t192\.0\.2\.10\t0\t/m);
    expect((await run("servers", "show", "web-1")).stdout).toMatch(/^status\tpending$/m);
    const again = await run("servers", "enroll", "web-1");
    expect(again.stdout).toContain("gantry_enroll_");
    const more = await run("servers", "enroll", "web-1", "--allow-commands", "--ingress");
    expect(more.stdout).toMatch(
      /^curl .*gantry_enroll_\w+ sh -s -- --ingress --allow-commands --policy strict\n$/,
    );
    const open = await run("servers", "enroll", "web-1", "--policy", "open");
    expect(open.stdout).toMatch(/ sh -s -- --policy open\n$/);
    expect(open.stderr).toContain("Its policy file, /etc/gantry/policy.json on the server, limits that");
    const list = ["--repositories", "https://github.com/you/*", "--repositories", "git@github.com:you/shop"];
    const listed = await run("servers", "enroll", "web-1", ...list);
    expect(listed.stdout).toMatch(/ --repositories 'https:\S+\/you\/\*,git@github\.com:you\/shop'\n$/);
    expect(listed.stderr).not.toContain("any repository");
    for (const wrong of [
      ["--repositories", "github.com/you"],
      [...list, "--policy", "open"],
    ])
      expect(await run("servers", "enroll", "web-1", ...wrong)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--repositories"),
      });
    expect(again.stdout).not.toBe(added.stdout);
    expect(await run("servers", "remove", "web-2", "-y")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("mean web-1?"),
    });
    expect((await run("servers", "remove", "web-1", "--yes")).code).toBe(0);
    expect((await run("servers", "show", "web-1")).code).toBe(4);
  });
});

describe("gantry projects", () => {
  it("links a repository, so that commands in all its directories use the project", async () => {
    await run("servers", "add", "web-l", "192.0.2.12");
    await run("projects", "create", "linked", "-r", "https://example.com/x.git", "--server", "web-l");
    const { deep, root } = repositoryWith({ url: gantry.url, project: "other", name: "other" });
    const link = await cli.run(["projects", "link", "linked"], { env, folder: deep });
    expect(link).toMatchObject({ code: 0, stdout: expect.stringContaining(join(root, "gantry.json")) });
    const processes = { web: { command: "node app.js" } };
    writeFileSync(join(root, "gantry.json"), JSON.stringify({ processes }));
    await cli.run(["projects", "link", "linked"], { env, folder: deep });
    expect(jsonOf(readFileSync(join(root, "gantry.json"), "utf8"))).toMatchObject({
      processes,
      name: "linked",
    });
    // One without a link, as a package of the repository can have it.
    writeFileSync(join(deep, "gantry.json"), "{}");
    const shown = await cli.run(["projects", "show"], { env, folder: deep });
    expect(shown.stdout).toMatch(/^name\tlinked$/m);
    expect(shown.stderr).not.toContain("is now named");

    await run("projects", "set", "linked", "--name", "renamed");
    const renamed = await cli.run(["deployments"], { env, folder: deep });
    expect(renamed).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("The project linked of gantry.json is now named renamed. gantry pro"),
    });
    await run("servers", "add", "web-m", "192.0.2.13");
    const moved = await run("projects", "set", "renamed", "--server", "web-m");
    expect(moved.stderr).toContain("renamed moves to web-m with its next deployment.");
    expect(moved.stdout).toMatch(/^server\tweb-m \(srv_\w+\)$/m);
    await run("projects", "delete", "renamed", "--yes");
    expect(await cli.run(["deploy"], { env, folder: deep })).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        /gantry\.json links this repository to the project linked, which was del/,
      ),
    });
  });
});

describe("a project with an image", () => {
  it("shows nothing that is detected or built", async () => {
    await run("servers", "add", "web-image", "192.0.2.62");
    const source = ["-r", "docker://ghcr.io/acme/shop", "-b", "v1", "--server", "web-image"];
    const { stdout } = await run("projects", "create", "of-image", ...source);
    expect(stdout).toMatch(/^type\timage$/m);
    expect(stdout).not.toMatch(/^(framework|install command|build command|output directory|fallback)\t/m);
  });
});

describe("an account without a member", () => {
  it("says how to get the first one", async () => {
    expect((await run("members", "list")).stderr).toContain(
      "lacks the scope members:read. There is no member yet: open the sign-in link of the installation, and become the owner there.",
    );
  });
});

describe("gantry projects set", () => {
  it("changes each kind of setting, says what has changed, and refuses a value of another form", async () => {
    expect((await run("servers", "add", "web-set", "192.0.2.61")).code).toBe(0);
    const source = ["--repository", "https://example.com/shop.git", "--server", "web-set"];
    const commands = ["--build-command", "make", "--install-command", "npm ci", "--release-command", "true"];
    expect((await run("projects", "create", "shop", ...source, "--branch", "next", ...commands)).code).toBe(
      0,
    );
    const cleared = await run("projects", "set", "shop", "--install-command", "", "--release-command", "");
    expect(cleared.stdout).toMatch(/^install command\tnone$/m);
    expect(cleared.stdout).toMatch(/^release command\tnone$/m);
    expect((await run("projects", "set", "shop", "--branch", "next")).stdout).toMatch(/^changed\tnothing$/m);
    const laravel = await run("projects", "create", "blog", "--framework", "laravel", ...source);
    expect(laravel.code).toBe(0);
    expect(laravel.stdout).toMatch(/^type\tserver$/m);
    expect((await run("projects", "show", "blog")).stderr).toMatch(
      /gantry projects set proj_\w+ --release-command 'php artisan migrate --force'$/m,
    );
    const anyCommit = await run("projects", "set", "shop", "--commits", "any");
    expect(anyCommit.stdout).toMatch(/^commits by hash\tany$/m);
    const limited = await run("projects", "set", "shop", "--memory-limit", "512", "--task-limit", "100");
    expect(limited.stdout).toMatch(/^limits\t512 MiB of memory, 100 tasks$/m);
    const pages = ["--trailing-slash", "never", "--fallback", "", "--asset-overlap", "3600"];
    const site = await run("projects", "set", "shop", ...pages);
    expect(site.stdout).toMatch(
      /^changed\tautomatic, trailing_slash, asset_overlap$|^changed\t.*trailing_slash/m,
    );
    expect(site.stdout).toMatch(/^asset overlap\t3600 s \(1 h\)$/m);
    expect(await run("projects", "set", "shop", "--asset-overlap", "24h")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("a whole number of seconds"),
    });
    const checked = await run("projects", "set", "shop", "--health-check", "/up");
    expect(checked.stdout).toMatch(/^health check\t\/up$/m);
    const unchecked = await run("projects", "set", "shop", "--health-check", "");
    expect(unchecked.stdout).toMatch(/^health check\tnone$/m);
    expect(await run("projects", "set", "shop", "--memory-limit", "much")).toMatchObject({ code: 2 });
    const wrongRule = await run("projects", "set", "shop", "--commits", "sme");
    expect(wrongRule).toMatchObject({ code: 2, stderr: expect.stringContaining("reachable, any, none") });
    const automatic = await run("projects", "set", "shop", "--automatic", "build_command");
    expect(automatic.stdout).toMatch(/^build command\t.*\(automatic\)$/m);
    expect(await run("projects", "delete", "blog", "--yes")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("blog is deleted. If it was live, its server still serves"),
    });
  });
});

describe("an untrusted link file", () => {
  it("gets no token that is for another URL", async () => {
    const received: (string | undefined)[] = [];
    const attacker = createServer(({ headers }, response) => {
      received.push(headers.authorization);
      response.end();
    });
    const url = await listening(attacker);
    const { deep } = repositoryWith({ url, project: "p", name: "p" });
    const config = emptyConfig();
    await cli.run(["login", gantry.url], { env: config, input: gantry.token });

    const signedIn = await cli.run(["deploy"], { env: config, folder: deep });
    expect(signedIn.code).toBe(3);
    const byVariable = await cli.run(["deploy"], { env: { GANTRY_TOKEN: gantry.token }, folder: deep });
    expect(byVariable).toMatchObject({ code: 3, stderr: expect.stringContaining("GANTRY_URL") });
    expect(received).toEqual([]);
    // With GANTRY_URL set, the project of a link file for another URL is ignored too.
    expect((await cli.run(["deploy"], { env, folder: deep })).code).toBe(2);
  });

  it("is reported if it is not valid", async () => {
    const { root, deep } = repositoryWith({ url: gantry.url });
    const { code, stderr } = await cli.run(["projects"], { env, folder: deep });
    expect(code).toBe(2);
    expect(stderr).toContain(join(root, "gantry.json"));
    // gantry projects link reads the broken file too, so the message must say what to do first.
    expect(stderr).toContain("Remove its url and project, or delete it");
  });

  it("is reported with its line if it is not JSON", async () => {
    const { root, deep } = repositoryWith({});
    writeFileSync(join(root, "gantry.json"), '{\n  "processes": {},\n}');
    const { code, stderr } = await cli.run(["projects"], { env, folder: deep });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /gantry\.json is not JSON: there is a comma after the last item, in line 2, column 18/,
    );
    expect(stderr).not.toContain("project link");
  });
});

describe("gantry account", () => {
  it("shows and changes how long logs and deployments are kept", async () => {
    const set = await run("account", "set", "--deployment-retention", "365", "--log-retention", "120");
    expect(set).toMatchObject({ code: 0, stderr: "" });
    const shown = await run("account", "show");
    expect(shown.stdout).toBe(set.stdout);
    expect(shown.stdout).toMatch(/^logs\tkept for 120 days$/m);
    expect(shown.stdout).toMatch(/^deployments\tkept for 365 days$/m);
    expect(shown.stdout).toMatch(/^database\tless than 70% full$/m);
    const forever = await run("account", "set", "--deployment-retention", "forever", "--json");
    expect(jsonOf(forever.stdout)).toMatchObject({
      deployment_retention_days: null,
      log_retention_days: 120,
    });
    await run("account", "set", "--log-retention", "90");
  });

  it("refuses a time that is not a number of days, and a time that is too long", async () => {
    for (const days of ["", "ever", "1.5", "-3"])
      expect(await run("account", "set", `--deployment-retention=${days}`)).toMatchObject({ code: 2 });
    expect((await run("account", "set")).stderr).toContain("at least one setting");
    const refused = await run("account", "set", "--deployment-retention", "4000");
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("deployment_retention_days");
  });
});
