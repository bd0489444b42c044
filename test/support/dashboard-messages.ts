import { beforeAll, expect } from "vitest";
import * as z from "zod/mini";

// The dashboard does not load the contract's messages for zod, and another file of this process may have loaded them.
beforeAll(() => {
  if (expect.getState().testPath?.includes("/test/dashboard/") !== true) return;
  const { localeError } = z.config();
  z.config({ localeError: undefined });
  return () => void z.config({ localeError });
});
