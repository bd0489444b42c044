import { chmod, mkdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { FreezeRows } from "#contract/endpoints/freezes/schemas.ts";
import { HookRows } from "#contract/endpoints/hooks/schemas.ts";
import { MemberRows } from "#contract/endpoints/members/schemas.ts";
import { Project, ProjectRows } from "#contract/endpoints/projects/schemas.ts";
import { TrustRuleRows } from "#contract/endpoints/trust-rules/schemas.ts";
import { Variables } from "#contract/endpoints/variables/schemas.ts";
import { WebhookRows } from "#contract/endpoints/webhooks/schemas.ts";
import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { createLinkProxy, type LinkProxy } from "../support/faults/link-proxy.ts";
import { type Api, createApi } from "../support/journey-api.ts";
import { addMember, becomeOwner, fullToken, type Person } from "../support/people.ts";
import { createCli, jsonOf } from "./support/command.ts";
import { type ConnectedServer, connectServer } from "./support/server-with-key.ts";

const cli = createCli();
let gantry: Gantry;
let server: ConnectedServer;
let api: Api;
let proxy: LinkProxy;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  gantry = await useGantry();
  server = await connectServer(gantry, "web-1");
  ({ api } = server);
  proxy = await createLinkProxy(gantry.url);
  env = { GANTRY_URL: proxy.url, GANTRY_TOKEN: gantry.token, TOKEN: "value-of-the-secret" };
});
afterAll(async () => {
  server.stop();
  await proxy.close();
});

const config = (...args: string[]) => cli.run(["config", ...args], { env });
const write = async (text: string, name = "gantry.toml") => await writeFile(join(cli.home, name), text);
const read = async (name = "gantry.toml") => await readFile(join(cli.home, name), "utf8");
const get = async <Value>(schema: { parse(value: unknown): Value }, path: string): Promise<Value> =>
  schema.parse((await api.call("GET", path)).json);

async function project(name: string): Promise<Project> {
  const { projects } = ProjectRows.parse((await api.call("GET", "/v1/projects")).json);
  const id = projects.find((one) => one.name === name)?.id ?? "";
  return await api.getProject(id);
}

const file = `# Everything of the shop.
# Ask in #ops before you change it.

servers = ["web-1"]

[projects.shop]
servers = ["web-1"]
repository = "https://example.com/shop.git"
domain = "shop.killed.example.com"
keep_releases = 7 # enough for a week

# The app itself.
[projects.shop.processes.web]
command = "node ."

[projects.shop.cron.backup]
schedule = "@daily"
command = "make backup"

[projects.shop.variables]
LOG_LEVEL = "info"
TOKEN = { from = "env:TOKEN", secret = true }

[hooks."https://git.test/team/shop.git"]
forge = "gitea"

[webhooks.a]
kind = "standard"
url = "https://hooks.example.com/a"
events = ["certificate.expiring"]
enabled = false

[webhooks."a again"]
name = "a"
kind = "standard"
url = "https://hooks.example.com/b"
events = ["certificate.expiring"]

[freezes."New Year"]
project = "shop"
times = { type = "once", from = 2090-12-31T18:00:00Z, to = 2091-01-01T12:00:00Z }

[trust_rules.main]
provider = "github"
subject = "123456"
claims = { ref = ["refs/heads/main"] }
scopes = ["deployments:write"]
projects = ["shop"]
`;

