/** A place on the earth, in degrees. */
type Place = { readonly latitude: number; readonly longitude: number };

/** Where the database is in docs/scaling.md: Cloudflare's region `enam`. */
export const virginia: Place = { latitude: 39.04, longitude: -77.49 };

export const callers = {
  Sydney: { latitude: -33.87, longitude: 151.21 },
  Frankfurt: { latitude: 50.11, longitude: 8.68 },
  "São Paulo": { latitude: -23.55, longitude: -46.63 },
} as const satisfies Record<string, Place>;

/**
 * A city of each region in which D1 has replicas. Source: Cloudflare's documentation, D1 read replication. South America,
 * Africa and the Middle East have none.
 */
const replicas = {
  enam: virginia,
  wnam: { latitude: 37.34, longitude: -121.89 },
  weur: { latitude: 52.37, longitude: 4.9 },
  eeur: { latitude: 52.23, longitude: 21.01 },
  apac: { latitude: 1.35, longitude: 103.82 },
  oc: { latitude: -33.87, longitude: 151.21 },
} as const satisfies Record<string, Place>;

const EARTH_RADIUS_KM = 6_371;
/** Light in a fibre takes 1 ms for 200 km, and a round trip is twice the way. */
const KM_PER_MS = 100;
/** Cables and routes are longer than the great circle. With 1.4, the result is near the published times of clouds. */
const DETOUR = 1.4;
/** The time between data centers of one city. */
const LEAST_MS = 2;

/** What a round trip between two places takes, by their distance. */
export function roundTripMs(one: Place, other: Place): number {
  return Math.max(LEAST_MS, Math.round((distanceKm(one, other) * DETOUR) / KM_PER_MS));
}

/** What a round trip to the nearest replica takes. */
export function replicaMs(from: Place): number {
  return Math.min(...Object.values(replicas).map((replica) => roundTripMs(from, replica)));
}

/** By the haversine formula. */
export function distanceKm(one: Place, other: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (a: number, b: number) => Math.sin(radians(b - a) / 2) ** 2;
  const chord =
    half(one.latitude, other.latitude) +
    Math.cos(radians(one.latitude)) *
      Math.cos(radians(other.latitude)) *
      half(one.longitude, other.longitude);
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(chord));
}
