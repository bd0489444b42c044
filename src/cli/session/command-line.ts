import type { Session } from "#cli/session/session.ts";

/** A command to type next, with what it needs to reach the same installation. */
export function commandLine({ global, url }: Session, words: string): string {
  return `gantry ${words}${global.url === null ? "" : ` --url ${url}`}`;
}
