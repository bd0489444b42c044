import * as z from "zod/mini";

import { BuiltRelease } from "#agent/workspace/releases.ts";

/** What a builder says about its build: the release, and the versions of the languages that it was built with. */
export const BuiltWith = z.extend(BuiltRelease, {
  languages: z._default(z.record(z.string(), z.string()), {}),
});
export type BuiltWith = z.infer<typeof BuiltWith>;

/**
 * Why a build cannot run with the languages of this server, as the rest of a sentence; null if it can. Compiled packages of Node are
 * for a major version, and packages of other languages for the first two numbers.
 */
export function languageProblem(
  built: Readonly<Record<string, string>>,
  here: Readonly<Record<string, string>>,
): string | null {
  const known = new Map(Object.entries(here));
  for (const [program, version] of Object.entries(built)) {
    const own = known.get(program);
    const parts = program === "node" ? 1 : 2;
    if (own !== undefined && lineOf(own, parts) !== lineOf(version, parts))
      return `it was built with ${program} ${version}, and this server has ${own}`;
  }
  return null;
}

const lineOf = (version: string, parts: number): string => version.split(".").slice(0, parts).join(".");
