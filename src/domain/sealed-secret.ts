import * as z from "zod/mini";

import {
  BOX_BYTES,
  CIPHERTEXT_BYTES,
  type SealedSecret,
  SealedValue,
} from "#contract/endpoints/variables/schemas.ts";

/**
 * A secret as it is stored: boxes that each have the value, or a ciphertext with boxes that each have its key, by the
 * fingerprints of the keys that open them. The first form stays a plain list, so that a control plane of an earlier
 * version reads the secrets of projects with one server.
 */
export const StoredSecret = z.union([
  z.array(SealedValue),
  z.strictObject({ ciphertext: z.string(), boxes: z.record(z.string(), z.string()) }),
]);
export type StoredSecret = z.infer<typeof StoredSecret>;

/** A secret in the form in which it is stored. */
export function storedSecret(boxes: SealedValue[], ciphertext: string | undefined): StoredSecret {
  if (ciphertext === undefined) return boxes;
  return { ciphertext, boxes: Object.fromEntries(boxes.map(({ fingerprint, box }) => [fingerprint, box])) };
}

/** The fingerprints of the keys that open a secret. */
export function sealedFor(stored: StoredSecret): string[] {
  return Array.isArray(stored) ? stored.map(({ fingerprint }) => fingerprint) : Object.keys(stored.boxes);
}

/** What one server gets of a secret; null if it is not sealed for the server's key. @param fingerprint of the key */
export function secretFor(stored: StoredSecret, fingerprint: string | null): SealedSecret | null {
  if (fingerprint === null) return null;
  if (Array.isArray(stored)) return stored.find((one) => one.fingerprint === fingerprint) ?? null;
  const { boxes, ciphertext } = stored;
  const box = Object.hasOwn(boxes, fingerprint) ? boxes[fingerprint] : undefined;
  return box === undefined ? null : { fingerprint, box, ciphertext };
}

/**
 * The servers that cannot open a secret.
 * @param fingerprints the fingerprints of the keys that open it
 * @param servers the servers that have to open it. A server without a key cannot
 */
export function serversWithoutBox<
  Server extends { readonly sealKey: { readonly fingerprint: string } | null },
>(fingerprints: readonly string[], servers: readonly Server[]): Server[] {
  return servers.filter(({ sealKey }) => sealKey === null || !fingerprints.includes(sealKey.fingerprint));
}

/** The bytes of a secret's value. Boxes for several servers count once. */
export function secretBytes(stored: StoredSecret): number {
  if (!Array.isArray(stored)) return bytesIn(stored.ciphertext, CIPHERTEXT_BYTES);
  return Math.max(0, ...stored.map(({ box }) => bytesIn(box, BOX_BYTES)));
}

/** @param added the bytes that sealing adds */
function bytesIn({ length }: string, added: number): number {
  return Math.max(0, Math.floor((length * 3) / 4) - added);
}
