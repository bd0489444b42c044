import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import * as z from "zod/mini";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { AuditEntry } from "#contract/endpoints/audit/schemas.ts";
import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { eventually } from "../../support/faults/eventually.ts";
import { createSite, type Site } from "../../support/faults/site.ts";
import { type CallOptions, createCli, jsonOf } from "../../cli/support/command.ts";
import { createInstallation, type Installation } from "../../cli/support/installation.ts";

const cli = createCli();
let installation: Installation;
let site: Site;
let sites = 0;

beforeAll(async () => {
  installation = await createInstallation();
});
afterAll(() => installation.stop());
beforeEach(async () => {
  sites += 1;
  site = await createSite(installation, installation.host, `site-${sites}`);
});

/** The environment of a CI job. It reaches the control plane through the clients' proxy. */
const jobOptions = (more: NodeJS.ProcessEnv = {}): CallOptions => ({
  env: {
    GANTRY_URL: installation.clients.url,
    GANTRY_TOKEN: installation.token,
    GANTRY_PROJECT: site.projectId,
    ...more,
  },
});
const gantry = (...args: string[]) => cli.run(args, jobOptions());
const deployLive = async () => {
  const { id } = await installation.api.start(site.projectId);
  expect((await installation.api.ended(id)).status).toBe("live");
  return id;
};
const newest = async () => {
  const [deployment] = await installation.api.listDeployments(site.projectId);
  if (deployment === undefined) throw new Error("there is no deployment");
  return deployment;
};
const Event = z.looseObject({ type: z.string() });
const Audit = z.object({ entries: z.array(AuditEntry) });
const eventsOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => Event.parse(JSON.parse(line)));

