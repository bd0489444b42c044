import { describe, expect, it } from "vitest";

import { type DomainCheck, DomainLookup } from "#contract/endpoints/domains/schemas.ts";
import { judgeDomain } from "#domain/judge-domain.ts";

const NAME = "shop.example.com";
const IP = "93.184.215.14";
const AT_SERVER = { ips: [IP], isBalanced: false };
const record = { name: NAME, type: "A", value: IP } as const;

const found = (lookup: DomainLookup["lookup"], addresses: DomainLookup["addresses"] = []): DomainLookup => ({
  ...{ domain: NAME, lookup, certificate: null },
  addresses,
});
const at = (...addresses: string[]) =>
  found(
    "answered",
    addresses.map((address) => ({ address, is_server: false })),
  );
const own = (...addresses: string[]) =>
  found(
    "answered",
    addresses.map((address) => ({ address, is_server: true })),
  );

describe("a host name", () => {
  it.each<[string, DomainLookup | null, DomainCheck["state"], DomainCheck["record"], string]>([
    ["the server's address", at(IP), "here", null, `${NAME} leads to the server.`],
    [
      "IPv6 only",
      own("2001:db8::1"),
      "here",
      record,
      `Visitors without IPv6 do not reach it: create the DNS record ${NAME}. A ${IP}`,
    ],
    [
      "the server's private address",
      own("10.0.0.7"),
      "here",
      record,
      "Only the private network of the server reaches it: create",
    ],
    [
      "another address too",
      at(IP, "2001:db8::7"),
      "partly",
      null,
      "also to 2001:db8::7, which is not the server. Remove the other DNS records",
    ],
    [
      "another address",
      at("198.51.100.7"),
      "elsewhere",
      record,
      `leads to 198.51.100.7, which is not the server. This is right if a CDN or a proxy is there that passes the requests on to ${IP}. Otherwise remove the DNS records, and create the DNS record ${NAME}. A ${IP}`,
    ],
    [
      "many addresses",
      at("198.51.100.1", "198.51.100.2", "198.51.100.3", "198.51.100.4"),
      "elsewhere",
      record,
      "198.51.100.3 and 1 more, which are not the server",
    ],
    [
      "nothing",
      found("answered"),
      "no_address",
      record,
      `${NAME} has no address. Create the DNS record ${NAME}. A ${IP}`,
    ],
    [
      "a private name",
      found("private"),
      "private",
      null,
      "Nothing needs to be done if your clients know its address.",
    ],
    ["a name server that does not answer", found("unanswered"), "unknown", null, `resolvectl query ${NAME}`],
    ["no answer of the agent about it", null, "unknown", null, "did not answer"],
  ])("with %s is described with what to do", (_, lookup, state, expected, message) => {
    expect(judgeDomain(NAME, lookup, AT_SERVER)).toMatchObject({
      state,
      record: expected,
      message: expect.stringContaining(message),
    });
  });

  it("that leads to the server lacks its certificate", () => {
    const { message } = judgeDomain(NAME, { ...at(IP), certificate: "missing" }, AT_SERVER);
    expect(message).toContain("The server has no certificate for it yet");
  });

  it("has only addresses in what an agent reports", () => {
    for (const address of ["<b>", "1.2.3.4 evil", "\u001b[31m", "evil.example.com"])
      expect(DomainLookup.safeParse(at(address)).success).toBe(false);
  });
});
