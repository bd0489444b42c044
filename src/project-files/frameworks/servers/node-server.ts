import { nodeCommand, scriptCommand, toolCommand } from "#project-files/frameworks/package-manager.ts";
import { type ScriptKind, scriptKind, watchedFile } from "#project-files/frameworks/servers/script-kind.ts";
import type { Tree } from "#project-files/frameworks/tree.ts";
import { shown } from "#project-files/processes/file-problem.ts";

/** Without it, many packages show errors to visitors and are slow. */
export const PRODUCTION = "NODE_ENV=${NODE_ENV:-production}";

/** A command with plain arguments. */
const plainNode = /^node(?: [\w@%+=:,./-]+)+$/;
const plainNext = /^next start(?: [\w@%+=:,./$-]+)*$/;

/** The scripts that may start the built app, in order of precedence. */
const startScripts = [
  ...["start", "start:prod", "start:production", "production", "prod", "server:prod", "serve:prod"],
  ...["serve", "preview"],
];

/** The script that starts an app as a server; null if none does. */
function serverScript(tree: Tree, preferred: string, accepted: readonly ScriptKind[]): string | null {
  const { scripts } = tree;
  const kindOf = (name: string) => scriptKind(scripts.get(name) ?? "", scripts);
  if (scripts.has(preferred) && accepted.includes(kindOf(preferred))) return preferred;
  return startScripts.find((name) => scripts.has(name) && kindOf(name) === "program") ?? null;
}

/**
 * The command of a Node app: the script `start` of package.json, or else another script that runs a program, or else the
 * framework's own command, or else the file that the app usually begins with. A script that starts a development server or
 * only shows files does not count.
 */
export function nodeServer(tree: Tree, tool: string | null, preferred = "start"): string | null {
  const { scripts, packageManager } = tree;
  const script = serverScript(tree, preferred, ["program", "other"]);
  if (script !== null) {
    const start = scripts.get(script) ?? "";
    // Without a package manager in between, which would take as much memory as a small app.
    return plainNode.test(start) && !scripts.has(`pre${script}`)
      ? `${PRODUCTION} ${nodeCommand(packageManager, start)}`
      : `${PRODUCTION} ${scriptCommand(packageManager, script)}`;
  }
  if (tool !== null) {
    const command = tool.startsWith("node ") ? nodeCommand(packageManager, tool) : localTool(tree, tool);
    return `${PRODUCTION} ${command}`;
  }
  const file = watchedFile(scripts.get("start") ?? "") ?? tree.nodeEntry;
  return file === null ? null : `${PRODUCTION} ${nodeCommand(packageManager, `node ${file}`)}`;
}

/** The script by which a project whose framework builds files is started as a server; null if its files are published. */
export function programScript(tree: Tree): string | null {
  return serverScript(tree, "start", ["program"]);
}

const whyNot: Readonly<Record<ScriptKind, string>> = {
  program: "it runs a program",
  development: "it starts a development server",
  files: "it only shows files",
  step: "it starts nothing that stays",
  other: "it is not known to start a server",
};

/**
 * Says which script of package.json starts the app and why, and which ones do not.
 * @param start the command that starts the app; null if its files are published
 */
export function scriptNotes({ scripts, packageManager }: Tree, start: string | null): readonly string[] {
  const named = startScripts.filter((name) => scripts.has(name));
  const used = named.find((name) => {
    const text = scripts.get(name) ?? "";
    return (
      start !== null &&
      (start.endsWith(` ${scriptCommand(packageManager, name)}`) || start.endsWith(` ${text}`))
    );
  });
  const others = named
    .filter((name) => name !== used)
    .map((name) => ({
      name,
      text: scripts.get(name) ?? "",
      kind: scriptKind(scripts.get(name) ?? "", scripts),
    }))
    .filter(({ name, kind }) => name === "start" || kind === "program");
  const usedText = scripts.get(used ?? "") ?? "";
  const reason = scriptKind(usedText, scripts) === "program" ? `, because ${whyNot.program}` : "";
  return [
    ...(used === undefined ? [] : [`the script ${used} starts the app${reason}: ${shown(usedText)}`]),
    ...others.map(({ name, text, kind }) =>
      kind === "program"
        ? `the script ${name} is not used: ${shown(text)}`
        : `the script ${name} is not used, because ${whyNot[kind]}: ${shown(text)}`,
    ),
  ];
}

/** Next.js has no variable for the address, so its options are added to those of the script. */
export function nextServer(tree: Tree): string | null {
  const start = tree.scripts.get("start") ?? "";
  const kind = scriptKind(start, tree.scripts);
  const script = kind === "program" || kind === "other" ? start : "next start";
  if (!plainNext.test(script) || tree.scripts.has("prestart")) return nodeServer(tree, "next start");
  return localTool(tree, `${script} -H 127.0.0.1 -p $PORT`);
}

/** A program of a dependency, if possible without a package manager in between. */
function localTool({ packageManager, workspace }: Tree, command: string): string {
  const { name, isPnp } = packageManager;
  const isLinked = workspace === null && isPnp !== true && ["npm", "pnpm", "yarn-classic"].includes(name);
  return isLinked ? `node_modules/.bin/${command}` : toolCommand(packageManager, command);
}