describe("gantry config apply", () => {
  it("ends with the same installation wherever it is killed", async () => {
    // The new project can only be created when the old one is gone.
    await api.createProject({
      ...{ name: "old", repository: "https://example.com/old.git", server_id: server.serverId },
      domain: "shop.killed.example.com",
    });
    const times = { type: "once", from: "2090-01-01T00:00:00Z", to: "2090-01-02T00:00:00Z" };
    await api.call("POST", "/v1/freezes", { name: "Old", times });
    await write(file);
    expect((await config("plan")).stdout).toContain(
      "! projects.shop cannot have the domain shop.killed.example.com: projects.old keeps it.",
    );
    expect((await config("plan", "--prune")).stdout).toContain(
      "! projects.old is deleted with its deployments and secrets, and projects.shop is created in its place.",
    );
    let kills = 0;
    for (; kills < 30; kills += 1) {
      const running = cli.start(["config", "apply", "--yes", "--prune"], { env });
      const removeRule = proxy.rule((passage) => {
        if (passage.kind !== "answer" || passage.method === "GET" || passage.status >= 300) return null;
        running.child.kill("SIGKILL");
        return "drop";
      });
      const { code, stderr } = await running.ended;
      removeRule();
      if (code === null) continue;
      expect([code, stderr]).toEqual([0, ""]);
      break;
    }
    // One for each step, and a second one for the webhook that is created and then disabled.
    expect(kills).toBe(10);
    expect(await config("plan", "--prune")).toMatchObject({ code: 0 });
    expect((await get(WebhookRows, "/v1/webhooks")).webhooks).toHaveLength(2);
    expect((await get(HookRows, "/v1/hooks")).hooks).toHaveLength(1);
    expect((await get(TrustRuleRows, "/v1/trust-rules")).trust_rules).toHaveLength(1);
    expect((await get(FreezeRows, "/v1/freezes")).freezes.map(({ name }) => name)).toEqual(["New Year"]);
    expect((await get(ProjectRows, "/v1/projects")).projects.map(({ name }) => name)).toEqual(["shop"]);
  });

  it("deletes nothing if that does not help a step that cannot be done", async () => {
    const other = await connectServer({ url: gantry.url, token: gantry.othersToken }, "web-1");
    other.stop();
    const taken = {
      repository: "https://example.com/x.git",
      server_id: other.serverId,
      domain: "taken.example.com",
    };
    await other.api.createProject({ name: "theirs", ...taken });
    await write(file.replaceAll("shop", "blog").replace("blog.killed.example.com", "taken.example.com"));
    const refused = await config("apply", "--yes", "--prune");
    expect(refused).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        /0 of \d+ changes were made\. Correct the file, and run[^]*projects\.blog: The domain taken\.example\.com/,
      ),
    });
    expect((await get(ProjectRows, "/v1/projects")).projects.map(({ name }) => name)).toEqual(["shop"]);
    expect((await get(FreezeRows, "/v1/freezes")).freezes).toHaveLength(1);
  });

  it("refuses a plan if the installation or the file has changed since", async () => {
    await write(file.replace("keep_releases = 7", "keep_releases = 8"));
    expect(await config("plan", "--out", "plan.json")).toMatchObject({ code: 2 });
    expect((await stat(join(cli.home, "plan.json"))).mode & 0o777).toBe(0o600);
    await write((await read("plan.json")).replace('"after": 8', '"after": 7'), "edited.json");
    expect(await config("apply", "--plan", "edited.json")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("edited.json was edited at projects.shop"),
    });
    const { id } = await project("shop");
    await api.call("PATCH", `/v1/projects/${id}`, { queue: "latest" });
    const refused = await config("apply", "--plan", "plan.json");
    expect(refused).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("The plan differs at projects.shop"),
    });
    expect(await project("shop")).toMatchObject({ keep_releases: 7, queue: "latest" });

    const [, fingerprint = ""] = /^Fingerprint: (\S+)$/m.exec((await config("plan")).stdout) ?? [];
    await write(file.replace("keep_releases = 7", "keep_releases = 9"));
    expect(await config("apply", "--plan", fingerprint)).toMatchObject({ code: 4 });
    await write(file.replace("keep_releases = 7", "keep_releases = 8"));
    expect(await config("apply", "--plan", fingerprint)).toMatchObject({ code: 0 });
    expect(await project("shop")).toMatchObject({ keep_releases: 8, queue: "all" });
  });

  it("does not overwrite what is changed while it runs", async () => {
    await write(
      file
        .replace("keep_releases = 7", "keep_releases = 5")
        .replace('LOG_LEVEL = "info"', 'LOG_LEVEL = "warn"'),
    );
    const { id } = await project("shop");
    const removeRule = proxy.rule(async (passage): Promise<"pass"> => {
      if (passage.kind === "answer" && passage.method === "PATCH") {
        removeRule();
        await api.call("PATCH", `/v1/projects/${id}/variables`, {
          set: [{ name: "LOG_LEVEL", value: "debug" }],
        });
      }
      return "pass";
    });
    const applied = await config("apply", "--yes");
    expect(applied).toMatchObject({
      code: 4,
      stdout: expect.stringContaining("changed projects.shop\n"),
      stderr: expect.stringContaining("projects.shop.variables was changed since the plan was made"),
    });
    const { variables } = await get(Variables, `/v1/projects/${id}/variables`);
    expect(variables).toContainEqual(expect.objectContaining({ name: "LOG_LEVEL", value: "debug" }));
    await write(file);
    expect(await config("apply", "--yes")).toMatchObject({ code: 0 });
  });

  it("deletes nothing without --prune, also no process, cron job and variable", async () => {
    const { id } = await project("shop");
    await api.call("PATCH", `/v1/projects/${id}`, {
      processes: { worker: { command: "node worker.js" }, web: { instances: 2 } },
      cron: [
        { name: "backup", schedule: "@daily", command: "make backup" },
        { name: "report", schedule: "@weekly", command: "make report" },
      ],
      build_command: "make",
      limits: { memory_mb: 512 },
    });
    await api.call("PATCH", `/v1/projects/${id}/variables`, { set: [{ name: "BY_HAND", value: "1" }] });
    await api.call("POST", "/v1/hooks", { forge: "gitea", repository: "https://git.test/team/by-hand.git" });
    const kept = await config("apply", "--yes");
    expect(kept).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("4 not in the file: --prune deletes them."),
    });
    expect(kept.stdout).toContain("processes.web.instances: 2 → none");
    expect(kept.stdout).toContain('build_command: "make" → automatic');
    const after = await project("shop");
    expect(after).toMatchObject({ automatic: expect.arrayContaining(["build_command"]), limits: {} });
    expect(after.processes).toEqual({ web: { command: "node ." }, worker: { command: "node worker.js" } });
    expect(after.cron).toHaveLength(2);
    expect(await config("plan")).toMatchObject({ code: 0 });

    const pruned = await config("apply", "--yes", "--prune");
    expect(pruned.stdout).toContain('- hooks."https://git.test/team/by-hand.git"');
    expect(pruned).toMatchObject({ code: 0 });
    const last = await project("shop");
    expect([Object.keys(last.processes), last.cron.length]).toEqual([["web"], 1]);
    const { variables } = await get(Variables, `/v1/projects/${id}/variables`);
    expect(variables.map(({ name }) => name).toSorted()).toEqual(["LOG_LEVEL", "TOKEN"]);
    expect((await get(HookRows, "/v1/hooks")).hooks).toHaveLength(1);
  });

  it("leaves a value alone of which only stars are shown", async () => {
    const { id } = await project("shop");
    const check = { url: "https://status.example.com/up?token=of-the-check" };
    await api.call("PATCH", `/v1/projects/${id}`, { health_check: check });
    await config("export", "masked.toml");
    const text = await read("masked.toml");
    expect(text).toContain('url = "https://status.example.com/up?token=***"');
    expect(await config("plan", "masked.toml")).toMatchObject({ code: 0 });
    await write(text.replaceAll("projects.shop", "projects.copy"), "masked.toml");
    const refused = await config("plan", "masked.toml");
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("projects.copy.health_check has ***"),
    });
    await api.call("PATCH", `/v1/projects/${id}`, { health_check: null });
  });

  it("sends a secret that exists only with --secrets", async () => {
    const { id } = await project("shop");
    const revision = async () => (await get(Variables, `/v1/projects/${id}/variables`)).revision;
    const before = await revision();
    expect(await cli.run(["config", "apply", "--yes"], { env: { ...env, TOKEN: "" } })).toMatchObject({
      code: 0,
    });
    expect(await revision()).toBe(before);
    const missing = await cli.run(["config", "apply", "--yes", "--secrets"], { env: { ...env, TOKEN: "" } });
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Set the environment variable TOKEN."),
    });
    const sent = await config("apply", "--yes", "--secrets");
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining("TOKEN: from TOKEN") });
    expect(sent.stdout + sent.stderr).not.toContain("value-of-the-secret");
    expect(await revision()).toBe(before + 1);
  });

  it("renames a project that the file names with its earlier name", async () => {
    const { id } = await project("shop");
    const renamed = file
      .replaceAll("projects.shop", "projects.store")
      .replaceAll('"shop"', '"store"')
      .replace("[projects.store]", '[projects.store]\nwas = "shop"');
    await write(renamed);
    const applied = await config("apply", "--yes", "--prune");
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('name: "shop" → "store"') });
    expect((await project("store")).id).toBe(id);
    expect((await get(ProjectRows, "/v1/projects")).projects).toHaveLength(1);
    expect(await config("plan", "--prune")).toMatchObject({ code: 0 });
    await write(file.replace("[projects.shop]", '[projects.shop]\nwas = "store"'));
    expect(await config("apply", "--yes", "--prune")).toMatchObject({ code: 0 });
  });
});

