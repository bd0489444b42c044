import { spawn } from "node:child_process";

import type { CommandContext } from "#cli/context.ts";
import { variable } from "#cli/settings/variable.ts";

/** A call of the platform's program for its keyring. `input` goes to standard input, so that no other user sees the secret. */
export type KeyringCall = { readonly argv: readonly [string, ...string[]]; readonly input: string };

type KeyringCalls = {
  readonly store: (secret: string) => KeyringCall;
  /** Prints the secret. */
  readonly read: KeyringCall;
  readonly remove: KeyringCall;
};

const SERVICE = "gantry";

/**
 * How the keyring of a platform keeps the token of an installation; null: the platform has no program that takes a secret on standard
 * input. Sources: the manual pages secret-tool(1) of libsecret and security(1) of macOS.
 * @param url of the installation, without spaces and quotation marks (`installationUrl`)
 */
export function keyringCalls(platform: NodeJS.Platform, url: string): KeyringCalls | null {
  if (platform === "linux") {
    const named = ["service", SERVICE, "url", url];
    const label = `--label=Gantry, ${url}`;
    return {
      store: (secret) => ({ argv: ["secret-tool", "store", label, ...named], input: secret }),
      read: { argv: ["secret-tool", "lookup", ...named], input: "" },
      remove: { argv: ["secret-tool", "clear", ...named], input: "" },
    };
  }
  if (platform === "darwin") {
    const named = ["-s", SERVICE, "-a", url];
    return {
      // -i reads commands from standard input. -U replaces an earlier token.
      store: (secret) => ({
        argv: ["security", "-i"],
        input: `add-generic-password -U -s ${SERVICE} -a "${url}" -w "${secret}"\n`,
      }),
      read: { argv: ["security", "find-generic-password", ...named, "-w"], input: "" },
      remove: { argv: ["security", "delete-generic-password", ...named], input: "" },
    };
  }
  return null;
}

type KeyringContext = Pick<CommandContext, "environment" | "signal">;

/**
 * Puts a token into the keyring.
 * @returns false if it is not there afterwards: then it belongs into the file. Never throws.
 */
export async function storeInKeyring(context: KeyringContext, url: string, token: string): Promise<boolean> {
  const calls = callsOf(context, url);
  if (calls === null || (await run(context, calls.store(token))) === null) return false;
  // security -i ends with 0 after a command that failed.
  return (await run(context, calls.read)) === token;
}

/** The token in the keyring; null: there is none, or the keyring cannot be read. */
export async function readFromKeyring(context: KeyringContext, url: string): Promise<string | null> {
  const calls = callsOf(context, url);
  const token = calls === null ? null : await run(context, calls.read);
  return token === "" ? null : token;
}

/** Removes the token from the keyring. Safe to repeat. */
export async function removeFromKeyring(context: KeyringContext, url: string): Promise<void> {
  const calls = callsOf(context, url);
  if (calls !== null) await run(context, calls.remove);
}

function callsOf({ environment }: KeyringContext, url: string): KeyringCalls | null {
  return variable(environment, "GANTRY_KEYRING") === "off" ? null : keyringCalls(process.platform, url);
}

/** The keyring may ask the user to unlock it. */
const TIMEOUT_MS = 60_000;

/** Runs a program. @returns what it printed, without spaces around it; null if it is not installed or failed */
async function run(
  { environment, signal }: KeyringContext,
  { argv: [program, ...args], input }: KeyringCall,
): Promise<string | null> {
  return await new Promise((resolve) => {
    const child = spawn(program, args, {
      env: environment,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      stdio: ["pipe", "pipe", "ignore"],
    });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
    child.on("error", () => resolve(null));
    child.on("close", (code) => resolve(code === 0 ? printed.trim() : null));
    // A program that ends before it has read everything fails by its exit code.
    child.stdin.on("error", () => undefined).end(input);
  });
}
