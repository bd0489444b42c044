import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { findHeaders } from "#agent/ingress/custom-headers.ts";
import { findRedirect, locationOf } from "#agent/ingress/redirects.ts";
import { redirectRoutes } from "#agent/ingress/caddy/redirect-routes.ts";
import { parseHeaders } from "#build/site-rules/parse-headers.ts";
import { parseRedirects, redirectPattern } from "#build/site-rules/parse-redirects.ts";
import { encodePath } from "#build/site-rules/path-pattern.ts";
import { HeaderRules, isShown, RedirectRules } from "#build/site-rules/rule-schemas.ts";

const runs = { numRuns: 1000 };

const piece = fc.constantFrom(
  ...[
    "/",
    "//",
    "*",
    ":a",
    ":b",
    ":splat",
    ":id2",
    "a",
    "ü",
    "%2f",
    "%5C",
    "%zz",
    "%ff",
    "\\",
    "?",
    "#",
    "=",
    "&",
    ".",
  ],
  ...[
    "..",
    "{env.HOME}",
    "$1",
    "${1}",
    "(",
    ")",
    "[",
    "]",
    "+",
    "|",
    "^",
    "'",
    '"',
    "<",
    "\u2028",
    "\u0000",
    "\r",
    " ",
  ],
  ...[
    "https://",
    "http://",
    "evil.example",
    "@",
    ":8080",
    "200",
    "301",
    "302!",
    "404",
    "id=:a",
    "id=7",
    "x=",
    "Country=us",
  ],
);
const token = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(""));
const path = token.map((text) => `/${text}`);
const words = (from: fc.Arbitrary<string>) =>
  fc
    .tuple(
      from,
      fc.array(fc.constantFrom("id=:a", "id=7", "q=:b"), { maxLength: 2 }),
      fc.oneof(
        path,
        token.map((text) => `https://example.org/${text}`),
      ),
      fc.constantFrom("", "200", "301", "302!", "404", "308 # x"),
    )
    .map(([first, query, to, status]) => [first, ...query, to, status].join(" "));
const redirectLine = fc.oneof(words(path), words(token), token, fc.string());
const file = (line: fc.Arbitrary<string>) =>
  fc.array(line, { maxLength: 8 }).map((lines) => new TextEncoder().encode(lines.join("\n")));
const requestPath = fc
  .array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 8 })
  .map((parts) => encodePath(`/${parts.join("")}`.replaceAll(/\/{2,}/g, "/")));

describe("each file", () => {
  it("of redirects is read without an exception, and each line of it is a rule or a problem", () => {
    fc.assert(
      fc.property(file(redirectLine), (content) => {
        const { rules, lines, problems } = parseRedirects(content);
        expect(RedirectRules.parse(rules)).toEqual(rules);
        const read = new Set([...lines, ...problems.map(({ line }) => line)]);
        expect(read.size).toBe(lines.length + problems.length);
        const written = new TextDecoder().decode(content).split(/\r\n?|\n/);
        for (const [index, line] of written.entries()) {
          const isEmpty = /^\s*(?:#|$)/.test(line);
          if (isEmpty) expect(read.has(index + 1)).toBe(false);
          // The others say the same as another line.
          else if (!read.has(index + 1))
            expect(parseRedirects(new TextEncoder().encode(line)).rules.length).toBe(1);
        }
      }),
      runs,
    );
  });

  it("of headers is read without an exception, and sets no header that could break an answer", () => {
    const name = fc.oneof(
      fc.constantFrom("X-A", "x-a", "Content-Length", "Set-Cookie", "! X-A", "!X", ""),
      token,
    );
    const line = fc.oneof(
      path,
      token,
      fc.string(),
      fc.tuple(name, fc.string()).map(([a, b]) => ` ${a}: ${b}`),
    );
    fc.assert(
      fc.property(file(line), requestPath, (content, asked) => {
        const { rules } = parseHeaders(content);
        expect(HeaderRules.parse(rules)).toEqual(rules);
        const decoded = decodeURIComponent(asked);
        for (const [set, value] of findHeaders(rules, { host: "a", path: decoded, isFound: true })) {
          expect(set).toMatch(/^[!#$%&'*+.^_`|~0-9a-z-]+$/);
          expect(["content-length", "set-cookie", "connection"]).not.toContain(set);
          // oxlint-disable-next-line no-control-regex
          expect(value ?? "").not.toMatch(/[\0-\x08\x0a-\x1f\x7f]/);
        }
      }),
      runs,
    );
  });
});

describe("a redirect", () => {
  const query = fc.constantFrom("", "?id=7", "?id=//evil.example&q=x", "?q=%5Cevil&id=a%2F", "?x={env.HOME}");
  const origin = "https://site.example";
  const sources = fc.constantFrom(
    "/*",
    "/r/*",
    "/f*",
    "/:a",
    "/r/:a",
    "/:a/*",
    "/r/*/z",
    "/r q=:b",
    "/r id=:a q=:b",
  );
  const targets = fc
    .array(fc.constantFrom("/", ":splat", ":a", ":b", "x", "https://example.org/"), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => (parts[0] === "https://example.org/" ? "" : "/") + parts.join(""));
  const line = fc.tuple(sources, targets).map((parts) => parts.join(" "));
  // Also with the slashes that both servers remove before.
  const asked = fc
    .array(
      fc.constantFrom(
        "r",
        "f",
        "z",
        "/",
        "//evil.example",
        "\\evil.example",
        "evil.example",
        "@",
        ":80",
        "?",
        "\r\n",
      ),
      {
        maxLength: 6,
      },
    )
    .map((parts) => encodePath(`/${parts.join("")}`));

  it("leads to the host of its target alone, whatever a visitor asks for", () => {
    let found = 0;
    fc.assert(
      fc.property(file(line), asked, query, (content, askedPath, text) => {
        const { rules } = parseRedirects(content);
        const redirect = findRedirect(rules, { host: "site.example", path: askedPath, query: text });
        if (redirect === null || isShown(redirect.status)) return;
        found += 1;
        const location = locationOf(redirect, text);
        // What a header may contain.
        expect(location).toMatch(/^[!-~]+$/);
        const host = new URL(location, origin).host;
        expect(host).toBe(location.startsWith("https://") ? "example.org" : "site.example");
      }),
      runs,
    );
    expect(found).toBeGreaterThan(runs.numRuns / 10);
  });

  it("contains no placeholder of Caddy, and its expression is in what Go and JavaScript share", () => {
    fc.assert(
      fc.property(file(redirectLine), (content) => {
        const { rules } = parseRedirects(content);
        for (const rule of rules) {
          expect(`${rule.from}${rule.to}`).not.toMatch(/[{}]/);
          // No lookaround, references, flags or named groups.
          expect(redirectPattern(rule)).not.toMatch(/\(\?[^:]|\\[^\\^$.*+?()[\]{}|]/);
        }
        const text = JSON.stringify(redirectRoutes(rules, () => []));
        for (const [, name] of text.matchAll(/\{([^{}"[\]:,]*)\}/g))
          expect(name).toMatch(/^(?:\d+|gantry_\w+|http\.vars\.\w+|http\.request\.uri(?:\.query)?|)$/);
      }),
      runs,
    );
  });
});
