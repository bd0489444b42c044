import { networkInterfaces } from "node:os";

import { afterEach, describe, expect, it } from "vitest";

import { noIngress } from "#agent/ingress/ingress.ts";
import { checkDomains } from "#agent/lifecycle/check-domains.ts";
import { defaultSettings } from "#agent/context/settings.ts";
import type { DomainLookup } from "#contract/endpoints/domains/schemas.ts";

import { type NameAnswer, type NameServer, startNameServer } from "../../support/name-server.ts";

const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === "IPv4")?.address;
const many = Array.from({ length: 20 }, (_, at) => `198.51.100.${100 + at}`);

const names: Readonly<Record<string, NameAnswer>> = {
  "shop.example.com": ["198.51.100.7"],
  "both.example.com": ["2001:db8::7", "198.51.100.9", "198.51.100.10"],
  "six.example.com": ["2001:db8::7"],
  "mapped.example.com": ["::ffff:198.51.100.7"],
  "own.example.com": own === undefined ? [] : [own],
  "empty.example.com": [],
  "many.example.com": many,
  "fails.example.com": "fails",
  "loops.example.com": "loops",
  "silent.example.com": "silent",
  "shop.internal": ["10.0.0.7"],
};

let server: NameServer | null = null;
afterEach(() => server?.close());

async function check(domain: string, signal = new AbortController().signal): Promise<DomainLookup> {
  server = await startNameServer(names);
  const settings = { ...defaultSettings, nameServerPort: server.port, nameServerMs: 1_000 };
  const [found] = await checkDomains({ settings, ingress: noIngress }, [domain], signal);
  if (found === undefined) throw new Error("no answer");
  return found;
}

const others = (...addresses: string[]) => addresses.map((address) => ({ address, is_server: false }));

describe("a host name", () => {
  it.each<[string, DomainLookup["lookup"], DomainLookup["addresses"]]>([
    ["shop.example.com", "answered", others("198.51.100.7")],
    ["both.example.com", "answered", others("198.51.100.10", "198.51.100.9", "2001:db8::7")],
    ["six.example.com", "answered", others("2001:db8::7")],
    ["mapped.example.com", "answered", others("::ffff:c633:6407")],
    ["own.example.com", "answered", own === undefined ? [] : [{ address: own, is_server: true }]],
    ["empty.example.com", "answered", []],
    ["nothing.example.com", "answered", []],
    ["many.example.com", "answered", others(...many.slice(0, 16))],
    ["192.0.2.7", "answered", others("192.0.2.7")],
    ["loops.example.com", "answered", []],
    ["fails.example.com", "unanswered", []],
    ["silent.example.com", "unanswered", []],
  ])("%s is %s by the server's name servers, with %j", async (domain, lookup, addresses) => {
    expect(await check(domain)).toEqual({ domain, lookup, addresses, certificate: null });
  });

  it("of a private network is not asked for", async () => {
    for (const domain of ["shop.internal", "shop.localhost", "shop.test", "shop"])
      expect(await check(domain)).toMatchObject({ lookup: "private", addresses: [] });
    expect([...(server?.asked ?? [])]).toEqual([]);
  });

  it("is given up when the agent stops", async () => {
    const stopped = new AbortController();
    const checking = check("silent.example.com", stopped.signal);
    await expect.poll(() => server?.asked.size).toBe(1);
    stopped.abort();
    expect(await checking).toMatchObject({ lookup: "unanswered" });
  });
});
