import * as z from "zod";

import { LocalFile } from "../../scripts/start/local-file.ts";
import { createHome, removeHome, startSystem } from "./journey-system.ts";

/** The installation that `npm start` runs for all test files that do not test the start itself. */
export const SystemShare = z.object({ home: z.string(), local: LocalFile });
export type SystemShare = z.infer<typeof SystemShare>;

export type SharedSystem = { readonly share: SystemShare; readonly end: () => Promise<void> };

export async function startSharedSystem(): Promise<SharedSystem> {
  const home = await createHome();
  try {
    const system = await startSystem(home);
    return {
      share: { home, local: system.local },
      async end() {
        await system.interrupt();
        await removeHome(home);
      },
    };
  } catch (error) {
    await removeHome(home);
    throw error;
  }
}
