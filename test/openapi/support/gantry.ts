import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { buildWorker } from "../../../scripts/shared/build-worker.ts";
import { newToken, renderStatement } from "../../../scripts/shared/first-token.ts";
import { withLocalDatabase } from "../../../scripts/shared/local-database.ts";
import { readLocalSettings } from "../../../scripts/shared/local-settings.ts";
import { startLocalWorker } from "../../../scripts/shared/local-worker.ts";
import { newSignInCode } from "../../../scripts/shared/sign-in-code.ts";
import { freePort } from "../../support/free-port.ts";

/** The database is written to before the Worker serves it, so all codes are made beforehand; a test run takes fewer. */
const SIGN_IN_CODES = 500;

/** The built Worker, serving a database of its own. */
export type Gantry = {
  readonly url: string;
  /** Of an account with nothing in it. */
  readonly token: string;
  /** Of another such account. */
  readonly othersToken: string;
  /** Takes the code of a sign-in link that nobody has had yet, of a third account. */
  signInCode(): string;
  close(): Promise<void>;
};

export async function startGantry(): Promise<Gantry> {
  const build = await buildWorker();
  if (!build.ok) throw new Error(build.output);
  const home = await mkdtemp(join(tmpdir(), "gantry-openapi-"));
  const state = join(home, "state");
  const settings = await readLocalSettings(build.bundle);
  const now = Date.now();
  const [ours, others, guests] = [
    newToken({ name: "Test account" }, "test", now),
    newToken({ name: "Theirs" }, "test", now),
    newToken({ name: "Guests" }, "test", now),
  ];
  const links = Array.from({ length: SIGN_IN_CODES }, () => newSignInCode({ id: guests.accountId }, now));
  const statements = [
    ...[ours, others, guests].flatMap((made) => made.statements),
    ...links.map(({ statement }) => statement),
  ];
  // As one text: Miniflare's proxy takes 10 ms for each statement that is prepared.
  await withLocalDatabase(
    state,
    settings,
    async (database) => await database.exec(statements.map(renderStatement).join("\n")),
  );
  const worker = await startLocalWorker({
    port: await freePort(),
    state,
    bundle: build.bundle,
    settings,
    rateLimit: null,
    inspectorPort: null,
  });
  return {
    url: worker.url,
    token: ours.token,
    othersToken: others.token,
    signInCode() {
      const link = links.pop();
      if (link === undefined) throw new Error("every sign-in code is spent");
      return link.code;
    },
    async close() {
      await worker.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
