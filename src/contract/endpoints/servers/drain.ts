import * as z from "zod/mini";

import { wholeFrom } from "#contract/bounds.ts";
import { Server } from "#contract/endpoints/servers/schemas.ts";

/**
 * Whether a server must be drained. A greater `revision` is newer: Unix milliseconds, or the revision before plus one. A
 * message that arrives late or twice changes nothing. `since`: in Unix milliseconds; null: it is not drained.
 */
export const DrainState = z.strictObject({ revision: wholeFrom(1), since: z.nullable(wholeFrom(0)) });
export type DrainState = z.infer<typeof DrainState>;

/** A server after a change. `applied`: whether the server has done it. `detail`: why it has not, as a sentence. */
export const DrainSet = z.extend(Server, { applied: z.boolean(), detail: z.nullable(z.string()) });
export type DrainSet = z.infer<typeof DrainSet>;
