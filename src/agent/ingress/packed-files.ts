/** How a file was packed before it was deployed. `ending`: of its name. */
export type Coding = { readonly name: "br" | "gzip"; readonly ending: ".br" | ".gz" };

/** In order of preference. */
export const codings: readonly Coding[] = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
];

/** What pages load. Others, such as `.csv.gz` and `.tar.gz`, are downloads. */
const PARTS = "js|mjs|css|wasm|data|pck|json|map|svg";

/** A path whose file may exist only packed. The letters may be small or capital. */
export const PART = new RegExp(String.raw`[^/]\.(?:${PARTS})$`, "i");

/**
 * Packed files that pages request by their full names, such as `Build/game.wasm.br` of Unity. A `.gz` elsewhere is a download,
 * or a script of the page unpacks it.
 */
export const packedNames: Readonly<Record<Coding["name"], RegExp>> = {
  br: new RegExp(String.raw`[^/]\.(?:${PARTS})\.br$`, "i"),
  gzip: /\/Build\/[^/]+\.(?:js|wasm|data|symbols\.json)\.gz$/i,
};

/** Whether a request's `Accept-Encoding` has a coding. Caddy reads the pattern too. */
export const acceptsCoding = ({ name }: Coding): RegExp =>
  new RegExp(String.raw`(?:^|,)\s*(?:${name}|\*)\s*(?:,|$|;\s*q=(?:1|0?\.0*[1-9]))`, "i");

/** How the file at a path is packed, if a page requests it by its full name; null for other files. */
export function packedAs(path: string): Coding | null {
  return codings.find(({ name }) => packedNames[name].test(path)) ?? null;
}
