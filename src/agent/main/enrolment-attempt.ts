import { createHash, randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod/mini";

import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";
import { storedAs } from "#contract/stored.ts";

/**
 * An enrolment whose credential is not stored yet: the hash of its token, and the secret that proves a repeated
 * request is the same attempt.
 */
const Attempt = z.object({ token_sha256: z.string(), attempt: z.string() });
const storedAttempt = storedAs(Attempt);

const pathIn = (home: string) => join(home, "enrolling.json");

/**
 * Stores an enrolment attempt before the token is sent. The same token continues the stored attempt.
 * @returns the attempt's secret
 * @throws when the home folder is not writable, because then it could not keep a credential either
 */
export async function beginAttempt(home: string, token: string): Promise<string> {
  const token_sha256 = createHash("sha256").update(token).digest("hex");
  const left = await readJsonFile(pathIn(home), storedAttempt);
  if (left?.token_sha256 === token_sha256) return left.attempt;
  const attempt = randomBytes(32).toString("base64url");
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeAtomic(pathIn(home), JSON.stringify({ token_sha256, attempt }), { mode: 0o600, flush: true });
  return attempt;
}

/** Ends the attempt once the credential is stored. Never throws: a remaining file is useless without the token. */
export async function endAttempt(home: string): Promise<void> {
  await rm(pathIn(home), { force: true }).catch(() => undefined);
}
