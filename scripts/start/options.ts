import { resolve } from "node:path";
import { parseArgs } from "node:util";

import type { OptionsRead } from "../shared/options-read.ts";
import { messageOf } from "../shared/problem.ts";
import { root } from "../shared/root.ts";

export type StartOptions = {
  readonly port: number;
  readonly home: string;
  /** As it was given; `null`: the example, or what this home deployed before. */
  readonly repository: string | null;
  readonly branch: string | null;
  /** Requests a minute; `null`: not limited. */
  readonly rateLimit: number | null;
  /** Where a debugger finds the Worker; `null`: nowhere. */
  readonly inspectorPort: number | null;
};

export const START_HELP = `npm start -- [options]

  --port N         the API's port, 8787 by default; sites get the ports after it
  --home DIR       where this installation keeps everything, .gantry by default
  --repo URL|PATH  deploy this git repository instead of the example
  --branch NAME    deploy this branch; the repository's own default otherwise
  --rate-limit N   requests a minute for each token; not limited otherwise
  --inspect PORT   let a debugger, such as Chrome's, look into the Worker at this port`;

/** @param folder what a relative --home is relative to: where npm was called */
export function readStartOptions(argv: readonly string[], folder: string): OptionsRead<StartOptions> {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        port: { type: "string", default: "8787" },
        home: { type: "string" },
        repo: { type: "string" },
        branch: { type: "string" },
        "rate-limit": { type: "string" },
        inspect: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return { kind: "help" };
    // One less than the last port: the first site needs the one after it.
    const port = wholeNumber(values.port, 1, 65_534);
    if (port === null) return wrong(`--port must be a whole number from 1 to 65534, not ${values.port}`);
    if (values.home === "") return wrong("--home must name a folder");
    const given = values["rate-limit"];
    const rateLimit = given === undefined ? null : wholeNumber(given, 1, 1_000_000);
    if (given !== undefined && rateLimit === null)
      return wrong(`--rate-limit must be a whole number of requests a minute, not ${given}`);
    const inspectorPort = values.inspect === undefined ? null : wholeNumber(values.inspect, 1, 65_535);
    if (values.inspect !== undefined && inspectorPort === null)
      return wrong(`--inspect must be a port from 1 to 65535, not ${values.inspect}`);
    return {
      kind: "read",
      options: {
        port,
        home: values.home === undefined ? resolve(root, ".gantry") : resolve(folder, values.home),
        repository: values.repo ?? null,
        branch: values.branch ?? null,
        rateLimit,
        inspectorPort,
      },
    };
  } catch (error) {
    return wrong(messageOf(error));
  }
}

function wrong(message: string): OptionsRead<StartOptions> {
  return { kind: "wrong", message };
}

function wholeNumber(text: string, least: number, most: number): number | null {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}
