import { THIRTY_TWO_BYTES } from "#contract/endpoints/connect/connect-code.ts";
import { DisplayName } from "#contract/endpoints/projects/settings.ts";
import { bytesOf, toBase64Url } from "#sealing/bytes.ts";

/** What a command asks for, by the address of the page. Anybody can write such an address. */
export type ConnectRequest = {
  readonly challenge: string;
  /** A name of the command, such as its machine's; null: none that can be shown. */
  readonly name: string | null;
  /** Where the command listens on this machine; null: it does not. */
  readonly port: number | null;
};

/** @param hash of the address. @returns null if the address is not of a command */
export function readConnectRequest(hash: string): ConnectRequest | null {
  const given = new URLSearchParams(hash.slice(1));
  const challenge = given.get("challenge") ?? "";
  if (!THIRTY_TWO_BYTES.test(challenge)) return null;
  const name = DisplayName.safeParse(given.get("name") ?? "");
  const port = Number(/^[1-9]\d{0,4}$/.exec(given.get("port") ?? "")?.[0] ?? 0);
  return {
    challenge,
    name: name.success ? name.data : null,
    port: port > 0 && port < 65_536 ? port : null,
  };
}

/** A proof for a command on this machine, and its hash. */
export async function newProof(): Promise<{ readonly proof: string; readonly challenge: string }> {
  const proof = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const hash = await crypto.subtle.digest("SHA-256", bytesOf(proof));
  return { proof, challenge: toBase64Url(new Uint8Array(hash)) };
}

/** Where the browser brings the proof to the command. */
export function proofAddress(port: number, proof: string): string {
  return `http://127.0.0.1:${port}/?proof=${proof}`;
}
