import { execFile } from "node:child_process";
import { chmod, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { beforeAll, expect, it } from "vitest";

import { Hook, HookWithSecret, type Push, PushRows } from "#contract/endpoints/hooks/schemas.ts";
import { useGantry } from "../openapi/support/gantry.ts";
import { createRepository, type Repository } from "../support/journey-repository.ts";
import { createCli, jsonOf } from "./support/command.ts";

const execute = promisify(execFile);
const git = (args: readonly string[], cwd = cli.home) => execute("git", [...args], { cwd });
const cli = createCli();
let env: NodeJS.ProcessEnv;
let hook: HookWithSecret;
let local: Repository;
let bare: string;

const run = async (...args: string[]) => {
  const ended = await cli.run(args, { env });
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  return ended.stdout;
};

/** The script of docs/forges/git.md. */
async function script(url: string): Promise<string> {
  const page = await readFile(new URL("../../docs/forges/git.md", import.meta.url), "utf8");
  const [, text] = /```sh\n(#!\/bin\/sh\n.*?)```/s.exec(page) ?? [];
  if (text === undefined) throw new Error("the page has no script");
  const address = "https://gantry.example.com/v1/hooks/hook_…/receive";
  expect(text).toContain(address);
  return text.replace(address, url);
}

/** Pushes, and returns what the server printed. */
async function push(...refs: string[]): Promise<string> {
  return (await git(["push", bare, ...refs], local.path)).stderr;
}

/** The new rows since the known rows, in the order of the refs. */
const known = new Set<string>();
async function arrived(): Promise<Push[]> {
  const { pushes } = PushRows.parse({
    ...Object(jsonOf(await run("pushes", "--hook", hook.id, "--json"))),
    next_cursor: null,
  });
  const rows = pushes.filter(({ id }) => !known.has(id));
  for (const { id } of rows) known.add(id);
  return rows.toSorted((one, other) => (one.ref ?? "").localeCompare(other.ref ?? ""));
}

beforeAll(async () => {
  const gantry = await useGantry();
  env = { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.token };
  hook = HookWithSecret.parse(
    jsonOf(await run("hooks", "create", "git@git.example.com:shop.git", "--host", "git", "--json")),
  );
  bare = join(cli.home, "srv", "shop.git");
  await mkdir(join(cli.home, "srv"), { recursive: true });
  await git(["init", "--quiet", "--bare", "--initial-branch=main", bare]);
  await writeFile(join(bare, "gantry-secret"), `${hook.secret}\n`);
  await writeFile(join(bare, "hooks", "post-receive"), await script(hook.url));
  await chmod(join(bare, "hooks", "post-receive"), 0o755);
  local = await createRepository(join(cli.home, "local"));
});

it("names the file of the secret, and the page with the script", async () => {
  const { steps } = Hook.parse(jsonOf(await run("hooks", "show", hook.id, "--json")));
  expect(steps.join(" ")).toContain("gantry-secret");
  expect(steps.join(" ")).toContain(`${env["GANTRY_URL"]}/docs/forges/git `);
});

it("reports what is pushed to a git server with the script of its guide", async () => {
  expect(await run("hooks")).toContain("nothing delivered yet");
  await local.commit({ "a.txt": "1" });
  expect(await push("main")).toContain(
    "remote: Gantry: ignored. No project has the repository git@git.example.com:shop.git.",
  );
  const first = await local.git("rev-parse", "HEAD");
  expect(await arrived()).toMatchObject([{ ref: "refs/heads/main", before: null, after: first }]);
  expect(await run("hooks")).toContain("works, last delivery");

  await local.commit({ "b.txt": "1", "größe.txt": "1" });
  const second = await local.git("rev-parse", "HEAD");
  await local.git("tag", "-a", "v1", "-m", "first");
  await push("main", "main:refs/heads/next/one", "v1");
  expect(await arrived()).toMatchObject([
    { ref: "refs/heads/main", before: first, after: second, headline: expect.stringMatching(/^Change/) },
    { ref: "refs/heads/next/one", before: null, after: second },
    { ref: "refs/tags/v1", before: null, after: second },
  ]);

  await local.git("commit", "--quiet", "--amend", "-m", 'another "history"');
  const forced = await local.git("rev-parse", "HEAD");
  await push("+main", ":next/one", ":v1");
  expect(await arrived()).toMatchObject([
    { ref: "refs/heads/main", before: second, after: forced, headline: 'another "history"' },
    { ref: "refs/heads/next/one", before: second, after: null },
    { ref: "refs/tags/v1", after: null },
  ]);
});

it("says why a report was refused, and the push succeeds", async () => {
  const other = join(cli.home, "srv", "other.git");
  await git(["clone", "--quiet", "--bare", bare, other]);
  for (const file of ["gantry-secret", "hooks/post-receive"]) await cp(join(bare, file), join(other, file));
  const { stderr } = await git(["push", other, "main:elsewhere"], local.path);
  expect(stderr).toContain("remote: Gantry: refused. The delivery is about other (the line repository).");
  expect(await run("hooks")).toContain("refused a delivery");
  expect(await run("hooks")).toContain("other_repository");
  await writeFile(join(bare, "gantry-secret"), "another-secret-of-20-bytes\n");
  expect(await push("main:refs/heads/forged")).toContain(
    "remote: Gantry: refused. The signature does not match the secret of this hook. Write the secret into the file gantry-secret of the repository's folder, or rotate it.",
  );
  expect(Hook.parse(jsonOf(await run("hooks", "show", hook.id, "--json"))).refused_reason).toBe(
    "bad_signature",
  );
});
