import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { describe, expect, it } from "vitest";

import type { NewPasskey, PasskeySignature } from "#contract/endpoints/sessions/passkeys.ts";
import { type Bytes, fromBase64Url, toBase64Url } from "#sealing/bytes.ts";
import {
  type PasskeyAlgorithm,
  passkeyAlgorithms,
  readPasskeyKey,
} from "#worker/identity/passkeys/passkey-key.ts";
import {
  type Passkey,
  verifyAssertion,
  verifyRegistration,
} from "#worker/identity/passkeys/verify-passkey.ts";
import { Authenticator } from "../../../support/authenticator.ts";

const ORIGIN = "https://gantry.test";
const ceremony = { challenge: "Y2hhbGxlbmdl", origin: ORIGIN, rpId: "gantry.test" };
const expected = {
  expectedChallenge: ceremony.challenge,
  expectedOrigin: ORIGIN,
  expectedRPID: "gantry.test",
};

type Oracle = { readonly publicKey: Bytes };

/** What @simplewebauthn/server says of a new passkey; null: it refuses it. */
async function oracleOfRegistration(given: NewPasskey): Promise<Oracle | null> {
  const response = { ...given, rawId: given.id, type: "public-key" as const, clientExtensionResults: {} };
  const verified = await verifyRegistrationResponse({ ...expected, response }).catch(() => null);
  const key = verified?.registrationInfo?.credential.publicKey;
  return verified?.verified === true && key !== undefined ? { publicKey: new Uint8Array(key) } : null;
}

/** Whether @simplewebauthn/server accepts a signature. */
async function oracleOfAssertion(
  given: PasskeySignature,
  { publicKey }: Oracle,
  { id, signCount: counter }: Passkey,
): Promise<boolean> {
  const response = { ...given, rawId: given.id, type: "public-key" as const, clientExtensionResults: {} };
  const credential = { id, publicKey, counter };
  const verified = await verifyAuthenticationResponse({ ...expected, response, credential }).catch(
    () => null,
  );
  return verified?.verified === true;
}

async function registered(algorithm: PasskeyAlgorithm = -7) {
  const authenticator = await Authenticator.create(algorithm);
  const response = await authenticator.register(ceremony);
  const verified = await verifyRegistration(response, ceremony);
  const oracle = await oracleOfRegistration(response);
  if (!verified.ok || oracle === null) throw new Error("the passkey is valid");
  return { authenticator, passkey: verified.value, oracle };
}

