import { spawn } from "node:child_process";

export type ShellEnd = { readonly code: number | null; readonly output: string };

/** Runs a program to its end with a text as standard input and exactly these environment variables. */
export function runShell(
  argv: readonly [string, ...string[]],
  { input = "", env = {} }: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ShellEnd> {
  const [program, ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
    // A shell that ends early does not read the complete input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
