import { join } from "node:path";

import { defineConfig } from "vitest/config";

/** A run of one test that starts processes and waits, without the time that the projects of this repository take to start. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, "../../.."),
    projects: [{ test: { name: "waiting", include: ["test/support/killed-run/waiting.ts"] } }],
  },
});
