import { HEADERS_FILE, REDIRECTS_FILE } from "#build/site-rules/rule-lines.ts";
import { parseHeaders } from "#build/site-rules/parse-headers.ts";
import { parseRedirects } from "#build/site-rules/parse-redirects.ts";
import { defaultRules, type SiteRules } from "#agent/workspace/site-rules.ts";

/** The files of a site with rules. Each contains its own path. */
export const ruleSiteFiles = Object.fromEntries(
  [
    ...[
      "index.html",
      "about.html",
      "new.html",
      "app.html",
      "404.html",
      "gone.html",
      "docs/index.html",
      "guide/index.html",
    ],
    ...["en/404.html", "assets/app-DiwrgTda.js", "assets/data.json", "secret.html", "its.html", "café.html"],
    ...[".hidden/page.html", REDIRECTS_FILE, HEADERS_FILE],
  ].map((path) => [path, path]),
);

/** Behind the slash of an address there may be another one, and everything that a repository or a visitor can write. */
const redirects = `
# Comments and empty lines have no effect.
/old              /new
/temporary        /new            302    # a comment
/see              /new            303
/keep             /new            307
/permanent        /new            308
/about            /elsewhere      301
/docs/            /elsewhere      301!
/query            /new?from=old
/fragment         /new?a=1#part
/fragment-only    /new#part
/out              https://example.org/path?x=1#y
/wiki             https://example.org/wiki/Special:Random
/caf%c3%a9-old    /café
/it's(old)        /it's
/dollar           /a$1b\${1}$$
/braces           /{env.HOME}/{file./etc/passwd}?{http.request.host}
/blog/*           /news/:splat    301
/root/*           /:splat         302
/loose*           /:splat         302
/middle/*/end     /m/:splat
/turn/:a/*        /:splat/:a
/by/:year/:month  /archive/:month-:year
/out/:id          https://example.org/items/:id?ref=:id
/api/*            https://api.example.org/v1/:splat  307
/store id=:id     /items/:id
/store kind=a sort=:how  /kinds/a/:how
/store            /all
https://other.localhost/host    /other-host
http://RULES.localhost/host     /own-host
/host             /any-host
/same/*           https://rules.localhost/same/:splat   301!
/rewritten        /new            200
/pretty           /about          200
/asset            /assets/app-DiwrgTda.js  200
/folder           /docs           200
/forced           /app.html       200!
/secret           /new            200!
/app/settings     /about.html     200
/app/*            /app.html       200
/nowhere          /missing.html   200
/hide             /.hidden/page   200
/rules            /_redirects     200
/en/*             /en/404.html    404
/removed/*        /gone.html      410
/chain-a          /chain-b        200
/chain-b          /new            200
/swap/:a/:b       /swapped/:b/:a
/under/*          /under          302
/last/*           /last/stop      302!
/:lang/manual     /manual/:lang   302
`;

export type RuleRow = {
  readonly ask: string;
  readonly method?: string;
  readonly host?: string;
  /** The status, and where it redirects to or the file that it shows. */
  readonly answer: string;
};

const rows = (...all: readonly (readonly [ask: string, answer: string])[]): RuleRow[] =>
  all.map(([ask, answer]) => ({ ask, answer }));

