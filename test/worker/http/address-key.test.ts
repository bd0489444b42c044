import { describe, expect, it } from "vitest";

import { addressKey } from "#worker/http/rate-limit.ts";

describe("the key for counting failed attempts of an address", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2::7", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::7", "2001:db8:0:0::/64"],
    ["2001:db8::1:2:3:4:5", "2001:db8:0:1::/64"],
    ["::1", "0:0:0:0::/64"],
    // IPv4 addresses in IPv6 form are not in one network.
    ["::ffff:203.0.113.7", "::ffff:cb00:7107"],
    ["::ffff:cb00:7107", "::ffff:cb00:7107"],
    ["unknown", "unknown"],
    ["not:an:address", "not:an:address"],
  ])("of %s is %s", (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});
