import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod/mini";

import { isSystemError } from "#agent/lib/unreadable-reason.ts";
import type { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { parseJson } from "#contract/parse-json.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { storedAs } from "#contract/stored.ts";
import { writeOnce } from "#node/write-atomic.ts";
import { hasCode } from "#node/has-code.ts";
import { fromBase64Url, toBase64Url } from "#sealing/bytes.ts";
import { generateKeyPair, type KeyPair } from "#sealing/hpke.ts";
import { fingerprintOf } from "#sealing/secret-box.ts";

/** The server's key for secrets. The private part never leaves the server. */
export type ServerSealKey = { readonly keys: KeyPair; readonly shown: SealKey };

const bytes32 = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const bytes = fromBase64Url(text);
    if (bytes?.length === 32) return bytes;
    context.issues.push({ code: "custom", message: "must be 32 bytes in base64url", input: text });
    return z.NEVER;
  }),
);
const SealFile = z.object({ public_key: bytes32, private_key: bytes32 });
const storedKey = storedAs(SealFile);

function sealKeyPath(home: string): string {
  return join(home, "seal.json");
}

/** Reads the stored key; `null` when there is none. @throws when the file cannot be read or is damaged */
export async function readSealKey(home: string): Promise<ServerSealKey | null> {
  let text: string;
  try {
    text = await readFile(sealKeyPath(home), "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
  const file = storedKey.safeParse(parseJson(text));
  if (!file.success) throw new Error("it is damaged");
  const { public_key, private_key } = file.data;
  const shown = { public_key: toBase64Url(public_key), fingerprint: await fingerprintOf(public_key) };
  return { keys: { publicKey: public_key, privateKey: private_key }, shown };
}

/**
 * Returns the server's key, and creates it if there is none. Two processes that do so at once get the same key.
 * A damaged file is not replaced: the owner may have a copy of the key, without which all secrets must be entered again.
 * @returns a sentence with the path and what to do when the file cannot be used. `isDamaged`: not only for now
 */
export async function openSealKey(
  home: string,
): Promise<ResultOf<ServerSealKey, { readonly message: string; readonly isDamaged: boolean }>> {
  try {
    return succeed((await readSealKey(home)) ?? (await createSealKey(home)));
  } catch (error) {
    const isDamaged = !isSystemError(error);
    const advice = isDamaged
      ? " Restore the file, or delete it: then the agent creates a new key, and the secrets of this server's projects must be entered again."
      : "";
    const message = `The seal key ${sealKeyPath(home)} cannot be used: ${messageOf(error)}.${advice}`;
    return { ok: false, message, isDamaged };
  }
}

async function createSealKey(home: string): Promise<ServerSealKey> {
  const path = sealKeyPath(home);
  await mkdir(home, { recursive: true, mode: 0o700 });
  const { publicKey, privateKey } = await generateKeyPair();
  const file = { public_key: toBase64Url(publicKey), private_key: toBase64Url(privateKey) };
  await writeOnce(path, `${JSON.stringify(file, null, 2)}\n`);
  const created = await readSealKey(home);
  if (created === null) throw new Error("the file is gone");
  return created;
}
