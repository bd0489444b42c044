/** The tools whose version a repository can ask for, by the names that mise has for them. */
const tools = [
  "node",
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "deno",
  "ruby",
  "python",
  "php",
  "go",
  "rust",
  "hugo",
  "zola",
  "mdbook",
  "uv",
  "poetry",
] as const;
export type Tool = (typeof tools)[number];

/** Names that version files use for the same tools. */
const aliases: ReadonlyMap<string, Tool> = new Map([
  ["nodejs", "node"],
  ["golang", "go"],
]);

/** The tool with this name in a version file; `null` if it is none that builds use. */
export function toolNamed(name: string): Tool | null {
  return aliases.get(name) ?? tools.find((tool) => tool === name) ?? null;
}

const titles: Readonly<Record<Tool, string>> = {
  node: "Node",
  npm: "npm",
  pnpm: "pnpm",
  yarn: "Yarn",
  bun: "Bun",
  deno: "Deno",
  ruby: "Ruby",
  python: "Python",
  php: "PHP",
  go: "Go",
  rust: "Rust",
  hugo: "Hugo",
  zola: "Zola",
  mdbook: "mdBook",
  uv: "uv",
  poetry: "Poetry",
};

/** A tool's name for a sentence. */
export function toolTitle(tool: Tool): string {
  return titles[tool];
}
