import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";

import { TrustRule, TrustRuleRows } from "#contract/endpoints/trust-rules/schemas.ts";
import { createApi } from "../support/journey-api.ts";
import { type JobIssuer, startJobIssuer } from "../support/job-issuer.ts";
import { listenLocally } from "../support/listen.ts";
import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { createCli, jsonOf } from "./support/command.ts";

const cli = createCli();
let gantry: Gantry;
let issuer: JobIssuer;
let programs: string;
/** The working folder of jobs. */
let work: string;

const claims = {
  ...{ project_id: "7", job_project_id: "7", ref_path: "refs/heads/main" },
  ...{ ref_protected: "true", pipeline_source: "push" },
};

/** The identity token service of GitHub's runner. */
const runner = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "", "http://runner");
  const isJob = request.headers.authorization === "Bearer of-the-job";
  response.writeHead(isJob ? 200 : 401, { "content-type": "application/json" });
  response.end(JSON.stringify({ value: issuer.token(searchParams.get("audience") ?? "", claims) }));
});

/** The programs of forges print a repository; buildkite-agent prints an identity token. */
const SHIMS = {
  gh: `echo '{"id":1296269,"owner":{"id":583231},"asked":"'"$*"'"}'`,
  glab: `echo "404 Project Not Found" >&2; exit 1`,
  "buildkite-agent": `printf '%s' "$BUILDKITE_TOKEN"`,
};

