import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { hasHashedName } from "#agent/ingress/hashed-name.ts";

const hex = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), minLength: length, maxLength: length })
    .filter((text) => /\d/.test(text) && /[a-f]/.test(text));
const word = fc.stringMatching(/^[a-z]{1,12}$/);

describe("a name with a hash", () => {
  it.each([
    "/assets/index-DiwrgTda.js",
    "/assets/index-DiwrgTda.js.map",
    "/assets/inter-B7_kQz2-.woff2",
    "/build/assets/app-l0sNRNKZ.js",
    "/assets/app-C5kW2rT9.css",
    "/chunk-5QK6ZTTD.js",
    "/main-HJVXQWEK.js",
    "/static/js/main.1a2b3c4d.js",
    "/static/js/787.28cb0dcd.chunk.js",
    "/static/media/logo.6ce24c58023cc2f8fd88fe9d219db6c6.svg",
    "/app-1a2b3c4d5e6f7a8b9c0d.js",
    "/component---src-pages-index-js-1a2b3c4d5e6f7a8b9c0d.js",
    "/1a2b3c4d5e6f7a8b9c0d.png",
    "/_next/static/chunks/app/page.js",
    "/_next/static/kZ3x/_buildManifest.js",
    "/docs/_next/static/media/a.woff2",
    "/_nuxt/entry.js",
    "/_astro/hoisted.js",
    "/_app/immutable/entry/start.js",
    "/assets/application-2c6c2f1b.css",
    `/assets/application-${"0a".repeat(32)}.js`,
    "/static/css/base.55e7cbb9ba48.css",
    `/css/main.min.${"0b".repeat(32)}.css`,
    "/assets/app-098f6bcd4621d373cade4e832627b4f6.js",
    "/index-2t0c7ra8.js",
  ])("%s", (path) => {
    expect(hasHashedName(path)).toBe(true);
  });

  it.each([
    ...["/", "/index.html", "/assets/page-DiwrgTda.html", "/_astro/page.html", "/_next/static/x.htm"],
    ...[
      "/_app/immutable/nothing",
      "/report-20240101.pdf",
      "/img/2024-01-01.png",
      "/photo-20240101123000.jpg",
    ],
    ...[
      "/photo-1024x768.jpg",
      "/photo-carousel.js",
      "/photo-Carousel.js",
      "/jquery.validate.js",
      "/app.min.js",
    ],
    ...["/mark-version1.svg", "/a-b_c-d-e.js", "/deadbeef.js", "/facade.js", "/favicon.ico", "/robots.txt"],
    ...["/logo-20240101.png", "/x/left-side.css", "/my-app-module.js", "/sw.js", "/manifest.webmanifest"],
  ])("is not %s", (path) => {
    expect(hasHashedName(path)).toBe(false);
  });

  it("is made with each digest of each length, and never of a page", () => {
    const lengths = [8, 10, 12, 16, 20, 32, 40, 64, 128];
    fc.assert(
      fc.property(
        word,
        fc.constantFrom(...lengths).chain(hex),
        fc.constantFrom("-", "."),
        (name, hash, mark) => {
          for (const ending of [".js", ".css", ".chunk.js", ".woff2", ".js.map", ".SVG"])
            expect([hash, hasHashedName(`/a/${name}${mark}${hash}${ending}`)]).toEqual([hash, true]);
          for (const ending of ["", ".html", ".htm", "/"])
            expect(hasHashedName(`/a/${name}${mark}${hash}${ending}`)).toBe(false);
        },
      ),
    );
  });

  it("is none of two words", () => {
    fc.assert(
      fc.property(word, word, fc.constantFrom("-", ".", "_"), (one, other, mark) => {
        expect(hasHashedName(`/${one}${mark}${other}.js`)).toBe(false);
      }),
    );
  });
});
