// A separate process, so that the Worker's log and Miniflare's pauses stay out of vitest's own. It ends with vitest.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { buildWorker } from "../../scripts/shared/build-worker.ts";
import { newToken, renderStatement } from "../../scripts/shared/first-token.ts";
import { withLocalDatabase } from "../../scripts/shared/local-database.ts";
import { readLocalSettings } from "../../scripts/shared/local-settings.ts";
import { startLocalWorker } from "../../scripts/shared/local-worker.ts";
import { newSignInCode } from "../../scripts/shared/sign-in-code.ts";
import { freePort } from "./free-port.ts";
import type { GantryShare } from "./shared-gantry.ts";

/** More than are requested: in watch mode, a file runs several times. */
const SHARES = 48;
/** The database is written to before the Worker serves it, so all codes are created beforehand. A file takes fewer. */
const SIGN_IN_CODES = 400;
/** Keeps the codes valid until the last file runs. */
const TEST_RUN_MS = 60 * 60_000;

const now = Date.now();
// An account's name decides which account a token is for.
const newShare = (at: number) => {
  const accountName = `Test account ${at}`;
  const ours = newToken({ name: accountName }, "test", now);
  const theirs = newToken({ name: `Theirs ${at}` }, "test", now);
  const guests = newToken({ name: `Guests ${at}` }, "test", now);
  const links = Array.from({ length: SIGN_IN_CODES }, () =>
    newSignInCode({ id: guests.accountId }, now + TEST_RUN_MS),
  );
  return {
    secrets: {
      accountName,
      token: ours.token,
      othersToken: theirs.token,
      signInCodes: links.map(({ code }) => code),
    },
    statements: [
      ...[ours, theirs, guests].flatMap(({ statements }) => statements),
      ...links.map(({ statement }) => statement),
    ],
  };
};

const build = await buildWorker();
if (!build.ok) throw new Error(build.output);
const home = await mkdtemp(join(tmpdir(), "gantry-shared-"));
const state = join(home, "state");
const settings = await readLocalSettings(build.bundle);
const shares = Array.from({ length: SHARES }, (_, at) => newShare(at));
// As one text: Miniflare's proxy takes 10 ms for each statement that is prepared.
const sql = shares.flatMap(({ statements }) => statements.map(renderStatement)).join("\n");
await withLocalDatabase(state, settings, (database) => database.exec(sql));
const worker = await startLocalWorker({
  port: await freePort(),
  state,
  bundle: build.bundle,
  settings,
  rateLimit: null,
  inspectorPort: null,
});

async function end(): Promise<void> {
  await worker.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
}
process.once("disconnect", () => void end());
if (process.connected)
  process.send?.(shares.map(({ secrets }): GantryShare => ({ url: worker.url, ...secrets })));
else await end();
