import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach } from "vitest";

import { renewIds } from "./account.ts";

beforeEach(async () => {
  // What the last test's requests write after their answers comes before this.
  await env.DB.prepare("SELECT 1").run();
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  renewIds();
});
