import { isLoopback } from "#contract/loopback.ts";

const DEFAULT_PORT = "8787";

/** The line that prints a sign-in link for this installation. It is run in a clone of Gantry's repository. */
export function signInCommand({ hostname, port, origin }: Pick<URL, "hostname" | "port" | "origin">): string {
  if (!isLoopback(hostname)) return `npm run sign-in -- --remote --url ${origin}`;
  return port === DEFAULT_PORT ? "npm run sign-in" : `npm run sign-in -- --port ${port === "" ? 80 : port}`;
}