describe("a passkey", () => {
  it.each([
    [1_024, null],
    [2_048, -257],
    [4_096, -257],
    [8_192, null],
  ])("with an RSA key of %i bits has the algorithm %s", (bits, algorithm) => {
    const modulus = new Uint8Array(bits / 8).fill(0xff);
    const cose = new Map<number, number | Bytes>([
      [1, 3],
      [3, -257],
      [-1, modulus],
      [-2, new Uint8Array([1, 0, 1])],
    ]);
    expect(readPasskeyKey(cose)?.algorithm ?? null).toBe(algorithm);
  });

  it.each(passkeyAlgorithms)("with the algorithm %i is registered and signs", async (algorithm) => {
    const { authenticator, passkey, oracle } = await registered(algorithm);
    expect(passkey).toMatchObject({ id: authenticator.id, algorithm, signCount: 0, isBackupEligible: false });
    for (let count = 0; count < 20; count += 1) {
      const signed = await authenticator.sign(ceremony);
      expect(await verifyAssertion(signed, passkey, ceremony)).toMatchObject({ ok: true });
      expect(await oracleOfAssertion(signed, oracle, passkey)).toBe(true);
    }
  });

  const SHARED = 8;
  const BACKED_UP = 16;

  it.each([
    ["another challenge", { clientData: { challenge: "b3RoZXI" } }],
    ["a page of another origin", { clientData: { origin: "https://gantry.test.evil.test" } }],
    ["another port of the same host", { clientData: { origin: "https://gantry.test:8443" } }],
    ["the other ceremony", { clientData: { type: "payment.get" } }],
    ["another host name", { rpId: "evil.test" }],
    ["nobody present", { flags: 4 + 64 }],
    ["a user who was not verified", { flags: 1 + 64 }],
    ["a backup that cannot be", { flags: 1 + 4 + 64 + BACKED_UP }],
  ])("is not registered with %s, as @simplewebauthn/server decides too", async (_, said) => {
    const response = await (await Authenticator.create()).register(ceremony, said);
    expect(await verifyRegistration(response, ceremony)).toMatchObject({ ok: false });
    expect(await oracleOfRegistration(response)).toBeNull();
  });

  it.each([
    ["another challenge", { clientData: { challenge: "b3RoZXI" } }],
    ["a page of another origin", { clientData: { origin: "http://gantry.test" } }],
    ["a registration", { clientData: { type: "webauthn.create" } }],
    ["another host name", { rpId: "evil.test" }],
    ["nobody present", { flags: 4 }],
    ["a user who was not verified", { flags: 1 }],
  ])("does not sign in with %s, as @simplewebauthn/server decides too", async (_, said) => {
    const { authenticator, passkey, oracle } = await registered();
    const signed = await authenticator.sign(ceremony, said);
    expect(await verifyAssertion(signed, passkey, ceremony)).toMatchObject({ ok: false });
    expect(await oracleOfAssertion(signed, oracle, passkey)).toBe(false);
  });

  it("is not made or used in a frame of another page", async () => {
    const { authenticator, passkey } = await registered();
    const framed = { clientData: { crossOrigin: true } };
    expect(
      await verifyAssertion(await authenticator.sign(ceremony, framed), passkey, ceremony),
    ).toMatchObject({
      problem: "It was made in a frame of another page.",
    });
    expect(await verifyRegistration(await authenticator.register(ceremony, framed), ceremony)).toMatchObject({
      ok: false,
    });
  });

  it("that counts must count up, and a passkey that does not count is accepted", async () => {
    const { authenticator, passkey } = await registered();
    const at = async (stored: number, sent: number) =>
      (
        await verifyAssertion(
          await authenticator.sign(ceremony, { signCount: sent }),
          { ...passkey, signCount: stored },
          ceremony,
        )
      ).ok;
    expect([await at(0, 0), await at(0, 1), await at(5, 6)]).toEqual([true, true, true]);
    expect([await at(5, 5), await at(5, 4), await at(5, 0)]).toEqual([false, false, false]);
  });

  it("that devices share says so, and cannot begin to be shared later", async () => {
    const authenticator = await Authenticator.create();
    const flags = 1 + 4 + 64 + SHARED + BACKED_UP;
    const verified = await verifyRegistration(await authenticator.register(ceremony, { flags }), ceremony);
    expect(verified).toMatchObject({ value: { isBackupEligible: true, isBackedUp: true } });
    const { authenticator: own, passkey } = await registered();
    const signed = await own.sign(ceremony, { flags: 1 + 4 + SHARED });
    expect(await verifyAssertion(signed, passkey, ceremony)).toMatchObject({ ok: false });
  });

  it("of somebody else does not sign in", async () => {
    const [{ passkey }, { authenticator }] = [await registered(), await registered()];
    const signed = await authenticator.sign(ceremony);
    expect(await verifyAssertion(signed, passkey, ceremony)).toMatchObject({ ok: false });
    expect(await verifyAssertion({ ...signed, id: passkey.id }, passkey, ceremony)).toMatchObject({
      ok: false,
    });
  });

  it("is refused, and never breaks anything, whatever its bytes are", async () => {
    const { authenticator, passkey } = await registered();
    const [made, signed] = [await authenticator.register(ceremony), await authenticator.sign(ceremony)];
    const spoilt = (text: string, at: number): string[] => {
      const bytes = fromBase64Url(text) ?? new Uint8Array();
      const flipped = bytes.with(at % bytes.length, (bytes[at % bytes.length] ?? 0) ^ 0x55);
      return [toBase64Url(flipped), toBase64Url(bytes.slice(0, at % bytes.length)), `${text}=`];
    };
    for (let at = 0; at < 200; at += 1) {
      for (const attestationObject of spoilt(made.response.attestationObject, at)) {
        const response = { ...made.response, attestationObject };
        const verified = await verifyRegistration({ ...made, response }, ceremony);
        // The kind of the authenticator is not read, nor is the end of the statement.
        if (verified.ok) expect(verified.value.id).toBe(passkey.id);
      }
      for (const signature of spoilt(signed.response.signature, at))
        expect(
          await verifyAssertion(
            { ...signed, response: { ...signed.response, signature } },
            passkey,
            ceremony,
          ),
        ).toMatchObject({ ok: false });
      for (const authenticatorData of spoilt(signed.response.authenticatorData, at))
        expect(
          await verifyAssertion(
            { ...signed, response: { ...signed.response, authenticatorData } },
            passkey,
            ceremony,
          ),
        ).toMatchObject({ ok: false });
    }
  });
});
