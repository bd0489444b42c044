import { defaultRules, type SiteRules } from "#agent/workspace/site-rules.ts";

/** The files of a site. Each contains its own path. */
export const addressFiles = Object.fromEntries(
  [
    ...["index.html", "pricing.html", "404.html", "200.html", "style.css", "LICENSE"],
    ...["docs/index.html", "docs/guide.html", "both.html", "both/index.html", "own", "own.html"],
    ...["a b ü%3F.html", ".hidden.html", "evil.example/index.html", "evil.example.html", "v1.2.html"],
    ...["assets/index-DiwrgTda.js", "assets/page-DiwrgTda.html", "_astro/page.html"],
  ].map((path) => [path, path]),
);

/** A request and its answer: the contents of a file, `→` an address, or `404`. */
export type AddressRow = readonly [path: string, answer: string, headers?: Readonly<Record<string, string>>];

const sameInAllModes: readonly AddressRow[] = [
  ["/", "index.html"],
  ["/style.css", "style.css"],
  ["/LICENSE", "LICENSE"],
  ["/style.css/", "404"],
  ["/nothing", "404"],
  ["/docs/nothing/", "404"],
  ["/.hidden", "404"],
  ["/own", "own"],
];

/** By trailing slash. */
export const addressRows: Readonly<Record<SiteRules["trailing_slash"], readonly AddressRow[]>> = {
  auto: [
    ...sameInAllModes,
    ["/pricing", "pricing.html"],
    ["/pricing?a=b/", "pricing.html"],
    ["/pricing/?a=b/&c=%2F", "→ /pricing?a=b/&c=%2F"],
    ["/pricing.html?a=1", "→ /pricing?a=1"],
    ["/pricing%2Ehtml", "→ /pricing"],
    ["/pricing%2F", "→ /pricing"],
    ["/index.html", "→ /"],
    ["/index", "→ /"],
    ["/docs?a=1", "→ /docs/?a=1"],
    ["/docs/", "docs/index.html"],
    ["/docs/index.html", "→ /docs/"],
    ["/docs/index", "→ /docs/"],
    ["/docs/guide", "docs/guide.html"],
    ["/docs/guide/", "→ /docs/guide"],
    ["/both", "both.html"],
    ["/both/", "both/index.html"],
    ["/both.html", "→ /both"],
    ["/own.html", "own.html"],
    ["/v1.2", "v1.2.html"],
    ["/a%20b%20%C3%BC%253F", "a b ü%3F.html"],
    ["/a%20b%20%C3%BC%253F/", "→ /a%20b%20%C3%BC%253F"],
    ["//docs", "→ /docs/"],
    ["//evil.example/index.html", "→ /evil.example/"],
    ["///evil.example/index", "→ /evil.example/"],
    ["//evil.example.html", "→ /evil.example"],
    ["/%2Fevil.example/index.html", "→ /evil.example/"],
    ["/\\evil.example", "404"],
    ["/%5Cevil.example/", "404"],
  ],
  always: [
    ...sameInAllModes,
    ["/pricing", "→ /pricing/"],
    ["/pricing/", "pricing.html"],
    ["/pricing.html?a=1", "→ /pricing/?a=1"],
    ["/docs", "→ /docs/"],
    ["/docs/", "docs/index.html"],
    ["/docs/index.html", "→ /docs/"],
    ["/docs/guide", "→ /docs/guide/"],
    ["/both", "→ /both/"],
    ["/both/", "both/index.html"],
    ["/both.html", "both.html"],
    ["//evil.example", "→ /evil.example/"],
  ],
  never: [
    ...sameInAllModes,
    ["/pricing", "pricing.html"],
    ["/pricing/", "→ /pricing"],
    ["/pricing.html", "→ /pricing"],
    ["/index.html", "→ /"],
    ["/index", "→ /"],
    ["/docs", "docs/index.html"],
    ["/docs/?a=1", "→ /docs?a=1"],
    ["/docs/index.html", "→ /docs"],
    ["/docs/index", "→ /docs"],
    ["/docs/guide/", "→ /docs/guide"],
    ["/both", "both.html"],
    ["/both/", "→ /both"],
    ["/both/index.html", "both/index.html"],
    ["//evil.example/", "→ /evil.example"],
  ],
  ignore: [
    ...sameInAllModes,
    ["/pricing", "pricing.html"],
    ["/pricing/", "pricing.html"],
    ["/pricing.html", "pricing.html"],
    ["/index.html", "index.html"],
    ["/docs", "docs/index.html"],
    ["/docs/", "docs/index.html"],
    ["/docs/guide/", "docs/guide.html"],
    ["/both", "both.html"],
    ["/both/", "both/index.html"],
  ],
};

