import { parse as parseToml, TomlError } from "smol-toml";

import { stop, type Result } from "#cli/outcome.ts";
import { type Fields, isFields, type Json, jsonOf } from "#cli/configuration/json.ts";
import { type Comments, printToml } from "#cli/configuration/print-toml.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { succeed } from "#contract/lib/result.ts";

export type Format = "toml" | "json";

/** The format of a file, by the ending of its name. */
export function formatOf(path: string): Format {
  return path.toLowerCase().endsWith(".json") ? "json" : "toml";
}

/** Parses the text of a configuration file. @param path for messages */
export function parseDocument(text: string, format: Format, path: string): Result<Fields> {
  let json: Json;
  try {
    json = jsonOf(format === "json" ? JSON.parse(text) : parseToml(text));
  } catch (error) {
    const place = error instanceof TomlError ? ` in line ${error.line}, column ${error.column}` : "";
    const [reason = ""] = messageOf(error).split("\n");
    return stop("invalid_file", `${path} is not valid ${format.toUpperCase()}${place}: ${reason}.`);
  }
  return isFields(json) ? succeed(json) : stop("invalid_file", `${path} must have an object at its root.`);
}

/** Prints the text of a configuration file. It ends with a line break. */
export function printDocument(document: Fields, format: Format, comments?: Comments): string {
  return format === "json" ? `${JSON.stringify(document, null, 2)}\n` : printToml(document, comments);
}
