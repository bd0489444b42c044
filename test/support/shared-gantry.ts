import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import * as z from "zod";

/** The built Worker that all test files share, with accounts for one use. */
export const GantryShare = z.object({
  url: z.string(),
  /** Of an account with nothing in it. */
  token: z.string(),
  accountName: z.string(),
  /** Of another such account. */
  othersToken: z.string(),
  /** Of a third account. Each signs in once. */
  signInCodes: z.array(z.string()),
});
export type GantryShare = z.infer<typeof GantryShare>;

export type SharedGantry = { readonly shares: GantryShare[]; readonly end: () => Promise<void> };

export async function startSharedGantry(): Promise<SharedGantry> {
  const server = fork(join(import.meta.dirname, "serve-gantry.ts"), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(server, "exit");
  const [message]: unknown[] = await Promise.race([once(server, "message"), exited]);
  const shares = z.array(GantryShare).safeParse(message);
  if (!shares.success) throw new Error("The Worker did not start. It printed the reason.");
  return {
    shares: shares.data,
    async end() {
      // After Ctrl-C it may have ended already.
      if (server.connected) server.disconnect();
      await exited;
    },
  };
}
