import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { build } from "esbuild";

import { root } from "../../../scripts/shared/root.ts";
import { runCommand } from "../../../scripts/shared/run-command.ts";
import { openApi } from "./open-api.ts";

const programs = resolve(import.meta.dirname, "../clients");
const hook = pathToFileURL(join(import.meta.dirname, "typescript-api.mjs")).href;

/** A folder with what the generators make of the document, and the programs that use it. */
export type Clients = {
  /** What the compiler has to say of all of it, as strict as can be asked of generated code. */
  compile(): Promise<{ code: number | null; output: string }>;
  /** Runs a program against an installation. @returns its output */
  run(program: string, url: string, token: string): Promise<unknown>;
  remove(): Promise<void>;
};

export async function generateClients(): Promise<Clients> {
  // Below the repository, where its packages are found.
  const folder = join(root, "build", `clients-${process.pid}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(programs, folder, { recursive: true });
  await writeFile(join(folder, "openapi.json"), JSON.stringify(openApi));
  const cli = async (...argv: string[]) => {
    const env = { NODE_OPTIONS: `--import ${hook}` };
    const { code, output } = await runCommand([process.execPath, ...argv], { cwd: folder, env });
    if (code !== 0) throw new Error(output);
  };
  const modules = join(root, "node_modules");
  await cli(join(modules, "openapi-typescript/bin/cli.js"), "openapi.json", "-o", "schema.ts");
  await cli(
    join(modules, "@hey-api/openapi-ts/bin/run.js"),
    "-i",
    "openapi.json",
    "-o",
    "sdk",
    "--no-log-file",
  );
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(compilerOptions));

  return {
    compile: () => runCommand(["tsc", "-p", folder]),
    async run(program, url, token) {
      const outfile = join(folder, `${program}.mjs`);
      await build({
        entryPoints: [join(folder, `${program}.ts`)],
        outfile,
        bundle: true,
        platform: "node",
        format: "esm",
        logLevel: "error",
      });
      const env = { GANTRY_URL: url, GANTRY_TOKEN: token };
      const { code, output } = await runCommand([process.execPath, outfile], { env });
      if (code !== 0) throw new Error(output);
      return JSON.parse(output);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const compilerOptions = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable"],
    module: "esnext",
    moduleResolution: "bundler",
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
  },
  include: ["**/*.ts"],
};
