import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { allScopes } from "#contract/scopes.ts";
import { useGantry } from "../../openapi/support/gantry.ts";
import { createRepository } from "../../support/journey-repository.ts";
import { createApi } from "../../support/journey-api.ts";
import { becomeOwner, fullToken } from "../../support/people.ts";
import { readSnippets } from "../../cli/support/read-snippets.ts";
import { createCli } from "../../cli/support/command.ts";

/** Commands that cannot run here, with the reason. */
const notRun: ReadonlyMap<string, string> = new Map([
  ["gantry login https://gantry.example.com  # by the browser, or with a token", "it prompts"],
  ["gantry variables set --secret DATABASE_PASSWORD              # prompts for the value", "it prompts"],
]);

// The page of the API deletes its project at the end.
const snippets = (await readSnippets()).toSorted(
  (one, other) => Number(one.page === "api.md") - Number(other.page === "api.md"),
);
const cli = createCli();
let api: ReturnType<typeof createApi>;
let environment: NodeJS.ProcessEnv;
let programs: string;

const WithId = z.object({ id: z.string() });
const idOf = async (path: string, body: unknown) =>
  WithId.parse((await api.call("POST", path, body)).json).id;

/** What gh and glab do: they look up a repository, or add a hook. */
const printRepository = `cat > /dev/null; echo '{"id":1296269}'`;

/**
 * The programs that blocks call. The stand-ins for Gantry and curl note each call with its exit code or status. A
 * command that follows something without an end is stopped after a moment.
 */
const SHIMS = {
  gantry: `case " $* " in *" -f "* | *" --follow "* | *" --watch "* | *" --app "*) limit=8 ;; *) limit=100 ;; esac
timeout -k 1 $limit node "$PROGRAM" "$@" 2> "$CALLS/$$.err"
code=$?
{ echo "$code"; echo "gantry $*"; cat "$CALLS/$$.err"; } > "$CALLS/$$.call"
exit $code`,
  curl: `case " $* " in *" -N "*) limit=5 ;; *) limit=100 ;; esac
status=$(/usr/bin/curl "$@" --silent --max-time $limit --output "$CALLS/$$.body" --write-out '%{http_code}')
{ echo "HTTP $status"; echo "curl $*"; cat "$CALLS/$$.body"; } > "$CALLS/$$.call"
cat "$CALLS/$$.body"`,
  ...{ gh: printRepository, glab: printRepository, tea: "cat > /dev/null", psql: "cat > /dev/null" },
};