describe("gantry deploy", () => {
  it("starts a deployment and prints how to follow it", async () => {
    const { code, stdout, stderr } = await gantry("deploy");
    const { id } = await newest();
    expect(code).toBe(0);
    expect(stdout).toBe(`Deployment of ${site.projectId} has started: v1 ${id}\n`);
    expect(stderr).toContain(`gantry logs -f ${id}`);
    await installation.api.ended(id);
  });

  it("prints only the API response with --json", async () => {
    const { code, stdout, stderr } = await gantry("deploy", "--json");
    const { id } = DeploymentStarted.parse(jsonOf(stdout));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await installation.api.ended(id);
  });

  it("--clear-cache makes the server delete what it keeps of earlier installations and builds", async () => {
    const { code, stdout } = await gantry("deploy", "--clear-cache", "--follow");
    expect(code).toBe(0);
    expect(stdout).toContain("the cache is empty already");
    expect((await gantry("deployments", "show")).stdout).toMatch(/^cache\tcleared$/m);
  });

  it("--follow exits with 1 when the deployment fails, and prints the reason", async () => {
    await site.source.commit({ build: "echo Error: out of paint >&2; echo; echo bye; exit 7" });
    const { code, stdout } = await gantry("deploy", "--follow", "--branch", "main");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\S+Z build {4}Error: out of paint$/m);
    expect(stdout).toMatch(/v1 failed: .*\(build_failed, in the stage build\).*\n {2}Error: out of paint\n/);
    const shown = await gantry("deployments", "show");
    expect(shown.stdout).toMatch(/^exit code\t7$/m);
    expect(shown.stdout).toMatch(/^stages\tfetch \S+ m?s, build \S+ m?s$/m);
    expect(shown.stdout).toMatch(/^failing line\tError: out of paint$/m);
    expect(shown.stdout).toMatch(/^Error: out of paint$/m);

    // A build of the same commit on this machine fails with the same words.
    const clone = join(cli.home, "clone");
    execFileSync("git", ["clone", "--quiet", site.source.repository.path, clone]);
    const built = await cli.run(["build"], { ...jobOptions(), folder: clone });
    const reasonOf = (text: string) => /failed: (.*\(build_failed, in the stage build\))/.exec(text)?.[1];
    expect({ code: built.code, reason: reasonOf(built.stdout) }).toEqual({ code, reason: reasonOf(stdout) });
    expect(built.stdout).toMatch(/^ {2}Error: out of paint$/m);
  });

  it("--follow --json prints one event per line, with the end as the last", async () => {
    const { code, stdout } = await gantry("deploy", "--follow", "--json");
    const events = eventsOf(stdout);
    expect(code).toBe(0);
    expect(events[0]).toMatchObject({ type: "started", version: 1, status: "building" });
    expect(events.at(-1)).toMatchObject({ type: "end", status: "live", failure: null });
    const lines = events.filter(({ type }) => type === "line").map(({ line }) => line);
    expect(lines).toEqual(lines.map((_, at) => at + 1));
  });

  it("--follow continues after cuts and an outage, and prints each line once", async () => {
    await site.source.gate.hold("build");
    const call = cli.start(["deploy", "--follow"], jobOptions());
    await call.printed("stdout", "line 10");
    installation.clients.cut();
    await installation.clients.refuse();
    await call.printed("stderr", "Trying again");
    await site.source.gate.open();
    await installation.api.ended((await newest()).id);
    await installation.clients.open();
    const { code, stdout } = await call.ended;
    expect(code).toBe(0);
    const lines = stdout.match(/(?<= )line \d+$/gm);
    expect(lines).toEqual(Array.from({ length: 20 }, (_, at) => `line ${at + 1}`));
    expect(stdout).toContain("v1 is live");
  });

  it("--follow exits with 5 when the control plane stays unreachable, and prints how to resume", async () => {
    await site.source.gate.hold("build");
    const call = cli.start(["deploy", "--follow", "--wait", "1"], jobOptions());
    await call.printed("stdout", "line 10");
    await installation.clients.refuse();
    const { code, stderr } = await call.ended;
    await installation.clients.open();
    const { id } = await newest();
    expect(code).toBe(5);
    expect(stderr).toContain(`gantry logs -f ${id}`);
    await site.source.gate.open();
    const back = await gantry("logs", "-f", id);
    expect(back.code).toBe(0);
    expect(back.stdout).toMatch(/ line 1$[^]*v1 is live/m);
  });

  it("starts one deployment when the first response is lost", async () => {
    let lost = 0;
    const removeRule = installation.clients.rule((passage) => {
      if (passage.kind !== "answer" || passage.method !== "POST" || lost > 0) return null;
      lost += 1;
      return "drop";
    });
    const { code, stderr } = await gantry("deploy", "--follow");
    removeRule();
    expect({ code, lost }).toEqual({ code: 0, lost: 1 });
    expect(stderr).toContain("Trying again");
    expect(await installation.api.listDeployments(site.projectId)).toHaveLength(1);
  });

  it("--follow exits with 1 when the deployment was canceled or replaced by a newer one", async () => {
    await site.source.gate.hold("build");
    const canceled = cli.start(["deploy", "--follow"], jobOptions());
    await canceled.printed("stdout", "line 10");
    expect((await gantry("cancel")).code).toBe(0);
    expect(await canceled.ended).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("v1 was canceled"),
    });
    await site.source.gate.open();

    const id = await deployLive();
    await deployLive();
    const superseded = await gantry("logs", "-f", id);
    expect(superseded.code).toBe(1);
    expect(superseded.stdout).toContain("v2 was live and has been replaced by a newer deployment");
  });

  it("--follow prints what a deployment waits for", async () => {
    await site.source.gate.hold("build");
    await installation.api.start(site.projectId);
    const second = cli.start(["deploy", "--follow"], jobOptions());
    await second.printed("stderr", `v2 is waiting for v1 (position 1 in the queue)`);
    await site.source.gate.open();
    expect((await second.ended).code).toBe(0);

    const server = await gantry("servers", "add", `away-${sites}`, "192.0.2.9", "--json");
    const { id: away } = ServerCreated.parse(jsonOf(server.stdout));
    expect((await gantry("projects", "set", "--server", away)).code).toBe(0);
    const third = cli.start(["deploy", "--follow"], jobOptions());
    await third.printed("stderr", `v3 is waiting for its server away-${sites} to take it`);
    await gantry("cancel");
    expect((await third.ended).code).toBe(1);
  });
});

