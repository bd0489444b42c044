import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { reasonOf } from "#agent/reason-of.ts";

export const USAGE = `usage:
  gantry-agent enroll --url URL --token TOKEN --home DIR
  gantry-agent run --home DIR [--sites-socket PATH]`;

export type AgentArguments =
  | { readonly kind: "enroll"; readonly url: string; readonly token: string; readonly home: string }
  | { readonly kind: "run"; readonly home: string; readonly sitesSocket: string | null }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

/** Reads the command line, without the names of node and the script. */
export function readArguments(argv: readonly string[]): AgentArguments {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        url: { type: "string" },
        token: { type: "string" },
        home: { type: "string" },
        "sites-socket": { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    return { kind: "wrong", message: reasonOf(error) };
  }
  const { values, positionals } = parsed;
  if (values.help === true) return { kind: "help" };
  const [command, ...others] = positionals;
  if (others.length > 0) return { kind: "wrong", message: `unexpected: ${others.join(" ")}` };
  switch (command) {
    case "enroll": {
      const { url, token, home } = values;
      if (url === undefined) return missing("--url");
      if (token === undefined) return missing("--token");
      if (home === undefined) return missing("--home");
      if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url))
        return { kind: "wrong", message: `--url must be an http or https address, not ${url}` };
      return { kind: "enroll", url: url.replace(/\/+$/, ""), token, home: resolve(home) };
    }
    case "run": {
      const { home, "sites-socket": socket } = values;
      if (home === undefined) return missing("--home");
      const sitesSocket = socket === undefined ? null : resolve(socket);
      return { kind: "run", home: resolve(home), sitesSocket };
    }
    case undefined:
      return { kind: "wrong", message: "say what to do: enroll or run" };
    default:
      return { kind: "wrong", message: `there is no command ${command}` };
  }
}

function missing(option: string): AgentArguments {
  return { kind: "wrong", message: `${option} is missing` };
}
