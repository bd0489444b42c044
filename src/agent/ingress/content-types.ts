const UTF8 = "; charset=utf-8";

/** The types of files by their extensions. A server's own list can be short: Debian's has them in a package. */
const byExtension: readonly (readonly [type: string, extensions: string])[] = [
  [`text/html${UTF8}`, "html|htm"],
  [`text/css${UTF8}`, "css"],
  [`text/javascript${UTF8}`, "js|mjs|cjs"],
  ["application/json", "json|map"],
  ["application/manifest+json", "webmanifest"],
  ["application/ld+json", "jsonld"],
  ["application/geo+json", "geojson"],
  ["application/xml", "xml|xsl"],
  ["application/xhtml+xml", "xhtml"],
  ["application/rss+xml", "rss"],
  ["application/atom+xml", "atom"],
  [`text/plain${UTF8}`, "txt|text|log"],
  [`text/markdown${UTF8}`, "md"],
  [`text/csv${UTF8}`, "csv"],
  [`text/calendar${UTF8}`, "ics"],
  [`text/vtt${UTF8}`, "vtt"],
  [`text/vcard${UTF8}`, "vcf"],
  [`text/yaml${UTF8}`, "yaml|yml"],
  ["image/svg+xml", "svg"],
  ["image/vnd.microsoft.icon", "ico"],
  ["image/png", "png"],
  ["image/apng", "apng"],
  ["image/jpeg", "jpg|jpeg"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
  ["image/avif", "avif"],
  ["image/jxl", "jxl"],
  ["image/bmp", "bmp"],
  ["image/tiff", "tif|tiff"],
  ["font/woff2", "woff2"],
  ["font/woff", "woff"],
  ["font/ttf", "ttf"],
  ["font/otf", "otf"],
  ["application/vnd.ms-fontobject", "eot"],
  ["video/mp4", "mp4|m4v"],
  ["video/webm", "webm"],
  ["video/ogg", "ogv"],
  ["video/quicktime", "mov"],
  ["audio/mpeg", "mp3"],
  ["audio/mp4", "m4a"],
  ["audio/ogg", "ogg|oga|opus"],
  ["audio/wav", "wav"],
  ["audio/flac", "flac"],
  ["audio/aac", "aac"],
  ["application/vnd.apple.mpegurl", "m3u8"],
  ["application/dash+xml", "mpd"],
  ["application/wasm", "wasm"],
  ["application/octet-stream", "data|pck|unityweb"],
  ["application/pdf", "pdf"],
  ["application/epub+zip", "epub"],
  ["application/zip", "zip"],
  ["application/gzip", "gz|tgz"],
  ["application/vnd.apple.pkpass", "pkpass"],
  ["application/x-apple-aspen-config", "mobileconfig"],
  ["application/vnd.android.package-archive", "apk"],
  ["model/gltf-binary", "glb"],
  ["model/gltf+json", "gltf"],
];

/** The types that platforms require of files without an extension. */
const byName: readonly (readonly [type: string, names: string])[] = [
  [
    "application/json",
    [
      // Links that open an app, passkeys and sign-in.
      ...["apple-app-site-association", "webauthn", "passkey-endpoints", "openid-configuration"],
      ...[
        "oauth-authorization-server",
        "oauth-protected-resource",
        "uma2-configuration",
        "smart-configuration",
      ],
      // Federation.
      ...["matrix/server", "matrix/client", "matrix/support", "nodeinfo", "http-opportunistic"],
    ].join("|"),
  ],
  ["application/jrd+json", "webfinger"],
  ["application/xrd+xml", "host-meta"],
  ["application/trafficadvice+json", "traffic-advice"],
];

/** A type with a pattern of the paths of its files, whose letters may be small or capital. The first that matches counts. */
export const contentTypes: readonly { readonly type: string; readonly path: string }[] = [
  { type: "application/json", path: "^/apple-app-site-association$" },
  ...byName.map(([type, names]) => ({ type, path: String.raw`^/\.well-known/(?:${names})$` })),
  // Proofs that somebody owns the domain, in plain text.
  { type: `text/plain${UTF8}`, path: String.raw`^/\.well-known/(?:.*/)?[^./]+$` },
  ...byExtension.map(([type, names]) => ({ type, path: String.raw`\.(?:${names})$` })),
  { type: "application/octet-stream", path: "/[^./]+$" },
];

const patterns = contentTypes.map(({ type, path }) => ({ type, pattern: new RegExp(path, "i") }));

/** The type of a file; null if only its extension is unknown. @param path of the file in the site, decoded */
export function contentTypeOf(path: string): string | null {
  return patterns.find(({ pattern }) => pattern.test(path))?.type ?? null;
}
