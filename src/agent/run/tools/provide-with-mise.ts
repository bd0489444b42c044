import { join } from "node:path";

import * as z from "zod/mini";

import { hasSucceeded } from "#build/process/command.ts";
import type { Provider, ProvidedTool, ToolRunner } from "#agent/run/tools/tool-runner.ts";
import { fitsBest, pickVersion } from "#project-files/frameworks/tools/check-version.ts";
import type { ToolRequest } from "#project-files/frameworks/tools/tool-request.ts";
import { type Tool, toolTitle } from "#project-files/frameworks/tools/tool.ts";
import { exactVersion } from "#project-files/frameworks/tools/wanted-version.ts";
import { parseJson } from "#contract/parse-json.ts";

/** The fields that are used of what `mise ls --json` prints. */
const Installed = z.array(z.object({ version: z.string() }));

/**
 * Installs a tool with the server's mise, in the agent's folder. An installed version that fits is used as it is, so
 * that a deployment needs no network for it. mise gets the version as an argument and runs outside of the repository, so
 * it reads none of the repository's settings, tasks and hooks.
 */
export const provideWithMise: Provider = async (runner, tool, requests) => {
  const { scope, path } = runner;
  const program = (await scope.context.tools.find("mise", path))?.path;
  if (program === undefined) return { kind: "none" };
  const mise = createMise(runner, program);

  const listed = Installed.safeParse(parseJson(await mise.ask("ls", "--installed", "--json", tool)));
  const fitting = listed.data?.map(({ version }) => version).filter((one) => fitsBest(requests, one)) ?? [];
  const kept = pickVersion(requests, fitting);
  if (kept !== null) return { kind: "provided", tool: await mise.locate(tool, kept) };

  const version = await chooseVersion(mise, tool, requests);
  scope.log.system(runner.stage, `installing ${toolTitle(tool)} ${version} with mise`);
  const ran = await mise.run(true, "install", "--yes", `${tool}@${version}`);
  if (!hasSucceeded(ran.end)) return { kind: "failed", installer: "mise", ran };
  const provided = await mise.locate(tool, version);
  return provided.folders.length === 0
    ? { kind: "failed", installer: "mise", ran }
    : { kind: "provided", tool: provided };
};

type Mise = ReturnType<typeof createMise>;

function createMise({ scope, folder, run }: ToolRunner, program: string) {
  const { environment, home } = scope.context;
  const own = Object.entries(environment).flatMap(([name, value]) =>
    name.startsWith("MISE_") && value !== undefined ? [[name, value] as const] : [],
  );
  const env = {
    // The server's own settings, such as a mirror.
    ...Object.fromEntries(own),
    MISE_DATA_DIR: join(folder, "mise"),
    MISE_CACHE_DIR: join(home, ".mise", "cache"),
    MISE_STATE_DIR: join(home, ".mise", "state"),
    MISE_CEILING_PATHS: home,
    // Otherwise npm would be a script that needs bash.
    MISE_NODE_NPM_SHIM: "0",
    NO_COLOR: "1",
  };
  const start = (log: boolean, ...words: readonly string[]) => run([program, ...words], { log, env });
  const ask = async (...words: readonly string[]) => (await start(false, ...words)).stdout.trim();
  return {
    run: start,
    ask,
    async locate(tool: Tool, version: string): Promise<ProvidedTool> {
      const lines = (await ask("bin-paths", `${tool}@${version}`)).split("\n");
      return { version, folders: lines.filter((line) => line.startsWith(`${folder}/`)) };
    },
  };
}

async function chooseVersion(mise: Mise, tool: Tool, requests: readonly ToolRequest[]): Promise<string> {
  const [first] = requests;
  const exact = first === undefined ? null : exactVersion(first.wanted);
  if (exact !== null) return exact;
  if (first === undefined || first.wanted.kind === "lts") {
    const newest = await mise.ask("latest", tool === "node" ? "node@lts" : tool);
    if (newest !== "" && fitsBest(requests, newest)) return newest;
  }
  const available = (await mise.ask("ls-remote", tool)).split("\n");
  // If mise does not have the version, it prints that itself.
  return pickVersion(requests, available) ?? first?.written ?? "latest";
}