describe("secrets of a project that a file moves to another server", () => {
  it("are sent again, because the new server cannot open them", async () => {
    const second = await connectServer(gantry, "apps-2");
    const text = `[projects.moved]
servers = ["web-1"]
repository = "https://example.com/moved.git"

[projects.moved.variables]
DATABASE_URL = { from = "env:MOVED_URL", secret = true }
`;
    const withValue = { ...env, MOVED_URL: "value-of-the-database" };
    const run = (given: NodeJS.ProcessEnv, ...args: string[]) =>
      cli.run(["config", ...args, "moved.toml"], { env: given });
    await write(text, "moved.toml");
    expect(await run(withValue, "apply", "--yes")).toMatchObject({ code: 0 });
    expect(await run(env, "plan")).toMatchObject({ code: 0 });

    await write(text.replace('"web-1"', '"apps-2"'), "moved.toml");
    const planned = await run(env, "plan");
    expect(planned).toMatchObject({ code: 2 });
    expect(planned.stdout).toContain("DATABASE_URL: from MOVED_URL, for apps-2\n");
    expect(planned.stdout).toContain("environment variables that are not set here: MOVED_URL.");
    expect(await run(env, "apply", "--yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Set the environment variable MOVED_URL."),
    });
    // A file can have projects on several servers.
    const accept = [second, server].map(({ keys }) => `--accept-key=${keys.sealKey.fingerprint}`);
    expect(await run(withValue, "apply", "--yes", ...accept)).toMatchObject({
      code: 0,
      stderr: expect.anything(),
    });
    const { id } = await project("moved");
    const variables = async () => await get(Variables, `/v1/projects/${id}/variables`);
    expect(await variables()).toMatchObject({ server_id: second.serverId, not_sealed: [] });
    expect(await run(env, "plan")).toMatchObject({ code: 0 });

    // A secret that the file does not have is named.
    await second.changeKey();
    await write(text.replace('"web-1"', '"apps-2"').replace("DATABASE_URL", "OTHER_URL"), "moved.toml");
    expect((await variables()).not_sealed).toEqual(["DATABASE_URL"]);
    expect((await run(env, "plan")).stdout).toContain(
      "! projects.moved.variables.DATABASE_URL is a secret that apps-2 cannot open",
    );
    await api.call("DELETE", `/v1/projects/${id}`);
    second.stop();
    await api.call("DELETE", `/v1/servers/${second.serverId}`);
  });
});

