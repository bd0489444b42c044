import { createPublicKey } from "node:crypto";

import { keyPathsOf } from "#agent/policy/image-signatures.ts";
import type { Policy } from "#agent/policy/policy.ts";
import { readTrusted } from "#agent/policy/read-trusted.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** The texts of public keys by their paths. `reason`: a sentence for the log or the terminal. */
export type KeysRead = ResultOf<ReadonlyMap<string, string>, { readonly reason: string }>;

/** Reads the keys that sign images. Refuses a key that others could have written, and what is no public key. */
export async function readKeys({ image_signatures: rule }: Policy): Promise<KeysRead> {
  const keys = new Map<string, string>();
  for (const path of rule === "any" ? [] : keyPathsOf(rule)) {
    const refuse = (reason: string): KeysRead => ({
      ok: false,
      reason: `the key ${path} of the policy's rule image_signatures ${reason}`,
    });
    const text = await readTrusted(path);
    if (!text.ok) return refuse(text.reason);
    if (!isPublicKey(text.value))
      return refuse(
        "is not one public key that starts with the line -----BEGIN PUBLIC KEY-----, such as a cosign.pub",
      );
    keys.set(path, text.value);
  }
  return succeed(keys);
}

/** Of a private key, Node would take the public part. */
function isPublicKey(text: string): boolean {
  if (!/^\s*-----BEGIN PUBLIC KEY-----\r?\n[^-]+-----END PUBLIC KEY-----\s*$/.test(text)) return false;
  try {
    return ["ec", "rsa", "ed25519"].includes(createPublicKey(text).asymmetricKeyType ?? "");
  } catch {
    return false;
  }
}