beforeAll(async () => {
  const gantry = await useGantry();
  // The first token of an installation has no scopes for members, which pages use.
  const owner = await becomeOwner(gantry.url, gantry.signInCode(), "Ada");
  api = createApi(gantry.url, await fullToken(owner));
  const server = await idOf("/v1/servers", { name: "web-1", ip: "192.0.2.10" });
  await idOf("/v1/servers", { name: "web-2", ip: "192.0.2.11" });
  const settings = { name: "shop", server_id: server, repository: "https://github.com/you/shop.git" };
  const project = await idOf("/v1/projects", settings);
  const deployment = await idOf(`/v1/projects/${project}/deployments`, {});
  programs = join(cli.home, "programs");
  await mkdir(programs);
  for (const [name, text] of Object.entries(SHIMS)) {
    await writeFile(join(programs, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(programs, name), 0o755);
  }
  environment = {
    HOME: cli.home,
    PATH: `${programs}:${process.env["PATH"] ?? ""}`,
    PROGRAM: cli.program,
    ...{ URL: gantry.url, GANTRY_URL: gantry.url },
    ...{ PROJECT: project, DEPLOYMENT: deployment, SERVER: server },
  };
});

/** A linked repository, with the files that blocks name. */
async function createFolder(name: string): Promise<{ readonly path: string; readonly sha: string }> {
  const path = join(cli.home, name);
  const repository = await createRepository(path);
  const { PROJECT: project, URL: url } = environment;
  await repository.commit({
    "gantry.json": JSON.stringify({ url, project, name: "shop" }),
    ".env": "LOG_LEVEL=info\nDATABASE_PASSWORD=hush\n",
    "token.txt": "secret",
    "logins.txt": "ada:secret@ghcr.io\n",
    "compose.yaml": "services: { web: { build: . } }",
    "compose.prod.yaml": "services: { web: { restart: always } }",
    "docker/compose.prod.yml": "services: { web: { build: .. } }",
    "change.sql": "select 1",
  });
  await repository.git("update-ref", "refs/remotes/origin/main", "HEAD");
  return { path, sha: await repository.git("rev-parse", "HEAD") };
}

/** Revokes the tokens of earlier blocks, which have the same name. */
async function revokeTokens(): Promise<void> {
  const Tokens = z.object({ tokens: z.array(z.object({ id: z.string(), name: z.string() })) });
  const { tokens } = Tokens.parse((await api.call("GET", "/v1/tokens")).json);
  for (const { id } of tokens.filter(({ name }) => name === "ci"))
    await api.call("DELETE", `/v1/tokens/${id}`);
}

type Call = { readonly outcome: string; readonly command: string; readonly output: string };

/** Runs a block as a reader does, with a token of these scopes. */
async function runBlock(name: string, text: string, token: string): Promise<Call[]> {
  const { path, sha } = await createFolder(name);
  const calls = join(cli.home, `${name}.calls`);
  await mkdir(calls);
  const { URL: url = "", PROJECT: project = "", SERVER: server = "" } = environment;
  const script = text
    .split("\n")
    .filter((line) => !notRun.has(line))
    .join("\n")
    .replaceAll("https://gantry.example.com", url)
    .replaceAll("proj_…", project)
    .replaceAll("srv_…", server)
    .replaceAll("hooks.slack.com/services/…", "hooks.slack.com/services/T0/B0/x");
  const auth = { auth: `Authorization: Bearer ${token}`, json: "Content-Type: application/json" };
  const shell = spawn("sh", ["-c", script], {
    cwd: path,
    env: { ...environment, ...auth, TOKEN: token, GANTRY_TOKEN: token, GITHUB_SHA: sha, CALLS: calls },
    stdio: ["ignore", "ignore", "ignore"],
  });
  await once(shell, "close");
  const files = (await readdir(calls)).filter((file) => file.endsWith(".call"));
  return Promise.all(
    files.map(async (file) => {
      const [outcome = "", command = "", ...output] = (await readFile(join(calls, file), "utf8")).split("\n");
      return { outcome, command, output: output.join("\n") };
    }),
  );
}

/**
 * Whether a reader would call the line wrong: it is no valid request or command, or the token may not do it. Other
 * failures follow from the installation, which has one project that was never live, and a server that is offline.
 */
function isWrong({ outcome, command, output }: Call): boolean {
  // A reader is asked.
  if (output.startsWith("Not confirmed: ")) return false;
  const isRefused = /"?(?:insufficient_scope|invalid_request|unauthorized)"?/.test(output);
  if (outcome.startsWith("HTTP")) return !/^HTTP (?:2..|404|409)$/.test(outcome) || isRefused;
  if (outcome === "124" || outcome === "137") return !/ (?:-f|--follow|--watch|--app|-N)\b/.test(command);
  return isRefused || !/^(?:[0146]|10[0146])$/.test(outcome);
}

describe("the snippets of the documentation", () => {
  it("are found, and each page with commands names the token for them", () => {
    expect(snippets.length).toBeGreaterThan(20);
    const written = new Set(snippets.flatMap(({ text }) => text.split("\n")));
    expect([...notRun.keys()].filter((line) => !written.has(line))).toEqual([]);
  });

  it.each(snippets)("run with the token that their page recommends: $page, line $line", async (snippet) => {
    const { page, line, scopes, project, text } = snippet;
    const limits = project === null ? {} : { project_ids: [environment["PROJECT"]] };
    const name = `${page}-${line}`.replaceAll(/[^a-z0-9]+/g, "-");
    const body = { name, scopes: scopes === "every" ? allScopes : scopes, ...limits };
    const { token } = z
      .object({ token: z.string() })
      .parse((await api.call("POST", "/v1/tokens", body)).json);
    await revokeTokens();
    const calls = await runBlock(name, text, token);
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.filter(isWrong)).toEqual([]);
  });
});
