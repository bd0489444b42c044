import { programOf, programsOf, startedBy, toolsOf } from "#project-files/frameworks/tools/command-tools.ts";
import { isBinding, type ToolRequest } from "#project-files/frameworks/tools/tool-request.ts";
import type { Tool } from "#project-files/frameworks/tools/tool.ts";

/**
 * A tool of a build. `program`: the program of the tool that a preset's command starts, such as `bundle` of Ruby, without
 * which the build fails; `null` if none does.
 */
export type ToolNeed = {
  readonly tool: Tool;
  readonly program: string | null;
  /** The versions that the repository asks for; the first one decides. */
  readonly requests: readonly ToolRequest[];
};

/** The commands of a project, by who chose them. */
export type ChosenCommands = {
  /** Those of presets. */
  readonly preset: readonly string[];
  /** Those of the project's settings, which may install the tools that they need. */
  readonly own: readonly string[];
};

/** Scripts of a package.json run in builds of every language, to make the assets. */
const forAssets: readonly Tool[] = ["node", "pnpm", "yarn", "bun"];
/** Their programs are scripts for Node, so Node is chosen before them. */
const last: readonly Tool[] = ["npm", "pnpm", "yarn"];

/** Decides which tools the commands of a project may use. */
export function toolNeeds(
  { preset, own }: ChosenCommands,
  requests: ReadonlyMap<Tool, readonly ToolRequest[]>,
): readonly ToolNeed[] {
  if (preset.length + own.length === 0) return [];
  const required = new Map<Tool, string>();
  for (const program of preset.flatMap(programsOf))
    for (const [index, tool] of (toolsOf(program) ?? []).entries())
      required.set(tool, required.get(tool) ?? (index === 0 ? program : programOf(tool)));
  const mentioned = own.flatMap(startedBy).map(toolsOf);
  // A script of the repository may start any tool.
  const isOpen = mentioned.includes(null);
  const asked = [...requests].filter(([, found]) => found.some(isBinding)).map(([tool]) => tool);
  const possible = asked.filter((tool) => isOpen || forAssets.includes(tool));
  const tools = new Set([...required.keys(), ...mentioned.flatMap((found) => found ?? []), ...possible]);
  const ordered = [...tools].toSorted((a, b) => Number(last.includes(a)) - Number(last.includes(b)));
  return ordered.map((tool) => ({
    tool,
    program: required.get(tool) ?? null,
    requests: requests.get(tool) ?? [],
  }));
}
