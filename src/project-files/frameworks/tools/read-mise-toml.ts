import { parse } from "smol-toml";

import { type FoundRequest, requestFor } from "#project-files/frameworks/tools/tool-request.ts";
import { toolNamed } from "#project-files/frameworks/tools/tool.ts";
import { objectOf } from "#contract/lib/json-object.ts";

/** Far more than such a file has. The text of a longer one is not parsed. */
const MAX_LENGTH = 64 * 1024;
const MAX_DEPTH = 20;

/** Reads the versions below `[tools]`. The file's variables, tasks and hooks are ignored. */
export function readMiseToml(text: string): readonly FoundRequest[] {
  const tools = objectOf(objectOf(parseToml(text))["tools"]);
  return Object.entries(tools).flatMap(([name, value]) => {
    const tool = toolNamed(name.replace(/^core:/, ""));
    return tool === null ? [] : requestFor(tool, versionIn(value), "version-file", "pinned");
  });
}

/** The version of `"20"`, `["20", "22"]` or `{ version = "20" }`. */
function versionIn(value: unknown): unknown {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const version = typeof first === "object" ? objectOf(first)["version"] : first;
  return typeof version === "number" ? String(version) : version;
}

function parseToml(text: string): unknown {
  if (text.length > MAX_LENGTH) return null;
  try {
    return parse(text, { maxDepth: MAX_DEPTH });
  } catch {
    return null;
  }
}