export const fallbackRules: SiteRules = { ...defaultRules, fallback: "200.html" };

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/** With `fallbackRules`. */
export const fallbackRows: readonly AddressRow[] = [
  ["/", "index.html"],
  ["/pricing/", "→ /pricing"],
  ["/orders/7?tab=2", "200.html"],
  ["/orders/7/", "200.html", { accept: browser }],
  ["/orders/7", "200.html", { accept: "*/*" }],
  ["/orders/7", "404", { accept: "application/json" }],
  ["/docs/v9.1", "200.html"],
  ["/_astro/nothing", "200.html"],
  ["/app.js", "404", { accept: browser }],
  ["/assets/index-AbCdEf12.js", "404"],
  ["/pricing.htm", "404"],
  ["/.hidden", "404"],
  ["/.well-known/nothing", "404"],
];

/** Paths of files, and whether browsers may keep them. */
export const cachedRows = [
  ["/assets/index-DiwrgTda.js", true],
  ["/assets/page-DiwrgTda", false],
  ["/_astro/page", false],
  ["/_astro/nothing", false],
] as const;

/** Files with the types that browsers and platforms require. */
export const typedFiles: Readonly<Record<string, string>> = {
  "/.well-known/apple-app-site-association": "application/json",
  "/apple-app-site-association": "application/json",
  "/.well-known/openid-configuration": "application/json",
  "/.well-known/matrix/server": "application/json",
  "/.well-known/webauthn": "application/json",
  "/.well-known/webfinger": "application/jrd+json",
  "/.well-known/host-meta": "application/xrd+xml",
  "/.well-known/acme-challenge/a1-B2": "text/plain; charset=utf-8",
  "/.well-known/assetlinks.json": "application/json",
  "/LICENSE": "application/octet-stream",
  "/site.webmanifest": "application/manifest+json",
  "/app.mjs": "text/javascript; charset=utf-8",
  "/robots.txt": "text/plain; charset=utf-8",
  "/fonts/a.woff2": "font/woff2",
  "/PHOTO.JPG": "image/jpeg",
  "/a/deep.page": "text/html; charset=utf-8",
};

/** Files of games that are packed before they are deployed, each with its own name as the content. */
export const packedFiles = Object.fromEntries(
  [
    ...["Build/game.wasm.br", "Build/game.data.br", "Build/game.framework.js.br", "Build/game.loader.js"],
    ...[
      "Build/old.wasm.gz",
      "Build/old.js.gz",
      "index.wasm.gz",
      "index.pck.br",
      "report.csv.gz",
      "lib.js.gz",
    ],
    ...["both.js", "both.js.br"],
  ].map((path) => [path, path]),
);

const js = "text/javascript; charset=utf-8";
const binary = "application/octet-stream";
const all = "gzip, deflate, br, zstd";

/** Requests to `packedFiles`: the status, and for a file its type and how it is packed. */
export const packedRows: readonly (readonly [path: string, accept: string, answer: string])[] = [
  ["/Build/game.wasm.br", all, "200 application/wasm br"],
  ["/Build/game.wasm.br", "gzip", `200 ${binary} -`],
  ["/Build/game.wasm.br", "gzip, br;q=0", `200 ${binary} -`],
  ["/Build/game.data.br", all, `200 ${binary} br`],
  ["/Build/game.framework.js.br", all, `200 ${js} br`],
  ["/Build/game.framework.js", all, `200 ${js} br`],
  ["/Build/game.framework.js", "gzip", "404"],
  ["/Build/game.loader.js", "identity", `200 ${js} -`],
  ["/Build/old.wasm.gz", all, "200 application/wasm gzip"],
  ["/Build/old.js.gz", "GZIP;q=0.5", `200 ${js} gzip`],
  ["/Build/old.js.gz", "br", `200 ${binary} -`],
  ["/index.wasm", all, "200 application/wasm gzip"],
  ["/index.pck", all, `200 ${binary} br`],
  ["/index.wasm.gz", all, "200 application/gzip -"],
  ["/report.csv.gz", all, "200 application/gzip -"],
  ["/report.csv", all, "404"],
  ["/lib.js.gz", all, "200 application/gzip -"],
  ["/both.js", "br", `200 ${js} -`],
  ["/missing.js", all, "404"],
];

/** How an answer is written in a row. @param body of a file, or of the page for missing files */
export function answerOf(status: number, location: string | null, body: string): string {
  if (status === 308) return `→ ${location ?? ""}`;
  return status === 200 ? body : `${status}`;
}
