import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { parse } from "yaml";
import * as z from "zod";

import { bundleAction } from "../../../scripts/shared/build-action.ts";
import { root } from "../../../scripts/shared/root.ts";
import { listenLocally } from "../../support/listen.ts";

const ActionFile = z.strictObject({
  name: z.string(),
  description: z.string().max(125),
  author: z.string(),
  branding: z.strictObject({ icon: z.string(), color: z.enum(["blue"]) }),
  inputs: z.record(
    z.string().regex(/^[a-z_][\w-]*$/),
    z.strictObject({ description: z.string(), required: z.boolean(), default: z.string().optional() }),
  ),
  outputs: z.record(z.string(), z.strictObject({ description: z.string() })),
  runs: z.strictObject({ using: z.literal("node24"), main: z.string(), post: z.string() }),
});

/** What a runner reads in `action.yml`. Source: GitHub, "Metadata syntax reference". */
export async function readActionFile() {
  return ActionFile.parse(parse(await readFile(join(root, "action.yml"), "utf8")));
}

/** A workflow command that a step has printed. */
export type Printed = { readonly name: string; readonly value: string };

/** What a part of a step has left. */
export type StepEnd = {
  readonly code: number | null;
  readonly stdout: string;
  readonly commands: readonly Printed[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
};

/** A job of one step, with the files and the variables that a runner gives it. */
export type Job = {
  /** The environment of its step. Change it before the step starts. */
  readonly environment: Record<string, string>;
  /** Starts the main part. */
  start(inputs: Readonly<Record<string, string>>): RunningStep;
  /** Runs the main part to its end. */
  run(inputs: Readonly<Record<string, string>>): Promise<StepEnd>;
  /** Runs the last part, with the state that the main part has saved. */
  post(inputs: Readonly<Record<string, string>>): Promise<StepEnd>;
};

export type RunningStep = {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  output(): string;
  readonly ended: Promise<StepEnd>;
};

const SECRET = "of-the-job";

/**
 * A runner of GitHub Actions, as far as an action in JavaScript meets it. The environment, the files and the commands are as in
 * the documentation, and the identity tokens are signed.
 * @param identityFor makes an identity token for an audience
 */
export async function createRunner(identityFor: (audience: string) => string) {
  const folder = await mkdtemp(join(tmpdir(), "gantry-action-"));
  const action = join(folder, "action-repository");
  for (const [path, text] of await bundleAction()) {
    await mkdir(dirname(join(action, path)), { recursive: true });
    await writeFile(join(action, path), text);
  }
  await writeFile(join(action, "package.json"), '{ "type": "module" }');
  const { inputs: declared, runs } = await readActionFile();
  const tokens = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "", "http://runner");
    const isJob = request.headers.authorization === `Bearer ${SECRET}`;
    response.writeHead(isJob ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify({ value: identityFor(searchParams.get("audience") ?? "") }));
  });
  const port = await listenLocally(tokens);
  let jobs = 0;

  /** @param sha the commit of the job */
  async function newJob(sha: string): Promise<Job> {
    jobs += 1;
    const home = join(folder, `job-${jobs}`);
    await mkdir(join(home, "temp"), { recursive: true });
    const environment: Record<string, string> = {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      CI: "true",
      GITHUB_ACTIONS: "true",
      GITHUB_ACTION: "__run",
      GITHUB_JOB: "deploy",
      GITHUB_REF: "refs/heads/main",
      GITHUB_REF_NAME: "main",
      GITHUB_REF_TYPE: "branch",
      GITHUB_REPOSITORY: "acme/shop",
      GITHUB_RUN_ATTEMPT: "1",
      GITHUB_RUN_ID: `${1_658_821_493 + jobs}`,
      GITHUB_SHA: sha,
      RUNNER_TEMP: join(home, "temp"),
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
    };
    let states: Record<string, string> = {};
    const start = (file: string, inputs: Readonly<Record<string, string>>): RunningStep => {
      const unknown = Object.keys(inputs).find((name) => !(name in declared));
      if (unknown !== undefined) throw new Error(`action.yml does not have the input ${unknown}`);
      const given = Object.entries(declared).map(([name, { default: usual = "" }]) => [
        `INPUT_${name.toUpperCase()}`,
        inputs[name] ?? usual,
      ]);
      const names = ["GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"];
      const files = Object.fromEntries(
        names.map((name) => [name, join(home, `${file.replace("/", "-")}.${name}`)]),
      );
      const saved = Object.entries(states).map(([name, value]) => [`STATE_${name}`, value]);
      let stdout = "";
      const prepared = Promise.all(Object.values(files).map((path) => writeFile(path, "")));
      const child = spawn(process.execPath, [join(action, file)], {
        cwd: home,
        env: { ...environment, ...files, ...Object.fromEntries([...given, ...saved]) },
        stdio: ["ignore", "pipe", "pipe"],
      });
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      const ended = once(child, "close").then(async ([code]: unknown[]): Promise<StepEnd> => {
        await prepared;
        const read = async (name: string) => await readFile(files[name] ?? "", "utf8");
        states = { ...states, ...entriesIn(await read("GITHUB_STATE")) };
        return {
          code: typeof code === "number" ? code : null,
          stdout,
          commands: commandsIn(stdout),
          outputs: entriesIn(await read("GITHUB_OUTPUT")),
          summary: await read("GITHUB_STEP_SUMMARY"),
        };
      });
      return { child, output: () => stdout, ended };
    };
    return {
      environment,
      start: (inputs) => start(runs.main, inputs),
      run: (inputs) => start(runs.main, inputs).ended,
      post: (inputs) => start(runs.post, inputs).ended,
    };
  }
  return {
    newJob,
    async close() {
      tokens.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Reads `NAME<<DELIMITER` entries as the runner does. @throws for any other line */
export function entriesIn(text: string): Record<string, string> {
  const lines = text.split("\n");
  const entries: Record<string, string> = {};
  for (let at = 0; at < lines.length - 1; at += 1) {
    const [, name, delimiter] = /^(\w+)<<(.+)$/.exec(lines[at] ?? "") ?? [];
    const end = lines.indexOf(delimiter ?? "", at + 1);
    if (name === undefined || end === -1) throw new Error(`not an entry: ${lines[at]}`);
    entries[name] = lines.slice(at + 1, end).join("\n");
    at = end;
  }
  return entries;
}

const OLD_NAMES = [
  "add-mask",
  "add-matcher",
  "debug",
  "echo",
  "endgroup",
  "error",
  "group",
  "notice",
  "warning",
];

/**
 * The workflow commands in an output, as the runner finds them: `::name …::value` at the beginning of a line, after spaces, and
 * the older `##[name …]value` anywhere. Source: `ActionCommand.cs` of the runner.
 */
export function commandsIn(output: string): Printed[] {
  return output.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^\s*::([\w-]+)(?: [^:]*)?::(.*)$/.exec(line) ?? [];
    if (name !== undefined) return [{ name, value: unescape(value ?? "") }];
    const [, old = "", rest = ""] = /##\[([\w-]+)[^\]]*\](.*)$/.exec(line) ?? [];
    return OLD_NAMES.includes(old) ? [{ name: old, value: rest }] : [];
  });
}

function unescape(text: string): string {
  return text.replaceAll("%0A", "\n").replaceAll("%0D", "\r").replaceAll("%25", "%");
}
