import { request } from "node:http";

import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";

import { hostKind } from "#contract/addresses/host-kind.ts";
import { addressOf, parseAddress, WebAddress } from "#contract/addresses/web-address.ts";
import { WebhookSettings } from "#contract/endpoints/webhooks/settings.ts";
import { forgeApi } from "#domain/notify/forge/forge-api.ts";
import { changeSettings } from "#domain/outlet/change-settings.ts";
import { shownTarget } from "#domain/outlet/shown-target.ts";
import { hostilePieces } from "../../support/hostile-addresses.ts";

const GOOD = "https://good.example/hook";
const known = {
  url: WebhookSettings.parse({ kind: "standard", url: GOOD, headers: { authorization: "Bearer 4711" } }),
  api_url: WebhookSettings.parse({ kind: "commit_status", forge: "gitea", api_url: GOOD, token: "4711" }),
};

/** An address with something hostile at any place of it, and some that are harmless. */
const address = fc
  .tuple(
    fc.constantFrom("https://", "https://", "https://", "http://", "https:/", "HTTPS://", "https:\\\\", ""),
    fc.array(hostilePieces, { maxLength: 3 }),
    fc.constantFrom("good.example", "good.example", "evil.example", "GOOD.example", ""),
    fc.array(hostilePieces, { maxLength: 2 }),
    fc.constantFrom("", "/", "/hook", "/@good.example", "/hook?key=s3cret", "?x"),
    fc.array(hostilePieces, { maxLength: 1 }),
  )
  .map((parts) => parts.flat().join(""));