describe("gantry config apply at a terminal", () => {
  it("shows the plan in colours, and asks", async () => {
    await write(file.replace("keep_releases = 7", "keep_releases = 3"));
    const refused = await config("apply");
    expect(refused).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("keep_releases: 7 → 3\n"),
      stderr: expect.stringContaining("No terminal to confirm on. Pass --yes."),
    });
    const no = cli.inTerminal(["config", "apply"], { env });
    await no.printed("stdout", "Apply these changes? [y/N]");
    expect(no.stdout()).toContain("\u001b[33m~ projects.shop\u001b[0m");
    no.type("n\r");
    expect((await no.ended).code).toBe(130);
    expect(await project("shop")).toMatchObject({ keep_releases: 7 });
    const yes = cli.inTerminal(["config", "apply"], { env });
    await yes.printed("stdout", "Apply these changes? [y/N]");
    yes.type("y\r");
    expect((await yes.ended).code).toBe(0);
    expect(await project("shop")).toMatchObject({ keep_releases: 3 });
  });
});

describe("gantry config pull", () => {
  it("writes back what was changed by hand, and keeps comments, names and sources", async () => {
    await write(file);
    const { id } = await project("shop");
    await api.call("PATCH", `/v1/projects/${id}`, { keep_releases: 12, build_command: null });
    await api.call("PATCH", `/v1/projects/${id}/variables`, {
      set: [{ name: "MODE", value: "fast" }],
      remove: ["LOG_LEVEL"],
    });
    const [freeze] = (await get(FreezeRows, "/v1/freezes")).freezes;
    await api.call("DELETE", `/v1/freezes/${freeze?.id}`);
    await api.createProject({
      name: "a.b",
      repository: "https://example.com/ab.git",
      server_id: server.serverId,
    });
    await rename(join(cli.home, "gantry.toml"), join(cli.home, "real.toml"));
    await chmod(join(cli.home, "real.toml"), 0o640);
    await symlink("real.toml", join(cli.home, "gantry.toml"));
    expect(await config("pull")).toMatchObject({ code: 0, stdout: "Wrote gantry.toml.\n" });
    expect((await stat(join(cli.home, "real.toml"))).mode & 0o777).toBe(0o640);
    const text = await read("real.toml");
    expect(text).toMatch(
      /^# Everything of the shop\.\n# Ask in #ops before you change it\.\n\nservers = \["web-1"\]\n/,
    );
    expect(text).toContain("# enough for a week\nkeep_releases = 12\n");
    expect(text).toContain("# The app itself.\n[projects.shop.processes.web]\n");
    expect(text).toContain('MODE = "fast"');
    expect(text).toContain('build_command = ""');
    expect(text).toContain('TOKEN = { from = "env:TOKEN", secret = true }');
    expect(text).toContain('[webhooks."a again"]\nname = "a"\n');
    expect(text).toContain('[projects."a.b"]\n');
    expect(text).not.toMatch(/LOG_LEVEL|New Year/);
    expect(await config("plan", "--prune")).toMatchObject({ code: 0 });
    expect(await config("pull")).toMatchObject({ code: 0, stdout: "gantry.toml is up to date.\n" });
    // A file without a table for the variables of a project leaves them alone.
    expect(text).toContain('[projects."a.b".variables]\n');
    await write(text.replace('[projects."a.b".variables]\n', ""));
    expect(await config("pull")).toMatchObject({ code: 0, stdout: "gantry.toml is up to date.\n" });
  });
});

