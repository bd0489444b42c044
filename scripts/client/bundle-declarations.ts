import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { isolatedDeclaration } from "rolldown/experimental";

import { root } from "../shared/root.ts";
import { operationTypes } from "./operation-types.ts";

/** The modules with what users can name. Each imports types only of the others, and of operations.ts. */
const MODULES = ["problem.ts", "client-types.ts", "create-client.ts", "verify-webhook.ts"] as const;

/** One file with all types of the client. @throws if a module has a type that cannot be declared without its imports */
export async function bundleDeclarations(): Promise<string> {
  const modules = MODULES.map(async (name) => {
    const source = await readFile(join(root, "src", "library", name), "utf8");
    const { code, errors } = await isolatedDeclaration(name, source);
    if (errors.length > 0) throw new Error(`${name}: ${errors.map(({ message }) => message).join("\n")}`);
    return withoutImports(code);
  });
  return [...(await Promise.all(modules)), operationTypes()].join("\n");
}

/** The file has all that the modules import of each other. Other imports fail its type check. */
function withoutImports(code: string): string {
  return code.replace(/^import type [^;]* from "#library\/[^"]+";\n/gm, "").replace(/^export \{\};\n/gm, "");
}
