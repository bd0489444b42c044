import * as z from "zod";

import type { DatabaseTarget } from "./execute-statements.ts";
import { Problem } from "./problem.ts";
import { flag, option, resolveHome } from "./script.ts";

const folder = z.string().min(1, "must name a folder").optional();

/** The options that select an installation's database. */
export const databaseOptions = {
  home: option("DIR", "the folder of a local installation; .gantry by default", folder),
  local: option("DIR", "the earlier name of --home", folder),
  remote: flag("use the installation in your Cloudflare account instead"),
};

type Given = {
  readonly home?: string | undefined;
  readonly local?: string | undefined;
  readonly remote: boolean;
};

/** @throws Problem if the options name two installations */
export function databaseTarget({ home, local, remote }: Given): DatabaseTarget {
  const given = home ?? local;
  if (home !== undefined && local !== undefined) throw new Problem("--home and --local exclude each other.");
  if (remote && given !== undefined) throw new Problem("--home and --remote exclude each other.");
  return remote ? "remote" : { home: resolveHome(given) };
}