describe("a CI job", () => {
  it("deploys a commit in a linked repository with a token for deployments only", async () => {
    const project = await installation.api.getProject(site.projectId);
    const secret = await gantry("tokens", "create", "ci", "-s", "deployments:write", "--only", project.name);
    const folder = join(cli.home, project.name);
    mkdirSync(join(folder, ".git"), { recursive: true });
    const owner = jobOptions({ GANTRY_PROJECT: "" });
    expect((await cli.run(["projects", "link", project.name], { ...owner, folder })).code).toBe(0);

    const [commit] = [...site.source.commits.keys()];
    const env = { GANTRY_URL: installation.clients.url, GANTRY_TOKEN: secret.stdout.trim(), CI: "true" };
    const job = await cli.run(["deploy", "--commit", `${commit}`, "--follow"], { env, folder });
    expect(job.code).toBe(0);
    expect(job.stdout).toContain(`Deployment of ${project.name} has started: `);
    expect(await newest()).toMatchObject({ status: "live", commit_sha: commit, actor: { name: "ci" } });
    const { entries } = Audit.parse(jsonOf((await gantry("audit", "--json")).stdout));
    const ofJob = entries.filter(({ actor }) => actor.name === "ci");
    expect(ofJob.map(({ action, outcome }) => [action, outcome])).toEqual([["startDeployment", "done"]]);
    expect((await cli.run(["servers"], { env, folder })).code).toBe(3);
    // Without a link, it is the only project of the token.
    const unlinked = await cli.run(["deploy", "--follow"], { env });
    expect(unlinked).toMatchObject({ code: 0, stdout: expect.stringContaining(site.projectId) });
  });
});

describe("a deployment from a linked repository", () => {
  it("says what is not committed, and not when another project or a commit is named", async () => {
    const { name } = await installation.api.getProject(site.projectId);
    const folder = join(cli.home, `changed-${name}`);
    mkdirSync(folder);
    writeFileSync(join(folder, "index.html"), "committed");
    const author = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    for (const args of [
      ["init", "-q"],
      ["add", "."],
      [...author, "commit", "-qm", "First"],
    ])
      execFileSync("git", args, { cwd: folder });
    const owner = { ...jobOptions({ GANTRY_PROJECT: "" }), folder };
    expect((await cli.run(["projects", "link", name], owner)).code).toBe(0);
    writeFileSync(join(folder, "index.html"), "changed");
    const note = "Not deployed: changes of 1 file are not committed.";
    expect((await cli.run(["deploy", "--follow"], owner)).stderr).toContain(note);
    expect((await cli.run(["deploy", "--follow", "-p", name], owner)).stderr).not.toContain(note);
  });
});

describe("Ctrl-C while following", () => {
  it("exits with 130 and says that the deployment continues", async () => {
    await site.source.gate.hold("build");
    const call = cli.start(["deploy", "--follow"], jobOptions());
    await call.printed("stdout", "line 10");
    call.child.kill("SIGINT");
    const { code, stderr } = await call.ended;
    const { id, status } = await newest();
    expect({ code, status }).toEqual({ code: 130, status: "building" });
    expect(stderr).toContain("The deployment continues.");
    expect(stderr).toContain(`gantry logs -f ${id}`);
    expect(stderr).toContain(`gantry cancel ${id}`);
    await site.source.gate.open();
    expect((await installation.api.ended(id)).status).toBe("live");
  });

  it("does the same for Ctrl-C at a terminal and for SIGTERM", async () => {
    await site.source.gate.hold("build");
    const typed = cli.inTerminal(["deploy", "--follow"], jobOptions());
    await typed.printed("stdout", "line 10");
    typed.type("\u0003");
    expect(await typed.ended).toMatchObject({
      code: 130,
      stdout: expect.stringContaining("The deployment continues."),
    });
    const ended = cli.start(["logs", "-f", "--json"], jobOptions());
    await ended.printed("stdout", "line 10");
    ended.child.kill("SIGTERM");
    const { code, stdout } = await ended.ended;
    expect(code).toBe(130);
    expect(eventsOf(stdout).at(-1)).toMatchObject({ type: "interrupted" });
    await site.source.gate.open();
    await installation.api.ended((await newest()).id);
  });
});

describe("Ctrl-C while starting", () => {
  it("says that the deployment may have started", async () => {
    const requested = new Promise<void>((resolve) => {
      installation.clients.watch(({ kind }) => kind === "request" && resolve());
    });
    installation.clients.silence();
    const call = cli.start(["deploy", "--follow"], jobOptions());
    await requested;
    call.child.kill("SIGINT");
    const { code, stdout, stderr } = await call.ended;
    await installation.clients.open("lost");
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    expect(stderr).toContain("may have started. Check with gantry deployments");
  });
});