/** Reads an address as a program does that only knows the generic pattern. Source: RFC 3986, appendix B. */
function readByPattern(text: string) {
  const [, scheme = "", authority = "", path = "", query = ""] =
    /^([^:/?#]+):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?/.exec(text) ?? [];
  return { origin: `${scheme}://${authority.slice(authority.lastIndexOf("@") + 1)}`, path, query };
}

/** All that must be one host and port. Each is read in another way. */
function originsOf(stored: string): Readonly<Record<string, string>> {
  const status = {
    forge: "gitea",
    token: "4711",
    statuses: true,
    deployments: false,
    environment: null,
  } as const;
  const forge = { kind: "commit_status", ...status, api_url: stored } as const;
  const shown = [
    { kind: "standard", url: stored, headers: {} } as const,
    { kind: "slack", url: stored, only_recoveries: true } as const,
    { kind: "ntfy", url: stored, topic: "gantry", token: null, only_recoveries: true } as const,
    forge,
  ].map((settings) => [`shown for ${settings.kind}`, readByPattern(shownTarget(settings)).origin]);
  return {
    ...Object.fromEntries(shown),
    pattern: readByPattern(stored).origin,
    parsed: addressOf(stored).origin,
    forge: new URL(forgeApi(forge).url).origin,
  };
}

describe("an address that is accepted", () => {
  it("is shown, compared and connected to as the same one, in thousands of hostile forms", () => {
    const accepted = { good: 0, other: 0 };
    const numRuns = inject("sample").isWhole ? 50_000 : 5_000;
    fc.assert(
      fc.property(address, (text) => {
        const stored = WebAddress.safeParse(text).data;
        if (stored === undefined) return;
        const connected = new URL(new Request(stored).url);
        const { origin, pathname, search } = connected;
        const isGood = origin === "https://good.example";
        accepted[isGood ? "good" : "other"] += 1;
        const others = Object.entries(originsOf(stored)).filter(([, one]) => one !== origin);
        const { path, query } = readByPattern(stored);
        const allowed = [known.url, known.api_url].map(
          (settings, at) => changeSettings(settings, { [at === 0 ? "url" : "api_url"]: stored }).ok,
        );
        expect({
          others,
          allowed,
          ...{ path: path || "/", query: query === "?" ? "" : query },
          ...{ text: new URL(text).href, again: parseAddress(stored), login: connected.username },
        }).toMatchObject({
          others: [],
          // Another path of the host is another address.
          allowed: [stored === GOOD, stored === GOOD],
          ...{ path: pathname, query: search },
          ...{ text: connected.href, again: { value: { text: stored } }, login: "" },
        });
      }),
      { numRuns },
    );
    // Enough of both, so that neither side is empty.
    expect(Math.min(accepted.good, accepted.other)).toBeGreaterThan(numRuns / 100);
  });

  it("is looked up by the name that is shown", async () => {
    const accepted = fc
      .sample(address, { numRuns: 4_000, seed: 1 })
      .flatMap((text) => WebAddress.safeParse(text).data ?? []);
    const names = [...new Set(accepted)].filter((url) => hostKind(new URL(url).hostname) === "name");
    expect(names.length).toBeGreaterThan(20);
    for (const url of names)
      expect(await lookedUp(url)).toBe(readByPattern(url).origin.replace(/^https?:\/\/|:\d+$/g, ""));
  });
});

it.each([
  ["https://ntfy.sh", "https://ntfy.sh"],
  ["https://Example.COM/Hook?A=b", "https://example.com/Hook?A=b"],
  [
    "https://prod-1.logic.azure.com:443/workflows/x?sp=%2Fa",
    "https://prod-1.logic.azure.com/workflows/x?sp=%2Fa",
  ],
  ["http://[::1]:80/", "http://[::1]/"],
  ["http://localhost:5173/@vite/client", "http://localhost:5173/@vite/client"],
  ["https://cdn.example/react@18/x.js?to=a@b", "https://cdn.example/react@18/x.js?to=a@b"],
])("the address %s is stored as %s", (text, stored) => {
  expect(WebAddress.parse(text)).toBe(stored);
});

it.each([
  ["https://127.1/", "write 127.0.0.1"],
  ["https://[::FFFF:127.0.0.1]/", "write [::ffff:7f00:1]"],
  ["https://bücher.example/", "write xn--bcher-kva.example"],
  ["https://example.com./", "dots between"],
  ["https://me@example.com/", "user name"],
  ["https://bob:12/34@example.com/hook", "end a password: write it as %40"],
  ["https://bob:12/@example.com/hook", "end a password: write it as %40"],
  ["https://token/34@example.com/hook", "end a password: write it as %40"],
  [String.raw`https://example.com\x`, "backslash"],
  ["https://example.com/#x", "fragment"],
  ["https://example.com/a/../b", "without . and .."],
  ["https://example.com:99999/", "port"],
  ["https://example.com/ x", "spaces"],
  ["https://example.com/\u200b", "U+200B"],
  ["ftp://example.com/", "https://example.com/path"],
])("the address %s is refused with what to write", (text, words) => {
  expect(WebAddress.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([
    expect.stringContaining(words),
  ]);
});

/** The name that Node resolves before it connects. */
function lookedUp(url: string): Promise<string> {
  return new Promise((resolve) => {
    const lookup = (
      name: string,
      _: unknown,
      done: (error: Error, address: string, family: number) => void,
    ) => {
      resolve(name);
      done(new Error("not needed"), "", 4);
    };
    request(url.replace(/^https/, "http"), { lookup })
      .on("error", () => undefined)
      .end();
  });
}

it.each([
  ["127.0.0.1", "loopback"],
  ["127.255.0.9", "loopback"],
  ["2130706433", "loopback"],
  ["0x7f.1", "loopback"],
  ["localhost", "loopback"],
  ["localhost.", "loopback"],
  ["a.localhost", "loopback"],
  ["[::1]", "loopback"],
  ["[::ffff:127.0.0.1]", "loopback"],
  ["[64:ff9b::7f00:1]", "loopback"],
  ["[2002:7f00:1::1]", "loopback"],
  ["0.0.0.0", "unspecified"],
  ["0", "unspecified"],
  ["[::]", "unspecified"],
  ["[::ffff:0:0]", "unspecified"],
  ["10.1.2.3", "private"],
  ["100.64.0.1", "private"],
  ["169.254.169.254", "private"],
  ["172.16.0.1", "private"],
  ["192.168.1.1", "private"],
  ["[::ffff:10.0.0.1]", "private"],
  ["[fe80::1]", "private"],
  ["[fd00::1]", "private"],
  ["[2001:db8::1]", "private"],
  ["[2001::1]", "private"],
  ["172.32.0.1", "address"],
  ["8.8.8.8", "address"],
  ["[2606:4700::1]", "address"],
  ["[64:ff9b::808:808]", "address"],
  ["intranet", "local_name"],
  ["db.internal", "local_name"],
  ["localhost.example.com", "name"],
  ["internal.example.com", "name"],
])("the host %s is of the kind %s", (host, kind) => {
  expect(hostKind(new URL(`http://${host}/`).hostname)).toBe(kind);
});
