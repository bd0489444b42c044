import { nodeCommand, scriptCommand, toolCommand } from "#contract/frameworks/package-manager.ts";
import type { Tree } from "#contract/frameworks/tree.ts";

/** Without it, many packages show errors to visitors and are slow. */
export const PRODUCTION = "NODE_ENV=${NODE_ENV:-production}";

/** A command with plain arguments. */
const plainNode = /^node(?: [\w@%+=:,./-]+)+$/;
const plainNext = /^next start(?: [\w@%+=:,./$-]+)*$/;

/**
 * The command of a Node app: the script `start` of package.json, or else the framework's own. A script that starts a
 * development server does not count.
 */
export function nodeServer(tree: Tree, tool: string | null, script = "start"): string | null {
  const { scripts, packageManager } = tree;
  const start = scripts.get(script);
  if (start !== undefined && plainNode.test(start) && !scripts.has(`pre${script}`))
    // Without a package manager in between, which would take as much memory as a small app.
    return `${PRODUCTION} ${nodeCommand(packageManager, start)}`;
  if (start !== undefined && (tool === null || !isForDevelopment(start)))
    return `${PRODUCTION} ${scriptCommand(packageManager, script)}`;
  if (tool !== null) {
    const command = tool.startsWith("node ") ? nodeCommand(packageManager, tool) : localTool(tree, tool);
    return `${PRODUCTION} ${command}`;
  }
  // As `npm start` without such a script.
  return tree.signs.has("file:server.js")
    ? `${PRODUCTION} ${nodeCommand(packageManager, "node server.js")}`
    : null;
}

/** Next.js has no variable for the address, so its options are added to those of the script. */
export function nextServer(tree: Tree): string | null {
  const start = tree.scripts.get("start") ?? "";
  const script = start === "" || isForDevelopment(start) ? "next start" : start;
  if (!plainNext.test(script) || tree.scripts.has("prestart")) return nodeServer(tree, "next start");
  return localTool(tree, `${script} -H 127.0.0.1 -p $PORT`);
}

function isForDevelopment(script: string): boolean {
  return /\b(?:dev|nodemon)\b/.test(script);
}

/** A program of a dependency, if possible without a package manager in between. */
function localTool({ packageManager, workspace }: Tree, command: string): string {
  const { name, isPnp } = packageManager;
  const isLinked = workspace === null && isPnp !== true && ["npm", "pnpm", "yarn-classic"].includes(name);
  return isLinked ? `node_modules/.bin/${command}` : toolCommand(packageManager, command);
}
