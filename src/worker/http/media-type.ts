/**
 * The offered media type that the client prefers. The first one if there is no Accept header, if several have the same
 * weight, or if the client accepts none. Source: RFC 9110 section 12.5.1: the most specific range decides.
 */
export function preferredMediaType<Offered extends string>(
  accept: string | null,
  offered: readonly [Offered, ...Offered[]],
): Offered {
  if (offered.length === 1) return offered[0];
  const ranges = (accept ?? "*/*").toLowerCase().split(",").map(parseRange);
  let best = offered[0];
  let bestWeight = weightOf(best, ranges);
  for (const candidate of offered.slice(1)) {
    const weight = weightOf(candidate, ranges);
    if (weight <= bestWeight) continue;
    best = candidate;
    bestWeight = weight;
  }
  return best;
}

type Range = { readonly type: string; readonly weight: number };

function parseRange(text: string): Range {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  const parsed = weight === undefined ? 1 : Number(weight);
  return { type, weight: parsed >= 0 && parsed <= 1 ? parsed : 0 };
}

function weightOf(mediaType: string, ranges: readonly Range[]): number {
  const family = `${mediaType.slice(0, mediaType.indexOf("/"))}/*`;
  for (const range of [mediaType, family, "*/*"]) {
    const found = ranges.find(({ type }) => type === range);
    if (found !== undefined) return found.weight;
  }
  return 0;
}