describe("an edit of the file while gantry config pull runs", () => {
  it("is not overwritten", async () => {
    await write(`${file}# by hand\n`, "edited.toml");
    const removeRule = proxy.rule(async (passage): Promise<"pass"> => {
      if (passage.kind === "answer") {
        removeRule();
        await write(`${file}# by hand, and again\n`, "edited.toml");
      }
      return "pass";
    });
    expect(await config("pull", "edited.toml")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("edited.toml was changed while the installation was read"),
    });
    expect(await read("edited.toml")).toContain("# by hand, and again\n");
  });
});

describe("a configuration file with mistakes", () => {
  const Printed = z.object({
    problem: z.object({ errors: z.array(z.object({ pointer: z.string(), message: z.string() })) }),
    exit_code: z.int(),
  });

  it("is refused with all of them, each with its place", async () => {
    await write(`
servers = ["web-2"]
freeze = {}

[projects.shop]
server = "web-9"
repository = "https://bob:hunter2@example.com/shop.git"
keep_release = 3

[projects."my.blog"]
server = "web-1"
repository = "https://example.com/blog.git"
keep_releases = 1
cron.backup = { schedule = "@daily" }
processes.web = { command = "node .", instances = 13, port = "yes" }

[projects."my.blog".variables]
PORT = 80
GANTRY_ID = "x"
TOKEN = { from = "TOKEN", secret = true }

[projects.w]
name = "y"
was = 1
server = { from = "env:TOKEN" }

[projects.x]
server = "web-1"
repository = "https://bob:hunter2@example.com/x.git"

[projects.y]
server = "web-1"
repository = "https://example.com/y.git"

[projects.y.cron]
a = { schedule = "@dayly", command = "a" }
b = { schedule = "61 * * * *", command = "b" }
c = { schedule = "@daily", command = "c", timezone = "Europe/Berln" }

[hooks."https://git.test/a"]
forge = "gitea"
[hooks."https://git.test/a.git"]
forge = "gitea"

[webhooks.chat]
kind = "slack"
url = "https://hooks.slack.com/services/secret"

[freezes.x]
project = "sho"
times = { type = "weekly", days = ["funday"], from = "1", to = "08:00", timezone = "UTC" }
[freezes.y]
times = { type = "weekly", days = ["friday"], from = "07:00", to = "08:00", timezone = "Europe/Berln" }
[freezes.z]
times = { type = "once", from = 2090-12-31T18:00:00, to = 2091-01-01T12:00:00Z }
`);
    const ended = await config("plan", "--json");
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).not.toMatch(/hunter2|services\/secret|value-of-the-secret/);
    const { problem, exit_code: exitCode } = Printed.parse(jsonOf(ended.stderr));
    expect(exitCode).toBe(1);
    const places = problem.errors.map(({ pointer, message }) => `${pointer} ${message}`).toSorted();
    expect(places).toEqual([
      "freeze is unknown. Did you mean freezes?",
      'freezes.x.project names the project "sho", which does not exist',
      'freezes.x.times.days.0 must be one of "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"',
      "freezes.x.times.from must be a time such as 16:00",
      "freezes.y.times.timezone is not a known time zone, such as Europe/Berlin: Europe/Berln",
      "freezes.z.times.from must be a time with its offset, such as 2026-12-24T18:00:00Z",
      'hooks."https://git.test/a.git" is the same as hooks."https://git.test/a"',
      'projects."my.blog".cron.backup.command is required',
      'projects."my.blog".keep_releases must be 2 or more',
      'projects."my.blog".processes.web.instances must be 12 or less',
      'projects."my.blog".processes.web.port must be a boolean',
      'projects."my.blog".variables.GANTRY_ID must not begin with GANTRY, except GANTRY_REPOSITORY_TOKEN and GANTRY_REGISTRY_TOKEN',
      'projects."my.blog".variables.PORT must be a text in quotes, or a table such as { from = "env:NAME" }',
      'projects."my.blog".variables.TOKEN.from must be the name of an environment variable, such as "env:SHOP_TOKEN", and not the token of the command',
      "projects.shop.keep_release is unknown. Did you mean keep_releases?",
      'projects.shop.server names the server "web-9", which does not exist',
      "projects.w.name is already the name of the table",
      "projects.w.repository is required",
      "projects.w.server names the server of TOKEN, which does not exist",
      "projects.w.was must be the earlier name of the project",
      "projects.x.repository has a password: leave it out, and set the secret GANTRY_REPOSITORY_TOKEN",
      "projects.y.cron.a.schedule must have five fields: minute, hour, day of the month, month and day of the week",
      "projects.y.cron.b.schedule has the minute 61, which is not 0 to 59, a range such as 0-4, * or */2",
      "projects.y.cron.c.timezone is not a known time zone, such as Europe/Berlin: Europe/Berln",
      "servers has web-2, which the installation does not have. Did you mean web-1? gantry servers add adds a server.",
      'webhooks.chat.url is a secret: write { from = "env:NAME" }, and set NAME in the environment',
    ]);
  });

  it("is refused with its line if it is no TOML, and with a hint if it is missing", async () => {
    await write("[projects.shop\n", "broken.toml");
    const broken = await config("plan", "broken.toml");
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining("is not valid TOML in line 1") });
    await write('{ "projects": ', "broken.json");
    expect(await config("apply", "broken.json")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not valid JSON"),
    });
    const folder = join(cli.home, "empty");
    await mkdir(folder);
    const none = await cli.run(["config"], { env, folder });
    expect(none.stderr).toContain("gantry config export > gantry.toml writes it");
  });
});

