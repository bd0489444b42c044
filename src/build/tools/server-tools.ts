import { findProgram, type ProgramFile, USUAL_PATH } from "#build/tools/find-program.ts";
import { readVersion } from "#build/tools/read-version.ts";
import { commandEnvironment } from "#build/commands/environment.ts";
import { MAX_TOOL_VERSION, type ToolReport } from "#contract/endpoints/servers/schemas.ts";

/** The programs that builds need most often, and that a server's report lists. */
export const reportedPrograms = [
  ...["node", "npm", "pnpm", "yarn", "bun", "deno", "corepack"],
  ...["ruby", "bundle", "python3", "uv", "poetry", "pipenv"],
  ...["php", "composer", "go", "cargo", "hugo", "mise"],
];

/** A program on a PATH. `version`: `null` if it prints none. */
export type FoundProgram = { readonly path: string; readonly version: string | null };

/** The programs of this server that builds use. */
export type ServerTools = {
  /** Finds a program. Its version is read again only if its file changes. */
  find(program: string, path: string): Promise<FoundProgram | null>;
  /** The programs on the PATH of builds, with their versions. */
  list(): Promise<ToolReport[]>;
  /** What `list` returned last; `null` before that. */
  readonly latest: ToolReport[] | null;
};

/** A script that starts one of several versions stays the same when another one is chosen. */
const READ_AGAIN_MS = 10 * 60_000;

export type ServerToolsOptions = {
  /** The agent's own environment, with the PATH of builds. */
  readonly environment: NodeJS.ProcessEnv;
  /** A folder without version files, in which the programs are started. */
  readonly home: string;
  /** Milliseconds since an arbitrary moment. */
  readonly monotonic: () => number;
};

export function createServerTools({ environment, home, monotonic }: ServerToolsOptions): ServerTools {
  const readings = new Map<string, { readonly readAt: number; readonly version: Promise<string | null> }>();

  function versionOf(program: string, found: ProgramFile, path: string): Promise<string | null> {
    const now = monotonic();
    const earlier = readings.get(found.identity);
    if (earlier !== undefined && now - earlier.readAt < READ_AGAIN_MS) return earlier.version;
    const env = { ...commandEnvironment(environment, "tools"), PATH: path };
    const version = readVersion(program, found, env, home);
    readings.set(found.identity, { readAt: now, version });
    // A busy server may have been too slow.
    void version.then((text) => (text === null ? readings.delete(found.identity) : undefined));
    return version;
  }

  const find: ServerTools["find"] = async (program, path) => {
    const found = await findProgram(program, path);
    return found === null ? null : { path: found.path, version: await versionOf(program, found, path) };
  };

  let latest: ToolReport[] | null = null;
  return {
    find,
    get latest() {
      return latest;
    },
    async list() {
      const path = environment["PATH"] ?? USUAL_PATH;
      const all = await Promise.all(
        reportedPrograms.map(async (name): Promise<ToolReport[]> => {
          const found = await find(name, path);
          return found === null ? [] : [{ name, version: found.version?.slice(0, MAX_TOOL_VERSION) ?? null }];
        }),
      );
      latest = all.flat();
      return latest;
    },
  };
}
