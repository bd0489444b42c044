import { createHmac } from "node:crypto";

import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";

import { bytesOf } from "#sealing/bytes.ts";
import { formWebhookSecret, isSigned, signedHeaders } from "#sealing/standard-webhook.ts";

const keyBytes = (fill: number) => new Uint8Array(32).fill(fill);
const secret = formWebhookSecret(keyBytes(7));
const other = formWebhookSecret(keyBytes(9));
const body = '{"type":"deployment.live","data":{"name":"Grün & 日本"}}';
const nowS = Math.floor(Date.now() / 1000);

async function sent(secrets: readonly string[], timestamp = nowS) {
  const headers = await signedHeaders(secrets, { id: "evt_1", timestamp, body });
  return {
    headers,
    given: {
      id: headers["webhook-id"],
      timestamp: headers["webhook-timestamp"],
      signature: headers["webhook-signature"],
    },
  };
}

describe("a request that Gantry signs", () => {
  it("is accepted by the library of Standard Webhooks, with the old and the new secret", async () => {
    const { headers } = await sent([secret, other]);
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(new Webhook(other).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(formWebhookSecret(keyBytes(8))).verify(body, headers)).toThrow("No matching");
  });

  it("has the signature of the library and of OpenSSL, byte for byte", async () => {
    const { headers } = await sent([secret]);
    const signature = headers["webhook-signature"];
    expect(signature).toBe(new Webhook(secret).sign("evt_1", new Date(nowS * 1000), body));
    const mac = createHmac("sha256", keyBytes(7)).update(`evt_1.${nowS}.${body}`).digest("base64");
    expect(signature).toBe(`v1,${mac}`);
  });
});

describe("a signature that Gantry checks", () => {
  it("is accepted with any of the secrets, as text and as bytes", async () => {
    const { given } = await sent([secret]);
    expect(await isSigned([other, secret], given, body, nowS)).toBe(true);
    expect(await isSigned([secret], given, bytesOf(body), nowS)).toBe(true);
    const several = { ...given, signature: `v1a,abc v1,short v1,${"A".repeat(43)}= ${given.signature}` };
    expect(await isSigned([secret], several, body, nowS)).toBe(true);
  });

  it("is refused if anything of the request differs", async () => {
    const { given } = await sent([secret]);
    const flipped = given.signature.replace(/^v1,(.)/, (_, first) => `v1,${first === "A" ? "B" : "A"}`);
    const forgeries = [
      { ...given, id: "evt_2" },
      { ...given, timestamp: String(nowS + 1) },
      { ...given, signature: flipped },
      { ...given, signature: "" },
      { ...given, signature: "v1," },
      { ...given, signature: given.signature.slice(3) },
      { ...given, signature: given.signature.replace("v1,", "v2,") },
      { ...given, signature: null },
      { ...given, id: null },
      { ...given, timestamp: null },
      { ...given, timestamp: `${nowS}.0` },
      { ...given, id: "" },
    ];
    for (const forged of forgeries) expect(await isSigned([secret], forged, body, nowS)).toBe(false);
    expect(await isSigned([secret], given, `${body} `, nowS)).toBe(false);
    expect(await isSigned([other], given, body, nowS)).toBe(false);
    expect(await isSigned([], given, body, nowS)).toBe(false);
  });

  it("is refused if what is signed could be read in two ways", async () => {
    const { headers } = await sent([secret]);
    const moved = { id: `evt_1.${nowS}`, timestamp: "", signature: headers["webhook-signature"] };
    expect(await isSigned([secret], moved, body, nowS)).toBe(false);
  });

  it("is refused more than 5 minutes before or after its time", async () => {
    const { given } = await sent([secret]);
    expect(await isSigned([secret], given, body, nowS + 300)).toBe(true);
    expect(await isSigned([secret], given, body, nowS + 301)).toBe(false);
    expect(await isSigned([secret], given, body, nowS - 301)).toBe(false);
  });
});