describe("at a terminal", () => {
  it("the log has colours and a status line below it", async () => {
    await site.source.commit({
      build: `printf '\\033[35mviolet\\033[0m \\033]0;owned\\007\\033[2Jtext\\n'`,
    });
    await site.source.gate.hold("build");
    const call = cli.inTerminal(["deploy", "--follow"], jobOptions());
    await call.printed("stdout", "v1  build  ");
    await site.source.gate.open();
    const { code, stdout } = await call.ended;
    expect(code).toBe(0);
    expect(stdout).toContain("\u001b[35mviolet");
    // The build's output cannot rename the window or clear the screen.
    expect(stdout).not.toContain("owned\u0007");
    expect(stdout).not.toContain("\u001b[2J");
    expect(stdout).toContain("\u001b[32m✓");
  });

  it("folds warnings in a row, except warnings of a failed stage, and shows them with --warnings", async () => {
    const warn = "for i in 1 2 3; do echo npm warn deprecated old@$i >&2; done";
    const plain = jobOptions({ NO_COLOR: "1" });
    const printed = async (...args: readonly string[]) => {
      const { stdout } = await cli.inTerminal(args, plain).ended;
      return stdout.match(/(?:3 warnings|warnings of this stage:|old@\d|built fine|out of paint)/g);
    };
    const all = ["old@1", "old@2", "old@3"];
    await site.source.commit({ build: `${warn}; sleep 0.2; echo built fine` });
    expect(await printed("deploy", "--follow")).toEqual(["3 warnings", "built fine"]);
    expect(await printed("logs")).toEqual(["3 warnings", "built fine"]);
    expect(await printed("logs", "--warnings")).toEqual([...all, "built fine"]);
    expect((await gantry("logs")).stdout.match(/old@\d/g)).toEqual(all);
    await site.source.commit({ build: `${warn}; sleep 0.2; echo out of paint; exit 7` });
    expect(await printed("deploy", "--follow")).toEqual([
      ...["3 warnings", "out of paint", "warnings of this stage:", ...all],
      "out of paint",
    ]);
    expect(await printed("logs")).toEqual([...all, "out of paint"]);
  });

  it("NO_COLOR disables colours", async () => {
    await deployLive();
    const { code, stdout } = await cli.inTerminal(["deployments"], jobOptions({ NO_COLOR: "1" })).ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^VERSION +STATUS +BRANCH/);
    expect(stdout).not.toContain("\u001b[");
    const { stdout: coloured } = await cli.inTerminal(["deployments"], jobOptions()).ended;
    expect(coloured).toContain("\u001b[32mlive");
  });

  it("delete asks for confirmation and deletes only after a yes", async () => {
    const id = await deployLive();
    await deployLive();
    const no = cli.inTerminal(["delete", "v1"], jobOptions());
    await no.printed("stdout", "[y/N]");
    expect(no.stdout()).toContain("Delete v1 (superseded, main at");
    no.type("n\r");
    expect((await no.ended).code).toBe(130);
    expect((await installation.api.getDeployment(id)).id).toBe(id);
    const yes = cli.inTerminal(["delete", "v1"], jobOptions());
    await yes.printed("stdout", "[y/N]");
    yes.type("y\r");
    expect(await yes.ended).toMatchObject({ code: 0, stdout: expect.stringContaining("v1 is deleted.") });
    expect((await installation.api.listDeployments(site.projectId)).map(({ version }) => version)).toEqual([
      2,
    ]);
  });

  it("open opens the dashboard with xdg-open", async () => {
    const bin = join(cli.home, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\necho "$1" > "${bin}/opened"\n`);
    chmodSync(join(bin, "xdg-open"), 0o755);
    const url = `${installation.clients.url}/app/projects/${site.projectId}`;
    const env = { PATH: `${bin}:${process.env["PATH"]}`, DISPLAY: ":0" };
    const { code, stdout } = await cli.inTerminal(["open"], jobOptions(env)).ended;
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: url });
    const opened = () => readFileSync(join(bin, "opened"), { encoding: "utf8", flag: "a+" }).trim();
    await eventually("the URL is opened", () => opened() === url);
  });
});

describe("gantry logs", () => {
  it("prints the log in plain text and as one JSON object per line", async () => {
    const id = await deployLive();
    const plain = await gantry("logs");
    expect(plain).toMatchObject({ code: 0, stderr: "" });
    const sent = { authorization: `Bearer ${installation.token}`, accept: "text/plain" };
    const text = await fetch(`${installation.clients.url}/v1/logs/${id}`, { headers: sent });
    expect(plain.stdout).toBe(await text.text());
    expect(plain.stdout).toMatch(/^\d{4}-\S+Z build {4}line 20$/m);
    const json = await gantry("logs", id, "--json");
    const messages = eventsOf(json.stdout).map(({ message }) => message);
    expect(messages).toEqual((await installation.api.log(id)).map(({ message }) => message));
  });

  it("exits with 141 when its reader closes the pipe", async () => {
    await site.source.commit({ lines: 20_000 });
    await deployLive();
    const call = cli.start(["logs"], jobOptions());
    call.child.stdout?.once("data", () => call.child.stdout?.destroy());
    expect((await call.ended).code).toBe(141);
  });
});

describe("gantry deployments", () => {
  it("exits with 4 for an unknown deployment and with 2 for an invalid name", async () => {
    expect(await gantry("deployments", "show", "v9")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("no deployment v9"),
    });
    expect((await gantry("logs", "dpl_00000000000000000000000000")).code).toBe(4);
    expect((await gantry("logs", "latest")).code).toBe(2);
    expect((await gantry("logs")).code).toBe(2);
  });
});

describe("gantry rollback", () => {
  it("stays a rollback to a deployment that was removed since", async () => {
    const first = await deployLive();
    await site.source.commit();
    await deployLive();
    expect((await gantry("rollback", "--follow")).code).toBe(0);
    expect(
      (await installation.api.call("DELETE", `/v1/projects/${site.projectId}/deployments/${first}`)).status,
    ).toBe(204);
    expect((await gantry("deployments", "show")).stdout).toMatch(
      /^kind\trollback to a deployment that was removed$/m,
    );
  });

  it("skips the live commit, and says so if a deployment of it is named", async () => {
    await deployLive();
    await site.source.commit();
    await deployLive();
    await deployLive();
    const same = await gantry("rollback", "--to", "v2", "--follow");
    expect(same.stderr).toMatch(/Rolling back to v2: .* \(the same code as now\), live/);
    expect((await gantry("rollback")).stderr).toMatch(/Rolling back to v1: /);
  });

  it("--to takes a version or an ID, and the live deployment is refused with 4", async () => {
    const first = await deployLive();
    await site.source.commit();
    await deployLive();
    await site.source.commit();
    await deployLive();
    expect((await gantry("rollback", "--to", "v1", "--follow")).code).toBe(0);
    expect((await gantry("deployments", "show")).stdout).toMatch(/^kind\trollback to v1$/m);
    const again = await gantry("rollback", "--to", first);
    expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining("Already live") });
    const json = await gantry("rollback", "--to", "2", "--json");
    const { id, version } = DeploymentStarted.parse(jsonOf(json.stdout));
    expect(version).toBe(5);
    expect(await installation.api.ended(id)).toMatchObject({ status: "live", kind: "rollback" });
    expect((await gantry("rollback", "--to", "yesterday")).code).toBe(2);
  });
});

describe("gantry rollback under a hold", () => {
  it("says what it runs with, or why it waits, before it starts", async () => {
    await site.source.commit({ activate: "echo first" });
    await deployLive();
    await site.source.commit({ activate: "echo first" });
    await deployLive();
    await gantry("projects", "set", "--approval", "required", "--activate-command", "echo new");
    const back = await gantry("rollback", "--follow");
    expect(back.stderr).toContain(
      "Runs with the settings of v1 and does not wait. Changes of activate_command need an approval.",
    );
    expect(back.stdout).toContain("Runs with the settings of v1, without the changes of activate_command");
    expect(back.stdout).toContain("v3 is live");
    const asked = await gantry("rollback", "--to", "v2", "--settings", "current", "--follow");
    expect(asked.stderr).toContain(
      "Waits for an approval, because it changes more than the code: activate_command.",
    );
    expect(asked.code).toBe(6);
    expect((await gantry("deployments", "show")).stdout).toMatch(
      /^waiting\tfor an approval, because it changes more than the code: activate_command$/m,
    );
    await gantry("projects", "set", "--approval", "none");
    const applied = await gantry("rollback", "--to", "v2", "--follow");
    expect(applied.stderr).toContain("Also applies what is not live yet: activate_command.");
    expect(applied.stdout).toContain("v5 is live");
  });
});

describe("variables in deployments", () => {
  it("reach the command sealed, and a rollback uses the current ones or, with --variables, its target's", async () => {
    await site.source.commit({
      activate: 'printf "%s" "$PASSWORD" | sha256sum | cut -c1-8; echo "color: $COLOR"',
    });
    const set = async (password: string, color: string) => {
      const secret = ["--secret", "PASSWORD", "--from-stdin", "PASSWORD"];
      const options = { ...jobOptions(), input: password };
      expect(await cli.run(["variables", "set", `COLOR=${color}`, ...secret], options)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Set COLOR, PASSWORD"),
      });
    };
    const printed = (password: string, color: string) => {
      const hash = createHash("sha256").update(password).digest("hex").slice(0, 8);
      return new RegExp(` ${hash}\n.* color: ${color}\n`);
    };
    await set("battery-staple", "red");
    const first = await gantry("deploy", "--follow");
    expect(first.stdout).toMatch(printed("battery-staple", "red"));
    await set("correct-horse", "blue");
    const second = await gantry("deploy", "--follow");
    expect(second.stdout).toMatch(printed("correct-horse", "blue"));

    const deployed = await gantry("rollback", "--to", "v1", "--variables", "deployed", "--follow");
    expect(deployed.stdout).toMatch(printed("battery-staple", "red"));
    expect((await gantry("deployments", "show")).stdout).toMatch(/^variables\trevision 1$/m);
    await gantry("rollback", "--to", "v2", "--follow");
    const current = await gantry("rollback", "--to", "v1", "--follow");
    expect(current.stdout).toMatch(printed("correct-horse", "blue"));
    expect((await gantry("deployments", "show")).stdout).toMatch(/^variables\trevision 2$/m);
    expect((await gantry("rollback", "--variables", "old")).code).toBe(2);
  });
});

describe("gantry cancel and gantry delete", () => {
  it("cancel needs a version when several deployments are in progress", async () => {
    await site.source.gate.hold("build");
    await installation.api.start(site.projectId);
    const second = await installation.api.start(site.projectId);
    const both = await gantry("cancel");
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("v2, v1") });
    expect(await gantry("cancel", "v2")).toMatchObject({ code: 0, stdout: "v2 is canceled.\n" });
    expect((await installation.api.ended(second.id)).status).toBe("canceled");
    expect((await gantry("cancel", "v2")).code).toBe(4);
    const third = await installation.api.start(site.projectId);
    const several = await gantry("cancel", "v2", third.id, "v9", "v3");
    expect(several).toMatchObject({ code: 4, stdout: "v3 is canceled.\n" });
    expect(several.stderr).toContain("The project has no deployment v9.");
    expect(several.stderr).toContain("v2 has ended. Its status is canceled.");
    expect((await gantry("cancel")).code).toBe(0);
    await site.source.gate.open();
    await installation.api.ended((await newest()).id);
  });

  it("delete needs --yes without a terminal, and refuses the live deployment", async () => {
    await deployLive();
    await site.source.commit();
    await deployLive();
    const unsure = await gantry("delete", "v1");
    expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(await gantry("delete", "v2", "--yes")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("deployment_live"),
    });
    const removed = await gantry("delete", "v1", "--yes", "--json");
    expect(removed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^{"deleted":"dpl_/) });
    expect((await gantry("delete", "v1", "--yes")).code).toBe(4);
  });

  it("delete succeeds when only its first response is lost", async () => {
    await deployLive();
    await deployLive();
    let lost = 0;
    const removeRule = installation.clients.rule((passage) => {
      if (passage.kind !== "answer" || passage.method !== "DELETE" || lost > 0) return null;
      lost += 1;
      return "drop";
    });
    const { code, stdout } = await gantry("delete", "v1", "--yes");
    removeRule();
    expect({ code, stdout, lost }).toEqual({ code: 0, stdout: "v1 is deleted.\n", lost: 1 });
  });
});