describe("the grants of members", () => {
  let owner: Person;
  let people: NodeJS.ProcessEnv & { readonly GANTRY_TOKEN: string };
  beforeAll(async () => {
    owner = await becomeOwner(gantry.url, gantry.signInCode(), "Ada");
    people = { GANTRY_URL: gantry.url, GANTRY_TOKEN: await fullToken(owner) };
  });

  it("are applied to members, and people who have not joined are named", async () => {
    const grace = await addMember(gantry.url, owner.token, [{ role: "viewer" }], "Grace");
    await connectServer({ url: gantry.url, token: people.GANTRY_TOKEN }, "web-1").then((one) => one.stop());
    const exported = await cli.run(["config", "export", "all.json"], { env: people });
    expect(exported).toMatchObject({ code: 0, stdout: "" });
    const written = z
      .object({ members: z.unknown() })
      .loose()
      .parse(jsonOf(await read("all.json")));
    expect(written.members).toEqual({ Ada: { is_owner: true }, Grace: { grants: [{ role: "viewer" }] } });
    const grants = [{ role: "deployer", extra_scopes: ["deployments:approve"] }];
    const members = {
      ...z.record(z.string(), z.unknown()).parse(written.members),
      Grace: { grants },
      "linus@example.com": { grants },
    };
    await write(JSON.stringify({ ...written, members }), "all.json");
    const applied = await cli.run(["config", "apply", "all.json", "--yes", "--prune"], { env: people });
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stdout).toContain('members."linus@example.com" is no member yet');
    const rows = MemberRows.parse(
      (await createApi(gantry.url, people.GANTRY_TOKEN).call("GET", "/v1/members")).json,
    );
    expect(rows.members.find(({ id }) => id === grace.id)?.grants).toEqual([
      { role: "deployer", project_ids: null, extra_scopes: ["deployments:approve"] },
    ]);
    expect(await cli.run(["config", "plan", "all.json"], { env: people })).toMatchObject({ code: 0 });
  });

  it("never go to a member who only has the name of somebody else", async () => {
    const names = ["linus@example.com", "Barbara", "Barbara"];
    for (const name of names) await addMember(gantry.url, owner.token, [{ role: "viewer" }], name);
    const table = { grants: [{ role: "admin" }] };
    const members = { "linus@example.com": table, Barbara: table };
    await write(JSON.stringify({ members }), "members.json");
    const applied = await cli.run(["config", "apply", "members.json", "--yes"], { env: people });
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stdout).toContain('members."linus@example.com" is no member yet');
    expect(applied.stdout).toContain("members.Barbara is no member yet");
    const rows = MemberRows.parse(
      (await createApi(gantry.url, people.GANTRY_TOKEN).call("GET", "/v1/members")).json,
    );
    const roles = new Set(rows.members.flatMap(({ grants }) => grants.map(({ role }) => role)));
    expect([...roles]).not.toContain("admin");
  });
});
