import * as z from "zod";

import { flag, option, type Script } from "../shared/script.ts";

/** An origin without a slash at its end. */
const Origin = z
  .url({ protocol: /^https?$/, error: "must be an address such as https://gantry.example.com" })
  .transform((text) => new URL(text).origin);

const options = z.object({
  url: option("URL", "the address of the installation, such as https://gantry.example.com", Origin),
  quick: flag("leave out the steps that wait for a minute or longer"),
});

export type ReleaseCheckOptions = z.output<typeof options>;

export const releaseCheckScript: Script<typeof options> = {
  usage: "npm run release:check -- --url URL [--quick]",
  summary: `Checks an installation on the real Cloudflare, in about three minutes, and writes build/release-check.md.

It connects an agent on this machine as a server named release-check-…, deploys an example site, follows, cancels and
rolls back, and removes the project and the server at the end. The token in GANTRY_TOKEN needs every scope. At a terminal it
asks afterwards about each check of docs/release.md that needs other services.`,
  options,
};
