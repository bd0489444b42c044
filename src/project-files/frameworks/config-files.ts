import { type Config, readConfig } from "#project-files/frameworks/read-config.ts";

/** The tools with a file such as `vite.config.ts`. */
const tools = [
  "next",
  "nuxt",
  "svelte",
  "astro",
  "vite",
  "react-router",
  "eleventy",
  "vue",
  "nitro",
  "app",
] as const;

/** A tool whose configuration is read. */
export type ConfiguredTool = (typeof tools)[number];

const extensions = ["js", "mjs", "cjs", "ts", "mts", "cts"];

/** The names of each tool's file, in order of precedence. */
const namesOf = (tool: ConfiguredTool): readonly string[] => [
  ...(tool === "eleventy" ? [".eleventy.js"] : []),
  ...extensions.map((extension) => `${tool}.config.${extension}`),
];

/** The configuration files of the tools. Their content is read. */
export const configFiles: readonly string[] = tools.flatMap(namesOf);

/** Reads the configuration of each tool that has a file. */
export function readConfigs(files: ReadonlyMap<string, string>): ReadonlyMap<ConfiguredTool, Config> {
  return new Map(
    tools.flatMap((tool) => {
      const name = namesOf(tool).find((one) => files.has(one));
      return name === undefined ? [] : [[tool, readConfig(name, files.get(name) ?? "")] as const];
    }),
  );
}
