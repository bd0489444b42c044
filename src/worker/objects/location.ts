import { Jurisdiction, Region } from "#contract/regions.ts";

/**
 * Where a server's objects belong: the region that its owner has set, else the region that its agent connected from.
 * Null: unknown. `pending`: unknown, and no agent has enrolled yet.
 */
export type ServerLocation = Region | "pending" | null;

/** @throws if the variable has another value: with a wrong jurisdiction every object would have another id and be empty */
export function jurisdictionOf({
  JURISDICTION: name,
}: {
  readonly JURISDICTION: string;
}): Jurisdiction | null {
  return name === "" ? null : Jurisdiction.parse(name);
}

type Bindings = Pick<Env, "PROJECT_LANE" | "AGENT_LINK" | "EVENT_FEED" | "OUTLET"> & {
  readonly JURISDICTION: string;
};

/**
 * The bindings for objects of the installation's jurisdiction. Each entry point of the Worker calls this, so that no other
 * code can name an object outside of it: an object's id contains its jurisdiction.
 */
export function inJurisdiction<Of extends Bindings>(env: Of): Of {
  const jurisdiction = jurisdictionOf(env);
  if (jurisdiction === null) return env;
  return {
    ...env,
    PROJECT_LANE: env.PROJECT_LANE.jurisdiction(jurisdiction),
    AGENT_LINK: env.AGENT_LINK.jurisdiction(jurisdiction),
    EVENT_FEED: env.EVENT_FEED.jurisdiction(jurisdiction),
    OUTLET: env.OUTLET.jurisdiction(jurisdiction),
  };
}

/**
 * The options for an object that this call may be the first to name: Cloudflare creates the object there, and it never
 * moves. For an existing object they change nothing.
 */
export function near(
  location: ServerLocation,
  { LOCATION }: { readonly LOCATION: string },
): DurableObjectNamespaceGetDurableObjectOptions {
  const region = location === null || location === "pending" ? Region.safeParse(LOCATION).data : location;
  return region === undefined ? {} : { locationHint: region };
}
