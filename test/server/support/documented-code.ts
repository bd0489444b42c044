import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const page = resolve(import.meta.dirname, "../../../docs/servers.md");

/** The code block of docs/servers.md whose first line contains this text, without the comment that names its file. */
export function codeOf(text: string): string {
  const blocks = readFileSync(page, "utf8").matchAll(/^```\w*\n([\s\S]*?)^```$/gm);
  const found = [...blocks].map(([, code = ""]) => code).find((code) => code.split("\n")[0]?.includes(text));
  if (found === undefined) throw new Error(`docs/servers.md has no code that begins with ${text}`);
  return found.replace(/^# \/.*\n/, "");
}
