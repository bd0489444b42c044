import { describe, expect, it } from "vitest";

import { siteName } from "#dashboard/text/site-name.ts";

describe("the text of a link to a site", () => {
  it.each([
    ["https://shop.example.com", "shop.example.com"],
    ["http://SHOP.example.com:8080/", "shop.example.com:8080"],
    ["http://127.0.0.1:9000", "127.0.0.1:9000"],
    ["http://127.8.0.1", "127.8.0.1"],
    ["http://[::1]:9000/", "[::1]:9000"],
    ["http://localhost:9000", "localhost:9000"],
    ["http://shop.localhost", "shop.localhost"],
  ])("of the project's domain or of this machine is the address that works: %s", (url, name) => {
    expect(siteName(url, "shop.example.com")).toBe(name);
  });

  it.each([
    "https://evil.test/shop.example.com",
    "https://shop.example.com.evil.test/",
    "https://example.com/",
    "http://127.0.0.1.evil.test/",
    "http://localhost.evil.test/",
    "http://10.0.0.1/",
  ])("is the URL if it leads elsewhere: %s", (url) => {
    expect(siteName(url, "shop.example.com")).toBe(url);
  });
});
