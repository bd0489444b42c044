import { describe, expect, it } from "vitest";

import { IssuerKeys } from "#worker/identity/issuer-keys.ts";
import { newKey, publicJwk, TestIssuer } from "../../support/worker/issuer.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_790_000_000_000;

const at = (now: number) => ({ now, targetProblem: () => null });

/** How often the keys were asked for. */
const asks = async (issuer: TestIssuer) => (await issuer.asked()).filter((path) => path === "/jwks").length;

describe("the keys of an issuer", () => {
  it("are read from where its configuration says, and kept for ten minutes", async () => {
    const issuer = await TestIssuer.start();
    const keys = new IssuerKeys();
    const { kid } = issuer.key;
    expect(await keys.of(issuer.url, kid, at(START))).toMatchObject({ ok: true, value: [{ kid }] });
    await keys.of(issuer.url, kid, at(START + 9 * MINUTE));
    expect(await asks(issuer)).toBe(1);
    await keys.of(issuer.url, kid, at(START + 11 * MINUTE));
    expect(await asks(issuer)).toBe(2);
  });

  it("are read again for an unknown key, at most once a minute", async () => {
    const issuer = await TestIssuer.start();
    const keys = new IssuerKeys();
    await keys.of(issuer.url, issuer.key.kid, at(START));
    for (let number = 0; number < 20; number += 1)
      await keys.of(issuer.url, `made-up-${number}`, at(START + 1));
    expect(await asks(issuer)).toBe(1);
    const next = await newKey();
    await issuer.publish(next, issuer.key);
    const later = await keys.of(issuer.url, next.kid, at(START + 2 * MINUTE));
    expect(later).toMatchObject({ value: [{ kid: next.kid }, {}] });
    expect(await asks(issuer)).toBe(2);
  });

  it("count for a day while the issuer does not answer, which is asked once a minute", async () => {
    const issuer = await TestIssuer.start();
    const keys = new IssuerKeys();
    const { kid } = issuer.key;
    await keys.of(issuer.url, kid, at(START));
    await issuer.answers({ "/jwks": { status: 500, body: "" } });
    expect(await keys.of(issuer.url, kid, at(START + 11 * MINUTE))).toMatchObject({
      ok: true,
      value: [{ kid }],
    });
    await keys.of(issuer.url, kid, at(START + 11 * MINUTE + 1));
    expect(await asks(issuer)).toBe(2);
    const dayLater = await keys.of(issuer.url, kid, at(START + 25 * HOUR));
    expect(dayLater).toMatchObject({ ok: false, problem: expect.stringContaining("status 500") });
    await issuer.publish(issuer.key);
    expect(await keys.of(issuer.url, kid, at(START + 26 * HOUR))).toMatchObject({ ok: true });
  });

  it("are read once if many ask at the same time", async () => {
    const issuer = await TestIssuer.start();
    const keys = new IssuerKeys();
    const all = await Promise.all(
      Array.from({ length: 20 }, () => keys.of(issuer.url, issuer.key.kid, at(START))),
    );
    expect(await asks(issuer)).toBe(1);
    expect(all.every(({ ok }) => ok)).toBe(true);
  });

  it("are not forgotten because another request failed later", async () => {
    const issuer = await TestIssuer.start();
    const keys = new IssuerKeys();
    const { kid } = issuer.key;
    await keys.of(issuer.url, kid, at(START));
    await issuer.answers({ "/jwks": { status: 500, body: "", delayMs: 300 } });
    const slow = keys.of(issuer.url, kid, at(START + 11 * MINUTE));
    await scheduler.wait(100);
    const next = await newKey();
    await issuer.publish(next);
    expect(await keys.of(issuer.url, next.kid, at(START + 13 * MINUTE))).toMatchObject({ ok: true });
    await slow;
    expect(await keys.of(issuer.url, next.kid, at(START + 13 * MINUTE))).toMatchObject({ ok: true });
  });

  it("that nobody may ask for are not asked for, which the next request does not remember", async () => {
    const issuer = await TestIssuer.start();
    const refusing = { now: START, targetProblem: () => "The address is private." };
    const keys = new IssuerKeys();
    expect(await keys.of(issuer.url, null, refusing)).toMatchObject({ ok: false });
    expect(await issuer.asked()).toEqual([]);
    expect(await keys.of(issuer.url, null, at(START))).toMatchObject({ ok: true });
  });

  it("leave out what is no key, and keep the others", async () => {
    const issuer = await TestIssuer.start();
    const jwk = await publicJwk(issuer.key);
    const body = JSON.stringify({ keys: [null, { kid: "x" }, "key", jwk] });
    await issuer.answers({ "/jwks": { body } });
    expect(await new IssuerKeys().of(issuer.url, null, at(START))).toMatchObject({
      value: [{ kid: jwk["kid"] }],
    });
  });

  const configuration = "/.well-known/openid-configuration";

  it.each([
    [
      "redirects",
      { [configuration]: { status: 302, headers: { location: "https://other.test/" }, body: "" } },
      "302",
    ],
    ["answers with an error and 200", { "/jwks": { body: '{"error":"down"}' } }, "no list of keys"],
    ["answers without JSON", { [configuration]: { body: "<html>" } }, "no issuer and jwks_uri"],
    ["answers with too much", { "/jwks": { body: "x".repeat(200_001) } }, "more than 200000 bytes"],
    ["has no keys", { "/jwks": { body: '{"keys":[]}' } }, "no keys"],
    [
      "has a thousand keys",
      { "/jwks": { body: JSON.stringify({ keys: Array.from({ length: 51 }) }) } },
      "no list",
    ],
    [
      "names no place for its keys",
      { [configuration]: { body: '{"issuer":"x","jwks_uri":"nowhere"}' } },
      "issuer x",
    ],
    ["is not there", { [configuration]: { status: 404, body: "" } }, "404"],
    ["is slow", { [configuration]: { body: "{}", delayMs: 6_000 } }, "within 5 seconds"],
  ])("are missing if it %s", async (_, answers, problem) => {
    const issuer = await TestIssuer.start();
    await issuer.answers(answers);
    const read = await new IssuerKeys().of(issuer.url, null, at(START));
    expect(read).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });

  it("are missing if the configuration names another issuer, and the sentence says what to write", async () => {
    const issuer = await TestIssuer.start();
    const read = await new IssuerKeys().of(`${issuer.url}/`, null, at(START));
    expect(read).toMatchObject({
      ok: false,
      problem: expect.stringContaining(`in the same way: ${issuer.url}`),
    });
  });
});