export const redirectRows: readonly RuleRow[] = [
  ...rows(
    ["/old", "301 /new"],
    ["/old/", "301 /new"],
    ["/OLD", "404 404.html"],
    ["/old/x", "404 404.html"],
    ["/%6Fld", "301 /new"],
    ["//old", "301 /new"],
    ["/old?a=1&b=%2F", "301 /new?a=1&b=%2F"],
    ["/old?", "301 /new"],
    ["/old?a?b", "301 /new?a?b"],
    ["/temporary", "302 /new"],
    ["/see", "303 /new"],
    ["/keep", "307 /new"],
    ["/permanent", "308 /new"],
    // A file is before a rule, unless the rule is forced.
    ["/about", "200 about.html"],
    ["/docs", "301 /elsewhere"],
    ["/docs/", "301 /elsewhere"],
    ["/query?a=1", "301 /new?from=old"],
    ["/fragment?b=2", "301 /new?a=1#part"],
    ["/fragment-only?b=2", "301 /new?b=2#part"],
    ["/out?a=1", "301 https://example.org/path?x=1#y"],
    ["/wiki", "301 https://example.org/wiki/Special:Random"],
    ["/caf%C3%A9-old", "301 /caf%C3%A9"],
    ["/caf%c3%a9-old", "301 /caf%C3%A9"],
    ["/it's(old)", "301 /it's"],
    ["/it%27s%28old%29", "301 /it's"],
    ["/dollar", "301 /a$1b$%7B1%7D$$"],
    ["/braces", "301 /%7Benv.HOME%7D/%7Bfile./etc/passwd%7D?%7Bhttp.request.host%7D"],
    ["/blog", "301 /news/"],
    ["/blog/", "301 /news/"],
    ["/blog/a/b/?c=d", "301 /news/a/b/?c=d"],
    ["/blog/%7Benv.HOME%7D", "301 /news/%7Benv.HOME%7D"],
    ["/blog/x?{env.HOME}", "301 /news/x?{env.HOME}"],
    ["/blog/%0D%0ASet-Cookie:%20a=b", "301 /news/%0D%0ASet-Cookie:%20a=b"],
    ["/blog/a%3Fb%23c%25d", "301 /news/a%3Fb%23c%25d"],
    ["/blogs", "404 404.html"],
    // No address that leads to another host.
    ["/root//evil.example", "302 /evil.example"],
    ["/root/%2Fevil.example", "302 /evil.example"],
    ["/root/%5Cevil.example", "302 /%5Cevil.example"],
    ["/root/", "302 /"],
    ["/loose//evil.example", "302 /evil.example"],
    ["/loosely", "302 /ly"],
    ["/middle/a/b/end", "301 /m/a/b"],
    ["/middle/end", "301 /m/"],
    ["/middle/a", "404 404.html"],
    ["/turn/a/b", "301 /b/a"],
    ["/turn/evil.example", "404 404.html"],
    ["/turn/evil.example/", "404 404.html"],
    ["/by/2024/05", "301 /archive/05-2024"],
    ["/by/2024/05/", "301 /archive/05-2024"],
    ["/by/2024", "404 404.html"],
    ["/out/a%20b", "301 https://example.org/items/a%20b?ref=a%20b"],
    ["/api/users?q=1", "307 https://api.example.org/v1/users?q=1"],
    ["/store?id=7", "301 /items/7?id=7"],
    ["/store?x=1&id=a%2Fb&y", "301 /items/a%2Fb?x=1&id=a%2Fb&y"],
    ["/store?kid=7", "301 /all?kid=7"],
    ["/store?id=//evil.example", "301 /all?id=//evil.example"],
    ["/store?id={env.HOME}", "301 /all?id={env.HOME}"],
    ["/store?sort=up&kind=a", "301 /kinds/a/up?sort=up&kind=a"],
    ["/store?kind=b&sort=up", "301 /all?kind=b&sort=up"],
    ["/store", "301 /all"],
    ["/host", "301 /own-host"],
    ["/same/x", "404 404.html"],
    ["/rewritten?a=1", "200 new.html"],
    ["/pretty", "200 about.html"],
    ["/asset", "200 assets/app-DiwrgTda.js"],
    ["/folder", "200 docs/index.html"],
    ["/forced", "200 app.html"],
    ["/secret", "200 new.html"],
    ["/app/settings", "200 about.html"],
    ["/app/orders/7", "200 app.html"],
    ["/app", "200 app.html"],
    ["/nowhere", "404 404.html"],
    ["/hide", "404 404.html"],
    ["/rules", "404 404.html"],
    ["/en/nothing", "404 en/404.html"],
    ["/removed/x", "410 gone.html"],
    ["/chain-a", "404 404.html"],
    ["/chain-b", "200 new.html"],
    ["/swap/a/b", "301 /swapped/b/a"],
    // A rule that would lead to itself is not applied.
    ["/under/x", "302 /under"],
    ["/under", "404 404.html"],
    ["/under/", "404 404.html"],
    ["/last/x", "302 /last/stop"],
    ["/last/stop", "404 404.html"],
    ["/last/stop/", "404 404.html"],
    ["/de/manual", "302 /manual/de"],
    [`/${REDIRECTS_FILE}`, "404 404.html"],
    [`/${HEADERS_FILE}`, "404 404.html"],
    [`/%5Fheaders/`, "404 404.html"],
  ),
  { ask: "/host", host: "other.localhost", answer: "301 /other-host" },
  { ask: "/host", host: "third.localhost", answer: "301 /any-host" },
  { ask: "/same/x", host: "other.localhost", answer: "301 https://rules.localhost/same/x" },
  { ask: "/old", host: "other.localhost", answer: "301 /new" },
  // A redirect is for each method, and a page only for reading.
  { ask: "/keep", method: "POST", answer: "307 /new" },
  { ask: "/about", method: "POST", answer: "301 /elsewhere" },
  { ask: "/rewritten", method: "POST", answer: "405" },
  { ask: "/forced", method: "POST", answer: "405" },
  { ask: "/old", method: "HEAD", answer: "301 /new" },
];

