import type { ToolReport } from "#contract/endpoints/servers/schemas.ts";

/** The tools of a server for a person, such as `node 24.1.0, npm 11.2.0`. */
export function toolList(tools: readonly ToolReport[]): string {
  const words = tools.map(({ name, version }) => (version === null ? name : `${name} ${version}`));
  return words.length === 0 ? "none" : words.join(", ");
}
