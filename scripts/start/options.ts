import * as z from "zod";

import { readMemo } from "./memo.ts";
import { home, option, type Script, wholeNumber } from "../shared/script.ts";

/** 65535 is the last port, and the first site needs the port after this one. */
export const portNumber = wholeNumber(1, 65_534);
const DEFAULT_PORT = 8787;
export const port = option("N", "the port of the API, 8787 by default", portNumber.default(DEFAULT_PORT));

/** What `npm start` starts, apart from the installation's home and port. */
const started = {
  repo: option(
    "URL|PATH",
    "deploy this git repository instead of the example",
    z.string().nullable().default(null),
  ),
  branch: option(
    "NAME",
    "deploy this branch; the repository's default branch by default",
    z.string().nullable().default(null),
  ),
  "rate-limit": option(
    "N",
    "requests per minute for each token; unlimited by default",
    wholeNumber(1, 1_000_000).nullable().default(null),
  ),
  inspect: option(
    "PORT",
    "the port on which a debugger, such as Chrome's, can attach to the Worker",
    wholeNumber(1, 65_535, "a port").nullable().default(null),
  ),
};

const options = z.object({
  port: option(
    "N",
    "the port of the API; sites get the ports after it. By default the port that the\nhome used last, at first 8787",
    portNumber.nullable().default(null),
  ),
  home,
  ...started,
});

type GivenOptions = z.output<typeof options>;

/** `isPortGiven`: otherwise it is the home's. */
export type StartOptions = GivenOptions & { readonly port: number; readonly isPortGiven: boolean };

/** Completes the options with the port that the home used last. */
export async function withPort(given: GivenOptions): Promise<StartOptions> {
  const { port: lastPort } = await readMemo(given.home);
  return { ...given, port: given.port ?? lastPort ?? DEFAULT_PORT, isPortGiven: given.port !== null };
}

export const startScript: Script<typeof options> = {
  usage: "npm start -- [options]",
  summary:
    "Runs Gantry on this machine: the Worker, an agent and a site server. Deploys an example site at the first start.",
  options,
};

const ignored = option("…", "accepted as by npm start, and ignored", z.string().optional());

/** For a script that takes the line of an `npm start` with all its options. */
export const ignoredOptions = {
  repo: ignored,
  branch: ignored,
  "rate-limit": ignored,
  inspect: ignored,
} satisfies Record<keyof typeof started, z.ZodType>;