const headers = `
/*
  X-Frame-Options: DENY
  Cache-Control: public, max-age=60
  X-Braces: {env.HOME} {"group":"x"} \\{
  X-Joined: one
  x-joined: two
  X-Robots-Tag: nosnippet
  X-Utf: schön
/about
  X-Robots-Tag: noindex
  ! X-Frame-Options
/assets/*
  ! Cache-Control
/assets/*.json
  Content-Type: application/manifest+json
  Cache-Control: max-age=5
/movies/:title
  X-Movie: You watch ":title" (:splat)
/guide/*
  ! X-Robots-Tag
  X-Robots-Tag: all
  ! X-Content-Type-Options
/secret
  Referrer-Policy: no-referrer
https://other.localhost/*
  X-Host: other
http://RULES.localhost/*
  X-Host: own
`;

export type HeaderRow = {
  readonly ask: string;
  readonly host?: string;
  readonly status: number;
  /** null: the answer does not have it. */
  readonly headers: Readonly<Record<string, string | null>>;
};

export const headerRows: readonly HeaderRow[] = [
  {
    ask: "/",
    status: 200,
    headers: {
      "x-frame-options": "DENY",
      "cache-control": "public, max-age=60",
      "x-braces": String.raw`{env.HOME} {"group":"x"} \{`,
      "x-joined": "one, two",
      "x-robots-tag": "nosnippet",
      "x-content-type-options": "nosniff",
      "x-host": "own",
      "x-utf": Buffer.from("schön").toString("latin1"),
    },
  },
  { ask: "/", host: "other.localhost", status: 200, headers: { "x-host": "other" } },
  { ask: "/", host: "third.localhost", status: 200, headers: { "x-host": null } },
  { ask: "/about", status: 200, headers: { "x-robots-tag": "nosnippet, noindex", "x-frame-options": null } },
  { ask: "/%61bout", status: 200, headers: { "x-frame-options": null } },
  { ask: "/%73ecret", status: 200, headers: { "referrer-policy": "no-referrer" } },
  { ask: "//secret", status: 200, headers: { "referrer-policy": "no-referrer" } },
  { ask: "/guide/", status: 200, headers: { "x-robots-tag": "all", "x-content-type-options": null } },
  { ask: "/assets/app-DiwrgTda.js", status: 200, headers: { "cache-control": null, "x-joined": "one, two" } },
  {
    ask: "/assets/data.json",
    status: 200,
    headers: { "content-type": "application/manifest+json", "cache-control": "max-age=5" },
  },
  // A page for a missing file is not cached as the file, and has its own type.
  {
    ask: "/assets/missing.json",
    status: 404,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-frame-options": "DENY",
    },
  },
  { ask: "/movies/Alien%203", status: 404, headers: { "x-movie": 'You watch "Alien 3" (:splat)' } },
  { ask: "/movies/%7Benv.HOME%7D", status: 404, headers: { "x-movie": 'You watch "{env.HOME}" (:splat)' } },
  { ask: "/movies/a%0D%0AX-Evil:%20b", status: 404, headers: { "x-movie": null, "x-evil": null } },
  { ask: "/movies/caf%C3%A9", status: 404, headers: { "x-movie": null, "x-frame-options": "DENY" } },
  // A redirect has none of them.
  { ask: "/about.html", status: 308, headers: { "x-frame-options": null, "cache-control": "no-cache" } },
  { ask: "/old", status: 301, headers: { "x-frame-options": null, "cache-control": "no-cache" } },
];

const bytes = (text: string) => new TextEncoder().encode(text);

/** Throws if a line of the cases is a problem. */
function rulesOf(): SiteRules {
  const parsed = { redirects: parseRedirects(bytes(redirects)), headers: parseHeaders(bytes(headers)) };
  const problems = [...parsed.redirects.problems, ...parsed.headers.problems];
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return {
    ...defaultRules,
    redirects: [...parsed.redirects.rules],
    headers: [...parsed.headers.rules],
  };
}

export const siteRules: SiteRules = rulesOf();

/** What many single-page apps have. */
export const catchAllRules: SiteRules = {
  ...defaultRules,
  redirects: [...parseRedirects(bytes("/* /index.html 200")).rules],
};

/** With `catchAllRules`, for a site with this file of an earlier release. */
export const earlierFile = "assets/old-1a2b3c4d.js";
export const catchAllRows: readonly RuleRow[] = rows(
  [`/${earlierFile}`, `200 ${earlierFile}`],
  ["/about", "200 about.html"],
  ["/any/page", "200 index.html"],
  ["/assets/other-1a2b3c4d.js", "200 index.html"],
);

/** How an answer is written in a row. */
export function ruleAnswer(status: number, location: string | undefined, body: string): string {
  if (location !== undefined) return `${status} ${location}`;
  return status === 405 ? "405" : `${status} ${body}`;
}