beforeAll(async () => {
  gantry = await useGantry();
  issuer = await startJobIssuer();
  programs = join(cli.home, "programs");
  work = join(cli.home, "work");
  for (const folder of [programs, work]) await mkdir(folder);
  for (const [name, text] of Object.entries(SHIMS)) {
    await writeFile(join(programs, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(programs, name), 0o755);
  }
});
afterAll(() => {
  issuer.close();
  runner.close();
});

const path = () => `${programs}:${process.env["PATH"] ?? ""}`;

/** Runs the command as its owner. */
const run = async (...args: string[]) =>
  await cli.run(args, { env: { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.token, PATH: path() } });

/** Runs the command in a job, without a token of its own. */
const inJob = async (env: NodeJS.ProcessEnv, ...args: string[]) =>
  await cli.run(args, { env: { GANTRY_URL: gantry.url, PATH: path(), ...env }, folder: work });

const trust = async (name: string, ...args: string[]) =>
  await run("trust", "create", name, "--provider", "gitlab", "--issuer", issuer.url, ...args);

beforeEach(async () => {
  const api = createApi(gantry.url, gantry.token);
  const { trust_rules: rules } = TrustRuleRows.parse((await api.call("GET", "/v1/trust-rules")).json);
  for (const { id } of rules) await api.call("DELETE", `/v1/trust-rules/${id}`);
});

describe("gantry trust", () => {
  it("creates a rule for a repository of GitHub, whose id gh looks up", async () => {
    const made = await run(
      ...["trust", "create", "shop", "--repository", "git@github.com:acme/shop.git", "--branch", "main"],
      ...["--tag", "v*", "--claim", "event_name=push", "--minutes", "5", "--json"],
    );
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(TrustRule.parse(jsonOf(made.stdout))).toMatchObject({
      name: "shop",
      provider: "github",
      subject: "1296269",
      claims: {
        repository_owner_id: ["583231"],
        event_name: ["push"],
        ref: ["refs/heads/main", "refs/tags/v*"],
      },
      scopes: ["deployments:write"],
      lifetime_minutes: 5,
      audience: gantry.url,
    });
    const listed = await run("trust");
    expect(listed.stdout).toContain(
      "shop\thttps://token.actions.githubusercontent.com\t1296269\tevent_name=push repository_owner_id=583231 ref=refs/heads/main|refs/tags/v*",
    );
    expect(await run("trust", "delete", "shop", "--yes")).toMatchObject({ code: 0 });
    expect((await run("trust")).stdout).toBe("");
  });

  it("changes claims one by one, scopes, projects and the lifetime", async () => {
    await trust("shop", "--subject", "7", "--branch", "main", "--claim", "namespace_id=3");
    const set = async (...args: string[]) => {
      const changed = await run("trust", "set", "shop", ...args, "--json");
      expect(changed).toMatchObject({ code: 0 });
      return TrustRule.parse(jsonOf(changed.stdout));
    };
    expect(await set("--branch", "dev", "--minutes", "10", "--scope", "projects:read")).toMatchObject({
      claims: { ref_path: ["refs/heads/dev"], namespace_id: ["3"], ref_protected: ["true"] },
      scopes: ["projects:read"],
      lifetime_minutes: 10,
    });
    const { claims: left } = await set("--remove-claim", "namespace_id");
    expect(left).not.toHaveProperty("namespace_id");
    expect(await set("--name", "blog")).toMatchObject({ name: "blog", claims: left });
    expect((await run("trust", "set", "blog")).stderr).toContain("Pass at least one setting");
    expect((await run("trust", "set", "blog", "--only", "x", "--all-projects")).stderr).toContain(
      "either --only",
    );
    expect((await run("trust", "set", "blog", "--remove-claim", "ref_path")).stderr).toContain("/claims");
    expect((await run("trust", "set", "shop", "--minutes", "5")).code).toBe(4);
  });

  it("says what is missing, and how to find it", async () => {
    const refused: [string[], string][] = [
      [["--provider", "gitlab", "--repository", "acme/shop", "--branch", "main"], "404 Project Not Found"],
      [["--provider", "buildkite", "--branch", "main"], "Pass --subject: the pipeline_id"],
      [["--provider", "other"], "Pass --subject: the sub of the identity tokens of your jobs."],
      [["--branch", "main"], "Pass --repository OWNER/NAME, or --subject"],
      [
        ["--repository", "acme/shop", "--subject", "7", "--branch", "main"],
        "either --subject or --repository",
      ],
      [["--subject", "7"], "must have ref or environment"],
      [["--subject", "7", "--claim", "ref"], "must be NAME=VALUE"],
      [
        ["--provider", "buildkite", "--subject", "7", "--environment", "x"],
        "have no claim for --environment",
      ],
      [["--subject", "7", "--branch", "main", "--minutes", "soon"], "must be a whole number"],
    ];
    for (const [args, message] of refused) {
      const ended = await run("trust", "create", "shop", ...args);
      expect(ended.code, ended.stderr).not.toBe(0);
      expect(ended.stderr).toContain(message);
    }
  });

  it("tests an identity token", async () => {
    await trust("shop", "--subject", "7", "--branch", "dev");
    const env = { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.token };
    const input = issuer.token(gantry.url, claims);
    const wrong = await cli.run(["trust", "test"], { env, input });
    expect(wrong).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        "shop: The token has the ref_path refs/heads/main. The rule requires refs/heads/dev.",
      ),
    });
    await trust("main", "--subject", "7", "--branch", "main");
    const right = await cli.run(["trust", "test"], { env, input });
    expect(right).toMatchObject({ code: 0, stdout: expect.stringContaining("main: matches") });
    expect(right.stdout).toContain("ref_path\trefs/heads/main");
    expect((await cli.run(["trust", "test"], { env, input: "" })).stderr).toContain(
      "Standard input is empty",
    );
    const none = await cli.run(["trust", "test"], { env, input: "x" });
    expect(none).toMatchObject({ code: 1, stdout: expect.stringContaining("not a JSON web token") });
  });
});

const Shown = z.object({ token: z.object({ id: z.string(), name: z.string() }) });

