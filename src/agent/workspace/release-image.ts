import * as z from "zod/mini";

import { SharedPath } from "#contract/git-names.ts";
import { StopSignal } from "#contract/endpoints/processes/process-settings.ts";

/** The id of an image in a project's storage: the SHA-256 of its configuration. */
export const ImageId = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/**
 * The image of a release, as its build left it. `command`: the line of its own command, which is its entrypoint with its
 * arguments; null if it has none. `user`: the ids of the user that it runs as, in the container. `ports`: the TCP ports that it
 * exposes. `shared_paths`: the project's shared paths at its build. `key`: equal for builds that would make the same image.
 * `checked`: the hash of the rule about signatures that its pulls were checked by; absent: none.
 */
export const ReleaseImage = z.object({
  id: ImageId,
  bytes: z.number(),
  command: z.nullable(z.string()),
  directory: z.string(),
  user: z.object({ uid: z.int(), gid: z.int() }),
  ports: z.array(z.int()),
  stop_signal: z.optional(StopSignal),
  shared_paths: z.array(SharedPath),
  key: z.optional(z.string()),
  checked: z.optional(z.string()),
});
export type ReleaseImage = z.infer<typeof ReleaseImage>;

/** The name of a release's image in the project's storage. */
export const imageTag = (version: number): string => `localhost/gantry:${version}`;
