import type { Handler, Route } from "#agent/ingress/caddy/route.ts";
import { contentTypes } from "#agent/ingress/content-types.ts";

/** The name of the route that sets the type of a file. */
export const TYPES = "types";

const TYPE = "{gantry_type}";

/** Sets the type of the file at the path, instead of Caddy's, which depends on what is installed on the server. */
export const typesRoute: Route = {
  handle: [
    {
      handler: "map",
      source: "{http.request.uri.path}",
      destinations: [TYPE],
      mappings: contentTypes.map(({ type, path }) => ({ input_regexp: `(?i)${path}`, outputs: [type] })),
      defaults: [""],
    },
    {
      handler: "subroute",
      routes: [
        {
          match: [{ not: [{ vars: { [TYPE]: [""] } }] }],
          handle: [{ handler: "headers", response: { set: { "Content-Type": [TYPE] } } }],
        },
      ],
    },
  ],
};

export const setType: Handler = { handler: "invoke", name: TYPES };