describe("a job without a stored token", () => {
  it("gets one from GitHub for each command", async () => {
    const port = await listenLocally(runner);
    await trust("shop, main", "--subject", "7", "--branch", "main");
    const env = {
      GITHUB_ACTIONS: "true",
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of-the-job",
    };
    for (let command = 0; command < 2; command += 1) {
      const shown = await inJob(env, "whoami", "--json");
      expect(shown).toMatchObject({ code: 0, stderr: "" });
      expect(Shown.parse(jsonOf(shown.stdout)).token.name).toBe("shop, main");
    }
    const refused = await inJob({ ...env, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of-nobody" }, "whoami");
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("status 401") });
  });

  it("is told which permission is missing at GitHub", async () => {
    const ended = await inJob({ GITHUB_ACTIONS: "true" }, "whoami");
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining("Add id-token: write") });
  });

  it("gets one from buildkite-agent", async () => {
    await trust("shop, main", "--subject", "7", "--branch", "main");
    const env = { BUILDKITE: "true", BUILDKITE_TOKEN: issuer.token(gantry.url, claims) };
    expect(await inJob(env, "whoami")).toMatchObject({ code: 0, stderr: "" });
    expect((await inJob({ BUILDKITE: "true", BUILDKITE_TOKEN: "" }, "whoami")).stderr).toContain(
      "buildkite-agent printed no identity token",
    );
  });

  it("uses what it got for its only identity token in all of its commands", async () => {
    await trust("shop, main", "--subject", "7", "--branch", "main");
    const env = {
      GANTRY_ID_TOKEN: issuer.token(gantry.url, claims),
      XDG_CACHE_HOME: join(cli.home, "cache"),
    };
    const tokens = [];
    for (let command = 0; command < 3; command += 1) {
      const shown = await inJob(env, "whoami", "--json");
      expect(shown).toMatchObject({ code: 0, stderr: "" });
      tokens.push(Shown.parse(jsonOf(shown.stdout)).token.id);
    }
    expect(new Set(tokens).size).toBe(1);
    const folder = join(cli.home, "cache", "gantry", "jobs");
    const [file = "", ...more] = await readdir(folder);
    expect(more).toEqual([]);
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    // A cache in the working folder could be stored with the results of the job.
    const stored = { GANTRY_ID_TOKEN: issuer.token(gantry.url, claims), XDG_CACHE_HOME: join(work, "cache") };
    expect((await inJob({ ...stored, HOME: work }, "whoami")).code).toBe(0);
    expect(await readdir(work)).toEqual([]);
    // Without a folder to cache it in, the second command says why it has no token.
    const bare = { GANTRY_ID_TOKEN: issuer.token(gantry.url, claims), XDG_CACHE_HOME: "/dev/null/none" };
    expect((await inJob(bare, "whoami")).code).toBe(0);
    expect(await inJob(bare, "whoami")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("already exchanged"),
    });
  });

  it("uses the rule that GANTRY_TRUST_RULE names", async () => {
    await trust("first", "--subject", "7", "--branch", "main");
    const second = await trust("second", "--subject", "7", "--branch", "main", "--json");
    const { id } = TrustRule.parse(jsonOf(second.stdout));
    const env = () => ({ GANTRY_ID_TOKEN: issuer.token(gantry.url, claims) });
    const named = await inJob({ ...env(), GANTRY_TRUST_RULE: id }, "whoami", "--json");
    expect(Shown.parse(jsonOf(named.stdout)).token.name).toBe("second");
    const oldest = await inJob(env(), "whoami", "--json");
    expect(Shown.parse(jsonOf(oldest.stdout)).token.name).toBe("first");
    const wrong = await inJob({ ...env(), GANTRY_TRUST_RULE: "second" }, "whoami");
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("must be the ID of a trust rule"),
    });
  });

  it("builds without the settings of a project that it may not read", async () => {
    await trust("shop, main", "--subject", "7", "--branch", "main");
    const env = { GANTRY_ID_TOKEN: issuer.token(gantry.url, { ...claims, ref_path: "refs/heads/dev" }) };
    const site = join(cli.home, "site");
    await mkdir(site);
    await writeFile(join(site, "index.html"), "hello");
    const ended = await cli.run(["detect", "--here"], {
      env: { GANTRY_URL: gantry.url, PATH: path(), ...env },
      folder: site,
    });
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining("Using what is detected") });
  });

  it("is told which claim does not match", async () => {
    await trust("shop, main", "--subject", "7", "--branch", "main");
    const token = issuer.token(gantry.url, { ...claims, ref_path: "refs/heads/dev" });
    const ended = await inJob({ GANTRY_ID_TOKEN: token }, "deploy", "--follow");
    expect(ended).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("The token has the ref_path refs/heads/dev."),
    });
  });

  it("sends its identity token to no address that only the repository names", async () => {
    const repository = join(cli.home, "cloned");
    await mkdir(repository, { recursive: true });
    const link = { url: gantry.url, project: "shop", name: "shop" };
    await writeFile(join(repository, "gantry.json"), JSON.stringify(link));
    const env = { GANTRY_ID_TOKEN: issuer.token(gantry.url, claims), PATH: path() };
    const ended = await cli.run(["whoami"], { env, folder: repository });
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining("No identity token is sent to") });
  });
});
